package ledger_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

func openSQLite(t testing.TB) *db.DB { return testkit.Open(t, db.SQLite) }

// lastChange returns the last change passed to follow.
func (d *fixture) lastChange() ledger.TradeChanges {
	d.Helper()
	if len(d.changes) == 0 {
		d.Fatal("follow was not called")
	}
	return d.changes[len(d.changes)-1]
}

// TestTradeKeepsItsID through the changes that once lost people their notes,
// or is merged into another trade.
func TestTradeKeepsItsID(t *testing.T) {
	type example = func(d *fixture, ids []journal.ExecutionID)
	eachCase(t, map[string]example{
		"an older fill is imported": func(d *fixture, _ []journal.ExecutionID) {
			d.insert("old", order(d, "buy 5 9 at=-10", 0))
		},
		"the opening fill is deleted": func(d *fixture, ids []journal.ExecutionID) {
			must(d, d.ledger.DeleteExecution(d.Context(), d.owner, ids[0], nil))
		},
		"the opening fill is re-timed": func(d *fixture, ids []journal.ExecutionID) {
			_, err := d.ledger.UpdateExecution(d.Context(), d.owner, ids[0], ledger.ExecutionChange{ExecutedAt: journal.Some(minute(1000))}, nil)
			must(d, err)
		},
		"every fill moves to another symbol": func(d *fixture, ids []journal.ExecutionID) {
			for _, id := range ids {
				_, err := d.ledger.UpdateExecution(d.Context(), d.owner, id, ledger.ExecutionChange{Symbol: journal.Some("APPL")}, nil)
				must(d, err)
			}
		},
		"everything is regrouped": func(d *fixture, _ []journal.ExecutionID) {
			n, err := d.ledger.RegroupAll(d.Context(), d.owner, d.account)
			must(d, err)
			if n != 0 {
				d.Errorf("%d trades changed", n)
			}
		},
	}, func(t *testing.T, d *fixture, write example) {
		ids := d.add("buy 100 10; buy 50 11; sell 70 12; sell 80 13")
		want := d.trades()[0].ID
		d.changes = nil
		write(d, ids)
		for _, change := range d.changes {
			if len(change.Orphaned) != 0 {
				t.Errorf("changes %+v", change)
			}
			for _, m := range change.Merged {
				if m.From == want {
					want = m.Into
				}
			}
		}
		if !slices.ContainsFunc(d.trades(), func(tr ledger.Trade) bool { return tr.ID == want }) {
			t.Errorf("the id was removed: %s", summary(d.trades()))
		}
		d.sound()
	})
}

// TestMergeAndSplit checks which trade is merged into which.
func TestMergeAndSplit(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ids := d.add("buy 2 10; sell 2 11; buy 3 10; buy 1 10; sell 4 12")
		trades := d.trades()
		small, large := trades[0].ID, trades[1].ID
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[1], ledger.ExecutionChange{Quantity: journal.Some(decimal.New(1))}, nil)
		must(t, err)
		d.expectTrades("long 6 open 1 realized 9")
		change := d.lastChange()
		if len(change.Merged) != 1 || change.Merged[0] != (ledger.Merge{From: small, Into: large}) ||
			!slices.Equal(change.Removed, []journal.TradeID{small}) || !slices.Equal(change.Changed, []journal.TradeID{large}) {
			t.Errorf("merging: %+v", change)
		}
		_, err = d.ledger.UpdateExecution(t.Context(), d.owner, ids[1], ledger.ExecutionChange{Quantity: journal.Some(decimal.New(2))}, nil)
		must(t, err)
		change = d.lastChange()
		if len(change.Created) != 1 || !slices.Equal(change.Changed, []journal.TradeID{large}) || len(change.Removed) != 0 {
			t.Errorf("splitting: %+v", change)
		}
		if after := d.trades(); after[1].ID != large || after[0].ID == small {
			t.Errorf("the part with most fills is %s, want %s", after[1].ID, large)
		}
		d.expectTrades("long 2 net 2; long 4 net 8")
	})
}

