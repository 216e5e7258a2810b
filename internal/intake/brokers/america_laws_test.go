package brokers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// mustRead reads a text some preset fits.
func mustRead(t *rapid.T, text string, presets []*statement.Preset) *statement.Statement {
	s := brokertest.MustRead(t, []byte(text), statement.Hints{}, presets)
	if len(s.Problems) > 0 {
		t.Fatalf("problems %v in\n%s", s.Problems, text)
	}
	return s
}

// gross returns a fill's cash movement by quantity and price.
func gross(f *statement.Fill) decimal.Decimal {
	usual, _ := instruments.DefaultMultiplier(f.Symbol, f.Type)
	n := f.Quantity.Mul(f.Price).Mul(f.Multiplier.Or(usual))
	if f.Side == matching.Buy {
		return n.Neg()
	}
	return n
}

// TestHiddenCostsKeepTheCash checks that fills move the stated cash, to the last cent,
// however prices are rounded.
func TestHiddenCostsKeepTheCash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("Activity Date,Process Date,Settle Date,Instrument,Description,Trans Code,Quantity,Price,Amount\n")
		want := decimal.Zero
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			code := rapid.SampledFrom([]string{"Buy", "Sell", "BTO", "STC"}).Draw(t, "code")
			quantity := rapid.Int64Range(1, 400).Draw(t, "quantity")
			price := decimal.FromScaled(rapid.Int64Range(1000, 99999).Draw(t, "price"), 2)
			off := decimal.FromScaled(rapid.Int64Range(-5, 9).Draw(t, "off"), 2)
			amount := price.Mul(decimal.New(quantity))
			description := "PEAR"
			if code == "BTO" || code == "STC" {
				amount = amount.Mul(decimal.New(100))
				description = "PEAR 8/4/2023 Call $12.00"
			}
			if code == "Buy" || code == "BTO" {
				amount = amount.Neg()
			}
			amount = amount.Sub(off)
			want = want.Add(amount)
			fmt.Fprintf(&text, "8/1/2023,8/1/2023,8/2/2023,PEAR,%s,%s,%d,$%s,$%s\n", description, code, quantity, price, amount)
		}
		got := decimal.Zero
		for _, f := range mustRead(t, text.String(), tables()).Fills {
			got = got.Add(gross(f)).Sub(f.Fees).Sub(f.Commission)
		}
		if !got.Equal(want) {
			t.Errorf("fills sum to %s, the file to %s\n%s", got, want, text.String())
		}
	})
}

// TestAmericaOrderOfRowsDoesNotMatter checks that a file with a time in every row says
// the same whichever way it is sorted.
func TestAmericaOrderOfRowsDoesNotMatter(t *testing.T) {
	const header = "Name,Symbol,Side,Status,Filled,Total Qty,Price,Avg Price,Time-in-Force,Placed Time,Filled Time\n"
	shown := func(s *statement.Statement) (list []string) {
		for _, f := range s.Fills {
			list = append(list, fmt.Sprint(f.At, f.Symbol, f.Side, f.Quantity, f.Price))
		}
		return list
	}
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2025, 10, 24, 9, 30, 0, 0, time.UTC)
		var rows []string
		for i := range rapid.IntRange(1, 15).Draw(t, "rows") {
			at := start.Add(time.Duration(i) * 7 * time.Minute).Format("01/02/2006 15:04:05")
			rows = append(rows, fmt.Sprintf("Ibis,IBIS,%s,Filled,%d,400,,%s,DAY,%s EDT,%s EDT\n",
				rapid.SampledFrom([]string{"Buy", "Sell", "Short"}).Draw(t, "side"), rapid.IntRange(0, 400).Draw(t, "filled"),
				decimal.FromScaled(rapid.Int64Range(1, 99999).Draw(t, "price"), 2), at, at))
		}
		forwards := shown(mustRead(t, header+strings.Join(rows, ""), tables()))
		slices.Reverse(rows)
		backwards := shown(mustRead(t, header+strings.Join(rows, ""), tables()))
		if !slices.Equal(forwards, backwards) {
			t.Errorf("forwards %q\nbackwards %q", forwards, backwards)
		}
	})
}

// TestCostsFindTheirTrades checks that every trade in a statement gets its own costs,
// wherever its cash row is and though it is seconds late.
func TestCostsFindTheirTrades(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
		var trades, cash []string
		want := map[string]string{}
		for i := range rapid.IntRange(1, 20).Draw(t, "trades") {
			at := start.Add(time.Duration(i) * 10 * time.Second)
			late := at.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "late")) * time.Second)
			quantity := rapid.IntRange(1, 3).Draw(t, "quantity")
			side, word, sign := "BUY", "BOT", "+"
			if rapid.Bool().Draw(t, "sell") {
				side, word, sign = "SELL", "SOLD", "-"
			}
			commission := decimal.FromScaled(int64(100+i), 2)
			trades = append(trades, fmt.Sprintf(",%s,STOCK,%s,%s%d,TO OPEN,KELP,,,STOCK,25.10,25.10,LMT\n",
				at.Format("1/2/06 15:04:05"), side, sign, quantity))
			cash = append(cash, fmt.Sprintf("%s,%s,TRD,%d,%s %s%d KELP @25.10,,-%s,0.00,0.00\n",
				late.Format("1/2/06"), late.Format("15:04:05"), i, word, sign, quantity, commission))
			want[at.Format(time.TimeOnly)] = commission.String()
		}
		cash = rapid.Permutation(cash).Draw(t, "cash")
		text := "Account Statement for D-0 (margin) since 3/2/26 through 3/2/26\n\nCash Balance\n" +
			"DATE,TIME,TYPE,REF #,DESCRIPTION,Misc Fees,Commissions & Fees,AMOUNT,BALANCE\n" + strings.Join(cash, "") +
			"\nAccount Trade History\n,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Order Type\n" +
			strings.Join(trades, "")
		const newYorkIsBehind = 5 * time.Hour
		for _, f := range mustRead(t, text, tables()).Fills {
			if at := f.At.Add(-newYorkIsBehind).Format(time.TimeOnly); f.Commission.String() != want[at] {
				t.Errorf("the trade of %s costs %s, want %s\n%s", at, f.Commission, want[at], text)
			}
		}
	})
}
