package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// topstepTrades are finished trades. The result is before costs, and the fees are
// those of entry and exit.
var topstepTrades = s.Preset{
	Broker: "TopstepX", Export: "trades", Evidence: s.RealFile, Format: s.JournalTrades, MarketZone: chicago, Instrument: futureType, Order: parse.MonthFirst,
	Header: s.Cols("Id;ContractName;EnteredAt;ExitedAt;EntryPrice;ExitPrice;PnL;Size;Type"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "Id|ContractName", Symbol: "ContractName", Namer: s.NameFuture, Side: "Type", Quantity: "Size", Fees: "Fees", Commission: "Commissions",
		Result: "PnL", Results: s.ResultNever, ID: "Id",
		RoundTrip: s.RoundTrip{OpenTime: "EnteredAt", OpenPrice: "EntryPrice", CloseTime: "ExitedAt", ClosePrice: "ExitPrice", StateResults: true},
	},
}
