package brokers

import s "fillbook/internal/intake/statement"

// tradeJourneyTrades is the standard file of TradeJourney, from its
// documentation.
var tradeJourneyTrades = s.Preset{
	Broker: "TradeJourney", Export: "standard CSV", Evidence: s.Documented, Format: s.JournalTrades, Costs: s.CostsPositive,
	Header: s.Cols("importName;accountName;symbol;openDate;closeDate;type;lot;openPrice;closePrice;profit"),
	Layout: &s.Layout{
		Account: "accountName|accountFullname", Symbol: "symbol", Namer: nameSlashedLots, Side: "type", Quantity: "lot", Commission: "commission", Result: "profit",
		RoundTrip: s.RoundTrip{OpenTime: "openDate", OpenPrice: "openPrice", CloseTime: "closeDate", ClosePrice: "closePrice", Lots: true},
	},
}
