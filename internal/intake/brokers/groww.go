package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// growwOrders is the order history, a workbook with lines about its owner on top.
// It gives values and no prices. It is known from other people's code only.
var growwOrders = s.Preset{
	Broker: "Groww", Export: "order history", Evidence: s.Documented, Format: s.Executions, Zone: kolkata, Order: parse.DayFirst, Units: true,
	Header: s.Cols("Stock name;Symbol;ISIN;Type;Quantity;Value;Execution date and time;Order status"),
	Layout: &s.Layout{
		Key: "Symbol|Quantity", Only: []s.Condition{{Col: "Order status", Words: "executed", Reason: s.ReasonNotFilled}},
		Symbol: "Symbol", Namer: nameNSE, Side: "Type", Quantity: "Quantity", Amount: "Value", Unsigned: true, Time: "Execution date and time",
		Currency: "=INR", Currencies: s.CurrencyOfFile,
		Adjust: func(w *s.Row, r *s.Record) {
			if !r.Fill.Quantity.IsZero() {
				r.Fill.Price = priceOfValue(w.Required("Value"), r.Fill.Quantity)
			}
		},
	},
}
