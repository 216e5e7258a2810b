package ledger_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

func TestAccountDefaultsAndCleaning(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		a, err := d.ledger.CreateAccount(t.Context(), d.owner, ledger.NewAccount{Name: "  Swing  "})
		must(t, err)
		if a.Name != "Swing" || a.Broker != "" || a.Type != "cash" || a.BaseCurrency != "USD" || !a.StartingBalance.IsZero() {
			t.Errorf("defaults: %+v", a)
		}
		b, err := d.ledger.CreateAccount(t.Context(), d.owner, ledger.NewAccount{
			Name: "Swing", Broker: "IBKR", Type: "margin", BaseCurrency: " usdt ", StartingBalance: decimal.Must("-12.5"),
		})
		must(t, err)
		if b.BaseCurrency != "USDT" || !b.StartingBalance.Equal(decimal.Must("-12.5")) {
			t.Errorf("cleaned: %+v", b)
		}
		list, err := d.ledger.Accounts(t.Context(), d.owner)
		must(t, err)
		if len(list) != 3 || list[1].ID != a.ID || list[2].ID != b.ID {
			t.Errorf("not oldest first: %+v", list)
		}
		one, err := d.ledger.Account(t.Context(), d.owner, b.ID)
		must(t, err)
		if one.Name != "Swing" || !one.CreatedAt.Equal(d.clock.Now()) {
			t.Errorf("read back: %+v", one)
		}
	})
}

func TestAccountRefusals(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		for field, in := range map[string]ledger.NewAccount{
			"name":             {Name: " "},
			"broker":           {Name: "a", Broker: strings.Repeat("b", 201)},
			"account_type":     {Name: "a", Type: "ca\x00sh"},
			"base_currency":    {Name: "a", BaseCurrency: "DOLLAR"},
			"starting_balance": {Name: "a", StartingBalance: decimal.Must("1234567890123456")},
		} {
			_, err := d.ledger.CreateAccount(t.Context(), d.owner, in)
			refused(t, err, journal.KindInvalid, field)
		}
		_, err := d.ledger.UpdateAccount(t.Context(), d.owner, d.account, ledger.AccountChange{Name: journal.Opt[string]{Set: true, Null: true}}, nil)
		refused(t, err, journal.KindInvalid, "name")
		_, err = d.ledger.Account(t.Context(), d.owner, "nothing")
		refused(t, err, journal.KindNotFound, "")
	})
}

func TestAccountChanges(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		before, err := d.ledger.Account(t.Context(), d.owner, d.account)
		must(t, err)
		d.clock.Advance(time.Hour)
		stale := errors.New("stale")
		_, err = d.ledger.UpdateAccount(t.Context(), d.owner, d.account, ledger.AccountChange{Name: journal.Some("New")},
			func(a ledger.Account) error {
				if a.Name != "Main" {
					t.Errorf("check saw %+v", a)
				}
				return stale
			})
		if !errors.Is(err, stale) {
			t.Errorf("a rejected check returned %v", err)
		}
		after, err := d.ledger.UpdateAccount(t.Context(), d.owner, d.account, ledger.AccountChange{
			Broker: journal.Some("IBKR"), BaseCurrency: journal.Some("eur"), StartingBalance: journal.Some(decimal.New(500)),
		}, nil)
		must(t, err)
		if after.Name != "Main" || after.Broker != "IBKR" || after.BaseCurrency != "EUR" || !after.UpdatedAt.After(before.UpdatedAt) ||
			after.Revision <= before.Revision {
			t.Errorf("changed: %+v", after)
		}
	})
}

func TestBaseCurrencyOfUsedAccount(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		to := ledger.AccountChange{BaseCurrency: journal.Some("EUR")}
		ids := d.add("buy 1 10")
		_, err := d.ledger.UpdateAccount(t.Context(), d.owner, d.account, to, nil)
		refused(t, err, journal.KindConflict, "")
		_, err = d.ledger.UpdateAccount(t.Context(), d.owner, d.account, ledger.AccountChange{BaseCurrency: journal.Some("usd")}, nil)
		must(t, err) // no change

		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, ids[0], nil))
		c, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: ledger.Deposit, Amount: decimal.New(1), OccurredAt: begin})
		must(t, err)
		_, err = d.ledger.UpdateAccount(t.Context(), d.owner, d.account, to, nil)
		refused(t, err, journal.KindConflict, "")
		must(t, d.ledger.DeleteCash(t.Context(), d.owner, c.ID, nil))
		_, err = d.ledger.UpdateAccount(t.Context(), d.owner, d.account, to, nil)
		must(t, err)
	})
}

