package brokers

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// asiaRead reads a text without problems.
func asiaRead(t *rapid.T, text string) *statement.Statement {
	return brokertest.MustRead(t, []byte(text), statement.Hints{}, tables())
}

// The exits in the tax report make exactly the stated profit, also where no price does.
func TestExitsMakeTheirProfit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file strings.Builder
		file.WriteString(strings.ReplaceAll(zerodhaExitColumns, ";", ",") + ",Brokerage,STT\n")
		gross, costs := decimal.Zero, decimal.Zero
		for range rapid.IntRange(1, 6).Draw(t, "exits") {
			bought := decimal.FromScaled(int64(rapid.IntRange(1, 9_999_999).Draw(t, "bought")), 2)
			sold := decimal.FromScaled(int64(rapid.IntRange(1, 9_999_999).Draw(t, "sold")), 2)
			brokerage, tax := decimal.FromScaled(int64(rapid.IntRange(0, 2000).Draw(t, "brokerage")), 2), decimal.FromScaled(int64(rapid.IntRange(0, 2000).Draw(t, "tax")), 2)
			gross, costs = gross.Add(sold.Sub(bought)), costs.Add(brokerage).Add(tax)
			fmt.Fprintf(&file, "ALPHA,2026-04-01,2026-04-02,%d,%s,%s,%s,%s,%s\n", rapid.IntRange(1, 999).Draw(t, "quantity"), bought, sold, sold.Sub(bought), brokerage, tax)
		}
		s := asiaRead(t, file.String())
		if !s.Sum(statement.ItemGrossPnL).Equal(gross) || !s.Sum(statement.ItemNetPnL).Equal(gross.Sub(costs)) {
			t.Fatalf("gross %s, net %s, want %s less %s\n%s", s.Sum(statement.ItemGrossPnL), s.Sum(statement.ItemNetPnL), gross, costs, file.String())
		}
	})
}

// Taking and giving delivery move shares between positions, and make or lose
// none.
func TestDeliveryKeepsShares(t *testing.T) {
	words := []string{"株式現物買", "株式現物売", "信用新規買", "信用新規売", "信用返済売", "信用返済買", "現引", "現渡"}
	rapid.Check(t, func(t *rapid.T) {
		var file strings.Builder
		file.WriteString("約定日,銘柄コード,取引,約定数量,約定単価,手数料/諸経費等,受渡金額/決済損益\n")
		want := 0
		for i := range rapid.IntRange(1, 10).Draw(t, "rows") {
			word := rapid.SampledFrom(words).Draw(t, "word")
			quantity := rapid.IntRange(1, 1000).Draw(t, "quantity")
			switch {
			case strings.HasSuffix(word, "買"):
				want += quantity
			case strings.HasSuffix(word, "売"):
				want -= quantity
			}
			fmt.Fprintf(&file, "2026/01/%02d,7999,%s,%d,500,10,--\n", i+1, word, quantity)
		}
		held := decimal.Zero
		s := asiaRead(t, file.String())
		for _, f := range s.Fills {
			if f.Side == matching.Buy {
				held = held.Add(f.Quantity)
			} else {
				held = held.Sub(f.Quantity)
			}
		}
		if !held.Equal(decimal.New(int64(want))) || !s.Sum(statement.ItemCosts).Equal(decimal.New(int64(10*s.Rows))) {
			t.Fatalf("%s shares, want %d; costs %s over %d rows\n%s", held, want, s.Sum(statement.ItemCosts), s.Rows, file.String())
		}
	})
}
