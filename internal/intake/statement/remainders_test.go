package statement

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// fillOf makes a fill with its stated amount.
func fillOf(row int, side matching.Side, quantity, price, amount string) *Fill {
	return &Fill{
		Row: row, Symbol: "ACME", Side: side, Quantity: decimal.Must(quantity), Price: decimal.Must(price),
		StatedCashFlow: decimal.Of(decimal.Must(amount)),
	}
}

func withFees(f *Fill, fees string) *Fill {
	f.Fees = decimal.Must(fees)
	return f
}

func TestRemainders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fills         []*Fill
		fees, warning string
	}{
		"to the cent":             {[]*Fill{fillOf(1, matching.Buy, "3", "3.333", "-10"), fillOf(2, matching.Sell, "10", "10", "99.99")}, "0 0", ""},
		"a cost that comes again": {[]*Fill{fillOf(1, matching.Buy, "10", "100", "-1004.95"), fillOf(2, matching.Sell, "10", "110", "1095.05")}, "4.95 4.95", "The amounts contain costs of 9.9 that the file does not list; they were booked as fees (2 rows, first row 1)."},
		"only sales cost": {
			[]*Fill{fillOf(1, matching.Buy, "10", "100", "-1000"), fillOf(2, matching.Sell, "4", "110", "439.9"), fillOf(3, matching.Sell, "6", "110", "659.8")},
			"0 0.1 0.2",
			"booked as fees (2 rows, first row 2)",
		},
		"once": {
			[]*Fill{fillOf(1, matching.Buy, "10", "100", "-1000"), fillOf(2, matching.Sell, "10", "110", "1095.05")},
			"0 0",
			"The amount is not quantity × price with costs in 1 row. The first is row 2 (ACME): the file says 1095.05, quantity, price, multiplier 1 and costs give 1100.",
		},
		"both signs": {
			[]*Fill{fillOf(1, matching.Buy, "10", "100", "-1003"), fillOf(2, matching.Sell, "10", "110", "1103"), fillOf(3, matching.Buy, "10", "100", "-1003")},
			"0 0 0",
			"costs in 3 rows. The first is row 1",
		},
		"too much for a cost": {
			[]*Fill{fillOf(1, matching.Buy, "10", "100", "-100000"), fillOf(2, matching.Sell, "10", "110", "1"), fillOf(3, matching.Buy, "10", "100", "-1001"), fillOf(4, matching.Buy, "10", "100", "-1001")},
			"0 0 1 1", "costs in 2 rows. The first is row 1",
		},
		"the stated costs again": {
			[]*Fill{withFees(fillOf(1, matching.Buy, "10", "100", "-1002.6"), "1.3"), withFees(fillOf(2, matching.Sell, "10", "110", "1097.4"), "1.3")},
			"1.3 1.3",
			"costs in 2 rows. The first is row 1",
		},
		"rounded prices": {
			[]*Fill{fillOf(1, matching.Buy, "1000", "12.35", "-12352.10"), fillOf(2, matching.Sell, "1000", "12.40", "12401.30")},
			"0 0",
			"The amounts differ from quantity × price by up to 2.1, as the file rounds its prices (2 rows, first row 1).",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Statement{Fills: c.fills}
			s.settleRemainders()
			var fees, warnings []string
			for _, f := range s.Fills {
				fees = append(fees, f.Fees.String())
			}
			for _, w := range s.Warnings {
				warnings = append(warnings, w.Text)
			}
			if got := strings.Join(fees, " "); got != c.fees {
				t.Errorf("fees %s, want %s", got, c.fees)
			}
			if got := strings.Join(warnings, "\n"); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
				t.Errorf("warned %q, want %q", got, c.warning)
			}
		})
	}
}

// Whatever the prices are, a cost contained in every amount is booked to the cent, and
// amounts without a remainder stay.
func TestRepeatedCostsAreBooked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cost := decimal.FromScaled(int64(rapid.IntRange(0, 2500).Draw(t, "cents")), 2)
		s := &Statement{}
		for row := range rapid.IntRange(6, 20).Draw(t, "fills") {
			f := &Fill{Row: row + 1, Symbol: "ACME", Side: rapid.SampledFrom([]matching.Side{matching.Buy, matching.Sell}).Draw(t, "side")}
			f.Quantity = decimal.New(int64(rapid.IntRange(1, 500).Draw(t, "quantity")))
			f.Price = decimal.FromScaled(int64(rapid.IntRange(3000, 90000).Draw(t, "price")), 2)
			flow := f.Quantity.Mul(f.Price)
			if f.Side == matching.Buy {
				flow = flow.Neg()
			}
			f.StatedCashFlow = decimal.Of(flow.Sub(cost))
			s.Fills = append(s.Fills, f)
		}
		s.settleRemainders()
		for _, f := range s.Fills {
			want := cost
			if cost.Cmp(hundredth) <= 0 {
				want = decimal.Zero
			}
			if !f.Fees.Equal(want) {
				t.Fatalf("fees %s of row %d, want %s", f.Fees, f.Row, want)
			}
		}
		if booked := len(s.Warnings) > 0; booked != (cost.Cmp(hundredth) > 0) {
			t.Fatalf("cost %s, warnings %v", cost, s.Warnings)
		}
	})
}
