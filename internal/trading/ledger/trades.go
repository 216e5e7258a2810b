package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// Trade is a stored round trip or an open position. Its amounts are in the
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
	// Rate converts notionals to the account's currency. Volume, the traded notional, is
	// converted; it is absent if the rate is unknown.
	Rate             matching.Rate
	Volume           decimal.Null
	AvgEntry         decimal.Decimal
	AvgExit          decimal.Null
	Multiplier       decimal.Decimal
	Fees, Commission decimal.Decimal
	// GrossPnL, NetPnL and ReturnPct are absent while the trade is open; RealizedPnL is
	// the result of the closed part.
	GrossPnL, NetPnL, ReturnPct decimal.Null
	RealizedPnL                 decimal.Decimal
	// EndedBy is the last exit's kind, for a closed trade. Removed reports that there were
	// exits, all of them removals, so nothing was won or lost.
	EndedBy matching.Kind
	Removed bool
	// Symbols are all its symbols, its instrument's first, if actions gave it several; else nil.
	Symbols []string
	// Executions is the number of its fills.
	Executions int
	// Revision is the account's revision that last changed the trade.
	Revision int64
	// Cursor is the trade's position in the list it was read from.
	Cursor TradeCursor
}

// Open reports whether the position is not flat.
func (t *Trade) Open() bool { return t.ClosedAt == nil }

// Costs returns the sum of fees and commission.
func (t *Trade) Costs() decimal.Decimal { return t.Fees.Add(t.Commission) }

// MaxDetailFills is the most fills a TradeDetail contains.
const MaxDetailFills = 1000

// TradeDetail is a trade with its fills in time order: all of them, or the first
// MaxDetailFills.
type TradeDetail struct {
	Trade
	Fills []TradeFill
	// DividendTotal is the sum of the dividends linked to the trade.
	DividendTotal decimal.Decimal
}

// TradeFill is a fill with its part in the trade, which is less than the whole
// fill if it crosses zero.
type TradeFill struct {
	Execution
	Role                                   matching.Role
	PartQuantity, PartFees, PartCommission decimal.Decimal
	// Place is the fill's position in the trade, for [ReadTradeFills].
	Place matching.Position
}

// DateBasis selects the instant of a trade that periods are compared with.
type DateBasis int

const (
	// ByClosing uses the closing of a closed trade and the opening of an open
	// one.
	ByClosing DateBasis = iota
	// ByOpening uses every trade's opening.
	ByOpening
)

// Status selects trades by whether they are open.
type Status string

// The statuses, spelled as the API spells them; empty selects all trades.
const (
	StatusOpen   Status = "open"
	StatusClosed Status = "closed"
)

// Condition is a condition on trades of another package. It appends its
// arguments and returns its text, in which the row of a trade is named trades,
// as in
//
//	trades.id IN (SELECT trade_id FROM trade_tags WHERE user_id = $4 AND tag_id = $5)
type Condition func(args *[]any) string

// TradeIDCondition returns the condition on trades another package has for the id of a
// trade. idCondition appends its arguments and returns the text following the column.
func TradeIDCondition(idCondition func(args *[]any) string) Condition {
	return func(args *[]any) string { return "trades.id " + idCondition(args) }
}

// TradeQuery selects trades.
type TradeQuery struct {
	Scope           journal.Scope
	Basis           DateBasis
	Status          Status
	Symbols         []string
	Direction       matching.Direction
	InstrumentTypes []string // in lower case
	Where           []Condition
	// After excludes everything up to and including that position; Limit bounds
	// the list, 0 means all.
	After *TradeCursor
	Limit int
}

// ReadTrade returns one of the owner's trades with its fills. It is a step.
func ReadTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (TradeDetail, error) {
	tx.Prefetch(func(tx *db.Tx) { _, _ = sumDividends(ctx, tx, owner, id) })
	set, row, err := readTradeRow(ctx, tx, owner, id)
	if err != nil {
		return TradeDetail{}, err
	}
	return set.loadDetail(ctx, row)
}

// ReadTradeFills returns the fills of one of the owner's trades after a position,
// at most limit; 0 means all. The zero position is before all fills. count is
// the number of all fills of the trade. It is a step.
func ReadTradeFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID, after matching.Position, limit int,
) (fills []TradeFill, count int, err error) {
	set, row, err := readTradeRow(ctx, tx, owner, id)
	if err != nil {
		return nil, 0, err
	}
	fills, err = set.loadTradeFills(ctx, row, after, limit)
	return fills, int(row.count), err
}

