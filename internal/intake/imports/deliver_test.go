package imports_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/statement"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// deliveredFill returns a row in a delivery, such as "F1 buy 2 10.5": id, side, quantity,
// price, and the commission if there is a fifth word.
func deliveredFill(row int, text string) *statement.Fill {
	words := strings.Fields(text)
	f := &statement.Fill{
		Row: row, ID: words[0], Symbol: "AAPL", Side: matching.Side(words[1]), Quantity: decimal.Must(words[2]), Price: decimal.Must(words[3]),
		At: time.Date(2026, 1, 5, 15, 0, int(words[0][1]-'0'), 250_000_000, time.UTC),
	}
	if len(words) > 4 {
		f.Commission, f.CommissionKnown = decimal.Must(words[4]), true
	}
	return f
}

// newDelivery returns a delivery from connection C with a row for each text.
func newDelivery(account journal.AccountID, rows ...string) imports.Delivery {
	st := &statement.Statement{Broker: "Kraken", Format: statement.Executions, Source: statement.FromStatement, Zone: "UTC", Rows: len(rows)}
	for i, text := range rows {
		st.Fills = append(st.Fills, deliveredFill(i+1, text))
	}
	return imports.Delivery{Account: account, Origin: imports.FromConnection, OriginID: "C", Statement: st}
}

func (b fixture) deliver(d imports.Delivery) imports.Result {
	b.Helper()
	var result imports.Result
	err := b.DB.Update(b.Context(), func(tx *db.Tx) (err error) {
		result, err = b.Imports.Deliver(b.Context(), tx, b.by.UserID, d)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// revision returns an account's revision, which a write raises.
func (b fixture) revision(account journal.AccountID) int64 {
	b.Helper()
	a, err := b.Ledger.Account(b.Context(), b.by.UserID, account)
	if err != nil {
		b.Fatal(err)
	}
	return a.Revision
}

// batch returns a stored batch.
func (b fixture) batch(id journal.BatchID) imports.Batch {
	b.Helper()
	found, err := b.Imports.Batch(b.Context(), b.by.Principal, id)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// batches returns the number of imports.
func (b fixture) batches() int {
	b.Helper()
	_, total, err := b.Imports.Batches(b.Context(), b.by.Principal, "", 0)
	if err != nil {
		b.Fatal(err)
	}
	return total
}

// TestDeliveriesOfOneBatch adds deliveries to a batch: each result is its own, the batch
// has their sum with consecutive row numbers, and reversing it takes them all.
func TestDeliveriesOfOneBatch(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		account := b.account("USD")
		first := b.deliver(newDelivery(account, "F1 buy 1 10", "F2 sell 0 11"))
		if first.Inserted != 1 || first.ErrorCount != 1 || first.Errors[0].Row != 2 || *first.Rows != (imports.RowCounts{Data: 2, Fills: 1, Errors: 1}) {
			t.Errorf("the first delivery: %+v", first)
		}
		more := newDelivery(account, "F1 buy 1 10", "F3 sell 1 12", "F4 buy 0 9")
		more.Batch = first.BatchID
		more.Statement.Cash = []*statement.Cash{{Row: 4, Type: "deposit", Amount: decimal.New(5), Currency: "USD", At: more.Statement.Fills[0].At}}
		more.Statement.Rows = 4
		next := b.deliver(more)
		if next.BatchID != first.BatchID || next.Inserted != 1 || next.Skipped != 1 || next.CashInserted != 1 || next.Errors[0].Row != 3 {
			t.Errorf("the next delivery: %+v", next)
		}
		stored := b.batch(first.BatchID)
		if stored.Origin != imports.FromConnection || stored.OriginID != "C" || stored.Broker != "Kraken" || stored.Account != account || stored.Status != imports.Committed || stored.RowCount != 6 {
			t.Errorf("the batch: %+v", stored)
		}
		sum := stored.Result
		if sum.Inserted != 2 || sum.Skipped != 1 || sum.CashInserted != 1 || *sum.Rows != (imports.RowCounts{Data: 6, Fills: 2, Cash: 1, Skipped: 1, Errors: 2}) {
			t.Errorf("the sum: %+v", sum)
		}
		if sum.Errors[1].Row != 5 || sum.SkippedRows[0] != (imports.SkippedRow{Row: 3, Reason: "duplicate"}) {
			t.Errorf("the rows: %+v, %+v", sum.Errors, sum.SkippedRows)
		}
		if err := b.Imports.Reverse(t.Context(), b.by, first.BatchID, nil); err != nil {
			t.Fatal(err)
		}
		if list := b.storedFills(account); len(list) != 0 {
			t.Errorf("left after the reversal: %v", list)
		}
		if again := b.deliver(more); again.BatchID == "" || again.BatchID == first.BatchID || again.Inserted != 2 {
			t.Errorf("a delivery for the reversed batch: %+v", again)
		}
	})
}

// TestDeliveryWithoutRows makes no batch and does not touch the account.
func TestDeliveryWithoutRows(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		account := b.account("USD")
		before := b.revision(account)
		for name, delivery := range map[string]imports.Delivery{"empty": newDelivery(account), "unreadable": newDelivery(account, "F1 buy 0 10")} {
			result := b.deliver(delivery)
			if result.BatchID != "" || result.ErrorCount != delivery.Statement.Rows || b.batches() != 0 || b.revision(account) != before {
				t.Errorf("%s: %+v, %d batches", name, result, b.batches())
			}
		}
	})
}

