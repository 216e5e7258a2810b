package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// myfxbookStatement is the statement Myfxbook keeps for an account. The profit is after
// commission and swap. Open trades are in a separate table below, with fewer columns.
var myfxbookStatement = s.Preset{
	Broker: "Myfxbook", Export: "statement", Evidence: s.SampleFile, Format: s.JournalTrades, Zone: serverZone, Order: parse.MonthFirst, Costs: s.CostsNegative,
	Header: s.Cols("Open Date;Close Date;Symbol;Action;Units/Lots|Lots|Units;Open Price;Close Price;Pips;Profit;Gain"),
	Sections: []s.Section{{Header: s.Cols("Open Date;Symbol;Action;Open Price;Profit"), Layout: &s.Layout{
		Key: "Action|Symbol|Profit", Kind: "Action", Words: metaTraderWords, Symbol: "Symbol", Namer: nameLots, ID: "Ticket",
		Quantity: "Units/Lots|Lots|Units", Commission: "Commission", Fees: "Swap", NetResult: "Profit",
		Currency: "Max*$", Currencies: s.CurrencyOfFile, Details: map[string]s.Col{"comment": "Comment"},
		RoundTrip:         s.RoundTrip{OpenTime: "Open Date", OpenPrice: "Open Price", CloseTime: "Close Date", ClosePrice: "Close Price", Lots: true},
		AnnotationColumns: s.AnnotationColumns{LastStop: "SL", Target: "TP"},
		Time:              "Open Date", Amount: "Profit", Note: "Comment|Action", Adjust: noteMetaTraderCash,
	}}},
}