// tradeWithAccount selects a trade and its account.
var tradeWithAccount = clearRank("SELECT " + qualify("trades", tradeColumns...) + ", trades.account, trades.revision, " + placeColumns + ", " +
	streamColumns + ", " + qualify("accounts", strings.Split(accountColumns, ", ")...) + ", streams.events" + tradesFrom + `
		JOIN accounts ON accounts.user_id = trades.user_id AND accounts.number = trades.account
	WHERE trades.user_id = $1 AND trades.id = $2`)

// qualify returns a list of columns with the name of their table, for joins.
func qualify(table string, columns ...string) string {
	return table + "." + strings.Join(columns, ", "+table+".")
}

// readTradeRow reads a trade, and opens the book of its account for reading.
func readTradeRow(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (*streamSet, *listedTrade, error) {
	row := &listedTrade{}
	rows := &accountRows{tx: tx, owner: owner}
	s := &stream{}
	err := tx.QueryRow(ctx, tradeWithAccount, owner, id).Scan(append(append(row.scan(), rows.account.scan()...), eventsScanner{&s.events})...)
	if err != nil {
		return nil, nil, db.NotFound(err, "trade")
	}
	if !journal.AllowsAccount(ctx, rows.account.ID) {
		return nil, nil, journal.NotFound("trade")
	}
	set := newStreamSet(rows)
	if row.shown == 0 {
		s.number, s.key = row.stream, row.key
		set.add(s)
	}
	return set, row, nil
}

// EachTrade calls fn for the trades of a query, newest first, as they are read, so memory
// does not grow with their number.
func (s *Service) EachTrade(ctx context.Context, owner journal.UserID, q TradeQuery, fn func(Trade) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return EachTrade(ctx, tx, owner, q, fn) })
}

// CountTradesIn counts what EachTrade would list without its limit and cursor. It is a
// step, for a count in the same snapshot as a list.
func (s *Service) CountTradesIn(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery) (int, error) {
	if err := q.Check(); err != nil {
		return 0, err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return 0, err
	}
	q.After = nil
	var f filter
	head := "SELECT 1 FROM trades"
	if len(q.Symbols) > 0 || len(q.InstrumentTypes) > 0 { // the join costs more than the count
		head = "SELECT 1" + tradesFrom
	}
	text := selection{table: "trades", owner: owner, accounts: accounts, head: head, where: q.addConditions}.unionQuery(&f)
	return s.counts.count(ctx, tx, accounts, text, f.args)
}

// EachTrade is [Service.EachTrade] as a step. fn must not run statements.
func EachTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, q TradeQuery, fn func(Trade) error) error {
	if err := q.Check(); err != nil {
		return err
	}
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return err
	}
	var f filter
	var t listedTrade // for all rows: toTrade copies it
	rows := selection{table: "trades", owner: owner, accounts: accounts, head: tradesSelect, where: q.addConditions}
	columns, order := t.scan(), q.Basis.newestFirst()
	var keys map[int64]listedStream
	ties := &tieSorter[Trade]{emit: fn, compare: func(a, b *Trade) int { return b.Cursor.Compare(&a.Cursor, q.Basis) }}
	if q.Limit == 0 {
		if keys, err = loadStreamKeys(ctx, tx, owner, accounts); err != nil {
			return err
		}
		rows.head, columns, order = q.selectOnly(), t.scanOnly(), q.Basis.column()+" DESC"
	}
	text := rows.orderedQuery(tx, &f, order, q.Limit)
	known := indexByNumber(accounts)
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		if err := row.Scan(columns...); err != nil {
			return err
		}
		if keys != nil {
			shown := keys[cmp.Or(t.shown, t.stream)]
			t.key, t.order = shown.key, shown.order
		}
		trade := t.toTrade(known[t.account])
		return ties.add(trade.Cursor.instant(q.Basis), trade)
	}, text, f.args...)
	if err != nil {
		return err
	}
	return ties.flush()
}

// tradesFrom joins each trade's stream; see executionSelect for the LEFT JOIN.
const tradesFrom = `
	FROM trades LEFT JOIN streams ON streams.user_id = trades.user_id AND streams.number = COALESCE(trades.shown, trades.stream)`

var (
	tradesColumns = tradeSelectOnly + `, trades.account AS account_number, revision, ` + placeColumns
	tradesSelect  = tradesColumns + `, ` + streamColumns + tradesFrom
)

// selectOnly is tradesSelect for the query without the stream's columns. It joins streams
// only if a condition tests one of their columns.
func (q TradeQuery) selectOnly() string {
	from := " FROM trades"
	if len(q.Symbols) > 0 || len(q.InstrumentTypes) > 0 || q.After != nil {
		from = tradesFrom
	}
	return tradeSelectOnly + `, trades.account AS account_number, revision, ` + closingColumn + ` AS closing` + from
}

// listedTrade is a row of tradesSelect.
type listedTrade struct {
	tradeRow
	account, revision int64
	order             string // the stream's order key
	closing, rank     int64  // columns that lists are sorted by; see placeColumns
	key               streamKey
}

