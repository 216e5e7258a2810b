package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// fundTradersExecutions is this prop firm's list of fills, known from other people's code
// only.
var fundTradersExecutions = s.Preset{
	Broker: "FundTraders", Export: "executions", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Account;Date;Exec Time;Symbol;Action;Size;Price;Total Fee;Sales Fee"), Order: parse.MonthFirst, Instrument: "stock",
	Layout: &s.Layout{
		Symbol: "Symbol", Side: "Action", Quantity: "Size", Price: "Price", Date: "Date", Clock: "Exec Time", Fees: "Total Fee+Sales Fee",
	},
}