// TestOrphansAndArrivals: a trade that loses its last fill is known by its fill keys when
// they come back.
func TestOrphansAndArrivals(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		file := orders(t, "buy 1 10 id=A lot=a|b; sell 1 11 lot=a|b")
		d.insert("batch", file...)
		trade := d.trades()[0].ID
		arrived := slices.Collect(d.lastChange().Arrived)
		if len(arrived) != 2 || arrived[0].Trade != trade || len(arrived[0].FillKeys) != 2 || len(arrived[1].FillKeys) != 1 {
			t.Fatalf("arrived %+v", arrived)
		}
		d.reverse("batch")
		orphans := d.lastChange().Orphaned
		if len(orphans) != 1 || orphans[0].Trade != trade || len(orphans[0].FillKeys) != 3 {
			t.Fatalf("orphaned %+v", orphans)
		}
		if got := orphans[0].FillKeys[0]; !strings.HasPrefix(got, `AAPL|stock||||a\|b|`) || !strings.HasSuffix(got, "|buy|1|10") {
			t.Errorf("key %s", got)
		}
		d.account = d.newAccount(d.owner, "USD")
		d.insert("again", file...)
		for a := range d.lastChange().Arrived {
			for _, key := range a.FillKeys {
				if !slices.Contains(orphans[0].FillKeys, key) {
					t.Errorf("%s does not come back", key)
				}
			}
		}
	})
}

// TestACrossingFillArrivesInBothTrades.
func TestACrossingFillArrivesInBothTrades(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 1 10; sell 2 11")
		change := d.lastChange()
		arrived := slices.Collect(change.Arrived)
		if len(arrived) != 2 || arrived[0].Trade == arrived[1].Trade || len(change.Created) != 1 || len(change.Changed) != 1 {
			t.Errorf("changes %+v", change)
		}
	})
}

// TestFollowCanRejectAChange: the write leaves nothing. While it runs, the old rows are
// there beside the new ones.
func TestFollowCanRejectAChange(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		ids := d.add("buy 1 10")
		trade := d.trades()[0].ID
		no := errors.New("no")
		refusing := ledger.New(database, d.clock.Now, func(ctx context.Context, tx *db.Tx, owner journal.UserID, change ledger.TradeChanges) error {
			if missing, err := ledger.MissingTrades(ctx, tx, owner, append(change.Removed, change.Created...)); err != nil || len(missing) != 0 {
				t.Errorf("while following, %v are missing, %v", missing, err)
			}
			return no
		})
		if err := refusing.DeleteExecution(t.Context(), d.owner, ids[0], nil); !errors.Is(err, no) {
			t.Errorf("deleting: %v", err)
		}
		if _, err := refusing.AddExecution(t.Context(), d.owner, d.account, order(t, "buy 1 10 symbol=MSFT", 0)); !errors.Is(err, no) {
			t.Errorf("adding: %v", err)
		}
		if err := refusing.DeleteAccount(t.Context(), d.owner, d.account, nil); !errors.Is(err, no) {
			t.Errorf("deleting the account: %v", err)
		}
		d.expectTrades("long 1 open 1 realized 0")
		if d.trades()[0].ID != trade || d.count("streams") != 1 {
			t.Error("something changed")
		}
	})
}

// TestNilFollow checks that a ledger works without follow.
func TestNilFollow(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		d.ledger = ledger.New(database, d.clock.Now, nil)
		ids := d.add("buy 1 10; sell 2 11; buy 1 9")
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, ids[1], nil))
		d.expectTrades("long 2 open 2 realized 0")
	})
}

