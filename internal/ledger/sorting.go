package ledger

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// SortKey is a key by which a list of trades can be sorted, as in the API.
type SortKey string

// The keys with a value in the ledger. Any other key requires [Sort.Of].
const (
	SortOpenedAt   SortKey = "opened_at"
	SortClosedAt   SortKey = "closed_at"
	SortSymbol     SortKey = "symbol"
	SortNetPnL     SortKey = "net_pnl"
	SortReturnPct  SortKey = "return_pct"
	SortTimeHeld   SortKey = "time_in_trade_secs"
	SortQtyOpened  SortKey = "qty_opened"
	SortEntryPrice SortKey = "avg_entry_price"
	SortExitPrice  SortKey = "avg_exit_price"
)

// sortColumns are the SQL expressions of the keys. All but the symbol are
// numbers; an absent value is NULL.
var sortColumns = map[SortKey]string{
	SortOpenedAt:   "trades.opened_at",
	SortClosedAt:   "CASE WHEN trades.is_open THEN NULL ELSE trades.list_at END",
	SortSymbol:     "streams.symbol",
	SortNetPnL:     "trades.net_pnl",
	SortReturnPct:  "trades.return_pct",
	SortTimeHeld:   "CASE WHEN trades.is_open THEN NULL ELSE trades.list_at - trades.opened_at END",
	SortQtyOpened:  "trades.qty_opened",
	SortEntryPrice: "trades.avg_entry",
	SortExitPrice:  "trades.avg_exit",
}

// Sort is an order of trades other than newest first. Trades without a value
// come last in either direction. Equal ones are in the order of closing, or of
// opening if that is the sort key, and reversed with Down.
type Sort struct {
	By   SortKey
	Down bool
	// Of returns the value of a trade if By is not a key of the ledger.
	Of func(SortFigures) decimal.Null
	// After excludes everything up to and including that position.
	After *RankedTrade
}

// SortFigures are the figures that Sort.Of receives.
type SortFigures struct {
	Trade                    journal.TradeID
	Long                     bool
	EntryNotional, EntrySize decimal.Decimal
	Rate                     matching.Rate
	Fees, Commission         decimal.Decimal
	NetPnL                   decimal.Null
}

// RankedTrade is a trade with the value that it was sorted by, a number or the
// symbol, and its position among equal ones.
type RankedTrade struct {
	ID     journal.TradeID
	Number decimal.Null
	Text   string
	Place  TradeCursor
}

// compare returns a negative number if r comes before o.
func (s Sort) compare(r, o RankedTrade) int {
	order := cmp.Or(cmp.Compare(r.Text, o.Text), r.Number.Decimal.Cmp(o.Number.Decimal))
	if order == 0 {
		order = r.Place.Compare(&o.Place, s.Basis())
	}
	switch {
	case r.Number.Valid != o.Number.Valid && s.By != SortSymbol:
		if r.Number.Valid {
			return -1
		}
		return 1
	case s.Down:
		return -order
	}
	return order
}

// Basis returns the order of trades with equal values.
func (s Sort) Basis() DateBasis {
	if s.By == SortOpenedAt {
		return ByOpening
	}
	return ByClosing
}

// RankTrades returns the trades of a query in the order of a sort, as one step.
// Amounts are exact decimals, which the database cannot compare, so the values
// of all trades are read and compared here. At most four times the query's
// limit is kept in memory.
func RankTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery, by Sort) ([]RankedTrade, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	q.After = nil
	var f filter
	text := selection{table: "trades", owner: owner, accounts: accounts, head: by.head(), where: q.addConditions}.unionQuery(&f)
	known := indexByNumber(accounts)
	var list []RankedTrade
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		r, err := by.scan(row, known)
		if err != nil || by.After != nil && by.compare(r, *by.After) <= 0 {
			return err
		}
		if list = append(list, r); q.Limit > 0 && len(list) >= 4*q.Limit {
			slices.SortFunc(list, by.compare)
			list = list[:q.Limit]
		}
		return nil
	}, text, f.args...)
	slices.SortFunc(list, by.compare)
	if q.Limit > 0 && len(list) > q.Limit {
		list = list[:q.Limit]
	}
	return list, err
}

// head returns the SELECT of positions and values.
func (s Sort) head() string {
	const places = "SELECT trades.id, list_at, opened_at, " + closingColumn + ", order_key, first_external, first_arrival, trades.account, "
	if s.Of != nil {
		return places + "is_long, entry_notional, qty_opened, multiplier, entry_size, rate_stated, rate_priced, fees, commission, net_pnl" + tradesFrom
	}
	return places + sortColumns[s.By] + tradesFrom
}

func (s Sort) scan(row db.Scanner, accounts map[int64]Account) (r RankedTrade, err error) {
	at := &r.Place
	place := []any{
		&r.ID, &at.ListedAt, &at.OpenedAt, &at.ClosedAt, &at.Instrument, &at.External, &at.Arrival, &at.AccountNumber,
	}
	switch {
	case s.Of != nil:
		var t matching.Trade
		err = row.Scan(append(place, directionScanner{&t.Direction}, &t.EntryNotional, &t.QtyOpened, oneIfNull{&t.Multiplier}, entrySizeScanner{&t},
			&t.Rate.Stated, &t.Rate.Priced, zeroIfNull{&t.FeesTotal}, zeroIfNull{&t.Commission}, &t.NetPnL)...)
		r.Number = s.Of(SortFigures{
			Trade: r.ID, Long: t.Direction == matching.Long, EntryNotional: t.EntryNotional, EntrySize: t.EntrySize, Rate: t.Rate,
			Fees: t.FeesTotal, Commission: t.Commission, NetPnL: t.NetPnL,
		})
	case s.By == SortSymbol:
		err = row.Scan(append(place, &r.Text)...)
	default:
		err = row.Scan(append(place, &r.Number)...)
	}
	at.Account = accounts[at.AccountNumber].Name
	return r, err
}

// BatchCondition returns the condition that an import contains a fill of the
// trade.
func BatchCondition(owner journal.UserID, batch journal.BatchID) Condition {
	return func(args *[]any) string { return `trades.id IN (` + selectBatchTrades(args, owner, batch) + `)` }
}

// BatchTrades returns the trades that have a fill of an import, in no order. It is
// a step.
func BatchTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) ([]journal.TradeID, error) {
	var args []any
	text := selectBatchTrades(&args, owner, batch)
	return db.List(ctx, tx, db.Single[journal.TradeID], text, args...)
}

// selectBatchTrades returns the query of the ids of the trades with a fill of an
// import, and adds its arguments.
func selectBatchTrades(args *[]any, owner journal.UserID, batch journal.BatchID) string {
	f := filter{args: *args}
	user, id := f.arg(owner), f.arg(batch)
	*args = f.args
	brought := ` FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
		AND executions.account = import_spans.account
		AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
		AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq
		WHERE import_spans.user_id = ` + user + ` AND import_spans.batch_id = ` + id
	return `SELECT trade_id` + brought + ` UNION SELECT flip_trade_id` + brought + ` AND flip_trade_id IS NOT NULL`
}
