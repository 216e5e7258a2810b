package ledger_test

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// TestDeleteBatch checks that deleting imports restores the previous state.
func TestDeleteBatch(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 100 10 at=0; sell 100 12 at=20; buy 5 1 symbol=MSFT at=1")
		before := summary(d.trades())
		d.insert("batch", orders(t, "sell 150 11 at=5; buy 70 9 at=10; sell 5 2 symbol=MSFT at=30; buy 1 1 symbol=NEW")...)
		d.sound()
		if d.count("streams") != 3 {
			t.Errorf("%d streams", d.count("streams"))
		}
		if rows := d.reverse("batch"); rows != (ledger.BatchRows{Fills: 4}) {
			t.Errorf("reversed %+v", rows)
		}
		d.expectTrades(before)
		if d.count("streams") != 2 || d.count("import_spans") != 0 {
			t.Error("rows are left")
		}
		if rows := d.reverse("batch"); rows != (ledger.BatchRows{}) {
			t.Errorf("the second time %+v", rows)
		}
		if got := outcomes(d.insert("batch", orders(t, "sell 150 11 at=5")...)); got != "+" {
			t.Errorf("imported again: %s", got)
		}
	})
}

// TestDeleteBatchCounts follows an import through deletions and edits, over two
// accounts and in two calls.
func TestDeleteBatchCounts(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		first := d.account
		result := d.insert("batch", orders(t, "buy 1 10; sell 1 11; buy 1 12")...)
		d.insert("other", orders(t, "buy 9 10 symbol=X")...)
		d.insert("batch", orders(t, "sell 1 13 at=9")...)
		d.account = d.newAccount(d.owner, "USD")
		d.insert("batch", orders(t, "buy 1 10")...)
		d.insertCash("batch", ledger.NewCash{Type: ledger.Deposit, Amount: decimal.New(5), OccurredAt: begin})
		cash := d.newAccount(d.owner, "USD")
		d.account = cash
		d.insertCash("batch", ledger.NewCash{Type: ledger.Fee, Amount: decimal.New(5), OccurredAt: begin})
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, result.Outcomes[0].ID, nil))
		d.expectBatchRows("batch", ledger.BatchRows{Fills: 4, Cash: 2, FillsRemoved: 1})
		d.sound()

		for _, e := range d.executions() {
			want := journal.BatchID("batch")
			if e.Instrument.Symbol == "X" {
				want = "other"
			}
			if e.Batch == nil || *e.Batch != want {
				t.Errorf("%s is of batch %v", e.ID, e.Batch)
			}
		}
		d.account = first
		d.reverse("batch")
		d.expectBatchRows("batch", ledger.BatchRows{})
		d.expectBatchRows("other", ledger.BatchRows{Fills: 1})
		d.expectTrades("long 9 open 9 realized 0")
		if d.count("cash_transactions") != 0 {
			t.Error("cash rows are left")
		}
	})
}

func (d *fixture) expectBatchRows(batch journal.BatchID, want ledger.BatchRows) {
	d.Helper()
	must(d, d.db.View(d.Context(), func(tx *db.Tx) error {
		got, err := ledger.CountBatchRows(d.Context(), tx, d.owner, batch)
		if got != want {
			d.Errorf("%s has %+v, want %+v", batch, got, want)
		}
		return err
	}))
}

func (d *fixture) insertCash(batch journal.BatchID, list ...ledger.NewCash) (result ledger.CashResult) {
	d.Helper()
	must(d, d.db.Update(d.Context(), func(tx *db.Tx) (err error) {
		result, err = d.ledger.InsertCash(d.Context(), tx, d.owner, d.account, list, ledger.CashOptions{Batch: batch})
		return err
	}))
	return result
}

func TestInsertResult(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 100 10; sell 100 11; buy 5 10 symbol=MSFT at=0; buy 1 1 symbol=TSLA at=0")
		result := d.insert("batch", orders(t,
			"buy 1 10 at=50; sell 2 11 at=51; sell 5 11 symbol=MSFT at=52; buy 1 1 symbol=QQQQZ5 type=future; buy 1 1 symbol=QQQQZ5 type=future")...)
		// Two new AAPL trades, a new future trade, MSFT's changed.
		if len(result.Trades) != 4 || result.Inserted != 5 || len(result.Warnings) != 1 {
			t.Errorf("got %+v", result)
		}
		if flip := result.Outcomes[1].Trades; len(flip) != 2 || flip[0] != result.Outcomes[0].Trades[0] {
			t.Errorf("the crossing fill is in %v", flip)
		}
		ids := []journal.ExecutionID{result.Outcomes[1].ID, result.Outcomes[2].ID, "nothing"}
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			found, err := ledger.TradesByExecution(t.Context(), tx, d.owner, ids)
			if len(found) != 2 || len(found[ids[0]]) != 2 || len(found[ids[1]]) != 1 {
				t.Errorf("trades of executions: %v", found)
			}
			return err
		}))
	})
}
