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

// FigureTrade contains the values of a trade that figures are computed from and
// lists are sorted by. Reading whole trades would take longer.
type FigureTrade struct {
	ID                     journal.TradeID
	Symbol, InstrumentType string
	OptionRight            string      // empty unless the instrument is an option
	Expiry                 journal.Day // empty if it does not expire
	Direction              matching.Direction
	Open                   bool
	// ListedAt is the instant of closing, or of opening for an open trade.
	OpenedAt, ListedAt       time.Time
	EntryNotional, EntrySize decimal.Decimal
	Rate                     matching.Rate
	Volume                   decimal.Null // in the account's currency
	// Gross and Net of an open trade are those of its closed part.
	Gross, Net, Fees, Commission decimal.Decimal
	QtyOpened, AvgEntry          decimal.Decimal
	AvgExit, ReturnPct           decimal.Null
	// Instrument, External and Arrival order trades of the same instants; see
	// [TradeCursor].
	Instrument, External string
	Arrival              int64
}

// Cursor returns the position of the trade in [FigureTrades], which are all of
// one account.
func (c *FigureTrade) Cursor() TradeCursor {
	return TradeCursor{
		ListedAt: db.Micros(c.ListedAt), OpenedAt: db.Micros(c.OpenedAt),
		Instrument: c.Instrument, External: c.External, Arrival: c.Arrival,
	}
}

// StartCursor returns the position before all trades.
func StartCursor() TradeCursor { return TradeCursor{ListedAt: math.MaxInt64} }

const (
	figuresSelect = `
	SELECT trades.id, streams.symbol, streams.instrument_type, is_long, opened_at, list_at,
		entry_notional, exit_notional, qty_opened, multiplier, entry_size, rate_stated, rate_priced, volume,
		fees, commission, net_pnl, gross_pnl, realized_pnl,
		order_key, first_external, first_arrival, is_open, avg_entry, avg_exit, return_pct, option_right, expiry` + tradesFrom + `
	WHERE trades.user_id = $1`

	// The reverse order of closing within one account.
	figuresAfter = `
		AND trades.account = $2 AND list_at <= $3
		AND (list_at, opened_at, order_key, first_external, first_arrival) < ($3, $4, $5, $6, $7)
		ORDER BY list_at DESC, opened_at DESC, order_key DESC, first_external DESC, first_arrival DESC`
)

func scanFigureTrade(row db.Scanner) (c FigureTrade, err error) {
	var t matching.Trade
	err = row.Scan(&c.ID, &c.Symbol, &c.InstrumentType, directionScanner{&c.Direction}, db.Instant(&c.OpenedAt), db.Instant(&c.ListedAt),
		&t.EntryNotional, &t.ExitNotional, &t.QtyOpened, oneIfNull{&t.Multiplier}, entrySizeScanner{&t}, &c.Rate.Stated, &c.Rate.Priced,
		volumeScanner{&t}, zeroIfNull{&t.FeesTotal}, zeroIfNull{&t.Commission}, &t.NetPnL, grossScanner{&t}, realizedScanner{&t},
		&c.Instrument, &c.External, &c.Arrival, &c.Open, &c.AvgEntry, &c.AvgExit, &c.ReturnPct, &c.OptionRight, &c.Expiry)
	c.EntryNotional, c.EntrySize, c.QtyOpened, c.Volume = t.EntryNotional, t.EntrySize, t.QtyOpened, c.Rate.Convert(t.Volume)
	c.Gross, c.Net = t.GrossPnL.Or(t.RealizedPnL), t.NetPnL.Or(t.RealizedPnL)
	c.Fees, c.Commission = t.FeesTotal, t.Commission
	return c, err
}

// FigureTrades returns at most the given number of trades of an account after a
// position, newest first.
func FigureTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, after TradeCursor, most int) ([]FigureTrade, error) {
	return db.List(ctx, tx, scanFigureTrade, figuresSelect+figuresAfter+db.Limit(8),
		owner, account.number, after.ListedAt, after.OpenedAt, after.Instrument, after.External, after.Arrival, most)
}

// FigureTradesByID returns the owner's trades with the given ids, in no order.
func FigureTradesByID(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) (found []FigureTrade, err error) {
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		list, err := db.List(ctx, tx, scanFigureTrade, figuresSelect+` AND trades.id IN `+db.In(&args, part), args...)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}
