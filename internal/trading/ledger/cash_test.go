package ledger_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

func TestCashSigns(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		for _, c := range []struct {
			kind       ledger.CashType
			sent, want string
		}{
			{ledger.Deposit, "100", "100"},
			{ledger.Deposit, "-100", "100"},
			{ledger.Withdrawal, "100", "-100"},
			{ledger.Withdrawal, "-100", "-100"},
			{ledger.Fee, "0.01", "-0.01"},
			{ledger.Fee, "-0.01", "-0.01"},
			{ledger.Dividend, "3", "3"},
			{ledger.Dividend, "-3", "-3"},
			{ledger.Interest, "3", "3"},
			{ledger.Interest, "-3", "-3"},
			{ledger.Adjustment, "3", "3"},
			{ledger.Adjustment, "-3", "-3"},
			{" FEE ", "1", "-1"},
		} {
			got, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: c.kind, Amount: decimal.Must(c.sent), OccurredAt: begin})
			must(t, err)
			if got.Amount.String() != c.want {
				t.Errorf("%s %s became %s, want %s", c.kind, c.sent, got.Amount, c.want)
			}
		}
	})
}

func TestCashIsStoredAndChanged(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 100 10")
		trade := d.trades()[0].ID
		revision := d.revision()
		added, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{
			Type: ledger.Dividend, Amount: decimal.Must("12.5"), Currency: "usd", OccurredAt: begin.Add(1500), Note: "Q1\nspecial", Trade: &trade,
		})
		must(t, err)
		want := ledger.Cash{
			ID: added.ID, Account: d.account, CreatedAt: d.clock.Now(),
			CashValues: ledger.CashValues{
				Type: ledger.Dividend, Amount: decimal.Must("12.5"), Currency: "USD", OccurredAt: begin.Add(1000), Note: "Q1\nspecial", Trade: &trade,
			},
			Origin: "dividend|12.5|1767623400000001", // an edit leaves it
		}
		got, err := d.ledger.CashTransaction(t.Context(), d.owner, added.ID)
		must(t, err)
		if diff := cmp.Diff(want, got) + cmp.Diff(want, added); diff != "" {
			t.Error(diff)
		}
		if d.revision() <= revision {
			t.Error("the account's revision was not raised")
		}
		detail, err := d.ledger.Trade(t.Context(), d.owner, trade)
		must(t, err)
		if detail.DividendTotal.String() != "12.5" {
			t.Errorf("dividends %s", detail.DividendTotal)
		}
		changed, err := d.ledger.UpdateCash(t.Context(), d.owner, added.ID, ledger.CashChange{
			Type: journal.Some(ledger.Withdrawal), Trade: journal.Opt[journal.TradeID]{Set: true, Null: true},
			Note: journal.Opt[string]{Set: true, Null: true}, OccurredAt: journal.Some(minute(3)),
		}, nil)
		must(t, err)
		want.Type, want.Amount, want.Trade, want.Note, want.OccurredAt = ledger.Withdrawal, decimal.Must("-12.5"), nil, "", minute(3)
		got, err = d.ledger.CashTransaction(t.Context(), d.owner, added.ID)
		must(t, err)
		if diff := cmp.Diff(want, got) + cmp.Diff(want, changed); diff != "" {
			t.Error(diff)
		}
		stale := errors.New("stale")
		refuse := func(ledger.Cash) error { return stale }
		if _, err := d.ledger.UpdateCash(t.Context(), d.owner, added.ID, ledger.CashChange{}, refuse); !errors.Is(err, stale) {
			t.Errorf("a rejected check returned %v", err)
		}
		if err := d.ledger.DeleteCash(t.Context(), d.owner, added.ID, refuse); !errors.Is(err, stale) {
			t.Errorf("a rejected check returned %v", err)
		}
		must(t, d.ledger.DeleteCash(t.Context(), d.owner, added.ID, nil))
		refused(t, d.ledger.DeleteCash(t.Context(), d.owner, added.ID, nil), journal.KindNotFound, "")
	})
}

