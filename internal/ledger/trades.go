package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// Trade is a stored round trip, or a position still open. Its money is in the
// currency of its account.
type Trade struct {
	ID         journal.TradeID
	Account    journal.AccountID
	Currency   string
	Instrument Instrument
	Direction  matching.Direction
	OpenedAt   time.Time
	// ClosedAt is nil while the trade is open.
	ClosedAt *time.Time

	QtyOpened, QtyRemaining     decimal.Decimal
	EntryNotional, ExitNotional decimal.Decimal
	// EntrySize is quantity × multiplier summed over the opening fills.
	EntrySize decimal.Decimal
	// Rate converts notionals to the currency of the account. Volume, the traded
	// notional, is converted; it is absent where the rate is unknown.
	Rate             matching.Rate
	Volume           decimal.Null
	AvgEntry         decimal.Decimal
	AvgExit          decimal.Null
	Multiplier       decimal.Decimal
	Fees, Commission decimal.Decimal
	// GrossPnL, NetPnL and ReturnPct are absent while the trade is open;
	// RealizedPnL is the result of what was closed so far.
	GrossPnL, NetPnL, ReturnPct decimal.Null
	RealizedPnL                 decimal.Decimal
	// Executions is the number of its fills.
	Executions int
	// Revision is the account's revision that last changed the trade.
	Revision int64
	// Cursor is the place of the trade in the list it was read from.
	Cursor TradeCursor
}

// Open tells whether the position is not flat yet.
func (t *Trade) Open() bool { return t.ClosedAt == nil }

// Costs is what the trade paid for being executed, fees and commission.
func (t *Trade) Costs() decimal.Decimal { return t.Fees.Add(t.Commission) }

// TradeDetail is a trade with its fills in time order.
type TradeDetail struct {
	Trade
	Fills []TradeFill
	// DividendTotal is the sum of the dividends that are linked to it.
	DividendTotal decimal.Decimal
}

// TradeFill is a fill with its share in the trade: all of it, or for a fill
// that crosses zero the part on this side.
type TradeFill struct {
	Execution
	Role                                   matching.Role
	PartQuantity, PartFees, PartCommission decimal.Decimal
}

// DateBasis says which instant of a trade a period tests.
type DateBasis int

const (
	// ByClosing tests the closing of a closed trade and the opening of an open
	// one.
	ByClosing DateBasis = iota
	// ByOpening tests the opening of every trade.
	ByOpening
)

// Status selects trades by whether they are open.
type Status string

// The statuses, spelled as the API spells them; empty selects all trades.
const (
	StatusOpen   Status = "open"
	StatusClosed Status = "closed"
)

// Condition is a condition on trades that another package knows how to ask. It
// appends its arguments and gives the text, in which the trade's row is named
// trades, as in
//
//	trades.id IN (SELECT trade_id FROM trade_tags WHERE user_id = $4 AND tag_id = $5)
type Condition func(args *[]any) string

// TradeIDCondition returns the condition on trades that another package has for
// the id of a trade. idCondition appends its arguments and returns the text that
// follows the column.
func TradeIDCondition(idCondition func(args *[]any) string) Condition {
	return func(args *[]any) string { return "trades.id " + idCondition(args) }
}

// TradeQuery says which trades to list.
type TradeQuery struct {
	Scope          journal.Scope
	Basis          DateBasis
	Status         Status
	Symbols        []string
	Direction      matching.Direction
	InstrumentType string
	Where          []Condition
	// After leaves out everything up to and including that place; Limit
	// bounds the list, 0 means all.
	After *TradeCursor
	Limit int
}

// Trade gives one trade of the owner with its fills.
func (s *Service) Trade(ctx context.Context, owner journal.UserID, id journal.TradeID) (t TradeDetail, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		t, err = ReadTrade(ctx, tx, owner, id)
		return err
	})
	return t, err
}

// ReadTrade is what [Service.Trade] does, as one step.
func ReadTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (TradeDetail, error) {
	account, err := accountOf(ctx, tx, owner, "trades", string(id), "trade")
	if err != nil {
		return TradeDetail{}, err
	}
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return TradeDetail{}, err
	}
	row, err := b.tradeByID(ctx, id)
	if err != nil {
		return TradeDetail{}, err
	}
	return b.detail(ctx, row)
}

