package brokers

import s "fillbook/internal/intake/statement"

// metaTraderConverted is the table written by programs converting a MetaTrader history,
// known from programs reading it.
var metaTraderConverted = s.Preset{
	Broker: "MetaTrader 4", Export: "CSV of a converter", Evidence: s.Documented, Format: s.JournalTrades, Zone: serverZone, Costs: s.CostsNegative,
	Header: s.Cols("Ticket|Order;Open Time;Type;Size|Volume|Lots;Symbol|Item;Price|Open Price;Close Time;Close Price|Price#2;Commission;Swap;Profit"),
	Layout: &s.Layout{
		Key: "Type|Symbol|Item|Profit", Kind: "Type", Words: metaTraderWords, Symbol: "Symbol|Item", Namer: nameLots, ID: "Ticket|Order",
		Quantity: "Size|Volume|Lots", Commission: "Commission", Fees: "Swap+Taxes", Result: "Profit", Details: map[string]s.Col{"comment": "Comment"},
		RoundTrip: s.RoundTrip{
			OpenTime: "Open Time", OpenPrice: "Open Price|Price", CloseTime: "Close Time", ClosePrice: "Close Price|Price#2", Lots: true,
		},
		AnnotationColumns: s.AnnotationColumns{LastStop: "S/L|S / L|SL", Target: "T/P|T / P|TP"},
		Time:              "Open Time", Amount: "Profit", Note: "Comment|Type", Adjust: noteMetaTraderCash,
	},
}
