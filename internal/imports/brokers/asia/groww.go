package asia

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// groww reads the order history, a workbook with lines about its owner on top.
// It is known from other people's code only.
func groww() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Groww", Export: "order history", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Stock name", "Symbol", "ISIN", "Type", "Quantity", "Value", "Execution date and time", "Order status"},
		Zone:   kolkata, Order: statement.DayFirst, Units: true, Each: growwRow, Done: func(r *statement.Reader) { in(r, "INR") },
	}}
}

func growwRow(w *statement.Row) {
	if w.Text("Symbol") == "" && w.Text("Quantity") == "" {
		w.Ignore()
		return
	}
	if !strings.EqualFold(w.Text("Order status"), "executed") {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	f := statement.Fill{Quantity: w.Required("Quantity")}
	value := w.Required("Value")
	f.Side, f.Effect = w.Side("Type")
	if f.Quantity.IsZero() {
		w.Fail("There is no quantity.")
		return
	}
	f.Price = price(value, f.Quantity)
	f.StatedCashFlow = decimal.Of(value)
	if f.Side == matching.Buy {
		f.StatedCashFlow = decimal.Of(value.Neg())
	}
	at := w.Moment("Execution date and time")
	f.At, f.DateOnly = at.At, at.DateOnly
	i := nameNSE(w.Text("Symbol"), "")
	f.Symbol, f.Type, f.Right, f.Strike, f.Expiry = i.Symbol, i.Type, i.Right, i.Strike, i.Expiry
	w.Fill(f)
}
