package statement_test

import (
	"strings"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// checkLayout reads a CSV file by a preset and compares the rendering after its first two
// lines with a text.
func checkLayout(t *testing.T, preset *statement.Preset, hints statement.Hints, csv, want string) {
	t.Helper()
	preset.Broker, preset.Export, preset.Format = "Test", "test", statement.Executions
	header, _, _ := strings.Cut(csv, "\n")
	preset.Header = strings.Split(header, ",")
	got, _ := brokertest.Read([]byte(csv), hints, []*statement.Preset{preset})
	lines := strings.SplitN(got, "\n", 3)
	if len(lines) < 3 {
		t.Fatalf("the file was not read: %s", got)
	}
	var kept []string
	for line := range strings.Lines(lines[2]) {
		kept = append(kept, strings.TrimSpace(line))
	}
	if got := strings.Join(kept, "\n"); got != strings.TrimSpace(want) {
		t.Errorf("read\n%s\nwant\n%s", got, strings.TrimSpace(want))
	}
}

func TestLayoutOfFills(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "America/New_York", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Symbol: "Symbol", Side: "Side", Quantity: "Qty", Price: "Price", Date: "Date", Clock: "Time", Commission: "Comm",
			Fees: "SEC+TAF", Currency: "Currency", ID: "{day}/{No}", Account: "Account", Amount: "Net",
			Only: []statement.Condition{{Col: "State", Words: "|done*"}},
		},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Date,Time,Symbol,Side,Qty,Price,Comm,SEC,TAF,Net,Currency,No,Account,State
2026-01-05,09:31:00,AAPL,B,10,100,1,0.2,0.1,-1001.3,USD,7,A1,done
2026-01-05,09:32:00,AAPL,S,10,101,1,0.2,0.1,1008.7,EUR,,A2,done today
2026-01-05,09:33:00,AAPL,S,10,101,1,0.2,0.1,1008.7,USD,9,A1,cancelled
2026-01-05,09:34:00,AAPL,X,10,101,1,0.2,0.1,1008.7,USD,9,A1,
2026-01-05,09:35:00,AAPL,B,,101,1,0.2,0.1,1008.7,USD,9,A1,
,,,,,,3,0.6,0.3,,,,,
`, `
1 buy 10 AAPL @ 100 at 2026-01-05T14:31:00Z fees 0.3 commission 1 flow -1001.3 id 2026-01-05/7
2 sell 10 AAPL @ 101 at 2026-01-05T14:32:00Z fees 0.3 commission 1 flow 1008.7 currency="EUR"
4 problem Side: "X" is neither a buy nor a sell.
5 problem There is no value in column Qty.
3 skipped cancelled order
warning Some rows are in EUR, the account is in USD: their amounts were taken as they are.
warning The file holds 2 accounts (A1, A2), and all of them go into this one. Export them one by one to keep them apart.
`)
}

func TestLayoutOfOrders(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone:   "UTC",
		Layout: &statement.Layout{Orders: true, Symbol: "Symbol", Side: "Side", Quantity: "Filled", Price: "Avg", Time: "Time"},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Symbol,Side,Filled,Avg,Time
AAPL,Buy,5,10,2026-01-05 10:00:00
AAPL,Buy,0,,
AAPL,Sell,,,
`, `
1 buy 5 AAPL @ 10 at 2026-01-05T10:00:00Z
2 skipped order not filled
3 skipped order not filled
`)
}

