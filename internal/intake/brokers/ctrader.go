package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// cTraderHistory is cTrader's history, as CSV or as a workbook: one row for each closing
// deal, with columns chosen by the user. Column names have the time zone and the
// currency; the opening time may be missing.
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

// adjustCTraderTrade reads the unit after the quantity, and keeps an order id as it is:
// only a position id comes again for each part.
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

// unitOf returns the unit after a quantity, as in 2.00 Lots.
func unitOf(quantity string) string {
	unit := strings.ToLower(strings.TrimLeft(quantity, "0123456789.,' \u00a0"))
	if strings.HasPrefix(unit, "lot") { // lots, lotes
		return "lot"
	}
	return unit
}
