package blotters

import "fillbook/internal/imports/statement"

// fundTraders reads the list of fills of this prop firm. It is known from other
// people's code only.
func fundTraders() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "FundTraders", Export: "executions", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Account", "Date", "Exec Time", "Symbol", "Action", "Size", "Price", "Total Fee", "Sales Fee"},
		Zone:   newYork, Order: statement.MonthFirst, Costs: statement.CostsPositive, Instrument: "stock",
		Columns: map[statement.Target]string{
			"symbol": "Symbol", "side": "Action", "quantity": "Size", "price": "Price", "date": "Date", "time": "Exec Time",
			"fees": "Total Fee+Sales Fee",
		},
	}}
}

// heldenTrader reads the trades report of HeldenTrader Pro: newest first, costs
// below zero, in the time of the trader's own clock. It is known from other
// people's code only.
func heldenTrader() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "HeldenTrader", Export: "trades report", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Account", "Date", "Instrument", "Operation", "Amount", "Price", "Execution fee", "Profit"},
		Order:  statement.DayFirst, Costs: statement.CostsNegative, NewestFirst: true, Instrument: "stock",
		Each: heldenTraderRow,
	}}
}

var heldenTraderColumns = columns{
	symbol: "Instrument", side: "Operation", quantity: "Amount", price: "Price", at: "Date", commission: "Execution fee",
}

func heldenTraderRow(w *statement.Row) {
	if w.Text("Account") == "Total" || w.Text("Instrument") == "" {
		w.Ignore()
		return
	}
	f, ok := heldenTraderColumns.fill(w)
	if !ok {
		w.Fail("There is no quantity.")
		return
	}
	f.Name(w.Text("Instrument"), "stock")
	w.Fill(f)
}
