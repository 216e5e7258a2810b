package ledger_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// insertAs inserts fills with options.
func (d *fixture) insertAs(options ledger.InsertOptions, fills ...ledger.NewFill) (result ledger.InsertResult) {
	d.Helper()
	must(d, d.db.Update(d.Context(), func(tx *db.Tx) (err error) {
		result, err = d.ledger.InsertChecked(d.Context(), tx, d.owner, d.account, checkAll(d, fills), options)
		return err
	}))
	return result
}

// checkAll returns fills in their stored form.
func checkAll(t testing.TB, fills []ledger.NewFill) []ledger.CheckedFill {
	t.Helper()
	checked := make([]ledger.CheckedFill, len(fills))
	for i, f := range fills {
		var err error
		checked[i], err = f.ToChecked()
		must(t, err)
	}
	return checked
}

// deliver inserts fills as a connection, a hook or a watched file does.
func (d *fixture) deliver(fills ...ledger.NewFill) ledger.InsertResult {
	d.Helper()
	return d.insertAs(ledger.InsertOptions{Batch: "delivery", SkipDeleted: true}, fills...)
}

func (d *fixture) deleteAll() {
	d.Helper()
	for _, e := range d.executions() {
		must(d, d.ledger.DeleteExecution(d.Context(), d.owner, e.ID, nil))
	}
}

func TestDeletedFillsStayDeleted(t *testing.T) {
	finer := func(f ledger.NewFill) ledger.NewFill {
		f.ExecutedAt = f.ExecutedAt.Add(250 * time.Millisecond)
		return f
	}
	later := func(f ledger.NewFill) ledger.NewFill {
		f.ExecutedAt = f.ExecutedAt.Add(time.Second)
		return f
	}
	same := func(f ledger.NewFill) ledger.NewFill { return f }
	eachCase(t, map[string]struct {
		stored, again string
		change        func(ledger.NewFill) ledger.NewFill
		deleted       int
	}{
		"same content":              {"buy 1 10", "buy 1 10", same, 1},
		"same id":                   {"buy 1 10 id=a", "buy 1 10 id=a", same, 1},
		"same id, other values":     {"buy 1 10 id=a", "buy 1 10.5 id=a", same, 1},
		"id only in the deleted":    {"buy 1 10 id=a", "buy 1 10", same, 1},
		"id only in the new one":    {"buy 1 10", "buy 1 10 id=a", same, 1},
		"different ids":             {"buy 1 10 id=a", "buy 1 10 id=b", same, 0},
		"finer time":                {"buy 1 10", "buy 1 10", finer, 1},
		"another second":            {"buy 1 10", "buy 1 10", later, 0},
		"another contract":          {"buy 1 10 type=option strike=5", "buy 1 10 type=option strike=6", same, 0},
		"one deleted of two equal":  {"buy 1 10", "buy 1 10; buy 1 10 at=0", same, 1},
		"repeated in one delivery":  {"buy 1 10 id=a", "buy 1 10 id=a; buy 1 10 id=a at=0", same, 2},
		"another one beside it":     {"buy 1 10", "buy 1 10; sell 1 11", same, 1},
		"matched by content, twice": {"buy 1 10", "buy 1 10 id=a; buy 1 10 id=a at=0", same, 2},
	}, func(t *testing.T, d *fixture, c struct {
		stored, again string
		change        func(ledger.NewFill) ledger.NewFill
		deleted       int
	},
	) {
		d.insert("first", orders(t, c.stored)...)
		d.deleteAll()
		var again []ledger.NewFill
		for _, f := range orders(t, c.again) {
			again = append(again, c.change(f))
		}
		for range 2 { // a second delivery finds the same
			result := d.deliver(again...)
			if result.Deleted != c.deleted || result.Inserted+result.Skipped != len(again)-c.deleted {
				t.Errorf("%+v, want %d left out", result, c.deleted)
			}
			if n := len(d.executions()); n != len(again)-c.deleted {
				t.Errorf("%d fills are stored, want %d", n, len(again)-c.deleted)
			}
		}
		d.sound()
	})
}