// TestLayoutOfCoins covers fees in the quote coin, the traded coin and a third one, and
// contracts settled in their coin.
func TestLayoutOfCoins(t *testing.T) {
	t.Parallel()
	fills := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Coins: true, Symbol: "Pair", Side: "Side", Quantity: "Filled", Price: "Price", Fees: "Fee", Time: "Time",
		},
	}
	checkLayout(t, fills, statement.Hints{Currency: "USD"}, `Pair,Side,Filled,Price,Fee,Time
BTC-USDT,Buy,2BTC,100,0.1USDT,2026-01-05 10:00:00
BTC-USDT,Buy,2BTC,100,0.001BTC,2026-01-05 10:01:00
1INCHUSDT,Buy,51INCH,2,0.2BNB,2026-01-05 10:02:00
ETH-BTC,Sell,1,0.05,0,2026-01-05 10:03:00
`, `
1 buy 2 crypto BTC-USDT @ 100 at 2026-01-05T10:00:00Z fees 0.1
2 buy 1.999 crypto BTC-USDT @ 100 at 2026-01-05T10:01:00Z fees 0.1 fee="0.001 BTC"
3 buy 5 crypto 1INCHUSDT @ 2 at 2026-01-05T10:02:00Z fee="0.2 BNB"
4 sell 1 crypto ETH-BTC @ 0.05 at 2026-01-05T10:03:00Z currency="BTC"
warning Fees that were taken in the coin itself are no longer part of the quantity, and count as a cost at the price of the fill.
warning Some rows are in BTC, the account is in USD: their amounts were taken as they are.
warning Fees in other coins than those of the pair (0.2 BNB in all) are kept beside their fills but are not counted, as the file has no rate for them.
`)
	contracts := &statement.Preset{
		Zone: "UTC",
		Layout: &statement.Layout{
			Coins: true, Namer: statement.NameCoinContract, Symbol: "Symbol", Side: "Side", Quantity: "Qty", Price: "Price", Result: "PnL", Time: "Time",
		},
	}
	checkLayout(t, contracts, statement.Hints{}, `Symbol,Side,Qty,Price,PnL,Time
BTCUSD_PERP,Sell,3,50000,0.01,2026-01-05 10:00:00
BTCUSDT,Sell,3,50000,12,2026-01-05 10:01:00
BTC-27JUN25-100000-C,Buy,1,0.02,0,2026-01-05 10:02:00
`, `
1 sell 3 future BTCUSD_PERP @ 50000 at 2026-01-05T10:00:00Z x 1 pnl 0.01
2 sell 3 future BTCUSDT @ 50000 at 2026-01-05T10:01:00Z x 1
3 buy 1 option BTC call 100000 2025-06-27 @ 0.02 at 2026-01-05T10:02:00Z x 1
`)
}

// TestLayoutOfAnnotatedFills has a trade's tags and notes beside its fills.
func TestLayoutOfAnnotatedFills(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC",
		Layout: &statement.Layout{
			Symbol: "Symbol", Side: "Side", Quantity: "Qty", Price: "Price", Time: "Time",
			AnnotationColumns: statement.AnnotationColumns{Notes: "Notes", Tags: "Tags", Stop: "Stop"},
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Time,Symbol,Side,Qty,Price,Stop,Tags,Notes
2026-01-05 10:00:00,WREN,Buy,2,50,49,"breakout,late",Too early
2026-01-05 11:00:00,WREN,Sell,2,51,,,
`, `
1 buy 2 WREN @ 50 at 2026-01-05T10:00:00Z
2 sell 2 WREN @ 51 at 2026-01-05T11:00:00Z
1 annotations notes "Too early" tags ["breakout" "late"] mistakes [] setups [] risk null stop 49 target null mae null mfe null emotion "" confidence 0 quality 0
`)
}

// TestOrderOfOneInstant covers files that leave the order within an instant open, and
// exchanges booked as a sale and a purchase.
func TestOrderOfOneInstant(t *testing.T) {
	t.Parallel()
	layout := statement.Layout{
		Kind: "What", Words: []statement.Word{{Kind: statement.KindSplit, Words: "split"}}, Side: "Side", Effect: "Effect",
		Symbol: "Symbol", Quantity: "Qty", Price: "Price", Time: "Date", SameInstant: statement.InstantByHoldings,
	}
	checkLayout(t, &statement.Preset{Zone: "UTC", Layout: &layout}, statement.Hints{}, `Date,What,Side,Effect,Symbol,Qty,Price
2026-01-05,Sell,,,AAPL,10,21
2026-01-05,Buy,,,AAPL,10,20
2026-01-06,Sell,,,MSFT,1,30
2026-01-06,Buy,,,MSFT,1,29
`, `
2 buy 10 AAPL @ 20 at 2026-01-05T00:00:00Z (day)
1 sell 10 AAPL @ 21 at 2026-01-05T00:00:00Z (day)
4 buy 1 MSFT @ 29 at 2026-01-06T00:00:00Z (day)
3 sell 1 MSFT @ 30 at 2026-01-06T00:00:00Z (day)
`)
	layout.SameInstant, layout.Type = statement.InstantByRow, "Type"
	checkLayout(t, &statement.Preset{Zone: "UTC", Layout: &layout}, statement.Hints{}, `Date,What,Side,Effect,Symbol,Qty,Price,Type
2026-01-05 10:00:00,Buy,,,AAPL,10,20,crypto
2026-01-06 10:00:00,Split,Buy,Open,AAPL,40,5,crypto
2026-01-06 10:00:00,Split,Sell,Close,AAPL,10,20,crypto
`, `
1 buy 10 crypto AAPL @ 20 at 2026-01-05T10:00:00Z
3 sell 10 crypto AAPL @ 20 at 2026-01-06T10:00:00Z closing
2 buy 40 crypto AAPL @ 5 at 2026-01-06T10:00:00Z opening
warning Split of AAPL was read as fills at the value that the file states. There are 2 such rows; the first is row 2.
`)
}

// TestLayoutOfUnits checks that a price computed from an amount is per unit, also for an
// option whose contract is usually 100 units.
func TestLayoutOfUnits(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Units: true,
		Layout: &statement.Layout{Symbol: "Symbol", Side: "Side", Quantity: "Qty", Amount: "Net", Time: "Time"},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Symbol,Side,Qty,Net,Time
ACME260417C00050000,Buy,75,-150,2026-01-05 10:00:00
`, `
1 buy 75 option ACME call 50 2026-04-17 @ 2 at 2026-01-05T10:00:00Z x 1 flow -150
`)
}

