package blotters

import (
	"fillbook/internal/imports/statement"
)

// tiger reads the trades of Tiger Brokers. The time has its distance from UTC
// behind a comma: "04:47:39,GMT-04".
func tiger() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Tiger Brokers", Export: "trades", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Symbol", "Type", "Trade Date", "Time", "Buy/Sell", "Quantity", "Trade Price", "Net Amount", "Comm/Fee/Tax"},
		Zone:   newYork, Costs: statement.CostsNegative, NewestFirst: true,
		Each: tigerRow,
	}}
}

var tigerColumns = columns{
	symbol: "Symbol", side: "Buy/Sell", quantity: "Quantity", price: "Trade Price", date: "Trade Date", tod: "Time",
	commission: "Comm/Fee/Tax", fees: []string{"GST"},
}

func tigerRow(w *statement.Row) {
	if w.Text("Symbol") == "" {
		w.Ignore()
		return
	}
	f, ok := tigerColumns.fill(w)
	if !ok {
		w.Fail("There is no quantity.")
		return
	}
	f.Name(w.Text("Symbol"), statement.InstrumentType(w.Text("Type")))
	foreign(w, &f, w.Text("Currency"))
	if f.Type != "future" {
		f.StatedCashFlow = w.Null("Net Amount")
	}
	w.Fill(f)
}
