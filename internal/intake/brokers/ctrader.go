package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// cTraderHistory is the history of cTrader, as CSV or as a workbook: one row for
// each closing deal, with columns that the user chose. The names of columns have
// the zone of times and the currency of money; the time of opening may be missing.
var cTraderHistory = s.Preset{
	Broker: "cTrader", Export: "history", Evidence: s.RealFile, Format: s.JournalTrades, Order: parse.DayFirst, Costs: s.CostsNegative, NewestFirst: true,
	Header: s.Cols("Symbol|Símbolo;Opening direction|Dirección de apertura;Entry price|Precio de entrada;Closing price|Precio de cierre;" + cTraderQuantity),
	Layout: &s.Layout{
		Symbol: "Symbol|Símbolo", Namer: nameLots, Side: "Opening direction|Dirección de apertura", Quantity: cTraderQuantity,
		Commission: "Commission*|Comisión*", Fees: "Swap*", Result: "Gross*|Bruto*", NetResult: "Net*|Neto*|$ neto|€ neto", Currencies: s.CurrencyOfFile,
		ID: "Position ID|Order ID|ID de orden", IDs: s.IDPerPart, Adjust: adjustCTraderTrade,
		RoundTrip: s.RoundTrip{
			OpenTime: "Opening time*|Hora de apertura*", OpenPrice: "Entry price|Precio de entrada",
			CloseTime: "Closing time*|Hora de cierre*", ClosePrice: "Closing price|Precio de cierre", Lots: true,
		},
	},
}

const cTraderQuantity = "Closing Quantity|Cantidad de Cierre"

// adjustCTraderTrade reads the unit after the quantity, and keeps the id of an order
// as it is: only that of a position comes again for each part.
func adjustCTraderTrade(w *s.Row, r *s.Record) {
	switch unit := unitOf(w.Text(cTraderQuantity)); unit {
	case "lot":
	case "":
		delete(r.Trip.Details, "unit")
	default:
		r.Trip.Details["unit"], r.Trip.Multiplier = unit, decimal.Null{}
	}
	if w.Text("Position ID") == "" {
		r.Trip.OpenFillID, r.Trip.CloseFillID = "", ""
	}
}

// unitOf returns the unit that a quantity is written in, such as 2.00 Lots.
func unitOf(quantity string) string {
	unit := strings.ToLower(strings.TrimLeft(quantity, "0123456789.,' \u00a0"))
	if strings.HasPrefix(unit, "lot") { // lots, lotes
		return "lot"
	}
	return unit
}
