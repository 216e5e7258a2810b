package ledger_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// countdown is a context canceled after some calls: a client disconnecting at any point.
type countdown struct {
	context.Context
	mu     sync.Mutex
	left   int
	cancel context.CancelFunc
}

func canceledAfter(n int) *countdown {
	ctx, cancel := context.WithCancel(context.Background())
	return &countdown{Context: ctx, left: n, cancel: cancel}
}

func (c *countdown) count() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		c.cancel()
	}
}

// Done and Err count as asking.
func (c *countdown) Done() <-chan struct{} { c.count(); return c.Context.Done() }
func (c *countdown) Err() error            { c.count(); return c.Context.Err() }

// journalOf has all rows of a user.
type journalOf struct {
	Accounts   []ledger.Account
	Executions []ledger.Execution
	Trades     []ledger.Trade
	Cash       []ledger.Cash
	Overrides  []ledger.Override
}

func (d *fixture) everything() (all journalOf) {
	d.Helper()
	ctx := context.Background()
	var err error
	all.Accounts, err = d.ledger.Accounts(ctx, d.owner)
	must(d, err)
	all.Executions, all.Trades = d.executions(), d.trades()
	must(d, d.ledger.EachCash(ctx, d.owner, journal.Scope{}, func(c ledger.Cash) error {
		all.Cash = append(all.Cash, c)
		return nil
	}))
	for _, a := range all.Accounts {
		some, err := d.ledger.Overrides(ctx, d.owner, a.ID)
		must(d, err)
		all.Overrides = append(all.Overrides, some...)
	}
	return all
}

// TestInterruptedWriteIsAtomic interrupts each kind of write at points from its start to
// its end: it is kept whole or not at all, and the ledger is sound.
func TestInterruptedWriteIsAtomic(t *testing.T) {
	type write = func(ctx context.Context, d *fixture) error
	step := func(fn func(ctx context.Context, d *fixture, tx *db.Tx) error) write {
		return func(ctx context.Context, d *fixture) error {
			return d.db.Update(ctx, func(tx *db.Tx) error { return fn(ctx, d, tx) })
		}
	}
	eachCase(t, map[string]write{
		"add": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.AddExecution(ctx, d.owner, d.account, order(d, "sell 500 11 at=4", 0))
			return err
		},
		"add again": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.AddExecution(ctx, d.owner, d.account, order(d, "buy 1 10 at=0 id=A", 0))
			return err
		},
		"edit": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.UpdateExecution(ctx, d.owner, d.executions()[1].ID, ledger.ExecutionChange{
				Symbol: journal.Some("MSFT"), Side: journal.Some(matching.Buy), ExternalID: journal.Some("NEW"),
				Multiplier: journal.Opt[decimal.Decimal]{Set: true, Null: true},
			}, nil)
			return err
		},
		"delete": func(ctx context.Context, d *fixture) error {
			return d.ledger.DeleteExecution(ctx, d.owner, d.executions()[1].ID, nil)
		},
		"delete trade": func(ctx context.Context, d *fixture) error {
			return d.ledger.DeleteTrade(ctx, d.owner, d.trades()[1].ID, func(context.Context, *db.Tx, ledger.TradeDetail) error { return nil })
		},
		"import": step(func(ctx context.Context, d *fixture, tx *db.Tx) error {
			_, err := d.ledger.InsertFills(ctx, tx, d.owner, d.account, "new", orders(d,
				"buy 1 10 at=0 id=A; buy 9 9; sell 1 12 at=2 id=GIVEN; sell 9 10 symbol=NEW; buy 1 12 id=X at=9; sell 2 13 at=10"))
			return err
		}),
		"import cash": step(func(ctx context.Context, d *fixture, tx *db.Tx) error {
			_, err := d.ledger.InsertCash(ctx, tx, d.owner, d.account, []ledger.NewCash{
				{Type: ledger.Deposit, Amount: decimal.New(5), OccurredAt: begin}, {Type: ledger.Fee, Amount: decimal.New(1), OccurredAt: begin},
			}, ledger.CashOptions{Batch: "new"})
			return err
		}),
		"reverse": step(func(ctx context.Context, d *fixture, tx *db.Tx) error {
			_, err := d.ledger.DeleteBatch(ctx, tx, d.owner, "batch")
			return err
		}),
		"touch": step(func(ctx context.Context, d *fixture, tx *db.Tx) error {
			trade := d.trades()[0]
			if _, err := ledger.LockTrade(ctx, tx, d.owner, trade.ID); err != nil {
				return err
			}
			return ledger.TouchTrades(ctx, tx, d.owner, trade.Account, trade.ID)
		}),
		"regroup": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.RegroupAll(ctx, d.owner, d.account)
			return err
		},
		"add cash": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.AddCash(ctx, d.owner, d.account, ledger.NewCash{
				Type: ledger.Dividend, Amount: decimal.New(1), OccurredAt: begin, Trade: &d.trades()[0].ID,
			})
			return err
		},
		"edit cash": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.UpdateCash(ctx, d.owner, d.everything().Cash[0].ID, ledger.CashChange{Amount: journal.Some(decimal.New(7))}, nil)
			return err
		},
		"delete cash": func(ctx context.Context, d *fixture) error {
			return d.ledger.DeleteCash(ctx, d.owner, d.everything().Cash[0].ID, nil)
		},
		"new account": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.CreateAccount(ctx, d.owner, ledger.NewAccount{Name: "Second"})
			return err
		},
		"edit account": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.UpdateAccount(ctx, d.owner, d.account, ledger.AccountChange{Name: journal.Some("Other")}, nil)
			return err
		},
		"overrides": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.SetOverrides(ctx, d.owner, d.account, []ledger.Override{{Root: "A", Multiplier: decimal.New(2)}})
			return err
		},
		"delete account": func(ctx context.Context, d *fixture) error {
			return d.ledger.DeleteAccount(ctx, d.owner, d.account, nil)
		},
	}, func(t *testing.T, d *fixture, write write) {
		d.insert("batch", orders(t, "buy 1 10 id=A; sell 3 12; sell 1 12 at=2; buy 4 11; buy 2 5 symbol=MSFT")...)
		d.add("buy 7 10 at=6; sell 7 9 at=7")
		trade := d.trades()[0].ID
		_, err := d.ledger.AddCash(t.Context(), d.owner, d.account, ledger.NewCash{
			Type: ledger.Dividend, Amount: decimal.New(1), OccurredAt: begin, Trade: &trade,
		})
		must(t, err)
		before := d.everything()
		interrupted := 0
		for n := 0; ; n += 1 + n/testkit.Rounds(3, 8) {
			if err := write(canceledAfter(n), d); err == nil {
				break
			}
			interrupted++
			if diff := cmp.Diff(before, d.everything(), cmp.AllowUnexported(ledger.Account{})); diff != "" {
				t.Fatalf("interrupted at %d, something was kept: %s", n, diff)
			}
		}
		if interrupted < 3 {
			t.Errorf("interrupted at %d points only", interrupted)
		}
		d.sound()
	})
}

