package brokers

import "fillbook/internal/intake/statement"

// mql5History and mql5Positions are the two exports for a signal on mql5.com. They have
// no tickets, and times and prices for opening and closing under the same names.
var mql5History = statement.Preset{
	Broker: "MQL5 Signals", Export: "history", Evidence: statement.SampleFile, Format: statement.JournalTrades, Zone: serverZone,
	Header: statement.Cols("Time;Type;Volume;Symbol;Price;S/L;T/P;Time#2;Price#2;Commission;Swap;Profit"), Costs: statement.CostsNegative,
	Layout: &mql5Layout,
}

var mql5Positions = statement.Preset{
	Broker: "MQL5 Signals", Export: "positions", Evidence: statement.SampleFile, Format: statement.JournalTrades, Zone: serverZone,
	Header: statement.Cols("Time;Type;Volume;Symbol;Price;Volume#2;Time#2;Price#2;Commission;Swap;Profit"), Costs: statement.CostsNegative,
	Layout: &mql5Layout,
}

var mql5Layout = statement.Layout{
	Key: "Type|Symbol|Profit", Kind: "Type", Words: metaTraderWords, Symbol: "Symbol", Namer: nameLots, Quantity: "Volume",
	Commission: "Commission", Fees: "Swap", Result: "Profit", Details: map[string]statement.Col{"comment": "Comment"},
	RoundTrip: statement.RoundTrip{
		OpenTime: "Time", OpenPrice: "Price", CloseTime: "Time#2", ClosePrice: "Price#2", Lots: true,
	},
	AnnotationColumns: statement.AnnotationColumns{LastStop: "S/L", Target: "T/P"},
	Time:              "Time", Amount: "Profit", Note: "Comment|Type", Adjust: noteMetaTraderCash,
}
