package statement_test

import (
	"testing"
	"time"

	"fillbook/internal/intake/statement"
)

func TestJoinLegs(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsPositive,
		Layout: &statement.Layout{
			Coins: true, Kind: "Type", Time: "Time", Amount: "Amount", Currency: "Coin", Fees: "Fee", ID: "Ref", Symbol: "{@base}/{@quote}",
			Words: []statement.Word{{Kind: statement.KindLeg, Words: "trade"}, {Kind: statement.KindLegFee, Words: "fee"}},
			Join:  []statement.Join{{By: "Ref", As: statement.JoinLegs}},
		},
	}
	checkLayout(t, preset, statement.Hints{Currency: "USD"}, `Time,Type,Ref,Coin,Amount,Fee
2026-01-05 10:00:00,trade,a,BTC,2,
2026-01-05 10:00:00,trade,b,ETH,-3,0.01
2026-01-05 10:00:00,trade,a,USD,-100,
2026-01-05 10:00:00,fee,a,USD,-0.5,
2026-01-05 10:00:00,trade,b,USD,60,
2026-01-05 10:00:00,trade,c,USD,60,
2026-01-05 10:00:00,deposit,d,USD,500,
2026-01-05 10:00:00,deposit,e,BTC,1,
`, `
1 buy 2 crypto BTC/USD @ 50 at 2026-01-05T10:00:00Z fees 0.5 id a
2 sell 3.01 crypto ETH/USD @ 20 at 2026-01-05T10:00:00Z fees 0.2 id b fee="0.01 ETH"
7 cash deposit 500 USD at 2026-01-05T10:00:00Z "deposit"
6 problem The other side of this trade in USD is missing.
8 skipped it moves coins without a trade
warning Fees that were taken in the coin itself are no longer part of the quantity, and count as a cost at the price of the fill.
warning Rows that move coins without a trade were left out: "deposit" (BTC). If they changed your position, enter the change by hand.
`)
}

func TestJoinHalves(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC",
		Layout: &statement.Layout{
			Kind: "What", Symbol: "Symbol", Time: "Date", Quantity: "Qty", Price: "Price", Amount: "Amount",
			Words: []statement.Word{{Kind: statement.KindLeg, Words: "merger"}},
			Join: []statement.Join{{
				Kinds: []statement.Kind{statement.KindLeg}, By: "{day} {Symbol}", As: statement.JoinHalves, Need: []statement.Col{"Qty", "Amount"},
				Then: statement.KindSellClose, Else: statement.KindCorporateAction,
			}},
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Date,What,Symbol,Qty,Price,Amount
2026-01-05,Merger,OAK,,,300
2026-01-05,Merger,ELM,,,40
2026-01-05,Merger,OAK,-10,,
2026-01-05,Merger,ASH,5,,
`, `
3 sell 10 OAK @ 30 at 2026-01-05T00:00:00Z (day) flow 300 closing
2 cash adjustment 40  at 2026-01-05T00:00:00Z "ELM Merger"
4 skipped securities moved without a trade
warning Row 3: Two rows were read as one trade (Merger of OAK).
warning Merger of ELM has only one of its two rows, so no trade was read. Enter it by hand. There are 2 such rows; the first is row 2.
warning Row 4: Merger of ASH on 2026-01-05 was skipped: it is not a trade. Adjust your position manually if it changed.
warning Row 3: A fill closes a position in OAK that this file does not open. Import the earlier statement too, or it will count as a new position.
`)
}

func TestJoinCostsAndFillBlanks(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC",
		Layout: &statement.Layout{
			Key: "What|Qty", Kind: "What", Symbol: "Symbol", Time: "Time", Quantity: "Qty", Price: "Price", Amount: "Amount",
			PerTable: func(_ *statement.Reader, l *statement.Layout) {
				var above *statement.Row
				l.Prepare = func(w *statement.Row) {
					if w.Text("What") != "" {
						above = w
						return
					}
					w.FillBlanks(above, "What", "Symbol")
				}
			},
			Join: []statement.Join{{Kinds: []statement.Kind{statement.KindFee}, By: "Symbol", As: statement.JoinCosts, Within: time.Second}},
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Time,What,Symbol,Qty,Price,Amount
2026-01-05 10:00:00,Buy,OAK,10,3,-30
2026-01-05 10:00:01,Fee,OAK,,,-1
2026-01-05 10:00:05,Fee,OAK,,,-2
2026-01-05 10:00:06,Sell,OAK,4,3,12
2026-01-05 10:00:07,,,6,4,24
`, `
1 buy 10 OAK @ 3 at 2026-01-05T10:00:00Z commission 1 flow -31
4 sell 4 OAK @ 3 at 2026-01-05T10:00:06Z flow 12
5 sell 6 OAK @ 4 at 2026-01-05T10:00:07Z flow 24
3 cash fee -2  at 2026-01-05T10:00:05Z "OAK Fee"
`)
}

func TestSections(t *testing.T) {
	t.Parallel()
	fills := &statement.Layout{Symbol: "Symbol", Side: "Side", Quantity: "Qty", Price: "Price", Time: "Time"}
	preset := &statement.Preset{
		Zone: "UTC",
		Sections: []statement.Section{
			{Header: statement.Cols("Symbol;Side;Qty;Price;Time"), Layout: fills},
			{Title: "cash*", Header: statement.Cols("Day;Type;Amount"), Layout: &statement.Layout{Kind: "Type", Time: "Day", Amount: "Amount"}},
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Symbol,Side,Qty,Price,Time
OAK,Buy,1,2,2026-01-05 10:00:00
Cash movements,,,,
Day,Type,Amount,,
2026-01-06,Deposit,5,,
Positions,,,,
Day,Type,Amount,,
2026-01-07,Deposit,7,,
Symbol,Side,Qty,Price,Time
OAK,Sell,1,3,2026-01-05 11:00:00
`, `
1 buy 1 OAK @ 2 at 2026-01-05T10:00:00Z
3 sell 1 OAK @ 3 at 2026-01-05T11:00:00Z
2 cash deposit 5  at 2026-01-06T00:00:00Z "Deposit"
`)
}
