package ledger

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// FigureTrade has the trade values that figures are computed from and lists are sorted
// by. Reading whole trades would take longer.
type FigureTrade struct {
	ID                     journal.TradeID
	Symbol, InstrumentType string
	OptionRight            string      // empty unless the instrument is an option
	Expiry                 journal.Day // empty if it does not expire
	Direction              matching.Direction
	Open                   bool
	// ListedAt is when the trade closed, or opened if it is open.
	OpenedAt, ListedAt       time.Time
	EntryNotional, EntrySize decimal.Decimal
	Rate                     matching.Rate
	Volume                   decimal.Null // in the account's currency
	// An open trade's Gross and Net are its closed part's.
	Gross, Net, Fees, Commission decimal.Decimal
	QtyOpened, AvgEntry          decimal.Decimal
	AvgExit, ReturnPct           decimal.Null
	// Symbols are all its symbols, each between line ends, if actions gave it several; else
	// empty.
	Symbols string
	// Removed reports that all exits were removals: it was neither won nor lost.
	Removed bool
	// Instrument, External and Arrival order trades with the same instants; see
	// [TradeCursor].
	Instrument, External string
	Arrival              int64
}

const (
	figureColumns = `SELECT trades.id, is_long, opened_at, list_at,
		entry_notional, exit_notional, qty_opened, multiplier, entry_size, rate_stated, rate_priced, volume,
		fees, commission, net_pnl, gross_pnl, realized_pnl,
		first_external, first_arrival, is_open, avg_entry, avg_exit, return_pct, ended_by, symbols, `

	figuresWithStream = figureColumns + `order_key, ` + streamColumns + tradesFrom
	figuresAlone      = figureColumns + `COALESCE(shown, stream) FROM trades`
)

// figureRow is a row of figureColumns, shared by a query's rows.
type figureRow struct {
	FigureTrade
	t matching.Trade
}

// scan lists the destinations for figureColumns.
func (r *figureRow) scan() []any {
	c, t := &r.FigureTrade, &r.t
	return []any{
		&c.ID,
		directionScanner{&c.Direction},
		db.Instant(&c.OpenedAt), db.Instant(&c.ListedAt),
		&t.EntryNotional, &t.ExitNotional, &t.QtyOpened,
		oneIfNull{&t.Multiplier},
		entrySizeScanner{t},
		&c.Rate.Stated, &c.Rate.Priced,
		volumeScanner{t},
		zeroIfNull{&t.FeesTotal},
		zeroIfNull{&t.Commission},
		&t.NetPnL,
		grossScanner{t},
		realizedScanner{t},
		&c.External, &c.Arrival, &c.Open, &c.AvgEntry, &c.AvgExit, &c.ReturnPct,
		endingScanner{&t.EndedBy, &c.Removed},
		textScanner[string]{&c.Symbols},
	}
}

// setTrade sets a trade to the row's with its stream's instrument.
func (r *figureRow) setTrade(c *FigureTrade, s *listedStream) {
	t := &r.t
	*c = r.FigureTrade
	c.EntryNotional, c.EntrySize, c.QtyOpened, c.Volume = t.EntryNotional, t.EntrySize, t.QtyOpened, c.Rate.Convert(t.Volume)
	c.Gross, c.Net = t.GrossPnL.Or(t.RealizedPnL), t.NetPnL.Or(t.RealizedPnL)
	c.Fees, c.Commission = t.FeesTotal, t.Commission
	c.Symbol, c.InstrumentType, c.OptionRight, c.Expiry = s.key.symbol, s.key.kind, s.key.right, journal.Day(s.key.expiry)
	c.Instrument = s.order
}

// CountTrades returns how many trades an account has, counting no more than most.
func CountTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, most int) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM trades WHERE user_id = $1 AND account = $2`+db.Limit(3)+`) AS few`,
		owner, account.number, most).Scan(&n)
	return n, err
}

// EachFigureTrades calls fn with all an account's trades in batches with about that size:
// every trade in a batch was listed after every trade in the next one. A batch has no
// order. The batch belongs to fn, which must not run statements, and returns an earlier
// batch to use again, or nil.
func EachFigureTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, size int, fn func([]FigureTrade) (used []FigureTrade),
) error {
	streams, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	if err != nil {
		return err
	}
	withTies := size + size/8 // at the last instant
	batch := make([]FigureTrade, 0, withTies)
	var r figureRow
	var number int64
	columns := append(r.scan(), &number)
	err = db.EachAhead(ctx, tx, func(row db.Scanner) error {
		if err := row.Scan(columns...); err != nil {
			return err
		}
		if len(batch) >= max(size, 1) && !r.ListedAt.Equal(batch[len(batch)-1].ListedAt) {
			if batch = fn(batch)[:0]; batch == nil {
				batch = make([]FigureTrade, 0, withTies)
			}
		}
		s := streams[number]
		batch = append(batch, FigureTrade{})
		r.setTrade(&batch[len(batch)-1], &s)
		return nil
	}, figuresAlone+` WHERE user_id = $1 AND account = $2 ORDER BY list_at DESC`, owner, account.number)
	if err == nil && len(batch) > 0 {
		fn(batch)
	}
	return err
}

// FigureTradesByID returns the owner's trades with the given ids, in no order.
func FigureTradesByID(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) ([]FigureTrade, error) {
	var r figureRow
	var s listedStream
	columns := append(append(r.scan(), &s.order), s.key.scan()...)
	return db.ListIn(ctx, tx, ids, func(row db.Scanner) (t FigureTrade, err error) {
		err = row.Scan(columns...)
		r.setTrade(&t, &s)
		return t, err
	}, figuresWithStream+` WHERE trades.user_id = $1 AND trades.id IN $keys`, owner)
}