func TestCashRefusals(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 100 10")
		here := d.trades()[0].ID
		other := d.newAccount(d.owner, "EUR")
		unknown := journal.TradeID("nothing")
		good := ledger.NewCash{Type: ledger.Deposit, Amount: decimal.New(1), OccurredAt: begin}
		for _, c := range []struct {
			account journal.AccountID
			field   string
			spoil   func(*ledger.NewCash)
		}{
			{d.account, "type", func(c *ledger.NewCash) { c.Type = "gift" }},
			{d.account, "amount", func(c *ledger.NewCash) { c.Amount = decimal.Must("1234567890123456") }},
			{d.account, "currency", func(c *ledger.NewCash) { c.Currency = "EUR" }},
			{d.account, "currency", func(c *ledger.NewCash) { c.Currency = "no" }},
			{d.account, "occurred_at", func(c *ledger.NewCash) { c.OccurredAt = time.Time{} }},
			{d.account, "note", func(c *ledger.NewCash) { c.Note = strings.Repeat("x", journal.MaxNoteBytes+1) }},
			{d.account, "trade_id", func(c *ledger.NewCash) { c.Trade = &unknown }},
			{other, "trade_id", func(c *ledger.NewCash) { c.Trade = &here }},
		} {
			in := good
			c.spoil(&in)
			_, err := d.ledger.AddCash(t.Context(), d.owner, c.account, in)
			refused(t, err, journal.KindInvalid, c.field)
		}
		_, err := d.ledger.AddCash(t.Context(), d.owner, "nothing", good)
		refused(t, err, journal.KindNotFound, "")
		c, err := d.ledger.AddCash(t.Context(), d.owner, d.account, good)
		must(t, err)
		_, err = d.ledger.UpdateCash(t.Context(), d.owner, c.ID, ledger.CashChange{Amount: journal.Opt[decimal.Decimal]{Set: true, Null: true}}, nil)
		refused(t, err, journal.KindInvalid, "amount")
		_, err = d.ledger.UpdateCash(t.Context(), d.owner, c.ID, ledger.CashChange{Currency: journal.Some("EUR")}, nil)
		refused(t, err, journal.KindInvalid, "currency")
		_, err = d.ledger.UpdateCash(t.Context(), d.owner, c.ID, ledger.CashChange{Currency: journal.Opt[string]{Set: true, Null: true}}, nil)
		must(t, err)
	})
}

func TestCashList(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		put := func(amount string, n int) {
			_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: ledger.Adjustment, Amount: decimal.Must(amount), OccurredAt: minute(n)})
			must(t, err)
		}
		put("1", 5)
		put("2", 1)
		first := d.account
		d.account = d.newAccount(d.owner, "USD")
		put("3", 3)
		put("4", 5)
		for want, scope := range map[string]journal.Scope{
			"2 3 1 4": {},
			"2 1":     {Accounts: []journal.AccountID{first}},
			"3 1 4":   {Period: journal.Period{From: new(minute(3))}},
			"2 3":     {Period: journal.Period{To: new(minute(4))}},
		} {
			var got []string
			must(t, d.ledger.EachCash(t.Context(), d.owner, scope, func(c ledger.Cash) error {
				got = append(got, c.Amount.String())
				return nil
			}))
			if strings.Join(got, " ") != want {
				t.Errorf("%+v: %v, want %s", scope, got, want)
			}
		}
	})
}