// EachTrade hands the trades of a query to fn, newest first, as they are read:
// memory stays flat however many there are.
func (s *Service) EachTrade(ctx context.Context, owner journal.UserID, q TradeQuery, fn func(Trade) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return EachTrade(ctx, tx, owner, q, fn) })
}

// CountTrades counts what EachTrade would list without its limit and cursor.
func (s *Service) CountTrades(ctx context.Context, owner journal.UserID, q TradeQuery) (n int, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		n, err = s.CountTradesIn(ctx, tx, owner, q)
		return err
	})
	return n, err
}

// CountTradesIn is the step of [Service.CountTrades], for a count of the
// snapshot that a list is read from.
func (s *Service) CountTradesIn(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery) (int, error) {
	if err := q.check(); err != nil {
		return 0, err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return 0, err
	}
	q.After = nil
	var f filter
	head := "SELECT 1 FROM trades"
	if len(q.Symbols) > 0 || q.InstrumentType != "" { // to look up every stream costs more than to count
		head = "SELECT 1" + tradesFrom
	}
	text := selection{"trades", owner, accounts, head, q.where}.union(&f)
	if len(q.Where) > 0 { // what others know of trades has revisions of its own
		return countRows(ctx, tx, text, f.args)
	}
	return s.counts.count(ctx, tx, accounts, text, f.args)
}

// EachTrade is the step of that name. fn must not run statements.
func EachTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery, fn func(Trade) error) error {
	if err := q.check(); err != nil {
		return err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return err
	}
	var f filter
	text := selection{"trades", owner, accounts, tradesSelect, q.where}.inOrder(tx, &f, q.Basis.newestFirst(), q.Limit)
	known := byNumber(accounts)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		t := listedTrade{}
		if err := row.Scan(t.scan()...); err != nil {
			return err
		}
		return fn(t.trade(known[t.account]))
	}, text, f.args...)
}

const tradesFrom = `
	FROM trades JOIN streams ON streams.user_id = trades.user_id AND streams.number = trades.stream`

var tradesSelect = tradeSelectOnly + `, trades.account AS account_number, revision, ` + placeColumns + `, ` + streamColumns + tradesFrom

// listedTrade is what tradesSelect reads.
type listedTrade struct {
	tradeRow
	account, revision int64
	order             string // the stream's order key
	closing, rank     int64  // what lists are sorted by; see placeColumns
	key               streamKey
}

func (t *listedTrade) scan() []any {
	return append(append(t.tradeRow.scan(), &t.account, &t.revision, &t.order, &t.closing, &t.rank), t.key.scan()...)
}

// place returns where the trade of an account is in the order of trades.
func (t *listedTrade) place(a Account) TradeCursor {
	return TradeCursor{
		ListedAt: t.listed, OpenedAt: t.First.At, ClosedAt: t.closing, Instrument: t.order, Account: a.Name,
		External: t.external, Arrival: t.arrival, Number: t.account,
	}
}

// trade gives the row in the words of the package's users.
func (t *listedTrade) trade(a Account) Trade {
	out := Trade{
		ID: t.id, Account: a.ID, Currency: a.BaseCurrency, Instrument: t.key.instrument(), Direction: t.Direction,
		OpenedAt: db.FromMicros(t.First.At), QtyOpened: t.QtyOpened, QtyRemaining: t.QtyRemaining,
		EntryNotional: t.EntryNotional, ExitNotional: t.ExitNotional, EntrySize: t.EntrySize, Rate: t.Rate,
		Volume: t.Rate.Convert(t.Volume), AvgEntry: t.AvgEntry,
		AvgExit: t.AvgExit, Multiplier: t.Multiplier, Fees: t.FeesTotal, Commission: t.Commission,
		GrossPnL: t.GrossPnL, NetPnL: t.NetPnL, ReturnPct: t.ReturnPct, RealizedPnL: t.RealizedPnL,
		Executions: int(t.count), Revision: t.revision, Cursor: t.place(a),
	}
	if at, closed := t.ClosedAt(); closed {
		closedAt := db.FromMicros(at)
		out.ClosedAt = &closedAt
	}
	return out
}

