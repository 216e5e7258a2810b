package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// tradeRow is a row of trades: a matching.Trade without its parts, and the columns that
// only the table has.
type tradeRow struct {
	*matching.Trade
	id     journal.TradeID
	stream int64
	count  int64 // its fills
	open   bool
	listed int64 // the instant that periods are compared with
	opening
	// shown is the stream whose instrument the trade has, 0 for its own. symbols are all its
	// symbols as stored, empty for one.
	shown   int64
	symbols string
}

// symbolList returns the trade's symbols, the given one first; nil for that alone.
func (t *tradeRow) symbolList(first string) []string {
	if t.symbols == "" {
		return nil
	}
	list := []string{first}
	for symbol := range strings.SplitSeq(strings.Trim(t.symbols, "\n"), "\n") {
		if symbol != "" && symbol != first {
			list = append(list, symbol)
		}
	}
	return list
}

// opening has the first fill's values that order otherwise equal trades.
type opening struct {
	external string
	arrival  int64
}

// opening returns the opening for a trade beginning with the fill.
func (f *fill) opening() opening { return opening{external: f.externalID, arrival: f.arrival} }

// newTradeRow returns a trade's row. It counts the trade's parts and sets them to nil.
func newTradeRow(id journal.TradeID, stream int64, t *matching.Trade, first opening) *tradeRow {
	row := &tradeRow{Trade: t, id: id, stream: stream, count: int64(t.Executions()), opening: first}
	row.Parts = nil
	row.open, row.listed = !t.IsClosed(), t.OpenedAt()
	if at, closed := t.ClosedAt(); closed {
		row.listed = at
	}
	return row
}

// equal reports whether two rows for one trade have the same values.
func (t *tradeRow) equal(u *tradeRow) bool {
	return t.stream == u.stream && t.count == u.count && t.open == u.open && t.listed == u.listed && t.Direction == u.Direction &&
		t.First == u.First && t.Last == u.Last && t.Head.Consumed.Equal(u.Head.Consumed) &&
		t.QtyOpened.Equal(u.QtyOpened) && t.QtyRemaining.Equal(u.QtyRemaining) &&
		t.EntryNotional.Equal(u.EntryNotional) && t.ExitNotional.Equal(u.ExitNotional) && t.Volume.Equal(u.Volume) &&
		t.AvgEntry.Equal(u.AvgEntry) && t.AvgExit.Equal(u.AvgExit) && t.Multiplier.Equal(u.Multiplier) &&
		t.FeesTotal.Equal(u.FeesTotal) && t.Commission.Equal(u.Commission) &&
		t.GrossPnL.Equal(u.GrossPnL) && t.NetPnL.Equal(u.NetPnL) && t.RealizedPnL.Equal(u.RealizedPnL) &&
		t.ReturnPct.Equal(u.ReturnPct) && t.EntrySize.Equal(u.EntrySize) && t.Rate.Equal(u.Rate) &&
		t.opening == u.opening && t.EndedBy == u.EndedBy && t.Removed == u.Removed && t.shown == u.shown && t.symbols == u.symbols
}

// tradeColumns are a trade's columns in the order that scan and args use.
var tradeColumns = []string{
	"id", "stream", "is_long", "is_open", "opened_at", "first_seq", "list_at", "last_at", "last_seq", "execution_count",
	"first_arrival", "qty_opened", "entry_notional", "exit_notional", "avg_entry", "avg_exit", "commission", "fees", "net_pnl",
	"return_pct", "gross_pnl", "realized_pnl", "volume", "multiplier", "head", "qty_remaining", "entry_size", "rate_stated",
	"rate_priced", "first_external", "ended_by", "shown", "symbols",
}

var (
	tradeSelectOnly = "SELECT " + strings.Join(tradeColumns, ", ")
	tradeSelect     = tradeSelectOnly + " FROM trades "
	tradeInsert     = append([]string{"user_id", "account", "revision"}, tradeColumns...)
	tradeUpdate     = append(slices.Clone(tradeColumns[1:]), "revision")
	unmovedUpdate   = slices.DeleteFunc(slices.Clone(tradeUpdate), isPlaceColumn)
)

// isPlaceColumn reports whether an index has the column and an update can change it. SQLite
// replaces the index entries for every column that an UPDATE names, even if its value stays.
func isPlaceColumn(column string) bool {
	return column == "stream" || column == "opened_at" || column == "first_seq" || column == "list_at"
}

// samePlace reports whether two rows for one trade have the same place columns.
func (t *tradeRow) samePlace(u *tradeRow) bool {
	return t.stream == u.stream && t.First == u.First && t.listed == u.listed
}