func (t *listedTrade) scan() []any {
	return append(append(t.tradeRow.scan(), &t.account, &t.revision, &t.order, &t.closing, &t.rank), t.key.scan()...)
}

// scanOnly lists the destinations for [TradeQuery.selectOnly].
func (t *listedTrade) scanOnly() []any {
	return append(t.tradeRow.scan(), &t.account, &t.revision, &t.closing)
}

// cursor returns the trade's position in lists.
func (t *listedTrade) cursor(a Account) TradeCursor {
	return TradeCursor{
		ListedAt: t.listed, OpenedAt: t.First.At, ClosedAt: t.closing, Instrument: t.order, Account: a.Name,
		External: t.external, Arrival: t.arrival, AccountNumber: t.account,
	}
}

// toTrade converts the row to a Trade.
func (t *listedTrade) toTrade(a Account) Trade {
	out := Trade{
		ID: t.id, Account: a.ID, Currency: a.BaseCurrency, Instrument: t.key.toInstrument(), Direction: t.Direction,
		OpenedAt: db.FromMicros(t.First.At), QtyOpened: t.QtyOpened, QtyRemaining: t.QtyRemaining,
		EntryNotional: t.EntryNotional, ExitNotional: t.ExitNotional, EntrySize: t.EntrySize, Rate: t.Rate,
		Volume: t.Rate.Convert(t.Volume), AvgEntry: t.AvgEntry,
		AvgExit: t.AvgExit, Multiplier: t.Multiplier, Fees: t.FeesTotal, Commission: t.Commission,
		GrossPnL: t.GrossPnL, NetPnL: t.NetPnL, ReturnPct: t.ReturnPct, RealizedPnL: t.RealizedPnL,
		EndedBy: t.EndedBy, Removed: t.Removed, Symbols: t.symbolList(t.key.symbol), Executions: int(t.count), Revision: t.revision, Cursor: t.cursor(a),
	}
	if at, closed := t.ClosedAt(); closed {
		closedAt := db.FromMicros(at)
		out.ClosedAt = &closedAt
	}
	return out
}

// Check returns an error for an unknown status or side, or an invalid period.
func (q TradeQuery) Check() error {
	if q.Status != "" && q.Status != StatusOpen && q.Status != StatusClosed {
		return journal.InvalidField("status", "status must be open or closed.")
	}
	if q.Direction != "" && q.Direction != matching.Long && q.Direction != matching.Short {
		return journal.InvalidField("side", "side must be long or short.")
	}
	return q.Scope.Period.Check()
}

func (d DateBasis) column() string {
	if d == ByOpening {
		return "opened_at"
	}
	return "list_at"
}

// addConditions adds the query's conditions to f.
func (q TradeQuery) addConditions(f *filter) {
	column := "trades." + q.Basis.column()
	f.addPeriod(column, q.Scope.Period)
	if q.Status != "" {
		f.addCondition("trades.is_open =", q.Status == StatusOpen)
	}
	if len(q.Symbols) > 0 {
		q.addSymbols(f)
	}
	if q.Direction != "" {
		f.addCondition("trades.is_long =", q.Direction == matching.Long)
	}
	if len(q.InstrumentTypes) > 0 {
		addIn(f, "streams.instrument_type", q.InstrumentTypes)
	}
	for _, condition := range q.Where {
		f.terms = append(f.terms, "("+condition(&f.args)+")")
	}
	if q.After != nil {
		q.Basis.addAfter(f, q.After)
	}
}

// addSymbols adds the condition that a trade has one of the symbols. Those that actions gave
// it are in trades.symbols.
func (q TradeQuery) addSymbols(f *filter) {
	symbols := upperSymbols(q.Symbols)
	addIn(f, "streams.symbol", symbols)
	last := len(f.terms) - 1
	any := []string{f.terms[last]}
	for _, symbol := range symbols {
		any = append(any, "trades.symbols LIKE "+f.arg("%\n"+likeEscape.Replace(symbol)+"\n%")+` ESCAPE '\'`)
	}
	f.terms[last] = "(" + strings.Join(any, " OR ") + ")"
}

// likeEscape escapes what LIKE gives a meaning.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// upperSymbols returns symbols in their stored form.
func upperSymbols(symbols []string) []string {
	out := make([]string, len(symbols))
	for i, symbol := range symbols {
		out[i] = strings.ToUpper(strings.TrimSpace(symbol))
	}
	return out
}

func (a *accountRows) tradeByID(ctx context.Context, id journal.TradeID) (*listedTrade, error) {
	t := &listedTrade{}
	err := a.tx.QueryRow(ctx, clearRank(tradesSelect)+` WHERE trades.user_id = $1 AND trades.id = $2 AND trades.account = $3`,
		a.owner, id, a.account.number).Scan(t.scan()...)
	return t, db.NotFound(err, "trade")
}