// TestDeliveryIsStepOfTransaction rolls a delivery back and delivers it again: the
// statement is as it was, and the result the same.
func TestDeliveryIsStepOfTransaction(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		account := b.account("EUR")
		delivery := newDelivery(account, "F1 buy 0 10", "F2 buy 1 10", "F3 buy 1 10")
		delivery.Statement.Account.Currency = "USD"
		failed := errors.New("interrupted")
		var first imports.Result
		err := b.DB.Update(t.Context(), func(tx *db.Tx) (err error) {
			if first, err = b.Imports.Deliver(t.Context(), tx, b.by.UserID, delivery); err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) || b.batches() != 0 {
			t.Fatalf("%v, %d batches", err, b.batches())
		}
		second := b.deliver(delivery)
		first.BatchID = second.BatchID
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(imports.Result{})); diff != "" || second.Inserted != 2 {
			t.Errorf("the second time (-first +second):\n%s", diff)
		}
		if want := "The fills are in USD, the account is in EUR: their amounts were taken as they are."; !cmp.Equal(second.Sentences, []string{want}) {
			t.Errorf("the warnings: %q", second.Sentences)
		}
		foreign := newDelivery(account, "F4 buy 1 10")
		foreign.OriginID, foreign.Batch = "D", second.BatchID
		err = b.DB.Update(t.Context(), func(tx *db.Tx) error {
			_, err := b.Imports.Deliver(t.Context(), tx, b.by.UserID, foreign)
			return err
		})
		if err == nil {
			t.Error("a batch of another connection was added to")
		}
	})
}