// TestCoinFeeOfDeposit checks that a deposit stays if its fee is in a coin other than
// money, and that the fee is listed.
func TestCoinFeeOfDeposit(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Kind: "Type", Time: "Time", Amount: "Amount", Currency: "Coin", Fees: "Fee", FeesCurrency: "Fee coin", Coins: true,
			CashFees: statement.CashFeesApart,
		},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Time,Type,Amount,Coin,Fee,Fee coin
2026-01-05 10:00:00,Deposit,100,USD,0.001,BTC
2026-01-05 11:00:00,Deposit,50,USD,1,USD
2026-01-05 12:00:00,Deposit,2,BTC,0.001,BTC
`, `
1 cash deposit 100 USD at 2026-01-05T10:00:00Z "deposit"
2 cash deposit 50 USD at 2026-01-05T11:00:00Z "deposit"
2 cash fee -1 USD at 2026-01-05T11:00:00Z "deposit fee"
3 skipped it moves coins without a trade
warning Rows that move coins without a trade were left out: "deposit" (BTC), "deposit fee" (BTC). If they changed your position, enter the change by hand.
`)
}

// TestStatusOfPresets skips what was not filled although the layout has no condition
// for it. A whole trade may be open.
func TestStatusOfPresets(t *testing.T) {
	t.Parallel()
	fills := &statement.Layout{Symbol: "Symbol", Side: "Side", Quantity: "Qty", Price: "Price", Time: "Date"}
	checkLayout(t, &statement.Preset{Zone: "UTC", Layout: fills}, statement.Hints{}, `Date,Side,Symbol,Qty,Price,Status
2026-01-05,Buy,AAPL,10,20,Completed
2026-01-06,Sell,AAPL,10,21,Pending
2026-01-07,Sell,AAPL,10,22,Open
2026-01-08,Sell,AAPL,10,23,Rejected: no margin
2026-01-09,Sell,AAPL,10,24,Storniert
2026-01-10,Sell,AAPL,10,25,Ausgeführt
`, `
1 buy 10 AAPL @ 20 at 2026-01-05T00:00:00Z (day)
6 sell 10 AAPL @ 25 at 2026-01-10T00:00:00Z (day)
2 skipped pending order
3 skipped pending order
4 skipped rejected order
5 skipped cancelled order
`)
	trades := &statement.Layout{
		Symbol: "Symbol", Side: "Side", Quantity: "Qty", ID: "No",
		RoundTrip: statement.RoundTrip{OpenPrice: "In", OpenTime: "Date", ClosePrice: "Out", CloseTime: "Closed"},
	}
	checkLayout(t, &statement.Preset{Zone: "UTC", Layout: trades}, statement.Hints{}, `No,Date,Closed,Side,Symbol,Qty,In,Out,Status
a,2026-01-05,,Buy,AAPL,10,20,,Open
b,2026-01-06,,Buy,AAPL,10,20,,Canceled
`, `
1 buy 10 AAPL @ 20 at 2026-01-05T00:00:00Z (day) opening lot a id a/open
2 skipped cancelled order
`)
}
