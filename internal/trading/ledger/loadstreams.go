package ledger

import (
	"context"

	"fillbook/internal/base/db"
)

// maxStreamShare is how many streams of an account may be read for each one that
// is needed, instead of searching each of them.
const maxStreamShare = 10

var streamsOfAccount = `SELECT number, symbol, instrument_type, option_right, strike, expiry, lot FROM streams
	WHERE user_id = $1 AND account = $2` + db.Limit(3)

// loadStreams reads all streams of the account if several are needed and it has
// not many more, so that findStream need not search each of them.
func (b *book) loadStreams(ctx context.Context, needed int) error {
	const fewest = 4
	if b.allStreams || needed < fewest {
		return nil
	}
	limit := maxStreamShare * needed
	list, err := db.List(ctx, b.tx, func(row db.Scanner) (*stream, error) {
		s := &stream{}
		return s, row.Scan(append([]any{&s.number}, s.key.scan()...)...)
	}, streamsOfAccount, b.owner, b.account.number, limit+1)
	if err != nil || len(list) > limit {
		return err
	}
	for _, s := range list {
		if b.streams[s.key] == nil {
			b.streams[s.key] = s
		}
	}
	b.allStreams = true
	return nil
}