// scan lists the destinations for tradeColumns. A value following from others is after
// them.
func (t *tradeRow) scan() []any {
	if t.Trade == nil {
		t.Trade = &matching.Trade{}
	}
	return []any{
		&t.id, &t.stream,
		directionScanner{&t.Direction},
		&t.open, &t.First.At, &t.First.Seq, &t.listed,
		lastScanner{&t.Last.At, &t.listed},
		&t.Last.Seq, &t.count, &t.arrival,
		&t.QtyOpened, &t.EntryNotional, &t.ExitNotional, &t.AvgEntry, &t.AvgExit,
		zeroIfNull{&t.Commission},
		zeroIfNull{&t.FeesTotal},
		&t.NetPnL, &t.ReturnPct,
		grossScanner{t.Trade},
		realizedScanner{t.Trade},
		volumeScanner{t.Trade},
		oneIfNull{&t.Multiplier},
		zeroIfNull{&t.Head.Consumed},
		zeroIfNull{&t.QtyRemaining},
		entrySizeScanner{t.Trade},
		&t.Rate.Stated, &t.Rate.Priced, &t.external,
		endingScanner{&t.EndedBy, &t.Removed},
		numberScanner{&t.shown},
		textScanner[string]{&t.symbols},
	}
}

// args are the values for tradeColumns.
func (t *tradeRow) args() []any {
	return []any{
		t.id, t.stream, t.Direction == matching.Long, t.open, t.First.At, t.First.Seq, t.listed, t.storedLast(), t.Last.Seq, t.count,
		t.arrival, t.QtyOpened.String(), t.EntryNotional.String(), t.ExitNotional.String(), t.AvgEntry.String(), nullNumber(t.AvgExit),
		nullIf(t.Commission, "0"), nullIf(t.FeesTotal, "0"), nullNumber(t.NetPnL), nullNumber(t.ReturnPct),
		t.storedGross(), nullIf(t.RealizedPnL, t.NetPnL.Or(decimal.Zero).String()), nullIf(t.Volume, t.EntryNotional.Add(t.ExitNotional).String()),
		nullIf(t.Multiplier, "1"), nullIf(t.Head.Consumed, "0"), nullIf(t.QtyRemaining, "0"), t.storedSize(),
		nullNumber(t.Rate.Stated), nullNumber(t.Rate.Priced), t.external, t.storedEnding(), nullIfZero(t.shown), nullIfEmpty(t.symbols),
	}
}

// nullIfZero returns NULL for 0.
func nullIfZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// storedLast returns the last fill's instant as stored: NULL if it is the instant that
// lists use.
func (t *tradeRow) storedLast() *int64 {
	if t.Last.At == t.listed {
		return nil
	}
	return &t.Last.At
}

// storedGross returns the gross result as it is stored: NULL if it is the net
// result and the costs.
func (t *tradeRow) storedGross() any {
	if t.GrossPnL.Valid && t.NetPnL.Valid {
		return nullIf(t.GrossPnL.Decimal, t.NetPnL.Decimal.Add(t.FeesTotal).Add(t.Commission).String())
	}
	return nullNumber(t.GrossPnL)
}

// storedSize returns the entry size as it is stored: NULL if it is the quantity
// times the multiplier.
func (t *tradeRow) storedSize() any {
	if t.EntrySize.Equal(t.QtyOpened.Mul(t.Multiplier)) {
		return nil
	}
	return t.EntrySize.String()
}

func scanTradeRow(row db.Scanner) (*tradeRow, error) {
	t := &tradeRow{}
	return t, row.Scan(t.scan()...)
}

// flushTrades writes the collected trades, new ones ordered by id, which is also their
// list order.
func (b *book) flushTrades(ctx context.Context) error {
	slices.SortFunc(b.newTrades, func(x, y *tradeRow) int { return cmp.Compare(x.id, y.id) })
	err := insertRows(ctx, b.tx, "trades", tradeInsert, len(b.newTrades), func(i int) []any {
		return append([]any{int64(b.owner), b.account.number, b.revision}, b.newTrades[i].args()...)
	})
	if err != nil {
		return err
	}
	if err := b.updateTrades(ctx, tradeUpdate, b.movedTrades); err != nil {
		return err
	}
	err = b.updateTrades(ctx, unmovedUpdate, b.changedTrades)
	b.newTrades, b.changedTrades, b.movedTrades = nil, nil, nil
	return err
}

// updateTrades writes some columns of changed trades.
func (b *book) updateTrades(ctx context.Context, columns []string, trades []*tradeRow) error {
	places := make([]int, len(columns)) // among tradeColumns and the revision
	for i, column := range columns {
		places[i] = 1 + slices.Index(tradeUpdate, column)
	}
	rows := make([][]any, len(trades))
	for i, t := range trades {
		values := append(t.args(), b.revision)
		rows[i] = make([]any, 0, len(columns)+2)
		for _, place := range places {
			rows[i] = append(rows[i], values[place])
		}
		rows[i] = append(rows[i], int64(b.owner), t.id)
	}
	return b.tx.UpdateMany(ctx, "trades", columns, []string{"user_id", "id"}, rows)
}

