package brokers

import s "fillbook/internal/intake/statement"

// fxBlueOrders is the order list kept by FX Blue, for one or several accounts. Money has
// no symbol, but zeros for prices.
var fxBlueOrders = s.Preset{
	Broker: "FX Blue", Export: "orders", Evidence: s.SampleFile, Format: s.JournalTrades, Zone: serverZone, Costs: s.CostsNegative,
	Header: s.Cols("Type;Ticket;Symbol;Lots;Buy/sell;Open price;Close price;Open time;Close time;Profit;Net profit"),
	Layout: &s.Layout{
		Kind: "Type", Symbol: "Symbol", Namer: nameLots, Side: "Buy/sell", ID: "Ticket", Quantity: "Lots", Account: "Account",
		Words: append([]s.Word{
			{Kind: s.KindTrade, Words: "closed position|open position"},
			{Kind: s.KindNotFilled, Words: "pending order|cancelled order|canceled order"},
		}, metaTraderWords...),
		Commission: "Commission", Fees: "Swap", Result: "Profit", Details: map[string]s.Col{"comment": "Order comment"},
		RoundTrip:         s.RoundTrip{OpenTime: "Open time", OpenPrice: "Open price", CloseTime: "Close time", ClosePrice: "Close price", Lots: true},
		AnnotationColumns: s.AnnotationColumns{LastStop: "S/L", Target: "T/P"},
		Time:              "Open time", Amount: "Profit", Note: "Order comment|Type", Adjust: noteMetaTraderCash,
	},
}