// loadParts returns a trade's fills after a position, at most limit, and its part
// in each; 0 means all. The cost does not depend on the fills before: it starts
// at a checkpoint.
func (set *streamSet) loadParts(ctx context.Context, t *listedTrade, after matching.Position, limit int) ([]*fill, []matching.Part, error) {
	s, err := set.streamNumbered(ctx, t.stream)
	if err != nil {
		return nil, nil, err
	}
	cursor := &fillCursor{set: set, ctx: ctx, changes: &changes{stream: s, whole: true}, columns: allColumns}
	start := matching.Grouping{Head: t.Head, Events: s.events, Start: t.First}
	first, left := t.First, int(t.count)
	if after.Compare(t.First) >= 0 {
		start.From, err = set.lastCheckpoint(ctx, &t.tradeRow, matching.Position{At: after.At, Seq: after.Seq + 1})
		if err != nil {
			return nil, nil, err
		}
	}
	if start.From != nil {
		start.Head = matching.Head{}
		last := start.From.Last()
		first, left = matching.Position{At: last.At, Seq: last.Seq + 1}, left-start.From.Fills()
	}
	if limit == 0 {
		limit = int(t.count)
	}
	cursor.seek(first)
	cursor.size = min(max(left, 1), limit, lastChunk)
	var fills []*fill
	var grouped []matching.Fill
	skipped := 0 // fills up to the position
	for len(fills)-skipped < limit {
		f := cursor.next()
		if f == nil || f.position().Compare(t.Last) > 0 {
			break
		}
		if f.belongsToNoTrade() {
			continue
		}
		if f.position().Compare(after) <= 0 {
			skipped++
		}
		fills, grouped = append(fills, f), append(grouped, f.toMatching())
		if f.position() == t.Last {
			break // without a search for the next fill
		}
	}
	if cursor.err != nil {
		return nil, nil, cursor.err
	}
	if len(fills) == skipped && after.Compare(t.Last) >= 0 {
		return nil, nil, nil
	}
	for trade := range start.Walk(slices.Values(grouped)) {
		isWhole := trade.Executions() == int(t.count) || len(fills)-skipped == limit
		if len(trade.Parts) == len(fills) && isWhole {
			return fills[skipped:], trade.Parts[skipped:], nil
		}
		break
	}
	return nil, nil, fmt.Errorf("trade %s does not agree with its fills; run fillbook check", t.id)
}

func (set *streamSet) loadDetail(ctx context.Context, t *listedTrade) (out TradeDetail, err error) {
	out = TradeDetail{Trade: t.toTrade(set.account)}
	if out.Fills, err = set.loadTradeFills(ctx, t, matching.Position{}, MaxDetailFills); err != nil {
		return TradeDetail{}, err
	}
	out.DividendTotal, err = sumDividends(ctx, set.tx, set.owner, t.id)
	return out, err
}

// loadTradeFills returns a trade's fills after a position, at most limit.
func (set *streamSet) loadTradeFills(ctx context.Context, t *listedTrade, after matching.Position, limit int) ([]TradeFill, error) {
	set.tx.Prefetch(func(tx *db.Tx) { // the numbers that fills in order have
		rows := &accountRows{tx: tx, owner: set.owner, account: set.account}
		_, _ = rows.loadSpansOf(ctx, []*fill{{seq: t.First.Seq}, {seq: t.Last.Seq}})
	})
	fills, parts, err := set.loadParts(ctx, t, after, limit)
	if err != nil {
		return nil, err
	}
	imports, err := set.loadSpansOf(ctx, fills)
	if err != nil {
		return nil, err
	}
	s, err := set.streamNumbered(ctx, t.stream)
	if err != nil {
		return nil, err
	}
	out := make([]TradeFill, len(fills))
	for i, f := range fills {
		in := links{trade: t.id}
		if parts[i].Quantity.Cmp(f.quantity) < 0 {
			if in, err = set.loadLinks(ctx, f); err != nil {
				return nil, err
			}
		}
		key := t.key
		if f.stream != t.stream {
			stated, err := set.streamNumbered(ctx, f.stream)
			if err != nil {
				return nil, err
			}
			key = stated.key
		}
		e, err := f.toExecution(set.account, key, imports.batchOf(set.account.number, f.seq), in)
		if err != nil {
			return nil, err
		}
		part := parts[i]
		e.Adjusted = adjustFill(&e, s.events, t.end())
		out[i] = TradeFill{
			Execution: e, Role: part.Role, PartQuantity: part.Quantity, PartFees: part.Fees, PartCommission: part.Commission,
			Place: f.position(),
		}
	}
	return out, nil
}