// TestInterruptedReadFails interrupts reads, which must return an error.
func TestInterruptedReadFails(t *testing.T) {
	eachCase(t, map[string]func(ctx context.Context, d *fixture) error{
		"accounts": func(ctx context.Context, d *fixture) error { _, err := d.ledger.Accounts(ctx, d.owner); return err },
		"account": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.Account(ctx, d.owner, d.account)
			return err
		},
		"overrides": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.Overrides(ctx, d.owner, d.account)
			return err
		},
		"scope": func(ctx context.Context, d *fixture) error {
			_, err := d.resolveScope(ctx, nil, ledger.ToSum)
			return err
		},
		"execution": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.Execution(ctx, d.owner, d.executions()[0].ID)
			return err
		},
		"executions": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.CountExecutions(ctx, d.owner, ledger.ExecutionQuery{})
			if err == nil {
				err = d.ledger.EachExecution(ctx, d.owner, ledger.ExecutionQuery{}, func(ledger.Execution) error { return nil })
			}
			return err
		},
		"trade": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.Trade(ctx, d.owner, d.trades()[0].ID)
			return err
		},
		"trades": func(ctx context.Context, d *fixture) error {
			_, err := d.ledger.CountTrades(ctx, d.owner, ledger.TradeQuery{})
			if err == nil {
				err = d.ledger.EachTrade(ctx, d.owner, ledger.TradeQuery{}, func(ledger.Trade) error { return nil })
			}
			return err
		},
		"cash": func(ctx context.Context, d *fixture) error {
			_, _, err := d.ledger.CashPage(ctx, d.owner, journal.Scope{}, nil, 1)
			if err == nil {
				err = d.ledger.EachCash(ctx, d.owner, journal.Scope{}, func(ledger.Cash) error { return nil })
			}
			return err
		},
		"preview": func(ctx context.Context, d *fixture) error {
			return d.db.View(ctx, func(tx *db.Tx) error {
				_, err := ledger.PreviewInsert(ctx, tx, d.owner, d.account, orders(d, "buy 1 10 id=A; buy 2 10"))
				return err
			})
		},
		"steps": func(ctx context.Context, d *fixture) error {
			return d.db.View(ctx, func(tx *db.Tx) error {
				if err := ledger.CheckAccountOwner(ctx, tx, d.owner, d.account); err != nil {
					return err
				}
				if _, err := ledger.TradesByExecution(ctx, tx, d.owner, []journal.ExecutionID{"a"}); err != nil {
					return err
				}
				if _, err := ledger.MissingTrades(ctx, tx, d.owner, []journal.TradeID{"a"}); err != nil {
					return err
				}
				if _, _, err := ledger.TouchedSince(ctx, tx, d.owner, d.account, 1); err != nil {
					return err
				}
				_, err := ledger.CountBatchRows(ctx, tx, d.owner, "batch")
				return err
			})
		},
		"check": func(ctx context.Context, d *fixture) error {
			return d.ledger.Check(ctx, func(p ledger.Problem) { d.Errorf("%+v", p) })
		},
	}, func(t *testing.T, d *fixture, read func(ctx context.Context, d *fixture) error) {
		d.insert("batch", orders(t, "buy 1 10 id=A; sell 3 12; buy 2 11")...)
		for n := 0; ; n += 1 + n/testkit.Rounds(3, 8) {
			if err := read(canceledAfter(n), d); err == nil {
				if n == 0 {
					t.Error("never interrupted")
				}
				return
			}
		}
	})
}
