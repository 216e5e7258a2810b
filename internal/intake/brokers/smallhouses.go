package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// fundTradersExecutions is the list of fills of this prop firm, known from other
// people's code only.
var fundTradersExecutions = s.Preset{
	Broker: "FundTraders", Export: "executions", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Account;Date;Exec Time;Symbol;Action;Size;Price;Total Fee;Sales Fee"), Order: parse.MonthFirst, Instrument: "stock",
	Layout: &s.Layout{
		Symbol: "Symbol", Side: "Action", Quantity: "Size", Price: "Price", Date: "Date", Clock: "Exec Time", Fees: "Total Fee+Sales Fee",
	},
}

// heldenTraderTrades is the trades report of HeldenTrader Pro: newest first, costs
// below zero, in the time of the trader's own clock. It is known from other
// people's code only.
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
