package ledger

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// HeldTime is a time during which a position in an instrument was open, in microseconds
// since 1970.
type HeldTime struct {
	Instrument
	From, To int64
	// Open reports that the position is still open. To is then its last fill.
	Open bool
}

// EachHeldTime calls fn with each trade's time, by instrument. fn must not run
// statements. It is a step.
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

// FirstTradeAt returns when the owner's first trade was opened, and false if there is no
// trade. It is a step.
func FirstTradeAt(ctx context.Context, tx *db.Tx, owner journal.UserID) (at time.Time, found bool, err error) {
	var micros *int64
	err = tx.QueryRow(ctx, `SELECT MIN(opened_at) FROM trades WHERE user_id = $1`, owner).Scan(&micros)
	if err != nil || micros == nil {
		return time.Time{}, false, err
	}
	return time.UnixMicro(*micros).UTC(), true, nil
}

// BaseCurrencies returns the owner's account currencies, each once. Trade results are in
// them. It is a step.
func BaseCurrencies(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]string, error) {
	return db.List(ctx, tx, func(row db.Scanner) (currency string, err error) {
		err = row.Scan(&currency)
		return currency, err
	}, `SELECT DISTINCT base_currency FROM accounts WHERE user_id = $1 ORDER BY base_currency`, owner)
}