// check refuses a query that asks for what there is not.
func (q TradeQuery) check() error {
	if q.Status != "" && q.Status != StatusOpen && q.Status != StatusClosed {
		return journal.InvalidField("status", "status must be open or closed.")
	}
	if q.Direction != "" && q.Direction != matching.Long && q.Direction != matching.Short {
		return journal.InvalidField("side", "side must be long or short.")
	}
	return nil
}

func (d DateBasis) column() string {
	if d == ByOpening {
		return "opened_at"
	}
	return "list_at"
}

// where adds the conditions of the query.
func (q TradeQuery) where(f *filter) {
	column := "trades." + q.Basis.column()
	f.during(column, q.Scope.Period)
	if q.Status != "" {
		f.add("trades.is_open =", q.Status == StatusOpen)
	}
	if len(q.Symbols) > 0 {
		in(f, "streams.symbol", upper(q.Symbols))
	}
	if q.Direction != "" {
		f.add("trades.is_long =", q.Direction == matching.Long)
	}
	if q.InstrumentType != "" {
		f.add("streams.instrument_type =", strings.ToLower(q.InstrumentType))
	}
	for _, condition := range q.Where {
		f.terms = append(f.terms, "("+condition(&f.args)+")")
	}
	if q.After != nil {
		q.Basis.after(f, q.After)
	}
}

// upper gives symbols the way they are stored.
func upper(symbols []string) []string {
	out := make([]string, len(symbols))
	for i, symbol := range symbols {
		out[i] = strings.ToUpper(strings.TrimSpace(symbol))
	}
	return out
}

func (b *book) tradeByID(ctx context.Context, id journal.TradeID) (*listedTrade, error) {
	t := &listedTrade{}
	err := b.tx.QueryRow(ctx, unranked(tradesSelect)+` WHERE trades.user_id = $1 AND trades.id = $2 AND trades.account = $3`,
		b.owner, id, b.account.number).Scan(t.scan()...)
	return t, orNotFound(err, "trade")
}

// partsOf reads a trade's fills and works out its share in each.
func (b *book) partsOf(ctx context.Context, t *listedTrade) ([]*fill, []matching.Part, error) {
	s, err := b.streamNumbered(ctx, t.stream)
	if err != nil {
		return nil, nil, err
	}
	cursor := &fillCursor{b: b, ctx: ctx, changes: &changes{stream: s, whole: true}}
	cursor.seek(t.First)
	var fills []*fill
	var grouped []matching.Fill
	for f := cursor.take(); f != nil && f.position().Compare(t.Last) <= 0; f = cursor.take() {
		fills, grouped = append(fills, f), append(grouped, f.matching())
	}
	if cursor.err != nil {
		return nil, nil, cursor.err
	}
	for trade := range matching.Walk(slices.Values(grouped), t.Head) {
		if len(trade.Parts) == len(fills) && len(fills) == int(t.count) {
			return fills, trade.Parts, nil
		}
		break
	}
	return nil, nil, fmt.Errorf("trade %s does not agree with its fills; run fillbook check", t.id)
}

func (b *book) detail(ctx context.Context, t *listedTrade) (TradeDetail, error) {
	fills, parts, err := b.partsOf(ctx, t)
	if err != nil {
		return TradeDetail{}, err
	}
	imports, err := loadSpans(ctx, b.tx, b.owner, b.account)
	if err != nil {
		return TradeDetail{}, err
	}
	out := TradeDetail{Trade: t.trade(b.account), Fills: make([]TradeFill, len(fills))}
	if out.DividendTotal, err = dividendsOf(ctx, b.tx, b.owner, t.id); err != nil {
		return TradeDetail{}, err
	}
	for i, f := range fills {
		e, err := f.execution(b.account, t.key, imports.of(b.account.number, f.seq), f.links)
		if err != nil {
			return TradeDetail{}, err
		}
		part := parts[i]
		out.Fills[i] = TradeFill{
			Execution: e, Role: part.Role, PartQuantity: part.Quantity, PartFees: part.Fees, PartCommission: part.Commission,
		}
	}
	return out, nil
}
