package crypto

import (
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// bitfinex knows the trades of Bitfinex, from code; no file was seen. The sign
// of the amount is the side, costs are below zero.
func bitfinex() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Bitfinex", Export: "trades", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"#", "PAIR", "AMOUNT", "PRICE", "FEE", "FEE CURRENCY", "DATE", "ORDER ID"},
		Zone:   utc, Order: statement.DayFirst, NewestFirst: true, Costs: statement.CostsNegative, Each: bitfinexRow, Done: tell,
	}}
}

func bitfinexRow(w *statement.Row) {
	pair := w.Text("PAIR")
	if pair == "" {
		w.Ignore()
		return
	}
	d := deal{
		symbol: pair, side: matching.Buy, quantity: w.Required("AMOUNT"), price: w.Required("PRICE"), at: w.Moment("DATE"), id: w.Text("#"),
		costs: []coins{{w.Cost("FEE"), w.Text("FEE CURRENCY")}},
	}
	d.base, d.quote = split(pair)
	if d.quantity.Sign() < 0 {
		d.side = matching.Sell
	}
	d.emit(w)
}
