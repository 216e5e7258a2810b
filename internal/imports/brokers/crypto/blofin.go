package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// blofin describes the order history of Blofin, whose clock nobody names.
func blofin() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Blofin", Export: "order history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Underlying Asset", "Margin Mode", "Leverage", "Order Time", "Side", "Avg Fill", "Filled", "Total", "PNL", "Fee", "Reduce-only", "Status"},
		Order:  statement.MonthFirst, NewestFirst: true, Costs: statement.CostsPositive, Each: blofinRow, Done: tell,
		Columns: columns("Underlying Asset", "Side", "Order Time", "Filled", "Avg Fill", "Fee", ""),
	}}
}

func blofinRow(w *statement.Row) {
	symbol := w.Text("Underlying Asset")
	if symbol == "" {
		w.Ignore()
		return
	}
	d := deal{symbol: symbol, contract: true}
	d.base, d.quote = split(symbol)
	d.quantity = amountOf(w, "Filled", d.base, d.quote).amount
	if d.quantity.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	d.price, d.at = amountOf(w, "Avg Fill", d.quote).amount, w.Moment("Order Time")
	d.side, d.effect = w.Side("Side")
	if strings.EqualFold(w.Text("Reduce-only"), "Y") {
		d.effect = statement.Closing
	}
	d.costs = []coins{{w.Cost("Fee"), amountOf(w, "Fee", d.quote, d.base).coin}}
	d.settledInCoin(amountOf(w, "PNL", d.quote, d.base).amount)
	d.emit(w)
}
