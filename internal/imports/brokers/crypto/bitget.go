package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// bitget describes the order history of Bitget's futures, from code; no file was
// seen. The time is that of the order.
func bitget() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Bitget", Export: "futures orders", Evidence: statement.Documented, Format: statement.Executions,
		Header:      []string{"Futures", "Direction", "Avg Price|Average Price", "Filled Qty|Executed", "Realized PnL|Realized P/L"},
		NewestFirst: true, Each: bitgetRow, Done: tell,
		Columns: columns("Futures", "Direction", "Order Time|Date|Time", "Filled Qty|Executed", "Avg Price|Average Price", "Fee", "Order ID"),
	}}
}

func bitgetRow(w *statement.Row) {
	symbol := strings.ToUpper(w.Text("Futures"))
	if symbol == "" {
		w.Ignore()
		return
	}
	d := deal{symbol: symbol, contract: true}
	d.base, d.quote = split(strings.TrimSuffix(strings.TrimSuffix(symbol, "_UMCBL"), " PERPETUAL"))
	d.quantity = amountOf(w, "Filled Qty|Executed", d.base, d.quote).amount
	if d.quantity.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	d.price, d.id = w.Required("Avg Price|Average Price"), w.Text("Order ID")
	d.at = w.Moment(starting(w.Reader(), "Order Time|Date|Time"))
	d.side, d.effect = w.Side("Direction")
	d.costs = []coins{{w.Cost("Fee"), amountOf(w, "Fee", d.quote, d.base).coin}}
	d.settledInCoin(amountOf(w, "Realized PnL|Realized P/L", d.quote, d.base).amount)
	d.emit(w)
}
