package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// tradeRow is a row of trades: a trade of package matching without its parts,
// and the columns that only the table has.
type tradeRow struct {
	*matching.Trade
	id     journal.TradeID
	stream int64
	count  int64 // of its fills
	open   bool
	listed int64 // the instant that periods are compared with
	opening
}

// opening contains the values of a trade's first fill by which trades that are
// equal in everything else are ordered.
type opening struct {
	external string
	arrival  int64
}

// opening returns the opening of the trade that begins with the fill.
func (f *fill) opening() opening { return opening{external: f.externalID, arrival: f.arrival} }

// newTradeRow returns the row of a trade. It counts the trade's parts and sets
// them to nil.
func newTradeRow(id journal.TradeID, stream int64, t *matching.Trade, first opening) *tradeRow {
	row := &tradeRow{Trade: t, id: id, stream: stream, count: int64(t.Executions()), opening: first}
	row.Parts = nil
	row.open, row.listed = !t.IsClosed(), t.OpenedAt()
	if at, closed := t.ClosedAt(); closed {
		row.listed = at
	}
	return row
}

// equal reports whether two rows of one trade have the same values.
func (t *tradeRow) equal(u *tradeRow) bool {
	return t.stream == u.stream && t.count == u.count && t.open == u.open && t.listed == u.listed && t.Direction == u.Direction &&
		t.First == u.First && t.Last == u.Last && t.Head.Consumed.Equal(u.Head.Consumed) &&
		t.QtyOpened.Equal(u.QtyOpened) && t.QtyRemaining.Equal(u.QtyRemaining) &&
		t.EntryNotional.Equal(u.EntryNotional) && t.ExitNotional.Equal(u.ExitNotional) && t.Volume.Equal(u.Volume) &&
		t.AvgEntry.Equal(u.AvgEntry) && t.AvgExit.Equal(u.AvgExit) && t.Multiplier.Equal(u.Multiplier) &&
		t.FeesTotal.Equal(u.FeesTotal) && t.Commission.Equal(u.Commission) &&
		t.GrossPnL.Equal(u.GrossPnL) && t.NetPnL.Equal(u.NetPnL) && t.RealizedPnL.Equal(u.RealizedPnL) &&
		t.ReturnPct.Equal(u.ReturnPct) && t.EntrySize.Equal(u.EntrySize) && t.Rate.Equal(u.Rate) &&
		t.opening == u.opening
}

// tradeColumns are the columns of a trade in the order of scan and args.
var tradeColumns = []string{
	"id", "stream", "is_long", "opened_at", "first_seq", "head", "last_at", "last_seq", "qty_opened", "qty_remaining",
	"entry_notional", "exit_notional", "volume", "avg_entry", "avg_exit", "multiplier", "fees", "commission",
	"gross_pnl", "net_pnl", "realized_pnl", "return_pct", "execution_count", "is_open", "list_at",
	"entry_size", "rate_stated", "rate_priced", "first_external", "first_arrival",
}

var (
	tradeSelectOnly = "SELECT " + strings.Join(tradeColumns, ", ")
	tradeSelect     = tradeSelectOnly + " FROM trades "
	tradeInsert     = append([]string{"user_id", "account", "revision"}, tradeColumns...)
	tradeUpdate     = append(slices.Clone(tradeColumns[1:]), "revision")
)

// scan lists the destinations for tradeColumns.
func (t *tradeRow) scan() []any {
	if t.Trade == nil {
		t.Trade = &matching.Trade{}
	}
	return []any{
		&t.id, &t.stream,
		directionScanner{&t.Direction},
		&t.First.At, &t.First.Seq, &t.Head.Consumed, &t.Last.At, &t.Last.Seq,
		&t.QtyOpened, &t.QtyRemaining, &t.EntryNotional, &t.ExitNotional, &t.Volume, &t.AvgEntry, &t.AvgExit,
		&t.Multiplier, &t.FeesTotal, &t.Commission, &t.GrossPnL, &t.NetPnL, &t.RealizedPnL, &t.ReturnPct, &t.count,
		&t.open, &t.listed,
		entrySizeScanner{t.Trade},
		&t.Rate.Stated, &t.Rate.Priced, &t.external, &t.arrival,
	}
}

// args are the values for tradeColumns.
func (t *tradeRow) args() []any {
	return []any{
		string(t.id), t.stream, t.Direction == matching.Long, t.First.At, t.First.Seq, t.Head.Consumed.String(),
		t.Last.At, t.Last.Seq, t.QtyOpened.String(), t.QtyRemaining.String(), t.EntryNotional.String(),
		t.ExitNotional.String(), t.Volume.String(), t.AvgEntry.String(), nullNumber(t.AvgExit), t.Multiplier.String(),
		t.FeesTotal.String(), t.Commission.String(), nullNumber(t.GrossPnL), nullNumber(t.NetPnL),
		t.RealizedPnL.String(), nullNumber(t.ReturnPct), t.count, t.open, t.listed,
		t.storedSize(), nullNumber(t.Rate.Stated), nullNumber(t.Rate.Priced), t.external, t.arrival,
	}
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

// flushTrades writes the collected trades, new ones in the order of their ids,
// which is also the order of their lists.
func (b *book) flushTrades(ctx context.Context) error {
	slices.SortFunc(b.newTrades, func(x, y *tradeRow) int { return cmp.Compare(x.id, y.id) })
	err := insertRows(ctx, b.tx, "trades", tradeInsert, len(b.newTrades), func(i int) []any {
		return append([]any{string(b.owner), b.account.number, b.revision}, b.newTrades[i].args()...)
	})
	if err != nil {
		return err
	}
	rows := make([][]any, len(b.changedTrades))
	for i, t := range b.changedTrades {
		rows[i] = append(t.args()[1:], b.revision, string(b.owner), string(t.id))
	}
	b.newTrades, b.changedTrades = nil, nil
	return b.tx.UpdateMany(ctx, "trades", tradeUpdate, []string{"user_id", "id"}, rows)
}

// insertRows inserts n rows in chunks. The arguments of the next chunk are
// built while the current one is stored.
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
		if _, err := tx.InsertMany(ctx, table, columns, "", part); err != nil {
			return err
		}
	}
	return nil
}

// Scanners of columns whose stored form differs from their Go type.

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

// scanFlag converts a boolean of either engine.
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
