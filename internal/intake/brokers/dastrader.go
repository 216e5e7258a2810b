package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// DAS Trader exports the trades window, whose rows have a time and no day, and a list
// with both.

var dasTrades = s.Preset{
	Broker: "DAS Trader", Export: "trades", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Time;Symbol|Symb;Side;Price;Qty;Route;Account;Cloid"), Without: s.Cols("Date"),
	Layout: &dasLayout,
}

var dasTradesWindow = s.Preset{
	Broker: "DAS Trader", Export: "trades window", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Symbol;Price;Qty;Time;Side;Type"), Without: s.Cols("Date;Cloid;Status;Exec Time;Trade Date;T/D"),
	NewestFirst: true, Layout: &dasLayout,
}

var dasLayout = s.Layout{
	Symbol: "Symbol|Symb", Side: "Side", Quantity: "Qty", Price: "Price", Time: "Time", Commission: "Commission|Comm", Fees: "Fees|Fee",
}

var dasDatedTrades = s.Preset{
	Broker: "DAS Trader", Export: "trades with dates", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Symb;B/S;Qty;Price;Date;Time"), Order: parse.MonthFirst,
	Layout: &s.Layout{
		Symbol: "Symb", Side: "B/S", Quantity: "Qty", Price: "Price", Date: "Date", Clock: "Time", Commission: "Commission|Comm", Fees: "Fees|Fee",
	},
}
