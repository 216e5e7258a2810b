package installation_test

import (
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// historyBytes returns the bytes of all stored values in the history's tables, without what
// the engine adds to each row.
func (h *fixture) historyBytes() (total int64) {
	h.t.Helper()
	for _, table := range []string{"history_changes", "history_objects", "history_blocks", "history_streams"} {
		query := fmt.Sprintf(`SELECT COALESCE(SUM(payload), 0) FROM dbstat WHERE name = '%s'`, table)
		if h.DB.Engine() == db.PostgreSQL {
			const rowHeader = 24
			query = fmt.Sprintf(`SELECT COALESCE(SUM(pg_column_size(t.*) - %d), 0) FROM %s AS t`, rowHeader, table)
		}
		var n int64
		must(h.t, h.DB.Peek(h.t.Context(), func(tx *db.Tx) error { return tx.QueryRow(h.t.Context(), query).Scan(&n) }))
		total += n
	}
	return total
}

// valueBytes returns the length of all values that the newest changes show, as JSON.
func (h *fixture) valueBytes(changes int) (total int64) {
	h.t.Helper()
	page, err := h.History.List(h.t.Context(), h.owner, history.Query{Limit: changes})
	must(h.t, err)
	for _, c := range page.Changes {
		for _, o := range c.Objects {
			for _, f := range o.Fields {
				total += int64(len(f.Before) + len(f.After))
			}
		}
	}
	return total
}

// TestHistoryIsSmall measures what a change takes in the database: besides the values at most
// 300 bytes for a fill or the annotations of a trade, and at most 4 KiB for an import.
func TestHistoryIsSmall(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		const writes = 50
		ctx := history.WithActor(t.Context(), history.Actor{Kind: history.BySession, ID: "01a1f563-f4cb-7714-85d9-995e844d2d57"})
		each := func(what string, write func(n int)) {
			t.Helper()
			before := h.historyBytes()
			for n := range writes {
				write(n)
			}
			all, values := h.historyBytes()-before, h.valueBytes(writes)
			t.Logf("%s: %d bytes, of them %d of values", what, all/writes, values/writes)
			if got := (all - values) / writes; got > 300 {
				t.Errorf("%s takes %d bytes besides the values, want at most 300", what, got)
			}
		}
		var trades []journal.TradeID
		each("a fill", func(n int) {
			added, err := h.Ledger.AddExecution(ctx, h.owner, h.account, ledger.NewFill{
				Symbol: fmt.Sprint("SYM", n), Side: matching.Buy, Quantity: decimal.New(int64(100 + n)),
				Price: decimal.New(int64(20 + n)), Commission: decimal.New(1), ExecutedAt: time.Date(2026, 1, 5, 15, n, 0, 0, time.UTC),
			})
			must(t, err)
			trades = append(trades, added.TradeIDs...)
		})
		each("the annotations of a trade", func(n int) {
			_, err := h.Playbook.Annotate(ctx, h.owner, trades[n], playbook.AnnotationChange{
				ValueChange: playbook.ValueChange{Notes: journal.Some(fmt.Sprint("Entered late on the breakout, ", n))},
			}, nil)
			must(t, err)
		})
		before := h.historyBytes()
		h.importFills(fillsFile(testkit.Rounds(2000, 100_000)))
		got := h.historyBytes() - before
		t.Logf("an import: %d bytes", got)
		if got > 4<<10 {
			t.Errorf("an import takes %d bytes, want at most 4 KiB", got)
		}
	})
}
