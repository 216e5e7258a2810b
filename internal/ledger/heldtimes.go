package ledger

import (
	"context"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// HeldTime is a time during which a position in an instrument was open, in microseconds
// since 1970.
type HeldTime struct {
	Instrument
	From, To int64
	// Open reports that the position is still open. To is then its last fill.
	Open bool
}

// EachHeldTime calls fn with the time of each trade of the owner, by instrument. fn must
// not run statements. It is a step.
func EachHeldTime(ctx context.Context, tx *db.Tx, owner journal.UserID, fn func(HeldTime) error) error {
	traded, err := TradedInstruments(ctx, tx, owner)
	if err != nil {
		return err
	}
	byNumber := make(map[int64]Instrument, len(traded))
	for _, t := range traded {
		byNumber[t.Number] = t.Instrument
	}
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var held HeldTime
		var stream int64
		if err := row.Scan(&stream, &held.From, &held.To, &held.Open); err != nil {
			return err
		}
		held.Instrument = byNumber[stream]
		return fn(held)
	}, `SELECT stream, opened_at, COALESCE(last_at, list_at), is_open FROM trades WHERE user_id = $1 ORDER BY stream, opened_at`, owner)
}
