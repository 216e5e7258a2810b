package ledger_test

import (
	"fmt"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// TestFigureTradesInBatches reads all trades once, the newest first, whatever the size of a
// batch and whether its memory is used again. Trades at one instant are in one batch.
func TestFigureTradesInBatches(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		var fills []ledger.NewFill
		for i := range 9 {
			for k, side := range []string{"buy", "sell"} {
				f := order(t, side+" 1 10", 2*(i/3)+k)
				f.Symbol = fmt.Sprintf("S%d", i)
				fills = append(fills, f)
			}
		}
		d.insert(journal.NewID[journal.BatchID](), fills...)
		accounts, err := d.resolveScope(t.Context(), []journal.AccountID{d.account}, ledger.ToList)
		must(t, err)
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			for size, want := range map[int]string{0: "3 3 3 ", 1: "3 3 3 ", 4: "6 3 ", 9: "9 ", 12: "9 "} {
				got, seen := "", map[journal.TradeID]bool{}
				must(t, ledger.EachFigureTrades(t.Context(), tx, d.owner, accounts[0], size, func(trades []ledger.FigureTrade) []ledger.FigureTrade {
					got += fmt.Sprintf("%d ", len(trades))
					for i := range trades {
						seen[trades[i].ID] = true
					}
					return trades
				}))
				if got != want || len(seen) != 9 {
					t.Errorf("size %d: batches of %swith %d trades, want %s", size, got, len(seen), want)
				}
			}
			return nil
		}))
	})
}
