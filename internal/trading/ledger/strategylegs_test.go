package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/strategies"
)

// TestStrategyLegsAmongOtherTrades: the legs are the same in an account that is read as a
// whole, and among many other trades, where they are read by index.
func TestStrategyLegsAmongOtherTrades(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		read := func() (legs map[string][]strategies.Leg) {
			must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
				account, err := ledger.ReadAccount(t.Context(), tx, d.owner, d.account)
				if err == nil {
					legs, err = ledger.StrategyLegs(t.Context(), tx, d.owner, account, nil, func(string) bool { return true })
				}
				return err
			}))
			return legs
		}
		option := " symbol=XYZ type=option option_right=call expiry=2026-03-20 strike="
		d.add("buy 2 3 order_id=o1 fees=1" + option + "100;sell 1 4" + option + "100;sell 1 5" + option + "100;sell 1 1 order_id=o1" + option + "110;buy 100 99 symbol=XYZ")
		alone := read()
		if n := len(alone["XYZ"]); n != 3 || alone["XYZ"][0].OrderID != "o1" || len(alone["XYZ"][0].Keys) == 0 {
			t.Fatalf("%d legs: %+v", n, alone)
		}
		var others []string
		for i := range 60 {
			others = append(others, fmt.Sprintf("buy 1 10 symbol=S%d", i))
		}
		d.add(strings.Join(others, ";"))
		if diff := cmp.Diff(alone, read(), cmp.AllowUnexported(strategies.Leg{})); diff != "" {
			t.Errorf("(-alone +among others):\n%s", diff)
		}
	})
}
