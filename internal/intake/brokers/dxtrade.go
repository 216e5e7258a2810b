package brokers

import (
	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// dxTradeOrders is DXtrade's order list. No file was seen; the names come from programs
// reading it. A cancelled order may be filled in part.
var dxTradeOrders = s.Preset{
	Broker: "DXtrade", Export: "orders", Evidence: s.Documented, Format: s.Executions, NewestFirst: true,
	Header: s.Cols("Date and Time;Symbol;Status;Side;Filled Volume;Fill Price"),
	Layout: &s.Layout{
		Key: "Symbol|Side", Orders: true, Symbol: "Symbol", Namer: nameMetaTrader, Side: "Side", Quantity: "Filled Volume", Price: "Fill Price",
		Time: "Date and Time", Commission: "Commission", ID: "Order ID|Order Id", Adjust: setDXMultiplier,
	},
}

// setDXMultiplier sets the unit size: a volume above a thousand is in units, a smaller
// one in lots.
func setDXMultiplier(w *s.Row, r *s.Record) {
	const smallest = 1000
	f := r.Fill
	if f.Quantity.Cmp(decimal.New(smallest)) >= 0 {
		f.Multiplier = decimal.Of(decimal.New(1))
		return
	}
	f.Details = map[string]string{"unit": "lot"}
	if f.Multiplier = instruments.LotSize(f.Symbol); !f.Multiplier.Valid {
		w.Reader().Out.Warn("The size of a lot of %s is not known and was taken as 1; correct the multiplier if the results look wrong.", f.Symbol)
	}
}
