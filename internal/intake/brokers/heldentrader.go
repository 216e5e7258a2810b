package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// heldenTraderTrades is HeldenTrader Pro's trades report: newest first, costs below zero,
// on the trader's own clock. It is known from other people's code only.
var heldenTraderTrades = s.Preset{
	Broker: "HeldenTrader", Export: "trades report", Evidence: s.Documented, Format: s.Executions, MarketZone: berlin, Costs: s.CostsNegative,
	Header: s.Cols("Account;Date;Instrument;Operation;Amount;Price;Execution fee;Profit"), Order: parse.DayFirst, NewestFirst: true, Instrument: "stock",
	Layout: &s.Layout{
		Symbol: "Instrument", Side: "Operation", Quantity: "Amount", Price: "Price", Time: "Date", Commission: "Execution fee",
		Prepare: func(w *s.Row) {
			if w.Text("Account") == "Total" {
				w.Ignore()
			}
		},
	},
}