// TestInsertCashDuplicates checks that cash rows are matched by content and count.
func TestInsertCashDuplicates(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		dividend := ledger.NewCash{Type: ledger.Dividend, Amount: decimal.New(5), OccurredAt: begin}
		fee := ledger.NewCash{Type: ledger.Fee, Amount: decimal.New(1), OccurredAt: begin}
		_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, fee)
		must(t, err)
		if got := d.insertCash("one", dividend, dividend, fee); !reflect.DeepEqual(got, ledger.CashResult{Inserted: 2, Skipped: 1, Known: []bool{false, false, true}, Deleted: make([]bool, 3)}) {
			t.Errorf("first: %+v", got)
		}
		var ids []journal.CashID
		must(t, d.ledger.EachCash(t.Context(), d.owner, journal.Scope{}, func(c ledger.Cash) error {
			ids = append(ids, c.ID)
			return nil
		}))
		for _, id := range ids {
			_, err := d.ledger.UpdateCash(t.Context(), d.owner, id, ledger.CashChange{Amount: journal.Some(decimal.New(77)), Note: journal.Some("x")}, nil)
			must(t, err)
		}
		if got := d.insertCash("two", dividend, dividend, dividend, fee); !reflect.DeepEqual(got, ledger.CashResult{Inserted: 1, Skipped: 3, Known: []bool{true, true, false, true}, Deleted: make([]bool, 4)}) {
			t.Errorf("after edits: %+v", got)
		}
		if rows := d.reverse("one"); rows.Cash != 2 {
			t.Errorf("reversed %+v", rows)
		}
		if d.count("cash_transactions") != 2 {
			t.Error("other cash rows went along")
		}
	})
}

// TestCashOfOneSecond checks that a cash row with whole seconds and one with a
// fraction are the same, in either order, and that two with fractions are not.
func TestCashOfOneSecond(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		at := func(fraction time.Duration) ledger.NewCash {
			return ledger.NewCash{Type: ledger.Interest, Amount: decimal.New(5), OccurredAt: begin.Truncate(time.Second).Add(fraction)}
		}
		other, fee := at(0), at(0)
		other.Amount, fee.Type = decimal.New(6), ledger.Fee
		for i, step := range []struct {
			rows []ledger.NewCash
			want []bool
		}{
			{[]ledger.NewCash{at(300 * time.Millisecond), at(700 * time.Millisecond)}, []bool{false, false}},
			{[]ledger.NewCash{at(0), at(0), at(0), other, fee}, []bool{true, true, false, false, false}},
			{[]ledger.NewCash{at(500 * time.Millisecond), at(500 * time.Millisecond)}, []bool{true, false}},
			{[]ledger.NewCash{at(time.Second)}, []bool{false}},
			{[]ledger.NewCash{at(time.Second + time.Microsecond), at(-time.Microsecond)}, []bool{true, false}},
		} {
			if got := d.insertCash(journal.BatchID(fmt.Sprint(i)), step.rows...); !reflect.DeepEqual(got.Known, step.want) {
				t.Errorf("step %d: %v, want %v", i+1, got.Known, step.want)
			}
		}
		d.sound()
	})
}

// cashAt returns a row with amount 5 after the start, which has whole seconds.
func cashAt(kind ledger.CashType, later time.Duration) ledger.NewCash {
	return ledger.NewCash{Type: kind, Amount: decimal.New(5), OccurredAt: begin.Truncate(time.Second).Add(later)}
}

// deliverCash inserts rows as a connection does, and compares the preview.
func (d *fixture) deliverCash(rows ...ledger.NewCash) (result ledger.CashResult) {
	d.Helper()
	options := ledger.CashOptions{Batch: "delivery", SkipDeleted: true}
	must(d, d.db.Update(d.Context(), func(tx *db.Tx) error {
		preview, err := ledger.PreviewCash(d.Context(), tx, d.owner, d.account, rows, options)
		must(d, err)
		result, err = d.ledger.InsertCash(d.Context(), tx, d.owner, d.account, rows, options)
		if !reflect.DeepEqual(result, preview) {
			d.Errorf("inserted %+v, the preview was %+v", result, preview)
		}
		return err
	}))
	return result
}

// cashIDs returns all cash ids, oldest first.
func (d *fixture) cashIDs() (ids []journal.CashID) {
	must(d, d.ledger.EachCash(d.Context(), d.owner, journal.Scope{}, func(c ledger.Cash) error {
		ids = append(ids, c.ID)
		return nil
	}))
	return ids
}

