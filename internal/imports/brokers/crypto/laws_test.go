package crypto

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/brokers/brokertest"
	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/matching"
)

// mustRead reads a text that is an export.
func mustRead(t *rapid.T, text string) *statement.Statement {
	s := brokertest.MustRead(t, []byte(text), statement.Hints{Currency: "USD"}, Presets())
	if len(s.Problems) > 0 {
		t.Fatalf("problems %v in\n%s", s.Problems, text)
	}
	return s
}

// moved is what fills do to the coin and to the money.
func moved(fills []*statement.Fill) (coin, money decimal.Decimal) {
	for _, f := range fills {
		worth := f.Quantity.Mul(f.Price)
		if f.Side == matching.Buy {
			coin, money = coin.Add(f.Quantity), money.Sub(worth)
		} else {
			coin, money = coin.Sub(f.Quantity), money.Add(worth)
		}
		money = money.Sub(f.Fees).Sub(f.Commission)
	}
	return coin, money
}

// TestFeesKeepBothBalances holds that fills change the coin and the money by
// exactly what the exchange booked, whichever of the two pays the fee.
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
		gotCoin, gotMoney := moved(mustRead(t, text.String()).Fills)
		if !gotCoin.Equal(coin) || !gotMoney.Equal(money) {
			t.Errorf("fills move %s coins and %s money, the file %s and %s\n%s", gotCoin, gotMoney, coin, money, text.String())
		}
	})
}

// TestLedgerOrderDoesNotMatter holds that a ledger says the same however the rows
// of one second are mixed.
func TestLedgerOrderDoesNotMatter(t *testing.T) {
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
		plain := shown(mustRead(t, header+strings.Join(rows, "")))
		mixed := shown(mustRead(t, header+strings.Join(rapid.Permutation(rows).Draw(t, "mixed"), "")))
		if len(plain) != 1 || fmt.Sprint(plain) != fmt.Sprint(mixed) {
			t.Errorf("plain %q\nmixed %q", plain, mixed)
		}
	})
}

// TestExportsAgree holds that the fills of a trade history and of the ledger
// beside it are the same, id and all.
func TestExportsAgree(t *testing.T) {
	shown := func(name string) map[string]string {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := tabular.Read(archive.Files[0].Data, tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		found, _ := statement.Detect(file, Presets())
		s, err := statement.Read(file, found, statement.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		list := map[string]string{}
		for _, f := range s.Fills {
			list[f.ID] = fmt.Sprint(f.Symbol, f.Type, f.Side, f.Quantity, f.Price, f.Fees, f.At.Truncate(time.Second))
		}
		return list
	}
	for trades, ledger := range map[string]string{"coinbasepro-fills": "coinbasepro-ledger", "kraken-trades": "kraken-ledgers"} {
		one, other := shown(trades), shown(ledger)
		common := 0
		for id, fill := range one {
			if in, ok := other[id]; ok {
				common++
				if in != fill {
					t.Errorf("%s: fill %s is %s in the trades and %s in the ledger", trades, id, fill, in)
				}
			}
		}
		if common == 0 {
			t.Errorf("%s and %s have no fill in common", trades, ledger)
		}
	}
}
