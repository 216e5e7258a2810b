package columns_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/matching"
)

// rewoundTables are the account tables, each after those it refers to.
var rewoundTables = []string{"accounts", "streams", "executions", "trades", "trade_log", "cash_transactions"}

// saveState keeps the accounts' state for rewind.
func (h *env) saveState() {
	h.t.Helper()
	must(h.t, h.DB.Update(h.t.Context(), func(tx *db.Tx) error {
		for _, table := range rewoundTables {
			if _, err := tx.Exec(h.t.Context(), `CREATE TABLE saved_`+table+` AS SELECT * FROM `+table); err != nil {
				return err
			}
		}
		return nil
	}))
}

// rewind takes the accounts back to the saved state, as a restored database or a failover
// with lost writes does. Services are not notified.
func (h *env) rewind() {
	h.t.Helper()
	must(h.t, h.DB.Update(h.t.Context(), func(tx *db.Tx) error {
		ctx := context.Background()
		if _, err := tx.Exec(ctx, `DELETE FROM accounts`); err != nil {
			return err
		}
		for _, table := range rewoundTables {
			for _, statement := range []string{`DELETE FROM ` + table, `INSERT INTO ` + table + ` SELECT * FROM saved_` + table} {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return fmt.Errorf("%s: %w", statement, err)
				}
			}
		}
		return nil
	}))
}

// TestDatabaseGoesBack takes the database back in time under a running service
// and writes as often as before, but something else. While it does, readers
// compare the cached columns with the trades in their snapshot.
func TestDatabaseGoesBack(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(t *testing.T, h *env) {
		for i := range 5 {
			h.roundTrip("AAA", 10*i)
		}
		h.checkFresh("the first trades")
		h.saveState()
		done := make(chan struct{})
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() { h.compareUntil(t, done) })
		}
		for round := range 6 {
			for i := range 1 + round%2*3 {
				symbol := fmt.Sprintf("R%d", (round*(i+1))%5)
				h.fill(symbol, matching.Buy, "1", "10", 100+10*i)
				h.fill(symbol, matching.Sell, "1", fmt.Sprint(11+round), 101+10*i)
				h.checkFresh("a trade")
				h.setBalance(fmt.Sprint(100*round + i))
			}
			h.rewind()
			if round%3 == 0 {
				h.checkFresh("going back")
			}
		}
		close(done)
		readers.Wait()
	})
}

// compareUntil compares snapshot columns with the database until done.
func (h *env) compareUntil(t *testing.T, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		err := h.Figures.View(t.Context(), h.owner, nil, func(tx *db.Tx, b *columns.Snapshot) error {
			want := map[journal.TradeID]string{}
			err := db.Each(t.Context(), tx, func(row db.Scanner) error {
				var id journal.TradeID
				var net string
				err := row.Scan(&id, &net)
				want[id] = net
				return err
			}, `SELECT id, net_pnl FROM trades WHERE user_id = $1 AND is_open = FALSE`, h.owner)
			if err != nil {
				return err
			}
			got := b.Columns[0]
			if got.Len() != len(want) {
				t.Errorf("%d trades are cached, %d are stored", got.Len(), len(want))
			}
			for i := range got.Len() {
				if trade := got.Trade(i); want[trade.ID] != trade.Net.String() {
					t.Errorf("trade %s made %s, want %s", trade.ID, trade.Net, want[trade.ID])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}
