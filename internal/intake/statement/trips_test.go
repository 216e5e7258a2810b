package statement_test

import (
	"maps"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

func TestLayoutOfRoundTrips(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Costs: statement.CostsNegative,
		Layout: &statement.Layout{
			Key: "Side|Profit", Kind: "Side", Symbol: "Symbol", Namer: statement.NamePlain, ID: "Id", IDs: statement.IDPerPart, Quantity: "Lots",
			Commission: "Comm", Fees: "Swap", Result: "Profit", Time: "Opened", Amount: "Profit",
			RoundTrip: statement.RoundTrip{
				OpenTime: "Opened", OpenPrice: "Entry", CloseTime: "Closed", ClosePrice: "Exit", Lots: true,
			},
			AnnotationColumns: statement.AnnotationColumns{LastStop: "SL", Target: "TP", Notes: "Notes", Tags: "Tags"},
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Id,Side,Symbol,Lots,Opened,Entry,Closed,Exit,Comm,Swap,Profit,SL,TP,Notes,Tags
1,Sell,EURUSD,0.5,2026-01-05 10:00:00,1.1,2026-01-05 11:00:00,1.2,-2,-1,-5000,1.3,0,hasty,a; mistake: late
1,Sell,EURUSD,0.5,2026-01-05 10:00:00,1.1,2026-01-05 11:00:00,1.2,-2,-1,-5000,,,,
2,Buy,EURUSD,0.5,2026-01-06 10:00:00,1.1,,,-2,-1,-5000,,,,
3,Maybe,EURUSD,0.5,2026-01-06 10:00:00,1.1,,,-2,-1,-5000,,,,
4,Deposit,,,2026-01-06 10:00:00,,,,,,700,,,,
`, `
1 sell 0.5 EURUSD @ 1.1 at 2026-01-05T10:00:00Z x 100000 opening lot 1 id 1/open/1767610800 stop="1.3" unit="lot"
2 sell 0.5 EURUSD @ 1.1 at 2026-01-05T10:00:00Z x 100000 opening lot 1 id 1/open/1767610800#2 unit="lot"
1 buy 0.5 EURUSD @ 1.2 at 2026-01-05T11:00:00Z x 100000 fees 1 commission 2 pnl -5000 closing lot 1 id 1/close/1767610800 stop="1.3" unit="lot"
2 buy 0.5 EURUSD @ 1.2 at 2026-01-05T11:00:00Z x 100000 fees 1 commission 2 pnl -5000 closing lot 1 id 1/close/1767610800#2 unit="lot"
3 buy 0.5 EURUSD @ 1.1 at 2026-01-06T10:00:00Z x 100000 opening lot 2 id 2/open unit="lot"
5 cash deposit 700  at 2026-01-06T10:00:00Z "Deposit"
1 annotations notes "hasty" tags ["a"] mistakes ["late"] setups [] risk null stop null target null last stop 1.3 mae null mfe null emotion "" confidence 0 quality 0
4 problem Side: "Maybe" is neither a buy nor a sell.
warning Open trades are imported without a result until a later file closes them.
`)
}

// TestLayoutOfPairs finds the multiplier of an unknown contract by results, and states
// their sum.
func TestLayoutOfPairs(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC",
		Layout: &statement.Layout{
			Symbol: "Contract", Namer: statement.NameFuture, Quantity: "Qty", Result: "PnL",
			BoughtSold: statement.BoughtSold{
				BuyTime: "Bought", BuyPrice: "Buy", BuyID: "BuyID", SellTime: "Sold", SellPrice: "Sell", SellID: "SellID",
			},
			Join: []statement.Join{{As: statement.JoinParts}}, SameInstant: statement.InstantByID,
		},
	}
	checkLayout(t, preset, statement.Hints{}, `Contract,Qty,Buy,Bought,BuyID,Sell,Sold,SellID,PnL
XYZZY,1,100,2026-01-05 10:00:00,7,110,2026-01-05 10:05:00,8,70
XYZZY,2,100,2026-01-05 10:00:00,7,105,2026-01-05 10:06:00,9,70
`, `
1 buy 3 future XYZZY @ 100 at 2026-01-05T10:00:00Z x 7 id 7
1 sell 1 future XYZZY @ 110 at 2026-01-05T10:05:00Z x 7 id 8
2 sell 2 future XYZZY @ 105 at 2026-01-05T10:06:00Z x 7 id 9
total gross_pnl stated 140 computed 140
`)
}

// TestStatedResultBeatsNearOne reads results less than a cent from those by prices, with
// presets and by columns.
func TestStatedResultBeatsNearOne(t *testing.T) {
	t.Parallel()
	preset := &statement.Preset{
		Zone: "UTC", Format: statement.JournalTrades,
		Layout: &statement.Layout{
			Symbol: "Symbol", Side: "Side", Quantity: "Quantity", Result: "PnL", NetResult: "Net PnL",
			RoundTrip: statement.RoundTrip{OpenTime: "Open Time", OpenPrice: "Entry Price", CloseTime: "Close Time", ClosePrice: "Exit Price"},
		},
	}
	columns := map[statement.Target]string{
		"symbol": "Symbol", "side": "Side", "quantity": "Quantity", "open_time": "Open Time", "open_price": "Entry Price",
		"close_time": "Close Time", "close_price": "Exit Price", "pnl": "PnL", "net_pnl": "Net PnL",
	}
	mapped := &statement.Preset{Zone: "UTC", Format: statement.JournalTrades, Columns: columns}
	for _, p := range []*statement.Preset{preset, mapped} {
		p.Broker, p.Export, p.Header = "Test", "test", []string{"Symbol", "Entry Price", "Exit Price", "PnL", "Net PnL"}
		s := brokertest.MustRead(t, []byte(`Symbol,Side,Quantity,Open Time,Entry Price,Close Time,Exit Price,PnL,Net PnL
A,long,3,2026-01-05 10:00:00,10,2026-01-05 11:00:00,10.3333,1,
B,short,3,2026-01-05 10:00:00,10,2026-01-05 11:00:00,10.3333,-1,
C,long,3,2026-01-05 10:00:00,10,2026-01-05 11:00:00,10.3333,,1
D,long,3,2026-01-05 10:00:00,10,2026-01-05 11:00:00,10.3333,,0.9949
E,long,3,2026-01-05 10:00:00,10,2026-01-05 11:00:00,10.3333,,0.9799
F,long,3,2026-01-05 10:00:00,10,2026-01-05 11:00:00,10.3333,0.9999,
`), statement.Hints{}, []*statement.Preset{p})
		got := map[string]string{}
		for trade := range s.Trades() {
			got[trade.Fill.Symbol] = trade.GrossPnL.String() + " " + trade.NetPnL.String()
		}
		want := map[string]string{"A": "1 1", "B": "-1 -1", "C": "1 1", "D": "0.9949 0.9949", "E": "0.9999 0.9799", "F": "0.9999 0.9999"}
		if !maps.Equal(got, want) {
			t.Errorf("gross and net results %v, want %v", got, want)
		}
	}
}
