package brokers

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// cTrader is the history of cTrader, as CSV or as a workbook: one row for each
// closing deal, with columns that the user chose. The zone stands in the names
// of the columns of times, the currency in those of money; the time of opening
// may be missing.
func cTrader() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "cTrader", Export: "history", Evidence: statement.RealFile, Format: statement.JournalTrades,
		Header: []string{
			"Symbol|Símbolo", "Opening direction|Dirección de apertura", "Entry price|Precio de entrada",
			"Closing price|Precio de cierre", "Closing Quantity|Cantidad de Cierre",
		},
		Order: statement.DayFirst, Costs: statement.CostsNegative, NewestFirst: true,
		Each: readClosingDeal,
	}}
}

func readClosingDeal(w *statement.Row) {
	r := w.Reader()
	symbol := strings.ToUpper(w.Text("Symbol|Símbolo"))
	if symbol == "" {
		w.Ignore()
		return
	}
	side, _ := w.Side("Opening direction|Dirección de apertura")
	quantity := "Closing Quantity|Cantidad de Cierre"
	t := statement.Trip{
		Symbol: symbol, Type: metatrader.InstrumentType(symbol), Short: side == matching.Sell, Quantity: w.Required(quantity).Abs(),
		OpenPrice: w.Required("Entry price|Precio de entrada"), ClosePrice: w.Null("Closing price|Precio de cierre"),
		Commission: w.Cost(called(r, "Commission|Comisión")), Fees: w.Cost(called(r, "Swap")), TrustPnL: true, Details: unitOf(w.Text(quantity)),
		GrossPnL: w.Null(called(r, "Gross|Bruto")), NetPnL: w.Null(called(r, "Net|Neto|$ neto|€ neto")),
		ID: w.Text("Position ID|Order ID|ID de orden"),
	}
	if unit := t.Details["unit"]; unit == "lot" || unit == "" {
		t.Multiplier = decimal.Of(instruments.LotMultiplier(symbol, t.Quantity))
	}
	r.Out.Account.Currency = currencyOf(r, "Net")
	closing, opening := called(r, "Closing time|Hora de cierre"), called(r, "Opening time|Hora de apertura")
	t.Close = w.Moment(closing)
	if opening != "" && w.Text(opening) != "" {
		t.Open = w.Moment(opening)
	} else {
		openedUnseen(w, &t)
	}
	if w.Text("Position ID") != "" {
		nameParts(w, &t)
	}
	w.Trip(t)
}

// unitOf keeps the unit that a quantity is written in, such as 2.00 Lots.
func unitOf(quantity string) map[string]string {
	unit := strings.ToLower(strings.TrimLeft(quantity, "0123456789.,' \u00a0"))
	if unit == "" {
		return nil
	}
	if strings.HasPrefix(unit, "lot") { // lots, lotes
		unit = "lot"
	}
	return map[string]string{"unit": unit}
}
