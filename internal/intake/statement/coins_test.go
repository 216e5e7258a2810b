package statement_test

import (
	"maps"
	"testing"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

func TestSplitPair(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string][2]string{
		"BTCUSDT": {"BTC", "USDT"}, "btc-usd": {"BTC", "USD"}, "KCS/BTC": {"KCS", "BTC"}, "ADA_USDT": {"ADA", "USDT"},
		"ETHBTC": {"ETH", "BTC"}, "BTCFDUSD": {"BTC", "FDUSD"}, "BTCUSD_PERP": {"BTC", "USD"}, "BTCUSD_230331": {"BTC", "USD"},
		"ETH-USDT-SWAP": {"ETH", "USDT"}, "1INCHUSDT": {"1INCH", "USDT"}, "USDTTRY": {"USDT", "TRY"}, "PEAR": {"PEAR", ""},
		"BNBUSD_PERP": {"BNB", "USD"}, "BTCUSDT_230331": {"BTC", "USDT"}, "BTCUSDT_UMCBL": {"BTC", "USDT"}, "BTCUSDT PERPETUAL": {"BTC", "USDT"},
		"USDT": {"USDT", ""}, "": {"", ""}, "-": {"-", ""}, "BTC-": {"BTC-", ""},
	} {
		if base, quote := statement.SplitPair(pair); base != want[0] || quote != want[1] {
			t.Errorf("SplitPair(%q) = %q, %q, want %q", pair, base, quote, want)
		}
	}
}

func TestOrderCoins(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"BTC", "USDT", "BTC"},
		{"ETH", "BTC", "ETH"},
		{"EUR", "USDT", "EUR"},
		{"USDC", "USDT", "USDC"},
		{"PEAR", "PLUM", "PEAR"},
		{"PEAR", "ETH", "PEAR"},
		{"USDT", "TRY", "USDT"},
	} {
		first, second := statement.OrderCoins(c[0], c[1]), statement.OrderCoins(c[1], c[0])
		if first != c[2] || second != c[2] {
			t.Errorf("of %s and %s the coins %s and %s are traded, want %s both times", c[0], c[1], first, second, c[2])
		}
	}
}

func TestNameCoinContract(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"BTC-27JUN25-100000-C": "BTC call 100000 2025-06-27", "ETH-5DEC25-3000-P": "ETH put 3000 2025-12-05",
		"BTC-260626-120000-C": "BTC call 120000 2026-06-26", "XRP_USDC-30JUN25-0d625-P": "XRP put 0.625 2025-06-30",
		"BTC-26JUN26-120000-C-USDT": "BTC call 120000 2026-06-26",
		"BTC-PERPETUAL":             "BTC-PERPETUAL   ", "BTC-99JUN25-100000-C": "BTC-99JUN25-100000-C   ",
	} {
		i := statement.NameCoinContract(symbol, "")
		strike := ""
		if i.Strike.Valid {
			strike = i.Strike.String()
		}
		if got := i.Symbol + " " + i.Right + " " + strike + " " + string(i.Expiry); got != want {
			t.Errorf("%s is %q, want %q", symbol, got, want)
		}
	}
}

// TestLayoutOfCoinHistory uses a single column for trade quantities and cash amounts, and
// a trade whose price follows from the amount.
func TestLayoutOfCoinHistory(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Coins: true, Kind: "Type", Symbol: "Coin", Namer: statement.NameCoin, PriceCurrency: "Spent$", Quantity: "Amount", Price: "Price",
			Amount: "Spent", Unsigned: true, CashAmount: "Amount", Currency: "Coin", Fees: "Fee", Time: "Time", Note: "{kind} {Address}",
		},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Time,Type,Coin,Amount,Price,Spent,Fee,Address
