package brokers

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// blottersRead reads a text without problems.
func blottersRead(t *rapid.T, text string) *statement.Statement {
	return brokertest.MustRead(t, []byte(text), statement.Hints{}, tables())
}

func drawMoney(t *rapid.T, name string) decimal.Decimal {
	return decimal.FromScaled(int64(rapid.IntRange(0, 2000).Draw(t, name)), 2)
}

// Whatever an order was filled with, its costs are counted once and its quantity
// in full.
func TestOrdersKeepTheirCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file strings.Builder
		file.WriteString("Side,Symbol,Order Price,Order Qty,Status,Filled@Avg Price,Order Time,Fill Qty,Fill Price,Fill Time,Commission,Total\n")
		costs, shares := decimal.Zero, decimal.Zero
		for i := range rapid.IntRange(1, 5).Draw(t, "orders") {
			commission := drawMoney(t, "commission")
			total := commission.Add(drawMoney(t, "fees"))
			parts := rapid.SliceOfN(rapid.IntRange(1, 500), 0, 4).Draw(t, "parts")
			quantity := 0
			for _, part := range parts {
				quantity += part
			}
			if len(parts) == 0 { // an order with only its average left
				quantity = rapid.IntRange(1, 500).Draw(t, "quantity")
			}
			costs, shares = costs.Add(total), shares.Add(decimal.New(int64(quantity)))
			order := fmt.Sprintf("Buy,S%d,5,%d,Filled,%d@5,2026/04/08 09:31:00 (ET)", i, quantity, quantity)
			if len(parts) == 0 {
				fmt.Fprintf(&file, "%s,,,,%s,%s\n", order, commission, total)
			}
			for j, part := range parts {
				if j > 0 {
					order, commission, total = ",,,,,,", decimal.Zero, decimal.Zero
				}
				fmt.Fprintf(&file, "%s,%d,5,2026/04/08 09:31:%02d (ET),%s,%s\n", order, part, j, commission, total)
			}
		}
		s := blottersRead(t, file.String())
		got := decimal.Zero
		for _, f := range s.Fills {
			got = got.Add(f.Quantity)
		}
		if !got.Equal(shares) || !s.Sum(statement.ItemCosts).Equal(costs) || len(s.Problems) > 0 {
			t.Fatalf("%s shares and %s costs, want %s and %s; problems %v\n%s", got, s.Sum(statement.ItemCosts), shares, costs, s.Problems, file.String())
		}
	})
}

// The money in and out by a blotter equals the money by its fills.
func TestProceedsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file strings.Builder
		file.WriteString("T/D,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,Gross Proceeds,Net Proceeds\n")
		sum := decimal.Zero
		for i := range rapid.IntRange(1, 10).Draw(t, "rows") {
			quantity := decimal.New(int64(rapid.IntRange(1, 900).Draw(t, "quantity")))
			price, commission, fee, hidden := drawMoney(t, "price"), drawMoney(t, "commission"), drawMoney(t, "fee"), drawMoney(t, "hidden")
			side := rapid.SampledFrom([]string{"B", "S", "SS", "BC"}).Draw(t, "side")
			gross := quantity.Mul(price)
			if strings.HasPrefix(side, "B") {
				gross = gross.Neg()
			}
			costs := commission.Add(fee).Add(hidden)
			sum = sum.Add(costs)
			fmt.Fprintf(&file, "4/30/26,%s,ACME,%s,%s,9:%02d:00,%s,%s,%s,%s\n", side, quantity, price, i, commission, fee, gross, gross.Sub(costs))
		}
		s := blottersRead(t, file.String())
		if got := s.Sum(statement.ItemCosts); !got.Equal(sum) || len(s.Problems) > 0 {
			t.Fatalf("costs %s, want %s; problems %v\n%s", got, sum, s.Problems, file.String())
		}
		for _, w := range s.Warnings {
			if strings.Contains(w.Text, "moved") {
				t.Fatalf("%s\n%s", w, file.String())
			}
		}
	})
}
