package ledger_test

import (
	"math"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestStoredKindsInConditions: what a source says beside a fill's kind changes neither which
// fills have a market price nor which trades began with a position held before.
func TestStoredKindsInConditions(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		fills := orders(t, "buy 1 10; buy 1 11; sell 1 12; sell 1 13")
		fills[0].Symbol, fills[0].Kind = "AAA", matching.KindOpening
		fills[1].Symbol, fills[1].Kind, fills[1].BasisEstimated = "BBB", matching.KindOpening, true
		fills[2].Symbol = "CCC"
		fills[3].Symbol, fills[3].Closes = "DDD", true
		d.insert("all", fills...)
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			account, err := ledger.ReadAccount(t.Context(), tx, d.owner, d.account)
			must(t, err)
			begun, err := ledger.TradesBegunBefore(t.Context(), tx, d.owner, account)
			if len(begun) != 2 {
				t.Errorf("%d trades began with a position held before, want 2", len(begun))
			}
			must(t, err)
			traded, err := ledger.TradedInstruments(t.Context(), tx, d.owner)
			must(t, err)
			var numbers []int64
			for _, one := range traded {
				numbers = append(numbers, one.Number)
			}
			prices, err := ledger.FillPrices(t.Context(), tx, d.owner, numbers, 0, math.MaxInt64)
			if len(prices) != 2 || prices[0].Price.String() != "12" || prices[1].Price.String() != "13" {
				t.Errorf("the prices are %+v, want those of both sales", prices)
			}
			return err
		}))
	})
}
