package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// TestEveryReadFindsTheSameTrades compares the trades of fills, many of which cross zero or
// share an instant, with the trades' own fills.
func TestEveryReadFindsTheSameTrades(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		fills := history(300)
		for i := range fills {
			fills[i].Symbol = fmt.Sprint("S", i%3)
			fills[i].ExecutedAt = fills[i].ExecutedAt.Truncate(240 * time.Hour)
		}
		d.insert("batch", fills...)
		want := map[journal.ExecutionID][]journal.TradeID{}
		for _, trade := range d.trades() {
			detail, err := d.ledger.Trade(t.Context(), d.owner, trade.ID)
			must(t, err)
			for _, f := range detail.Fills {
				want[f.ID] = f.TradeIDs
			}
		}
		if len(want) != len(fills) {
			t.Fatalf("the trades have %d fills of %d", len(want), len(fills))
		}
		read := func(name string, q ledger.ExecutionQuery) (list []ledger.Execution) {
			must(t, d.ledger.EachExecution(t.Context(), d.owner, q, func(e ledger.Execution) error {
				list = append(list, e)
				if diff := cmp.Diff(want[e.ID], e.TradeIDs); diff != "" {
					t.Errorf("%s: trades of %s (-want +got):\n%s", name, e.ID, diff)
				}
				return nil
			}))
			return list
		}
		all := read("all", ledger.ExecutionQuery{})
		from := all[len(all)/2].ExecutedAt
		read("from an instant", ledger.ExecutionQuery{Scope: journal.Scope{Period: journal.Period{From: &from}}})
		read("after a fill", ledger.ExecutionQuery{After: &all[len(all)/3].Cursor})
		for page := all[:0]; ; {
			q := ledger.ExecutionQuery{Limit: 100}
			if len(page) > 0 {
				q.After = &page[len(page)-1].Cursor
			}
			if page = read("page", q); len(page) == 0 {
				break
			}
		}
		ids := make([]journal.ExecutionID, len(all))
		for i, e := range all {
			ids[i] = e.ID
			one, err := d.ledger.Execution(t.Context(), d.owner, e.ID)
			must(t, err)
			if diff := cmp.Diff(want[e.ID], one.TradeIDs); diff != "" {
				t.Errorf("trades of %s alone (-want +got):\n%s", e.ID, diff)
			}
		}
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			found, err := ledger.TradesByExecution(t.Context(), tx, d.owner, ids)
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("trades by id (-want +got):\n%s", diff)
			}
			batch, err2 := ledger.BatchTrades(t.Context(), tx, d.owner, "batch")
			must(t, err2)
			if len(batch) != len(d.trades()) {
				t.Errorf("%d trades of the import, want %d", len(batch), len(d.trades()))
			}
			return err
		}))
	})
}
