package ledger

import (
	"context"
	"strings"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// tradeRow is a row of trades: the figures of package matching, without the
// parts, and what makes them a row.
type tradeRow struct {
	matching.Trade
	id     journal.TradeID
	stream int64
	count  int64 // of its fills
	open   bool
	listed int64 // the instant that from and to test
}

func newTradeRow(id journal.TradeID, stream int64, t matching.Trade) *tradeRow {
	row := &tradeRow{Trade: t, id: id, stream: stream, count: int64(len(t.Parts))}
	row.Parts = nil
	row.open, row.listed = !t.Closed(), t.OpenedAt()
	if at, closed := t.ClosedAt(); closed {
		row.listed = at
	}
	return row
}

// same tells whether two rows of one trade say the same.
func (t *tradeRow) same(u *tradeRow) bool {
	return t.stream == u.stream && t.count == u.count && t.open == u.open && t.listed == u.listed && t.Direction == u.Direction &&
		t.First == u.First && t.Last == u.Last && t.Head.Consumed.Equal(u.Head.Consumed) &&
		t.QtyOpened.Equal(u.QtyOpened) && t.QtyRemaining.Equal(u.QtyRemaining) &&
		t.EntryNotional.Equal(u.EntryNotional) && t.ExitNotional.Equal(u.ExitNotional) && t.Volume.Equal(u.Volume) &&
		t.AvgEntry.Equal(u.AvgEntry) && t.AvgExit.Equal(u.AvgExit) && t.Multiplier.Equal(u.Multiplier) &&
		t.FeesTotal.Equal(u.FeesTotal) && t.Commission.Equal(u.Commission) &&
		t.GrossPnL.Equal(u.GrossPnL) && t.NetPnL.Equal(u.NetPnL) && t.RealizedPnL.Equal(u.RealizedPnL) &&
		t.ReturnPct.Equal(u.ReturnPct)
}

// tradeColumns are the columns of a trade in the order of scan and args.
var tradeColumns = []string{
	"id", "stream", "is_long", "opened_at", "first_seq", "head", "last_at", "last_seq", "qty_opened", "qty_remaining",
	"entry_notional", "exit_notional", "volume", "avg_entry", "avg_exit", "multiplier", "fees", "commission",
	"gross_pnl", "net_pnl", "realized_pnl", "return_pct", "execution_count", "is_open", "list_at",
}

var (
	tradeSelectOnly = "SELECT " + strings.Join(tradeColumns, ", ")
	tradeSelect     = tradeSelectOnly + " FROM trades "
	tradeInsert     = append([]string{"user_id", "account", "revision"}, tradeColumns...)
)

// scan lists the destinations for tradeColumns.
func (t *tradeRow) scan() []any {
	return []any{
		&t.id, &t.stream, directionOf{&t.Direction}, &t.First.At, &t.First.Seq, &t.Head.Consumed, &t.Last.At, &t.Last.Seq,
		&t.QtyOpened, &t.QtyRemaining, &t.EntryNotional, &t.ExitNotional, &t.Volume, &t.AvgEntry, &t.AvgExit,
		&t.Multiplier, &t.FeesTotal, &t.Commission, &t.GrossPnL, &t.NetPnL, &t.RealizedPnL, &t.ReturnPct, &t.count,
		&t.open, &t.listed,
	}
}

// args are the values for tradeColumns.
func (t *tradeRow) args() []any {
	return []any{
		string(t.id), t.stream, t.Direction == matching.Long, t.First.At, t.First.Seq, t.Head.Consumed.String(),
		t.Last.At, t.Last.Seq, t.QtyOpened.String(), t.QtyRemaining.String(), t.EntryNotional.String(),
		t.ExitNotional.String(), t.Volume.String(), t.AvgEntry.String(), numberOrNull(t.AvgExit), t.Multiplier.String(),
		t.FeesTotal.String(), t.Commission.String(), numberOrNull(t.GrossPnL), numberOrNull(t.NetPnL),
		t.RealizedPnL.String(), numberOrNull(t.ReturnPct), t.count, t.open, t.listed,
	}
}

func scanTradeRow(row db.Scanner) (*tradeRow, error) {
	t := &tradeRow{}
	return t, row.Scan(t.scan()...)
}

// insertTrades writes the new trades that were kept back.
func (b *book) insertTrades(ctx context.Context) error {
	rows := make([][]any, 0, len(b.newTrades))
	for _, t := range b.newTrades {
		rows = append(rows, append([]any{string(b.owner), b.account.number, b.revision}, t.args()...))
	}
	b.newTrades = nil
	_, err := b.tx.InsertMany(ctx, "trades", tradeInsert, "", rows)
	return err
}

func (b *book) updateTrade(ctx context.Context, t *tradeRow) error {
	args := append(t.args()[1:], b.revision, b.owner, t.id)
	_, err := b.tx.Exec(ctx, `
		UPDATE trades SET stream = $1, is_long = $2, opened_at = $3, first_seq = $4, head = $5, last_at = $6,
			last_seq = $7, qty_opened = $8, qty_remaining = $9, entry_notional = $10, exit_notional = $11, volume = $12,
			avg_entry = $13, avg_exit = $14, multiplier = $15, fees = $16, commission = $17, gross_pnl = $18,
			net_pnl = $19, realized_pnl = $20, return_pct = $21, execution_count = $22,
			is_open = $23, list_at = $24, revision = $25
		WHERE user_id = $26 AND id = $27`, args...)
	return err
}
