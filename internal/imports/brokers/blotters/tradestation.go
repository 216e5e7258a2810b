package blotters

import (
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// tradeStation reads the lists of orders: that of the web platform, and that of
// the desktop's TradeManager. A row is a whole order.
func tradeStation() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "TradeStation", Export: "closed orders", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{"Symbol", "Side", "Filled quantity", "Avg fill price", "Close time", "Commission fee", "Order ID"},
			Zone:   newYork, Costs: statement.CostsPositive, NewestFirst: true,
			Columns: map[statement.Target]string{
				"symbol": "Symbol", "side": "Side", "quantity": "Filled quantity", "price": "Avg fill price", "executed_at": "Close time",
				"commission": "Commission fee", "fees": "Route fee", "currency": "Currency", "external_id": "Order ID",
			},
		},
		{
			// Known from other people's code only.
			Broker: "TradeStation", Export: "TradeManager orders", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{"Account", "Symbol", "Type", "Order Status", "Entered", "Qty Filled", "Filled Price", "Commission"},
			Zone:   newYork, Order: statement.MonthFirst, Costs: statement.CostsPositive, NewestFirst: true,
			Each: tradeManagerRow,
		},
	}
}

var tradeManagerColumns = columns{
	symbol: "Symbol", side: "Type", quantity: "Qty Filled", price: "Filled Price", at: "Filled/Canceled|Entered",
	commission: "Commission", id: "Order #|Order ID",
}

func tradeManagerRow(w *statement.Row) {
	f, filled := tradeManagerColumns.fill(w)
	if !filled {
		return
	}
	f.Name(w.Text("Symbol"), "")
	if f.Type == "" && w.Text("Contract Exp Date") != "" {
		f.Type = instruments.TypeFuture
	}
	w.Fill(f)
}
