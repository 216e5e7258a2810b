package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// webullOrders is the list of orders. An order counts with what was filled of it,
// whatever happened to the rest.
var webullOrders = s.Preset{
	Broker: "Webull", Export: "orders", Evidence: s.RealFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst, NewestFirst: true,
	Header: s.Cols("Symbol;Side;Status;Filled;Total Qty;Avg Price;Filled Time"),
	Layout: &s.Layout{Orders: true, Symbol: "Symbol", Side: "Side", Quantity: "Filled", Price: "Avg Price", Time: "Filled Time"},
}

// webullCombined is the same list with two numbers in a column, known from
// programs that read it. The name may follow the symbol.
var webullCombined = s.Preset{
	Broker: "Webull", Export: "orders with combined columns", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("Symbol;Side;Status;Filled/Total Qty;Price/Avg Price;Filled Time"), NewestFirst: true,
	Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Namer: s.NameFirstWord, Side: "Side", Quantity: "@Filled/Total Qty", Price: "@Price/Avg Price", Time: "Filled Time",
		Prepare: func(w *s.Row) {
			w.Set("Filled/Total Qty", webullFirst().FindString(w.Text("Filled/Total Qty")))
			w.Set("Price/Avg Price", webullLast().FindString(w.Text("Price/Avg Price")))
		},
	},
}

var webullFirst, webullLast = lazyregexp.New(`^[^/]*`), lazyregexp.New(`[^/]*$`)

// webullOptions is the list of orders in options.
var webullOptions = s.Preset{
	Broker: "Webull", Export: "option orders", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst, NewestFirst: true,
	Header: s.Cols("Symbol;B/S;Side Type;Option Type;Filled Avg Price;Filled Qty;Filled Time;Traded Value"), Costs: s.CostsPositive, Instrument: "option",
	Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Side: "B/S", Effect: "Side Type", Quantity: "Filled Qty", Price: "Filled Avg Price", Time: "Filled Time",
		Commission: "Commission", Fees: "Fee", Gross: "Traded Value",
		Adjust: func(w *s.Row, r *s.Record) {
			if r.Fill.Right == "" {
				w.Fail("Symbol: %q is not an option.", r.Fill.Symbol)
			}
		},
	},
}

// webullAbroad is the list of the branches outside the United States.
var webullAbroad = s.Preset{
	Broker: "Webull", Export: "trades outside the United States", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.DayFirst,
	Header: s.Cols("Symbol & Name;Trade Date;Buy/Sell;Quantity;Traded Price;Gross Amount;Comm/Fee/Tax;Net Amount"), Costs: s.CostsNegative,
	Layout: &s.Layout{
		Key: "Buy/Sell", Symbol: "Symbol & Name", Namer: s.NameFirstWord, Side: "Buy/Sell", Quantity: "Quantity", Price: "Traded Price",
		Time: "Trade Date", Fees: "Comm/Fee/Tax+VAT", Amount: "Net Amount",
	},
}
