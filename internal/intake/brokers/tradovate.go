package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// Tradovate exports several tables, which NinjaTrader's web platform
// writes with the same columns. Orders, Fills, Performance and Position History
// tell of the same fills. All but Fills show times on the browser's clock, to
// the second.

// tradovateOrders are orders, each a fill as far as it was filled. Their ids are
// not those of fills: Fills and Performance do not have them.
var tradovateOrders = statement.Preset{
	Broker: "Tradovate", Export: "Orders", Evidence: statement.RealFile, Format: statement.Executions, MarketZone: chicago, Order: parse.MonthFirst,
	Header:  statement.Cols("B/S;Contract;avgPrice|Avg Fill Price;filledQty|Filled Qty;Fill Time;Status"),
	Notices: []string{"Tradovate's Orders export has no fees and merges partial fills. Use the Fills export instead if you can, and don't import both."},
	Layout: &statement.Layout{
		Key: "Contract|Status", Orders: true, Side: "B/S", Symbol: "Contract", Namer: statement.NameFuture, Quantity: "filledQty|Filled Qty",
		Price: "decimalFillAvg|avgPrice|Avg Fill Price", Gross: "Notional Value", Time: "Fill Time|Timestamp", Account: "Account",
		SameInstant: statement.InstantByID,
	},
}

// tradovateFills have times finer than those of the other exports, which the
// ledger allows for.
var tradovateFills = statement.Preset{
	Broker: "Tradovate", Export: "Fills", Evidence: statement.RealFile, Format: statement.Executions, MarketZone: chicago, Order: parse.MonthFirst,
	Header:  statement.Cols("Fill ID|_id;B/S|_action;Contract;Quantity|_qty;Price|_price;commission;Timestamp|_timestamp"),
	Without: statement.Cols("Fill Time;Paired Qty"), Costs: statement.CostsPositive,
	Notices: []string{"Tradovate's Fills export states only the broker's commission; exchange, clearing and NFA fees are in its Cash History."},
	Layout: &statement.Layout{
		Key:  "Contract|Fill ID|_id",
		Only: []statement.Condition{{Col: "_active", Words: "|true", Reason: "the exchange took it back"}},
		Side: "B/S|_action", Symbol: "Contract", Namer: statement.NameFuture, Quantity: "Quantity|_qty", Price: "_price|Price",
		Commission: "commission", Time: "_timestamp|Timestamp", ID: "Fill ID|_id", Account: "Account",
		Join: []statement.Join{{As: statement.JoinParts}}, SameInstant: statement.InstantByID,
	},
}

// tradovatePerformance and tradovatePositions pair contracts that were bought and
// sold. A fill that was paired several times is in several rows under one id, and
// what is not paired yet is in none.
var (
	tradovatePerformance = statement.Preset{
		Broker: "Tradovate", Export: "Performance", Evidence: statement.RealFile, Format: statement.Executions, MarketZone: chicago, Order: parse.MonthFirst,
		Header:  statement.Cols("symbol;buyFillId;sellFillId;qty;buyPrice;sellPrice;pnl;boughtTimestamp;soldTimestamp"),
		Notices: []string{"Tradovate's Performance export states no commissions and fees; its Fills export has the commissions."},
		Layout:  &tradovatePairs,
	}
	tradovatePositions = statement.Preset{
		Broker: "Tradovate", Export: "Position History", Evidence: statement.SampleFile, Format: statement.Executions, MarketZone: chicago, Order: parse.MonthFirst,
		Header:  statement.Cols("Contract;Buy Fill ID;Sell Fill ID;Paired Qty;Buy Price;Sell Price;P/L;Bought Timestamp;Sold Timestamp"),
		Notices: []string{"Tradovate's Position History export states no commissions and fees; its Fills export has the commissions."},
		Layout:  &tradovatePairs,
	}
	tradovatePairs = statement.Layout{
		Symbol: "symbol|Contract", Namer: statement.NameFuture, Quantity: "qty|Paired Qty", Result: "pnl|P/L", Account: "Account",
		BoughtSold: statement.BoughtSold{
			BuyTime: "boughtTimestamp|Bought Timestamp", BuyPrice: "buyPrice|Buy Price", BuyID: "buyFillId|Buy Fill ID",
			SellTime: "soldTimestamp|Sold Timestamp", SellPrice: "sellPrice|Sell Price", SellID: "sellFillId|Sell Fill ID",
		},
		Join: []statement.Join{{As: statement.JoinParts}}, SameInstant: statement.InstantByID,
		Adjust: func(w *statement.Row, r *statement.Record) {
			if w.Decimal("Net Pos").Sign() != 0 {
				w.Reader().Out.Warn("The position in %s is still open. Fills that are not closed yet are not in this export; use Fills to have them.", r.Fill.Symbol)
			}
		},
	}
)

// tradovateCash is Tradovate's Cash History, of which no whole file was seen, only
// rows. Results and commissions come with the fills; the fees of exchange, clearing
// house and NFA are nowhere but here.
var tradovateCash = statement.Preset{
	Broker: "Tradovate", Export: "Cash History", Evidence: statement.Documented, Format: statement.Executions, MarketZone: chicago, Order: parse.MonthFirst,
	Header:  statement.Cols("Transaction ID;Timestamp;Delta;Amount;Cash Change Type"),
	Notices: []string{"Tradovate's Fills export states commissions with each fill. If you import Orders or Performance instead, add the commissions as a fee."},
	Layout: &statement.Layout{
		Kind: "Cash Change Type", Words: tradovateCashWords, Time: "Timestamp", Amount: "Delta", Currency: "Currency", Note: "{Cash Change Type} {Contract}",
	},
}

var tradovateCashWords = []statement.Word{
	{Kind: statement.KindResult, Words: "trade paired|tradepaired|commission"},
	{Kind: statement.KindFee, Words: "fund*transaction*fee"},
	{Kind: statement.KindTransfer, Words: "fund*transaction*|withdrawal|deposit"},
	{Kind: statement.KindFee, Words: "*fee*|*subscription*"},
	{Kind: statement.KindInterest, Words: "*interest*"},
	{Kind: statement.KindAdjustment, Words: "*"},
}
