package ledger_test

import (
	"context"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestCountsFollowEveryWrite counts after each kind of write, so a number kept for too
// long is seen. The writes come from another service on the same database, as from
// another server.
func TestCountsFollowEveryWrite(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		d := newFixture(t, database)
		reader := ledger.New(database, d.clock.Now, nil)
		want := func(after string, fills, trades int) {
			t.Helper()
			for range 2 { // the second time it is kept
				n, err := reader.CountExecutions(context.Background(), d.owner, ledger.ExecutionQuery{})
				must(t, err)
				m, err := reader.CountTrades(context.Background(), d.owner, ledger.TradeQuery{})
				must(t, err)
				if n != fills || m != trades {
					t.Errorf("after %s: %d fills and %d trades, want %d and %d", after, n, m, fills, trades)
				}
			}
		}
		want("nothing", 0, 0)
		ids := d.add("buy 1 10; sell 1 11; buy 2 12")
		want("adding", 3, 2)
		must(t, d.ledger.DeleteExecution(context.Background(), d.owner, ids[2], nil))
		want("deleting", 2, 1)
		d.insert("batch", orders(d, "buy 5 10 at=20 symbol=MSFT; sell 5 11 at=21 symbol=MSFT")...)
		want("an import", 4, 2)
		d.reverse("batch")
		want("its reversal", 2, 1)
		d.account = d.newAccount(d.owner, "USD")
		d.add("buy 1 10")
		want("adding to another account", 3, 2)
		must(t, d.ledger.DeleteAccount(context.Background(), d.owner, d.account, nil))
		want("deleting that account", 2, 1)
	})
}

// TestCountsDistinguishQueries counts two queries whose symbols are equal when
// joined.
func TestCountsDistinguishQueries(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		fill := order(t, "buy 1 10", 0)
		fill.Symbol = "A B"
		d.insert("", fill)
		for _, query := range []struct {
			symbols []string
			want    int
		}{{[]string{"A B", "C"}, 1}, {[]string{"A", "B C"}, 0}} {
			n, err := d.ledger.CountTrades(t.Context(), d.owner, ledger.TradeQuery{Symbols: query.symbols})
			must(t, err)
			if n != query.want {
				t.Errorf("%d trades of %q, want %d", n, query.symbols, query.want)
			}
		}
	})
}
