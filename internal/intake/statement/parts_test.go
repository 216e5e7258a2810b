package statement_test

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
)

// TestJoinParts makes sure that joining parts changes neither the traded quantity nor the
// costs, and no two fills share an id.
func TestJoinParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Custom(func(t *rapid.T) *statement.Fill {
			return &statement.Fill{
				Symbol: "MNQH6", Side: "buy", ID: rapid.SampledFrom([]string{"", "7", "8", "12"}).Draw(t, "id"),
				Quantity:   decimal.New(rapid.Int64Range(1, 9).Draw(t, "quantity")),
				Price:      decimal.FromScaled(rapid.Int64Range(1, 99).Draw(t, "price"), 2),
				Commission: decimal.FromScaled(rapid.Int64Range(-5, 50).Draw(t, "commission"), 2),
			}
		})
		s := &statement.Statement{Fills: rapid.SliceOf(part).Draw(t, "parts")}
		quantity, paid, costs := sums(s.Fills)
		s.JoinParts()
		afterQuantity, afterPaid, afterCosts := sums(s.Fills)
		if !quantity.Equal(afterQuantity) || !paid.Equal(afterPaid) || !costs.Equal(afterCosts) {
			t.Fatalf("%s for %s at %s became %s for %s at %s", quantity, paid, costs, afterQuantity, afterPaid, afterCosts)
		}
		seen := map[string]bool{}
		for _, f := range s.Fills {
			if f.ID != "" && seen[f.ID] {
				t.Fatalf("%s is there twice", f.ID)
			}
			seen[f.ID] = true
		}
	})
}

func sums(fills []*statement.Fill) (quantity, paid, costs decimal.Decimal) {
	for _, f := range fills {
		quantity, paid, costs = quantity.Add(f.Quantity), paid.Add(f.Quantity.Mul(f.Price)), costs.Add(f.Commission)
	}
	return quantity, paid, costs
}