// TestDeletedFillsComeBackOnRequest checks that an upload and an entry by hand
// store a deleted fill again, and that deliveries then find it.
func TestDeletedFillsComeBackOnRequest(t *testing.T) {
	eachCase(t, map[string]func(d *fixture, fills []ledger.NewFill){
		"upload": func(d *fixture, fills []ledger.NewFill) { d.insert("upload", fills...) },
		"hand": func(d *fixture, fills []ledger.NewFill) {
			for _, f := range fills {
				_, err := d.ledger.AddExecution(d.Context(), d.owner, d.account, f)
				must(d, err)
			}
		},
		"trade": func(d *fixture, fills []ledger.NewFill) {
			must(d, d.db.Update(d.Context(), func(tx *db.Tx) error {
				_, err := d.ledger.AddFills(d.Context(), tx, d.owner, d.account, fills)
				return err
			}))
		},
	}, func(t *testing.T, d *fixture, add func(*fixture, []ledger.NewFill)) {
		fills := orders(t, "buy 1 10 id=a; sell 1 11")
		d.deliver(fills...)
		must(t, d.ledger.DeleteTrade(t.Context(), d.owner, d.executions()[0].TradeIDs[0], nil))
		if result := d.deliver(orders(t, "buy 1 10 id=a; sell 1 11")...); result.Deleted != 2 {
			t.Errorf("%+v, want 2 left out", result)
		}
		add(d, orders(t, "buy 1 10 id=a; sell 1 11"))
		if n := d.count("deleted_fills"); n != 0 || len(d.executions()) != 2 {
			t.Errorf("%d fills are still deleted, %d stored", n, len(d.executions()))
		}
		if result := d.deliver(orders(t, "buy 1 10 id=a; sell 1 11")...); result.Skipped != 2 {
			t.Errorf("%+v, want 2 known", result)
		}
		d.sound()
	})
}

func TestReversalRecordsNoDeletedFills(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.deliver(orders(t, "buy 1 10; sell 1 11")...)
		d.reverse("delivery")
		if result := d.deliver(orders(t, "buy 1 10; sell 1 11")...); result.Inserted != 2 || d.count("deleted_fills") != 0 {
			t.Errorf("%+v, want 2 inserted", result)
		}
	})
}

// TestEditedFillsStayDeleted checks that a deleted fill is found by the content
// with which it arrived.
func TestEditedFillsStayDeleted(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("first", orders(t, "buy 1 10")...)
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, d.executions()[0].ID,
			ledger.ExecutionChange{ExecutedAt: journal.Some(minute(90))}, nil)
		must(t, err)
		d.deleteAll()
		if result := d.deliver(orders(t, "buy 1 10")...); result.Deleted != 1 {
			t.Errorf("%+v, want 1 left out", result)
		}
	})
}

// TestDeletedFillsAreCopied checks what a backup reads and restores.
func TestDeletedFillsAreCopied(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("first", orders(t, "buy 1 10 id=a; sell 1 11 type=option strike=5 option_right=call expiry=2026-03-20")...)
		d.deleteAll()
		read := func(account journal.AccountID) (list []ledger.DeletedFill) {
			must(t, d.db.View(t.Context(), func(tx *db.Tx) (err error) {
				list, err = ledger.DeletedFills(t.Context(), tx, d.owner, account)
				return err
			}))
			return list
		}
		list := read(d.account)
		first, second := d.account, d.newAccount(d.owner, "USD")
		for _, want := range []int{2, 0} { // the second time all are there
			must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
				n, err := d.ledger.AddDeletedFills(t.Context(), tx, d.owner, second, slices.Clone(list), false)
				if n != want {
					t.Errorf("%d were added, want %d", n, want)
				}
				return err
			}))
		}
		if diff := cmp.Diff(list, read(second)); diff != "" || len(list) != 2 {
			t.Errorf("%d fills (-read +restored):\n%s", len(list), diff)
		}
		d.account = second
		if result := d.deliver(orders(t, "buy 1 10 id=a")...); result.Deleted != 1 {
			t.Errorf("%+v, want 1 left out", result)
		}
		d.account = first
		d.insert("again", orders(t, "buy 1 10 id=a")...)
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			n, err := d.ledger.AddDeletedFills(t.Context(), tx, d.owner, first, list, false)
			if n != 0 {
				t.Errorf("%d were added although one is stored and one is in the list", n)
			}
			return err
		}))
	})
}
