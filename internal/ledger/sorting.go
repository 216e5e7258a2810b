package ledger

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// SortKey names what a list of trades can be sorted by, as the API spells it.
type SortKey string

// The keys that a trade itself has a value for. For any other [Sort.Of] must
// be given.
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

// sortColumns says where the value of a key stands. All but the symbol are
// numbers; what is not there is NULL.
var sortColumns = map[SortKey]string{
	SortOpenedAt:   "trades.opened_at",
	SortClosedAt:   "CASE WHEN trades.is_open THEN NULL ELSE trades.last_at END",
	SortSymbol:     "streams.symbol",
	SortNetPnL:     "trades.net_pnl",
	SortReturnPct:  "trades.return_pct",
	SortTimeHeld:   "CASE WHEN trades.is_open THEN NULL ELSE trades.last_at - trades.opened_at END",
	SortQtyOpened:  "trades.qty_opened",
	SortEntryPrice: "trades.avg_entry",
	SortExitPrice:  "trades.avg_exit",
}

// Sort is an order of trades other than newest first. Trades without a value
// come last in either direction, and equal ones are in the order of their ids.
type Sort struct {
	By   SortKey
	Down bool
	// Of gives the value of a trade where By is no key of the ledger's.
	Of func(SortFigures) decimal.Null
	// After leaves out everything up to and including that place.
	After *Ranked
}

// SortFigures are what Sort.Of can tell a value from.
type SortFigures struct {
	Trade                           journal.TradeID
	AvgEntry, QtyOpened, Multiplier decimal.Decimal
	Fees, Commission                decimal.Decimal
	NetPnL                          decimal.Null
}

// Ranked is a trade with what it was sorted by: a number, or a text for the
// symbol.
type Ranked struct {
	ID     journal.TradeID
	Number decimal.Null
	Text   string
}

// compare is negative where r comes before o.
func (s Sort) compare(r, o Ranked) int {
	byID := cmp.Compare(r.ID, o.ID)
	order := cmp.Or(cmp.Compare(r.Text, o.Text), r.Number.Decimal.Cmp(o.Number.Decimal), byID)
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

// RankTrades gives the trades of a query in the order of a sort, as one step.
// Amounts are exact decimals, which the database cannot compare, so the values
// of all trades are read and compared here. Of these only as many are kept as
// the query's limit asks for, all where it asks for all.
func RankTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery, by Sort) ([]Ranked, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	q.After = nil
	var f filter
	text := selection{"trades", owner, accounts, by.head(q), q.where}.union(&f)
	var list []Ranked
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		r, err := by.scan(row)
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

// head is the SELECT of the values. Streams are looked up only where the query
// or the order wants them.
func (s Sort) head(q TradeQuery) string {
	from := " FROM trades"
	if s.By == SortSymbol || len(q.Symbols) > 0 || q.InstrumentType != "" {
		from = tradesFrom
	}
	if s.Of != nil {
		return "SELECT trades.id, avg_entry, qty_opened, multiplier, fees, commission, net_pnl" + from
	}
	return "SELECT trades.id, " + sortColumns[s.By] + from
}

func (s Sort) scan(row db.Scanner) (r Ranked, err error) {
	switch {
	case s.Of != nil:
		var f SortFigures
		err = row.Scan(&f.Trade, &f.AvgEntry, &f.QtyOpened, &f.Multiplier, &f.Fees, &f.Commission, &f.NetPnL)
		r.ID, r.Number = f.Trade, s.Of(f)
	case s.By == SortSymbol:
		err = row.Scan(&r.ID, &r.Text)
	default:
		err = row.Scan(&r.ID, &r.Number)
	}
	return r, err
}

// OfBatch is the condition that an import brought a fill of the trade.
func OfBatch(owner journal.UserID, batch journal.BatchID) Condition {
	return func(args *[]any) string {
		f := filter{args: *args}
		user, id := f.arg(owner), f.arg(batch)
		*args = f.args
		brought := ` FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
			AND executions.account = import_spans.account
			AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
			AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq
			WHERE import_spans.user_id = ` + user + ` AND import_spans.batch_id = ` + id
		return `trades.id IN (SELECT trade_id` + brought +
			` UNION SELECT flip_trade_id` + brought + ` AND flip_trade_id IS NOT NULL)`
	}
}

// EachListedAt hands the instants of the trades of a query, by the query's
// basis, to fn in no order: enough to count them by day. It is a step; fn must
// not run statements.
func EachListedAt(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery, fn func(time.Time)) error {
	if err := q.check(); err != nil {
		return err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return err
	}
	from := " FROM trades"
	if len(q.Symbols) > 0 || q.InstrumentType != "" {
		from = tradesFrom
	}
	q.After = nil
	var f filter
	text := selection{"trades", owner, accounts, "SELECT trades." + q.Basis.column() + from, q.where}.union(&f)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var at int64
		err := row.Scan(&at)
		fn(db.FromMicros(at))
		return err
	}, text, f.args...)
}