// deliverAndDelete delivers rows, edits the last one and deletes them all.
func (d *fixture) deliverAndDelete(rows ...ledger.NewCash) {
	d.deliverCash(rows...)
	ids := d.cashIDs()
	_, err := d.ledger.UpdateCash(d.Context(), d.owner, ids[len(ids)-1], ledger.CashChange{Amount: journal.Some(decimal.New(77))}, nil)
	must(d, err)
	for _, id := range ids {
		must(d, d.ledger.DeleteCash(d.Context(), d.owner, id, nil))
	}
}

var (
	deletedInterest = cashAt(ledger.Interest, 250*time.Millisecond)
	deletedDividend = cashAt(ledger.Dividend, 0)
)

// TestDeletedCashStaysDeleted: a connection does not bring back deleted rows.
func TestDeletedCashStaysDeleted(t *testing.T) {
	type example = struct {
		rows    []ledger.NewCash
		deleted []bool
	}
	eachCase(t, map[string]example{
		"the same rows":      {[]ledger.NewCash{deletedInterest, deletedDividend, deletedDividend}, []bool{true, true, true}},
		"one more":           {[]ledger.NewCash{deletedDividend, deletedDividend, deletedDividend}, []bool{true, true, false}},
		"with whole seconds": {[]ledger.NewCash{cashAt(ledger.Interest, 0)}, []bool{true}},
		"another second":     {[]ledger.NewCash{cashAt(ledger.Interest, time.Second+250*time.Millisecond)}, []bool{false}},
		"another type":       {[]ledger.NewCash{cashAt(ledger.Adjustment, 250*time.Millisecond)}, []bool{false}},
	}, func(t *testing.T, d *fixture, c example) {
		d.deliverAndDelete(deletedInterest, deletedDividend, deletedDividend)
		got := d.deliverCash(c.rows...)
		if !reflect.DeepEqual(got.Deleted, c.deleted) || got.Inserted+got.Skipped != len(c.deleted) {
			t.Errorf("%+v, want %v", got, c.deleted)
		}
		if d.count("deleted_cash") != 3 {
			t.Errorf("%d deleted rows are left", d.count("deleted_cash"))
		}
	})
}

// TestDeletedCashComesBack by an entry by hand or a file, and reversing an import
// leaves no deleted rows.
func TestDeletedCashComesBack(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.deliverAndDelete(deletedInterest, deletedDividend, deletedDividend)
		_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, deletedInterest)
		must(t, err)
		if n := d.count("deleted_cash"); n != 2 {
			t.Errorf("%d deleted rows after an entry by hand", n)
		}
		if got := d.insertCash("file", deletedDividend, deletedDividend); got.Inserted != 2 || d.count("deleted_cash") != 0 {
			t.Errorf("a file: %+v, %d deleted", got, d.count("deleted_cash"))
		}
		d.reverse("file")
		if got := d.deliverCash(deletedDividend, deletedDividend); got.Inserted != 2 {
			t.Errorf("after a reversal: %+v", got)
		}
	})
}

// TestCashLinkFollowsTrade through merging and deletion.
func TestCashLinkFollowsTrade(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ids := d.add("buy 1 10; buy 1 10; sell 2 11; buy 1 10; sell 1 12")
		trades := d.trades()
		small := trades[1].ID
		c, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{
			Type: ledger.Dividend, Amount: decimal.New(5), OccurredAt: begin, Trade: &small,
		})
		must(t, err)
		// The trades are merged into the larger one.
		_, err = d.ledger.UpdateExecution(t.Context(), d.owner, ids[2], ledger.ExecutionChange{Quantity: journal.Some(decimal.New(1))}, nil)
		must(t, err)
		got, err := d.ledger.CashTransaction(t.Context(), d.owner, c.ID)
		must(t, err)
		if got.Trade == nil || *got.Trade != trades[0].ID {
			t.Errorf("linked to %v, want %s", got.Trade, trades[0].ID)
		}
		must(t, d.ledger.DeleteTrade(t.Context(), d.owner, trades[0].ID, nil))
		got, err = d.ledger.CashTransaction(t.Context(), d.owner, c.ID)
		must(t, err)
		if got.Trade != nil {
			t.Errorf("linked to %s, which is deleted", *got.Trade)
		}
		d.sound()
	})
}
