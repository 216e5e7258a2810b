package ledger

import (
	"context"
	"math"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// Closed is of a closed trade what figures are made of. They are made of all
// trades of an account, and whole trades would take twice as long to read.
type Closed struct {
	ID                           journal.TradeID
	Symbol, InstrumentType       string
	Direction                    matching.Direction
	OpenedAt, ClosedAt           time.Time
	QtyOpened, AvgEntry          decimal.Decimal
	Multiplier                   decimal.Decimal
	EntryNotional, Volume        decimal.Decimal
	Gross, Net, Fees, Commission decimal.Decimal
}

// Cursor is the place of the trade in the order of [ClosedTrades].
func (c *Closed) Cursor() TradeCursor { return TradeCursor{At: db.Micros(c.ClosedAt), ID: c.ID} }

// Newest is the place before all trades.
func Newest() TradeCursor { return TradeCursor{At: math.MaxInt64} }

const (
	closedSelect = figuresSelect + ` AND is_open = FALSE`
	// figuresSelect also reads open trades: their result is what they realized.
	figuresSelect = `
	SELECT trades.id, streams.symbol, streams.instrument_type, is_long, opened_at, list_at, qty_opened, avg_entry,
		multiplier, entry_notional, volume, COALESCE(gross_pnl, realized_pnl), COALESCE(net_pnl, realized_pnl), fees, commission` +
		tradesFrom + `
	WHERE trades.user_id = $1`
)

func scanClosed(row db.Scanner) (c Closed, err error) {
	err = row.Scan(&c.ID, &c.Symbol, &c.InstrumentType, directionOf{&c.Direction}, db.Instant(&c.OpenedAt), db.Instant(&c.ClosedAt),
		&c.QtyOpened, &c.AvgEntry, &c.Multiplier, &c.EntryNotional, &c.Volume, &c.Gross, &c.Net, &c.Fees, &c.Commission)
	return c, err
}

// ClosedTrades gives the closed trades of an account that come after a place, the
// newest first, so many of them at most.
func ClosedTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, after TradeCursor, most int) ([]Closed, error) {
	return db.List(ctx, tx, scanClosed, closedSelect+`
		AND trades.account = $2 AND (list_at, trades.id) < ($3, $4) ORDER BY list_at DESC, trades.id DESC`+db.Limit(5),
		owner, account.number, after.At, after.ID, most)
}

// ClosedByID gives those of some trades that the owner has and that are closed,
// in no order.
func ClosedByID(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) (found []Closed, err error) {
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		list, err := db.List(ctx, tx, scanClosed, closedSelect+` AND trades.id IN `+db.In(&args, part), args...)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}