2026-01-05 10:00:00,Buy,SOL,0.12475,,20.00 USDT,0.04 USDT,
2026-01-05 10:30:00,Buy,SOL,0.5,,81.00 USDT,1,
2026-01-05 11:00:00,Sell,SOL,0.5,"1.160,50 USDT","580,21 USDT",0.04 USDT,
2026-01-05 12:00:00,Deposit,USDT,500,,,,x1
2026-01-05 13:00:00,Deposit,USDT,,,,,x2
`, `
1 buy 0.12475 crypto SOL @ 160 at 2026-01-05T10:00:00Z fees 0.04
2 buy 0.5 crypto SOL @ 160 at 2026-01-05T10:30:00Z fees 1
3 sell 0.5 crypto SOL @ 1160.5 at 2026-01-05T11:00:00Z fees 0.04 flow 580.21
4 cash deposit 500 USD at 2026-01-05T12:00:00Z "deposit x1"
5 problem There is no value in column Amount.
`)
}

// TestLayoutOfCoinsTraded has the traded value before costs instead of a price.
func TestLayoutOfCoinsTraded(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Coins: true, Symbol: "Pair", Side: "Side", Quantity: "Amount", Gross: "Total", Fees: "Fee", Time: "Time",
		},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Time,Pair,Side,Amount,Total,Fee
2026-01-05 10:00:00,SOL/USDT,Buy,2,320,0.5
2026-01-05 11:00:00,SOL/USDT,Sell,2,330,0.5
2026-01-05 12:00:00,SOL/USDT,Sell,2,,0.5
`, `
1 buy 2 crypto SOL/USDT @ 160 at 2026-01-05T10:00:00Z fees 0.5
2 sell 2 crypto SOL/USDT @ 165 at 2026-01-05T11:00:00Z fees 0.5
3 problem There is no value in column Total.
`)
}

// TestLayoutOfCountedContracts has contracts with unknown sizes, whose stated results
// count.
func TestLayoutOfCountedContracts(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Coins: true, Symbol: "Symbol", Namer: statement.NameCoinContract, Side: "Side", Quantity: "Qty", Price: "Price",
			Result: "PnL", Time: "Time",
			Prepare: func(w *statement.Row) {
				if w.Text("Unit") == "cont" {
					w.CountContracts()
				}
			},
		},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Time,Symbol,Side,Qty,Unit,Price,PnL
2026-01-05 10:00:00,ETH-USDT-SWAP,Open long,5,cont,3000,0
2026-01-05 11:00:00,ETH-USDT-SWAP,Close long,5,cont,3000,0
2026-01-05 12:00:00,SOL-USDT-SWAP,Open long,5,SOL,30,7
`, `
1 buy 5 future ETH-USDT-SWAP @ 3000 at 2026-01-05T10:00:00Z x 1 opening
2 sell 5 future ETH-USDT-SWAP @ 3000 at 2026-01-05T11:00:00Z x 1 pnl 0 closing
3 buy 5 future SOL-USDT-SWAP @ 30 at 2026-01-05T12:00:00Z x 1 opening
warning Quantities are numbers of contracts, and the file does not state their size. The stated results were used.
`)
}

// TestExactHeader detects common column names only if they are all there is.
func TestExactHeader(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{Header: statement.Cols("Symbol;Type;Price"), Exact: true}
	for csv, want := range map[string]bool{
		"Symbol,Type,Price\nA,B,1\n": true, "title\nSymbol,Type,Price\nA,B,1\n": true,
		"Type,Symbol,Price\nA,B,1\n": false, "Symbol,Type,Price,Date\nA,B,1,2\n": false,
	} {
		file, err := tabular.Read([]byte(csv), tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		if _, found := statement.Detect(file, []*statement.Preset{preset}); found != want {
			t.Errorf("detected in %q: %t, want %t", csv, found, want)
		}
	}
}

// TestSuggestForLayout suggests the columns a layout reads directly.
func TestSuggestForLayout(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{Layout: &statement.Layout{Symbol: "{@base}{@quote}|Pair", Time: "Day…|Time…", Side: "=buy", Quantity: "Size", Price: "@price"}}
	got := statement.SuggestFor(preset, []string{"Time(UTC+8)", "Pair", "Size", "Price"}, nil)
	want := statement.Suggestion{
		statement.TargetSymbol: "Pair", statement.TargetExecutedAt: "Time(UTC+8)", statement.TargetQuantity: "Size",
	}
	if !maps.Equal(got, want) {
		t.Errorf("suggested %v, want %v", got, want)
	}
}