// insertRows inserts n rows in chunks. The next chunk's arguments are built while the
// current one is stored.
func insertRows(ctx context.Context, tx *db.Tx, table string, columns []string, n int, row func(i int) []any) error {
	const chunk = 512
	build := func(first int) <-chan [][]any {
		built := make(chan [][]any, 1)
		go func() {
			part := make([][]any, 0, chunk)
			for i := first; i < min(first+chunk, n); i++ {
				part = append(part, row(i))
			}
			built <- part
		}()
		return built
	}
	for first, next := 0, build(0); first < n; first += chunk {
		part := <-next
		next = build(first + chunk)
		if err := tx.QueueRows(ctx, table, columns, "", part); err != nil {
			return err
		}
	}
	return nil
}

// Scanners for columns whose stored form differs from their Go type.

// sideScanner scans the flag is_buy.
type sideScanner struct{ side *matching.Side }

func (s sideScanner) Scan(value any) error {
	buy, err := scanFlag(value)
	*s.side = matching.Sell
	if buy {
		*s.side = matching.Buy
	}
	return err
}

// directionScanner scans the flag is_long.
type directionScanner struct{ direction *matching.Direction }

func (d directionScanner) Scan(value any) error {
	long, err := scanFlag(value)
	*d.direction = matching.Short
	if long {
		*d.direction = matching.Long
	}
	return err
}

// entrySizeScanner scans an entry size. Quantity and multiplier must be scanned
// before it.
type entrySizeScanner struct{ *matching.Trade }

func (e entrySizeScanner) Scan(value any) error {
	var size decimal.Null
	err := size.Scan(value)
	e.EntrySize = size.Decimal
	if !size.Valid {
		e.EntrySize = e.QtyOpened.Mul(e.Multiplier)
	}
	return err
}

// lastScanner scans the last fill's instant; NULL is the instant that lists use, which
// must be scanned before it.
type lastScanner struct{ at, listed *int64 }

func (l lastScanner) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*l.at = *l.listed
	case int64:
		*l.at = v
	default:
		return fmt.Errorf("instant has type %T", value)
	}
	return nil
}

// grossScanner scans the gross result. The net result and the costs must be
// scanned before it.
type grossScanner struct{ *matching.Trade }

func (g grossScanner) Scan(value any) error {
	err := g.GrossPnL.Scan(value)
	if !g.GrossPnL.Valid && g.NetPnL.Valid {
		g.GrossPnL = decimal.Of(g.NetPnL.Decimal.Add(g.FeesTotal).Add(g.Commission))
	}
	return err
}

// ScanText is Scan for a stored result.
func (g grossScanner) ScanText(text []byte) error { return g.GrossPnL.ScanText(text) }

// realizedScanner scans the realized result. The net result must be scanned
// before it.
type realizedScanner struct{ *matching.Trade }

func (r realizedScanner) Scan(value any) error {
	var realized decimal.Null
	err := realized.Scan(value)
	r.RealizedPnL = realized.Or(r.NetPnL.Or(decimal.Zero))
	return err
}

// volumeScanner scans the volume. Both notionals must be scanned before it.
type volumeScanner struct{ *matching.Trade }

func (v volumeScanner) Scan(value any) error {
	var volume decimal.Null
	err := volume.Scan(value)
	v.Volume = volume.Decimal
	if !volume.Valid {
		v.Volume = v.EntryNotional.Add(v.ExitNotional)
	}
	return err
}

// zeroIfNull scans a number in whose column NULL means 0, oneIfNull one in whose
// column it means 1, falseIfNull a flag in whose column it means false.
type (
	zeroIfNull  struct{ number *decimal.Decimal }
	oneIfNull   struct{ number *decimal.Decimal }
	falseIfNull struct{ flag *bool }
)

func (z zeroIfNull) Scan(value any) error {
	if value == nil {
		*z.number = decimal.Zero
		return nil
	}
	return z.number.Scan(value)
}

// ScanText is Scan for a stored number.
func (z zeroIfNull) ScanText(text []byte) error { return z.number.ScanText(text) }

func (o oneIfNull) Scan(value any) error {
	if value == nil {
		*o.number = decimal.New(1)
		return nil
	}
	return o.number.Scan(value)
}

func (f falseIfNull) Scan(value any) (err error) {
	*f.flag = false
	if value != nil {
		*f.flag, err = scanFlag(value)
	}
	return err
}

// numberScanner scans a number in whose column NULL means 0.
type numberScanner struct{ number *int64 }

func (n numberScanner) Scan(value any) error {
	*n.number = 0
	switch v := value.(type) {
	case nil:
	case int64:
		*n.number = v
	default:
		return fmt.Errorf("number has type %T", value)
	}
	return nil
}

// scanFlag converts either engine's boolean.
func scanFlag(value any) (bool, error) {
	switch v := value.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	}
	return false, fmt.Errorf("boolean column has type %T", value)
}

// textScanner scans a text column in which NULL means the empty string.
type textScanner[T ~string] struct{ text *T }

func (o textScanner[T]) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*o.text = ""
	case string:
		*o.text = T(v)
	case []byte:
		*o.text = T(v)
	default:
		return fmt.Errorf("text column has type %T", value)
	}
	return nil
}
