package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// countStoredIDs counts the fills whose id is not computed.
func (d *fixture) countStoredIDs() (n int) {
	d.Helper()
	must(d, d.db.View(context.Background(), func(tx *db.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COUNT(*) FROM executions WHERE id IS NOT NULL`).Scan(&n)
	}))
	return n
}

// wantExecution checks that an id leads to its execution, alone, in the list and
// by its trades.
func (d *fixture) wantExecution(id journal.ExecutionID) ledger.Execution {
	d.Helper()
	e, err := d.ledger.Execution(context.Background(), d.owner, id)
	must(d, err)
	if e.ID != id {
		d.Errorf("execution %s has the id %s", id, e.ID)
	}
	if !slices.ContainsFunc(d.executions(), func(listed ledger.Execution) bool { return listed.ID == id }) {
		d.Errorf("the list lacks execution %s", id)
	}
	must(d, d.db.View(context.Background(), func(tx *db.Tx) error {
		trades, err := ledger.TradesByExecution(context.Background(), tx, d.owner, []journal.ExecutionID{id})
		if !slices.Equal(trades[id], e.TradeIDs) {
			d.Errorf("execution %s is in trades %v, want %v", id, trades[id], e.TradeIDs)
		}
		return err
	}))
	return e
}

// TestIDSurvivesAMove changes a fill's instant, from which its id was computed: the id
// stays, and is stored as long as it must be.
func TestIDSurvivesAMove(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ids := d.add("buy 1 10; sell 1 12; buy 5 1 symbol=MSFT")
		for _, id := range ids {
			if parsed, err := uuid.Parse(string(id)); err != nil || parsed.Version() != 8 || parsed.Variant() != uuid.RFC4122 {
				t.Errorf("%s is not a UUID of version 8: %v", id, err)
			}
			d.wantExecution(id)
		}
		move := func(at int) {
			t.Helper()
			_, err := d.ledger.UpdateExecution(t.Context(), d.owner, ids[1], ledger.ExecutionChange{ExecutedAt: journal.Some(minute(at))}, nil)
			must(t, err)
			if e := d.wantExecution(ids[1]); !e.ExecutedAt.Equal(minute(at)) {
				t.Errorf("the execution is at %s, want %s", e.ExecutedAt, minute(at))
			}
		}
		move(7)
		if n := d.countStoredIDs(); n != 1 {
			t.Errorf("%d ids are stored after the move, want 1", n)
		}
		d.add("sell 1 12 at=1") // at the instant the first one has left
		move(3)
		move(1)
		if n := d.countStoredIDs(); n != 0 {
			t.Errorf("%d ids are stored after the way back, want 0", n)
		}
		d.sound()
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, ids[1], nil))
		_, err := d.ledger.Execution(t.Context(), d.owner, ids[1])
		refused(t, err, journal.KindNotFound, "")
		d.sound()
	})
}

// TestIDsDoNotChange inserts a fill into an account with a given id: every version must
// compute the same id.
func TestIDsDoNotChange(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		const account, want = "0190aaaa-0000-7000-8000-000000000001", "323d2726-d450-8008-b9f7-d8ed00000001"
		d.damage(`UPDATE accounts SET id = $1`, account)
		d.account = account
		if id := d.add("buy 1 10")[0]; id != want {
			t.Errorf("the id is %s, want %s", id, want)
		}
	})
}

// TestIDOfAnEarlierRelease uses fills with ids assigned at random.
func TestIDOfAnEarlierRelease(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		computed := d.add("buy 2 10; sell 2 12")
		old := journal.NewID[journal.ExecutionID]()
		d.damage(`UPDATE executions SET id = $1 WHERE is_buy`, old)
		d.wantExecution(old)
		_, err := d.ledger.Execution(t.Context(), d.owner, computed[0])
		refused(t, err, journal.KindNotFound, "")
		price := order(t, "buy 2 11", 0).Price
		changed, err := d.ledger.UpdateExecution(t.Context(), d.owner, old, ledger.ExecutionChange{Price: journal.Some(price)}, nil)
		must(t, err)
		if changed.ID != old {
			t.Errorf("the id has become %s, want %s", changed.ID, old)
		}
		d.wantExecution(old)
		d.sound()
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, old, nil))
		d.sound()
	})
}

// TestIDOfADeletedAccount creates an account with a deleted one's number, with the same
// fill: its id is another.
func TestIDOfADeletedAccount(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		before := d.add("buy 2 10")[0]
		must(t, d.ledger.DeleteAccount(t.Context(), d.owner, d.account, nil))
		d.account = d.newAccount(d.owner, "USD")
		if after := d.add("buy 2 10")[0]; after == before {
			t.Errorf("both fills have the id %s", after)
		}
		_, err := d.ledger.Execution(t.Context(), d.owner, before)
		refused(t, err, journal.KindNotFound, "")
	})
}

// TestInvalidIDsAreNotFound passes ids other than UUIDs, and one computed for another
// user.
func TestInvalidIDsAreNotFound(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		id := d.add("buy 2 10")[0]
		for _, wrong := range []string{"", "x", "new 1", strings.ToUpper(string(id)), string(id)[:35], string(id) + "0", noTrade} {
			_, err := d.ledger.Execution(t.Context(), d.owner, journal.ExecutionID(wrong))
			refused(t, err, journal.KindNotFound, "")
			_, err = d.ledger.Trade(t.Context(), d.owner, journal.TradeID(wrong))
			refused(t, err, journal.KindNotFound, "")
		}
		_, err := d.ledger.Execution(t.Context(), newUser(t, d.db), id)
		refused(t, err, journal.KindNotFound, "")
	})
}

// TestStreamNumbersAreUniqueForTheUser fills several accounts at the same time with more
// instruments than a number block has.
func TestStreamNumbersAreUniqueForTheUser(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		const symbols, rounds = 70, 2
		accounts := []journal.AccountID{d.account, d.newAccount(d.owner, "USD"), d.newAccount(d.owner, "USD")}
		errs := make([]error, len(accounts))
		var group sync.WaitGroup
		for i, account := range accounts {
			group.Go(func() {
				for round := range rounds {
					var fills []ledger.NewFill
					for n := range symbols {
						fills = append(fills, order(t, fmt.Sprintf("buy 1 10 symbol=S%d.%d", round, n), n))
					}
					errs[i] = errors.Join(errs[i], d.db.Update(context.Background(), func(tx *db.Tx) error {
						_, err := d.ledger.InsertFills(context.Background(), tx, d.owner, account, "", fills)
						return err
					}))
				}
			})
		}
		group.Wait()
		must(t, errors.Join(errs...))
		var count, most int
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*), MAX(number) FROM streams WHERE user_id = $1`, d.owner).Scan(&count, &most)
		}))
		if want := symbols * rounds * len(accounts); count != want || most > 3*want {
			t.Errorf("%d streams with numbers up to %d, want %d streams with small numbers", count, most, want)
		}
		if n := len(d.trades()); n != count {
			t.Errorf("%d trades, want one for each of %d streams", n, count)
		}
		d.sound()
	})
}