// TestIsolation: another user's records do not exist.
func TestIsolation(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("batch", orders(t, "buy 1 10 id=A; sell 1 11")...)
		c, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{Type: ledger.Deposit, Amount: decimal.New(1), OccurredAt: begin})
		must(t, err)
		execution, trade := d.executions()[0].ID, d.trades()[0].ID
		stranger, ctx, l := newUser(t, d.db), t.Context(), d.ledger
		scope := journal.Scope{Accounts: []journal.AccountID{d.account}}
		for name, call := range map[string]func() error{
			"account": func() error { _, err := l.Account(ctx, stranger, d.account); return err },
			"update account": func() error {
				_, err := l.UpdateAccount(ctx, stranger, d.account, ledger.AccountChange{}, nil)
				return err
			},
			"delete account": func() error { return l.DeleteAccount(ctx, stranger, d.account, nil) },
			"overrides":      func() error { _, err := l.Overrides(ctx, stranger, d.account); return err },
			"set overrides":  func() error { _, err := l.SetOverrides(ctx, stranger, d.account, nil); return err },
			"execution":      func() error { _, err := l.Execution(ctx, stranger, execution); return err },
			"add":            func() error { _, err := l.AddExecution(ctx, stranger, d.account, order(t, "buy 1 1", 0)); return err },
			"edit": func() error {
				_, err := l.UpdateExecution(ctx, stranger, execution, ledger.ExecutionChange{}, nil)
				return err
			},
			"delete":       func() error { return l.DeleteExecution(ctx, stranger, execution, nil) },
			"executions":   func() error { return l.EachExecution(ctx, stranger, ledger.ExecutionQuery{Scope: scope}, nil) },
			"trade":        func() error { _, err := l.Trade(ctx, stranger, trade); return err },
			"delete trade": func() error { return l.DeleteTrade(ctx, stranger, trade, nil) },
			"trades":       func() error { return l.EachTrade(ctx, stranger, ledger.TradeQuery{Scope: scope}, nil) },
			"cash":         func() error { _, err := l.CashTransaction(ctx, stranger, c.ID); return err },
			"add cash": func() error {
				_, err := l.AddCash(ctx, stranger, d.account, ledger.NewCash{Type: ledger.Fee, OccurredAt: begin})
				return err
			},
			"edit cash":   func() error { _, err := l.UpdateCash(ctx, stranger, c.ID, ledger.CashChange{}, nil); return err },
			"delete cash": func() error { return l.DeleteCash(ctx, stranger, c.ID, nil) },
			"list cash":   func() error { return l.EachCash(ctx, stranger, scope, nil) },
			"regroup":     func() error { _, err := l.RegroupAll(ctx, stranger, d.account); return err },
		} {
			t.Run(name, func(t *testing.T) {
				err := call()
				refused(t, err, journal.KindNotFound, "")
				if err != nil && strings.Contains(err.Error(), string(d.account)) {
					t.Errorf("it names the account: %v", err)
				}
			})
		}
		if got := summary(d.trades()); got != "long 1 net 1" {
			t.Errorf("the owner has %s", got)
		}
	})
}

// TestForeignRecordsAreInvisible to lists, reversals and imports by another user.
func TestForeignRecordsAreInvisible(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("batch", orders(t, "buy 1 10 id=A; sell 1 11")...)
		execution, trade, ctx := d.executions()[0].ID, d.trades()[0].ID, t.Context()
		mine, owner, stranger := d.account, d.owner, newUser(t, d.db)
		d.owner, d.account = stranger, d.newAccount(stranger, "USD")
		_, err := d.ledger.AddCash(ctx, stranger, d.account, ledger.NewCash{Type: ledger.Dividend, Amount: decimal.New(1), OccurredAt: begin, Trade: &trade})
		refused(t, err, journal.KindInvalid, "trade_id")
		if len(d.executions())+len(d.trades()) != 0 {
			t.Error("lists without a scope show foreign records")
		}
		if rows := d.reverse("batch"); rows != (ledger.BatchRows{}) {
			t.Errorf("reversed %+v of another user", rows)
		}
		if got := outcomes(d.insert("batch", orders(t, "buy 1 10 id=A")...)); got != "+" {
			t.Errorf("a foreign fill counts as stored: %s", got)
		}
		must(t, d.db.View(ctx, func(tx *db.Tx) error {
			found, err := ledger.TradesByExecution(ctx, tx, stranger, []journal.ExecutionID{execution})
			if len(found) != 0 {
				t.Errorf("found %v", found)
			}
			return err
		}))
		d.owner, d.account = owner, mine
		if got := summary(d.trades()); got != "long 1 net 1" {
			t.Errorf("the owner has %s", got)
		}
		d.sound()
	})
}
