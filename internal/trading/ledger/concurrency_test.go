package ledger_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestConcurrentWriters lets sixteen writers add, edit, import and read at once: no call
// fails, no fill is lost and the ledger is consistent.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		d.ledger = ledger.New(database, d.clock.Now, nil)
		ctx := context.Background()
		const writers, each = 16, 8
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				for n := range each {
					in := order(t, []string{"buy 3 10", "sell 2 11"}[n%2], (n*7+w)%20)
					in.AllowDuplicate = true
					added, err := d.ledger.AddExecution(ctx, d.owner, d.account, in)
					if err != nil {
						t.Error(err)
						return
					}
					if n%3 == 0 {
						change := ledger.ExecutionChange{ExecutedAt: journal.Some(minute(w)), Price: journal.Some(decimal.New(int64(9 + n)))}
						if _, err := d.ledger.UpdateExecution(ctx, d.owner, added.ID, change, nil); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		group.Go(func() {
			for n := range each {
				err := database.Update(ctx, func(tx *db.Tx) error {
					_, err := d.ledger.InsertFills(ctx, tx, d.owner, d.account, journal.BatchID(fmt.Sprint(n)),
						[]ledger.NewFill{order(t, fmt.Sprintf("buy 1 %d id=%d", n, n), n), order(t, fmt.Sprintf("sell 1 %d symbol=MSFT", n), n)})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range each {
				if err := d.ledger.Check(ctx, func(p ledger.Problem) { t.Errorf("while writing: %+v", p) }); err != nil {
					t.Error(err)
				}
			}
		})
		group.Wait()
		if n := len(d.executions()); n != writers*each+2*each {
			t.Errorf("%d executions, want %d", n, writers*each+2*each)
		}
		d.sound()
	})
}

// TestConcurrentImportsOfOneFile store its fills once.
func TestConcurrentImportsOfOneFile(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		d.ledger = ledger.New(database, d.clock.Now, nil)
		file := history(300)
		var group sync.WaitGroup
		for _, batch := range []journal.BatchID{"one", "two", "three"} {
			group.Go(func() { d.insert(batch, file...) })
		}
		group.Wait()
		if n := d.count("executions"); n != len(file) {
			t.Errorf("%d executions, want %d", n, len(file))
		}
		d.sound()
	})
}

// TestAccountDeletedDuringWait: a writer that waited for an account which is
// then deleted gets a not-found error.
func TestAccountDeletedDuringWait(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		ids := d.add("buy 1 10")
		var group sync.WaitGroup
		must(t, database.Update(context.Background(), func(tx *db.Tx) error {
			if _, err := ledger.LockTrade(context.Background(), tx, d.owner, d.trades()[0].ID); err != nil {
				return err
			}
			started := make(chan bool, 2)
			for _, write := range []func() error{
				func() error { return d.ledger.DeleteExecution(context.Background(), d.owner, ids[0], nil) },
				func() error {
					_, err := d.ledger.AddExecution(context.Background(), d.owner, d.account, order(t, "buy 2 10", 0))
					return err
				},
			} {
				group.Go(func() {
					started <- true
					refused(t, write(), journal.KindNotFound, "")
				})
			}
			<-started
			<-started
			_, err := tx.Exec(context.Background(), `DELETE FROM accounts WHERE user_id = $1 AND id = $2`, d.owner, d.account)
			return err
		}))
		group.Wait()
	})
}

// TestWaitingWritersLeaveConnections checks that more writers waiting for an account than
// there are connections do not keep readers waiting.
func TestWaitingWritersLeaveConnections(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		d.ledger = ledger.New(database, d.clock.Now, nil)
		d.add("buy 1 10")
		trade := d.trades()[0].ID
		const writers = 12
		var group sync.WaitGroup
		must(t, database.Update(t.Context(), func(tx *db.Tx) error {
			if _, err := ledger.LockTrade(t.Context(), tx, d.owner, trade); err != nil {
				return err
			}
			started := make(chan bool, writers)
			for w := range writers {
				group.Go(func() {
					started <- true
					if _, err := d.ledger.AddExecution(context.Background(), d.owner, d.account, order(t, "buy 2 10", 1+w)); err != nil {
						t.Error(err)
					}
				})
			}
			for range writers {
				<-started
			}
			for range writers { // the writers reach the lock meanwhile
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				_, err := d.ledger.Trade(ctx, d.owner, trade)
				cancel()
				if err != nil {
					return err
				}
			}
			return nil
		}))
		group.Wait()
		if n := len(d.executions()); n != 1+writers {
			t.Errorf("%d executions, want %d", n, 1+writers)
		}
	})
}