func TestDeleteAccountDeletesEverything(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("batch", orders(t, "buy 1 10; sell 2 11; buy 1 12")...)
		d.insert("again", orders(t, "buy 1 10 fees=1; sell 2 11")...)
		if d.count("fill_sources") != 2 || d.count("import_repeats") != 1 {
			t.Error("the second import left no sources")
		}
		_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: ledger.Fee, Amount: decimal.New(1), OccurredAt: begin})
		must(t, err)
		_, err = d.ledger.SetOverrides(t.Context(), d.owner, d.account, []ledger.Override{{Root: "ES", Multiplier: decimal.New(5)}})
		must(t, err)
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, d.executions()[0].ID, nil))
		if d.count("deleted_fills") != 1 {
			t.Error("the deletion of a fill was not recorded")
		}
		cash, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: ledger.Fee, Amount: decimal.New(2), OccurredAt: begin})
		must(t, err)
		must(t, d.ledger.DeleteCash(t.Context(), d.owner, cash.ID, nil))
		d.changes = nil
		must(t, d.ledger.DeleteAccount(t.Context(), d.owner, d.account, nil))
		if len(d.changes) != 1 || !d.changes[0].AccountDeleted || d.changes[0].Account != d.account {
			t.Errorf("changes: %+v", d.changes)
		}
		for _, table := range []string{
			"accounts", "streams", "executions", "trades", "cash_transactions", "import_spans", "import_repeats", "fill_sources", "trade_log", "instrument_overrides", "deleted_fills", "deleted_cash",
		} {
			if n := d.count(table); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		refused(t, d.ledger.DeleteAccount(t.Context(), d.owner, d.account, nil), journal.KindNotFound, "")
	})
}

// TestDeleteUserDeletesEverything checks that deleting a person is one DELETE.
func TestDeleteUserDeletesEverything(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("batch", orders(t, "buy 1 10; sell 2 11; buy 1 12")...)
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `DELETE FROM users WHERE number = $1`, d.owner)
			return err
		}))
		for _, table := range []string{"accounts", "streams", "executions", "trades", "import_spans", "trade_log"} {
			if n := d.count(table); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}

// count counts the user's rows in a table.
func (d *fixture) count(table string) (n int) {
	d.Helper()
	must(d, d.db.View(context.Background(), func(tx *db.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COUNT(*) FROM `+table+` WHERE user_id = $1`, d.owner).Scan(&n)
	}))
	return n
}

func TestResolveScope(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		second, euro := d.newAccount(d.owner, "USD"), d.newAccount(d.owner, "EUR")
		foreign := d.newAccount(newUser(t, d.db), "USD")
		for _, c := range []struct {
			ids     []journal.AccountID
			purpose ledger.Purpose
			want    int
			code    string
		}{
			{nil, ledger.ToList, 3, ""},
			{nil, ledger.ToSum, 0, "mixed_currencies"},
			{[]journal.AccountID{d.account}, ledger.ToSum, 1, ""},
			{[]journal.AccountID{d.account, second, d.account}, ledger.ToSum, 2, ""},
			{[]journal.AccountID{d.account, euro}, ledger.ToList, 0, "mixed_currencies"},
			{[]journal.AccountID{euro}, ledger.ToSum, 1, ""},
			{[]journal.AccountID{d.account, foreign}, ledger.ToList, 0, "not_found"},
			{[]journal.AccountID{"nothing"}, ledger.ToList, 0, "not_found"},
			{[]journal.AccountID{""}, ledger.ToList, 0, "not_found"},
		} {
			got, err := d.resolveScope(t.Context(), c.ids, c.purpose)
			if c.code != "" {
				if e := asError(err); e == nil || e.Code != c.code {
					t.Errorf("%v: %v, want %s", c.ids, err, c.code)
				}
			} else if err != nil || len(got) != c.want {
				t.Errorf("%v: %d accounts, %v; want %d", c.ids, len(got), err, c.want)
			}
		}
	})
}

func TestConcurrentAccountCreation(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		var group sync.WaitGroup
		for range 12 {
			group.Go(func() {
				_, err := d.ledger.CreateAccount(context.Background(), d.owner, ledger.NewAccount{Name: "Parallel"})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if list, _ := d.ledger.Accounts(t.Context(), d.owner); len(list) != 13 {
			t.Errorf("%d accounts", len(list))
		}
	})
}

func (d *fixture) resolveScope(ctx context.Context, ids []journal.AccountID, purpose ledger.Purpose) (accounts []ledger.Account, err error) {
	err = d.db.View(ctx, func(tx *db.Tx) error {
		accounts, err = ledger.ResolveScope(ctx, tx, d.owner, ids, purpose)
		return err
	})
	return accounts, err
}
