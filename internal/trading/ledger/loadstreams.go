package ledger

import (
	"context"

	"fillbook/internal/base/db"
)

// maxStreamShare is how many of an account's streams may be read for each needed one,
// instead of searching each.
const maxStreamShare = 10

var streamsOfAccount = `SELECT number, has_closings, events, ` + streamColumns + ` FROM streams
	WHERE user_id = $1 AND account = $2` + db.Limit(3)

// loadStreams reads all the account's streams if several are needed and it has not many
// more, so findStream need not search each.
func (set *streamSet) loadStreams(ctx context.Context, needed int) error {
	const fewest = 4
	if set.hasAll || needed < fewest {
		return nil
	}
	limit := maxStreamShare * needed
	list, err := db.List(ctx, set.tx, func(row db.Scanner) (*stream, error) {
		s := &stream{}
		return s, row.Scan(append([]any{&s.number, falseIfNull{&s.hasClosings}, eventsScanner{&s.events}}, s.key.scan()...)...)
	}, streamsOfAccount, set.owner, set.account.number, limit+1)
	if err != nil || len(list) > limit {
		return err
	}
	for _, s := range list {
		if set.byKey[s.key] == nil {
			set.add(s)
		}
	}
	set.hasAll = true
	return nil
}