// TestReadDelivered reads a file as an upload is read, and rejects what a user would
// have to explain.
func TestReadDelivered(t *testing.T) {
	t.Parallel()
	b := newFixture(t, testkit.Open(t, db.SQLite))
	account := b.account("USD")
	read := func(data string) (*statement.Statement, error) {
		return b.Imports.ReadDelivered(context.Background(), b.by.UserID, account, "report.csv", []byte(data))
	}
	st, err := read("Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,1,10,2026-01-05T15:00:00Z\n")
	if err != nil || len(st.Fills) != 1 || b.batches() != 0 {
		t.Errorf("%+v, %v", st, err)
	}
	empty, err := read(`<FlexQueryResponse><FlexStatements><FlexStatement accountId="U1"><Trades></Trades></FlexStatement></FlexStatements></FlexQueryResponse>`)
	if err != nil || len(empty.Fills) != 0 || empty.Rows != 0 {
		t.Errorf("a report without trades: %+v, %v", empty, err)
	}
	for name, data := range map[string]string{"empty": "", "unknown columns": "A,B\n1,2\n", "backup": `{"format":"fillbook","version":1}`} {
		if _, err := read(data); !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDeliveriesCorrectAndWithdraw: what a connection reads again makes no batch, what
// it corrects counts as completed, and what the broker cancels is taken out.
func TestDeliveriesCorrectAndWithdraw(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		account := b.account("USD")
		rows := []string{"F1 buy 1 10", "F2 sell 1 12", "F3 buy 1 13"}
		b.deliver(newDelivery(account, rows...))
		before := b.revision(account)
		again := b.deliver(newDelivery(account, rows...))
		if again.BatchID != "" || again.Skipped != 3 || b.batches() != 1 || b.revision(account) != before {
			t.Errorf("read again: %+v, %d batches", again, b.batches())
		}
		corrected := b.deliver(newDelivery(account, "F1 buy 1 10 2.5", "F2 sell 1 12.5"))
		if corrected.BatchID == "" || corrected.Completed != 2 || corrected.SkippedReasons[0] != (imports.SkippedReason{Reason: "completed", Rows: 2}) {
			t.Errorf("corrected: %+v", corrected)
		}
		var third journal.ExecutionID
		err := b.Ledger.EachExecution(t.Context(), b.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			if *e.ExternalID == "F3" {
				third = e.ID
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		change := ledger.ExecutionChange{Price: journal.Some(decimal.New(14))}
		if _, err := b.Ledger.UpdateExecution(t.Context(), b.by.UserID, third, change, nil); err != nil {
			t.Fatal(err)
		}
		canceled := newDelivery(account, rows[2], "F4 buy 1 12.5")
		canceled.Withdrawn, canceled.Replaced = []string{"F3"}, map[string]string{"F4": "F1"}
		result := b.deliver(canceled)
		if result.Withdrawn != 1 || result.Completed != 1 || result.Skipped != 1 || result.SkippedRows[0] != (imports.SkippedRow{Row: 1, Reason: "withdrawn by the broker"}) {
			t.Errorf("canceled: %+v", result)
		}
		if want := []string{"The broker canceled fill F3, which you had edited. It was removed."}; !cmp.Equal(result.Sentences, want) {
			t.Errorf("the warnings: %q", result.Sentences)
		}
		if sum := b.batch(result.BatchID).Result; sum.Withdrawn != 1 {
			t.Errorf("the batch has %+v", sum)
		}
		want := []string{
			"AAPL buy 1 12.5 2026-01-05 15:00:04.25 +0000 UTC F4\n",
			"AAPL sell 1 12.5 2026-01-05 15:00:02.25 +0000 UTC F2\n",
		}
		if diff := cmp.Diff(want, b.storedFills(account)); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		upload := imports.Upload{
			FileName: "fills.csv", Account: account,
			Data: []byte("Symbol,Side,Quantity,Price,Executed At,External ID\nAAPL,buy,1,13,2026-01-05T15:00:03.25Z,F3\nAAPL,sell,1,12.5,2026-01-05T15:00:02.25Z,F2\n"),
		}
		preview, err := b.Imports.Inspect(t.Context(), b.by.UserID, upload)
		if err != nil || preview.NewRows != 0 || preview.Duplicates != 1 || preview.SkippedRows[0].Reason != "withdrawn by the broker" {
			t.Errorf("the preview of a file: %+v, %v", preview, err)
		}
		file, err := b.Imports.Commit(t.Context(), b.by, upload)
		if err != nil || file.Inserted != 0 || *file.Rows != *preview.Rows {
			t.Errorf("a file: %+v, %v", file, err)
		}
	})
}
