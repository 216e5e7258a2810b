package ledger_test

import (
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

func TestAddOverrides(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		_, err := d.ledger.SetOverrides(t.Context(), d.owner, d.account, []ledger.Override{{Root: "ES", Multiplier: decimal.New(5)}})
		must(t, err)
		add := func(list ...ledger.Override) (n int, err error) {
			err = d.db.Update(t.Context(), func(tx *db.Tx) error {
				n, err = ledger.AddOverrides(t.Context(), tx, d.owner, d.account, list)
				return err
			})
			return n, err
		}
		n, err := add(ledger.Override{Root: "nq", Multiplier: decimal.New(20)}, ledger.Override{Root: "ES", Multiplier: decimal.New(50)})
		if n != 1 || err != nil {
			t.Errorf("%d were added, %v", n, err)
		}
		if _, err := add(ledger.Override{Root: "YM", Multiplier: decimal.Zero}); !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("a multiplier of nothing: %v", err)
		}
		many := make([]ledger.Override, 999)
		for i := range many {
			many[i] = ledger.Override{Root: "R" + decimal.New(int64(i)).String(), Multiplier: decimal.New(1)}
		}
		if _, err := add(many...); !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("more than an account may have: %v", err)
		}
		var list []ledger.Override
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			list, err = ledger.Overrides(t.Context(), tx, d.owner, d.account)
			return err
		}))
		if len(list) != 2 || !list[0].Multiplier.Equal(decimal.New(5)) || list[1].Root != "NQ" {
			t.Errorf("%+v", list)
		}
	})
}

func TestNewCashCheck(t *testing.T) {
	t.Parallel()
	good := ledger.NewCash{Type: "deposit", Amount: decimal.New(5), OccurredAt: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	change := func(fn func(*ledger.NewCash)) ledger.NewCash {
		c := good
		fn(&c)
		return c
	}
	for name, c := range map[string]struct {
		in ledger.NewCash
		ok bool
	}{
		"good":           {good, true},
		"its currency":   {change(func(c *ledger.NewCash) { c.Currency = "usd" }), true},
		"other currency": {change(func(c *ledger.NewCash) { c.Currency = "EUR" }), false},
		"no currency":    {change(func(c *ledger.NewCash) { c.Currency = "dollars" }), false},
		"other type":     {change(func(c *ledger.NewCash) { c.Type = "gift" }), false},
		"too early":      {change(func(c *ledger.NewCash) { c.OccurredAt = time.Time{} }), false},
		"control":        {change(func(c *ledger.NewCash) { c.Note = "\x07" }), false},
		"too large":      {change(func(c *ledger.NewCash) { c.Amount = decimal.Must("999999999999999").Mul(decimal.New(10)) }), false},
	} {
		if err := c.in.Check("USD"); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCashDuplicates(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		row := func(kind ledger.CashType, amount int64) ledger.NewCash {
			return ledger.NewCash{Type: kind, Amount: decimal.New(amount), OccurredAt: at}
		}
		_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, row("fee", -5))
		must(t, err)
		list := []ledger.NewCash{row("fee", 5), row("fee", -5), row("deposit", 5)}
		var known []bool
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			preview, err := ledger.PreviewCash(t.Context(), tx, d.owner, d.account, list, ledger.CashOptions{})
			known = preview.Known
			return err
		}))
		if !slices.Equal(known, []bool{true, false, false}) {
			t.Errorf("known are %v", known)
		}
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			done, err := d.ledger.InsertCash(t.Context(), tx, d.owner, d.account, list, ledger.CashOptions{})
			if done.Inserted != 2 || done.Skipped != 1 {
				t.Errorf("stored %+v", done)
			}
			return err
		}))
	})
}

// What a fill had in another journal is there again; what it has here stays.
func TestArchivedFills(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		fill := ledger.NewFill{
			Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(10),
			ExecutedAt: time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC), ExternalID: "A",
		}
		one, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, fill)
		must(t, err)
		fill.ExternalID = "B"
		two, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, fill)
		must(t, err)
		stranger := newUser(t, d.db)
		var origins map[journal.ExecutionID]string
		must(t, d.db.Update(t.Context(), func(tx *db.Tx) error {
			for owner, fills := range map[journal.UserID]map[journal.ExecutionID]ledger.ArchivedFill{
				d.owner:  {one.ID: {Origin: "key"}, two.ID: {ExternalID: "A", Origin: "bell \x07"}},
				stranger: {one.ID: {Origin: "stolen", ExternalID: "stolen"}},
			} {
				if err := ledger.RestoreArchivedFills(t.Context(), tx, owner, fills); err != nil {
					return err
				}
			}
			origins, err = ledger.Origins(t.Context(), tx, d.owner, d.account)
			return err
		}))
		if len(origins) != 1 || origins[one.ID] != "key" {
			t.Errorf("origins %v", origins)
		}
		for id, want := range map[journal.ExecutionID]string{one.ID: "A", two.ID: "A"} {
			x, err := d.ledger.Execution(t.Context(), d.owner, id)
			must(t, err)
			if x.ExternalID == nil || *x.ExternalID != want {
				t.Errorf("%s has the id %v, want %s", id, x.ExternalID, want)
			}
		}
		err = d.db.Update(t.Context(), func(tx *db.Tx) error {
			return ledger.RestoreArchivedFills(t.Context(), tx, d.owner, map[journal.ExecutionID]ledger.ArchivedFill{one.ID: {ExternalID: "a\nb"}})
		})
		if !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("an id of two lines: %v", err)
		}
	})
}
