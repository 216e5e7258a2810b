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

// TestDeletedCashStaysDeleted: what the user deleted by hand is left out of what arrives by
// itself, each row once. A file or an entry by hand brings it back.
func TestDeletedCashStaysDeleted(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		row := func(kind ledger.CashType, fraction time.Duration) ledger.NewCash {
			return ledger.NewCash{Type: kind, Amount: decimal.New(5), OccurredAt: begin.Truncate(time.Second).Add(fraction)}
		}
		deliver := func(rows ...ledger.NewCash) (result ledger.CashResult) {
			options := ledger.CashOptions{Batch: "delivery", SkipDeleted: true}
			must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
				preview, err := ledger.PreviewCash(t.Context(), tx, d.owner, d.account, rows, options)
				must(t, err)
				result, err = d.ledger.InsertCash(t.Context(), tx, d.owner, d.account, rows, options)
				if !reflect.DeepEqual(result, preview) {
					t.Errorf("inserted %+v, the preview was %+v", result, preview)
				}
				return err
			}))
			return result
		}
		deleteAll := func() {
			var ids []journal.CashID
			must(t, d.ledger.EachCash(t.Context(), d.owner, journal.Scope{}, func(c ledger.Cash) error {
				ids = append(ids, c.ID)
				return nil
			}))
			for _, id := range ids {
				must(t, d.ledger.DeleteCash(t.Context(), d.owner, id, nil))
			}
		}
		want := func(step string, got ledger.CashResult, deleted ...bool) {
			t.Helper()
			if !reflect.DeepEqual(got.Deleted, deleted) || got.Inserted+got.Skipped != len(deleted) {
				t.Errorf("%s: %+v, want %v", step, got, deleted)
			}
		}
		interest, dividend := row(ledger.Interest, 250*time.Millisecond), row(ledger.Dividend, 0)
		want("at first", deliver(interest, dividend, dividend), false, false, false)
		var edited journal.CashID
		must(t, d.ledger.EachCash(t.Context(), d.owner, journal.Scope{}, func(c ledger.Cash) error {
			edited = c.ID
			return nil
		}))
		_, err := d.ledger.UpdateCash(t.Context(), d.owner, edited, ledger.CashChange{Amount: journal.Some(decimal.New(77))}, nil)
		must(t, err)
		deleteAll()
		want("after deletion", deliver(interest, dividend, dividend, dividend), true, true, true, false)
		want("with whole seconds", deliver(row(ledger.Interest, 0)), true)
		want("another second", deliver(row(ledger.Interest, time.Second+250*time.Millisecond)), false)
		want("another type", deliver(row(ledger.Adjustment, 250*time.Millisecond)), false)
		if d.count("cash_transactions") != 3 || d.count("deleted_cash") != 3 {
			t.Errorf("%d rows, %d deleted", d.count("cash_transactions"), d.count("deleted_cash"))
		}
		_, err = d.ledger.AddCash(t.Context(), d.owner, d.account, interest)
		must(t, err)
		if d.count("deleted_cash") != 2 {
			t.Error("an entry by hand does not lift the mark")
		}
		if got := d.insertCash("file", dividend, dividend, dividend); got.Inserted != 2 || d.count("deleted_cash") != 0 {
			t.Errorf("a file: %+v, %d deleted", got, d.count("deleted_cash"))
		}
		d.reverse("file")
		if d.count("deleted_cash") != 0 {
			t.Error("reversing an import leaves marks")
		}
		want("after a reversal", deliver(dividend, dividend), false, false)
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
