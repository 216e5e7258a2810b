package ledger_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// withdraw records what a broker has withdrawn, as an import does.
func (d *fixture) withdraw(w ledger.Withdrawals) (result ledger.WithdrawResult) {
	d.Helper()
	must(d, d.db.Update(d.Context(), func(tx *db.Tx) (err error) {
		result, err = d.ledger.WithdrawFills(d.Context(), tx, d.owner, d.account, w)
		return err
	}))
	return result
}

// TestWithdrawnFillsStayAway: a canceled fill is taken out with its trade and does not
// come back by another import until the one that canceled it is reversed. An entry by
// hand stores it.
func TestWithdrawnFillsStayAway(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.record("first", "C: buy 2 10 id=A at=0")
		d.record("first", "C: sell 2 11 id=B at=1")
		d.record("file", "file: sell 2 11 id=B at=1 commission=1")
		d.expectTrades("long 2 net 1")
		d.changes = nil
		cancel := ledger.Withdrawals{IDs: []string{"B", "unknown"}, Batch: "cancel"}
		if got := d.withdraw(cancel); !cmp.Equal(got, ledger.WithdrawResult{Removed: 1, Recorded: true}) {
			t.Errorf("canceled: %+v", got)
		}
		d.expectTrades("long 2 open 2 realized 0")
		if got := d.withdraw(cancel); !cmp.Equal(got, ledger.WithdrawResult{}) {
			t.Errorf("canceled again: %+v", got)
		}
		for _, name := range []string{"C", "D", ""} {
			options := ledger.InsertOptions{Batch: "again", Sender: name, SkipWithdrawn: true}
			fill := order(t, "sell 2 11 id=B", 1)
			if ahead := d.previewInsertAs(options, []ledger.NewFill{fill}); !ahead.Withdrawn[0] || ahead.Known[0] {
				t.Errorf("the preview for %q: %+v", name, ahead)
			}
			if got := d.insertAs(options, fill); got.Withdrawn != 1 || got.Recorded || !got.Outcomes[0].Withdrawn {
				t.Errorf("sent again by %q: %+v", name, got)
			}
		}
		d.reverse("cancel")
		d.expectTrades("long 2 open 2 realized 0")
		if d.countOf("withdrawn_fills") != 0 {
			t.Error("reversing the import left canceled ids")
		}
		d.record("again", "C: sell 2 11 id=B at=1")
		d.expectTrades("long 2 net 2")
		d.withdraw(cancel)
		d.record("", "hand: sell 2 11 id=B at=1")
		d.withdraw(cancel)
		d.expectTrades("long 2 net 2")
	})
}

// TestWithdrawEditedFill: an edited fill is taken out too, and the result names it. A
// trade that has no fill left is orphaned, so its annotations wait.
func TestWithdrawEditedFill(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.record("first", "C: buy 2 10 id=A")
		e := d.executions()[0]
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, e.ID, ledger.ExecutionChange{Price: journal.Some(decimal.New(12))}, nil)
		must(t, err)
		d.changes = nil
		got := d.withdraw(ledger.Withdrawals{IDs: []string{"A"}, Batch: "cancel"})
		if !cmp.Equal(got, ledger.WithdrawResult{Removed: 1, Edited: []string{"A"}, Recorded: true}) {
			t.Errorf("got %+v", got)
		}
		if len(d.changes) != 1 || len(d.changes[0].Orphaned) != 1 || d.changes[0].Orphaned[0].Trade != e.TradeIDs[0] {
			t.Errorf("the changes: %+v", d.changes)
		}
		d.expectTrades("")
	})
}

// TestReplacedFill: a correction with a new id keeps the execution and its trade, and
// the old id stays away.
func TestReplacedFill(t *testing.T) {
	type example = struct {
		stored []string
		fill   string // the correction, by connection C
		want   []string
	}
	eachCase(t, map[string]example{
		"its own":            {[]string{"C: buy 2 10 id=x.01 fees=1"}, "buy 3 11 id=x.02 fees=2", []string{"14:30:00 3 11 2 0 1 null x.02"}},
		"of a file":          {[]string{"file: buy 2 10 id=x.01 fees=1"}, "buy 3 11 id=x.02 fees=2", []string{"14:30:00 3 11 2 0 1 null x.02"}},
		"of two versions":    {[]string{"C: buy 2 10 id=x.01"}, "buy 2 12 id=x.03", []string{"14:30:00 2 12 0 0 1 null x.03"}},
		"another side":       {[]string{"C: buy 2 10 id=x.01"}, "sell 2 10 id=x.02", []string{"14:30:00 2 10 0 0 1 null x.02"}},
		"another time":       {[]string{"C: buy 2 10 id=x.01"}, "buy 2 10 id=x.02 at=5", []string{"14:35:00 2 10 0 0 1 null x.02"}},
		"not stored":         {nil, "buy 2 10 id=x.02", []string{"14:30:00 2 10 0 0 1 null x.02"}},
		"already stored":     {[]string{"file: buy 2 10 id=x.01", "file: buy 2 11 id=x.02"}, "buy 2 11 id=x.02", []string{"14:30:00 2 11 0 0 1 null x.02"}},
		"beside another one": {[]string{"C: buy 2 10 id=x.01", "C: buy 2 10 id=y.01"}, "buy 2 11 id=x.02", []string{"14:30:00 2 10 0 0 1 null y.01", "14:30:00 2 11 0 0 1 null x.02"}},
	}, func(t *testing.T, d *fixture, c example) {
		for _, text := range c.stored {
			d.record("first", text)
		}
		before := d.executions()
		fill := order(t, c.fill, 0)
		fill.Facts = ledger.FactsRecorded
		replaced := map[string]string{"x.02": "x.01"}
		if fill.ExternalID == "x.03" {
			replaced["x.03"] = "x.02"
		}
		w := ledger.Withdrawals{Replaced: replaced, Batch: "correction"}
		options := ledger.InsertOptions{Batch: "correction", Sender: "C", SkipWithdrawn: true, Replaced: replaced}
		d.withdraw(w)
		d.insertAs(options, fill)
		got := d.shownFills(d.account)
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("corrected (-want +got):\n%s", diff)
		}
		after := d.executions()
		if len(before) == 1 && (after[0].ID != before[0].ID || after[0].TradeIDs[0] != before[0].TradeIDs[0]) {
			t.Errorf("execution %s of %v became %s of %v", before[0].ID, before[0].TradeIDs, after[0].ID, after[0].TradeIDs)
		}
		d.sound()
		if again := d.withdraw(w); again.Recorded {
			t.Errorf("recorded again: %+v", again)
		}
		old := order(t, "buy 2 10 id=x.01 fees=1", 0)
		if result := d.insertAs(options, fill, old); result.Recorded || result.Withdrawn != 1 || result.Skipped != 1 {
			t.Errorf("read again: %+v", result)
		}
		d.reverse("correction")
		if got := d.executions(); len(before) == 1 && (len(got) != 1 || shown(got[0]) != shown(before[0]) || got[0].ID != before[0].ID) {
			t.Errorf("without the correction: %v, want %v", got, before)
		}
		d.sound()
	})
}
