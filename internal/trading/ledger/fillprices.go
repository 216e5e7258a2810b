package ledger

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// TradedInstrument is an account's instrument, with the number by which its fills are
// found.
type TradedInstrument struct {
	Instrument
	Number int64
}

// TradedInstruments returns what the owner has traded, in all accounts the context does
// not exclude. It is a step.
func TradedInstruments(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]TradedInstrument, error) {
	condition, args := streamsOfAllowed(ctx, owner)
	return db.List(ctx, tx, func(row db.Scanner) (TradedInstrument, error) {
		var number int64
		var key streamKey
		err := row.Scan(append([]any{&number}, key.scan()...)...)
		return TradedInstrument{Instrument: key.toInstrument(), Number: number}, err
	}, `SELECT number, `+streamColumns+` FROM streams WHERE user_id = $1`+condition, args...)
}

// FillPrice is when and at which price something was traded.
type FillPrice struct {
	At    int64 // microseconds since 1970
	Price decimal.Decimal
	Facts Facts
}

// FillPrices returns the owner's fill prices in some instruments, from one instant to
// another, both in microseconds and inclusive, in time order, without expiries and other
// fills that have no market price. It is a step.
func FillPrices(ctx context.Context, tx *db.Tx, owner journal.UserID, numbers []int64, from, to int64) (list []FillPrice, err error) {
	list, err = db.ListIn(ctx, tx, numbers, func(row db.Scanner) (f FillPrice, err error) {
		err = row.Scan(&f.At, &f.Price, &f.Facts)
		return f, err
	}, `SELECT executed_at, price, facts FROM executions
		WHERE user_id = $1 AND executed_at >= $2 AND executed_at <= $3 AND `+isOrdinary+` AND stated IS NULL AND stream IN $keys`, owner, from, to)
	slices.SortStableFunc(list, func(a, b FillPrice) int { return cmp.Compare(a.At, b.At) })
	return list, err
}

// HasPreciseTime reports whether a fill's instant is known to the second.
func (f FillPrice) HasPreciseTime() bool { return !f.Facts.has(MinutePrecision | DayPrecision) }

// HasMinute reports whether a fill's instant is known to the minute.
func (f FillPrice) HasMinute() bool { return !f.Facts.has(DayPrecision) }
