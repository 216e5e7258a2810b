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

// readBinance reads a Binance file without problems.
func readBinance(t *rapid.T, text string) *statement.Statement {
	s := brokertest.MustRead(t, []byte(text), statement.Hints{Currency: "USD"}, tables())
	if len(s.Problems) > 0 {
		t.Fatalf("problems %v in\n%s", s.Problems, text)
	}
	return s
}

// sumCoinAndMoney returns by how much fills change the coin and the money.
func sumCoinAndMoney(fills []*statement.Fill) (coin, money decimal.Decimal) {
	for _, f := range fills {
		value := f.Quantity.Mul(f.Price)
		if f.Side == matching.Buy {
			coin, money = coin.Add(f.Quantity), money.Sub(value)
		} else {
			coin, money = coin.Sub(f.Quantity), money.Add(value)
		}
		money = money.Sub(f.Fees).Sub(f.Commission)
	}
	return coin, money
}

// TestFeesKeepBothBalances checks that fills change the coin and the money by exactly
// what the exchange booked, whichever the fee is in.
func TestFeesKeepBothBalances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("Date(UTC),Pair,Side,Price,Executed,Amount,Fee\n")
		coin, money := decimal.Zero, decimal.Zero
		for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
			quantity := decimal.FromScaled(rapid.Int64Range(1000, 9_999_999).Draw(t, "quantity"), 5)
			price := decimal.FromScaled(rapid.Int64Range(1, 9_999_999).Draw(t, "price"), 3)
			fee := decimal.FromScaled(rapid.Int64Range(0, 99).Draw(t, "fee"), 5)
			feeCoin := rapid.SampledFrom([]string{"PEAR", "USDT"}).Draw(t, "coin")
			side := rapid.SampledFrom([]string{"BUY", "SELL"}).Draw(t, "side")
			amount := quantity.Mul(price)
			if side == "BUY" {
				coin, money = coin.Add(quantity), money.Sub(amount)
			} else {
				coin, money = coin.Sub(quantity), money.Add(amount)
			}
			if feeCoin == "PEAR" {
				coin = coin.Sub(fee)
			} else {
				money = money.Sub(fee)
			}
			fmt.Fprintf(&text, "2026-01-05 10:%02d:00,PEARUSDT,%s,%s,%sPEAR,%sUSDT,%s%s\n", i, side, price, quantity, amount, fee, feeCoin)
		}
		gotCoin, gotMoney := sumCoinAndMoney(readBinance(t, text.String()).Fills)
		if !gotCoin.Equal(coin) || !gotMoney.Equal(money) {
			t.Errorf("fills change the coin by %s and the money by %s, want %s and %s\n%s", gotCoin, gotMoney, coin, money, text.String())
		}
	})
}

// TestOrderWithinSecond checks that row order within a second does not change what is
// read from an account statement.
func TestOrderWithinSecond(t *testing.T) {
	shown := func(s *statement.Statement) (list []string) {
		for _, f := range s.Fills {
			list = append(list, fmt.Sprint(f.At, f.Symbol, f.Side, f.Quantity, f.Price, f.Fees))
		}
		return list
	}
	const header = "User_ID,UTC_Time,Account,Operation,Coin,Change,Remark\n"
	rapid.Check(t, func(t *rapid.T) {
		var rows []string
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			units := rapid.Int64Range(1, 900).Draw(t, "units")
			rows = append(rows,
				fmt.Sprintf("1,2026-01-05 10:00:00,Spot,Transaction Buy,PEAR,%d,\n", units),
				fmt.Sprintf("1,2026-01-05 10:00:00,Spot,Transaction Spend,USDT,-%d,\n", 3*units),
				fmt.Sprintf("1,2026-01-05 10:00:00,Spot,Transaction Fee,USDT,-%s,\n", decimal.FromScaled(units, 3)))
		}
		plain := shown(readBinance(t, header+strings.Join(rows, "")))
		mixed := shown(readBinance(t, header+strings.Join(rapid.Permutation(rows).Draw(t, "mixed"), "")))
		if len(plain) != 1 || fmt.Sprint(plain) != fmt.Sprint(mixed) {
			t.Errorf("read %q in order and %q in another order, want one fill that is the same", plain, mixed)
		}
	})
}
