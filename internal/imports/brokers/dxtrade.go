package brokers

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// dxTrade is the list of orders of DXtrade. No file was seen; the names come
// from programs that read it.
func dxTrade() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "DXtrade", Export: "orders", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Date and Time", "Symbol", "Status", "Side", "Filled Volume", "Fill Price"},
		Each:   readDX, NewestFirst: true,
	}}
}

// readDX reads an order, be it filled in part and canceled then. A volume of a
// thousand and more is in units, a smaller one in lots; for what a lot is not
// known of, 1 is taken.
func readDX(w *statement.Row) {
	if w.Text("Symbol") == "" && w.Text("Side") == "" {
		w.Ignore()
		return
	}
	volume := w.Decimal("Filled Volume").Abs()
	if volume.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	side, effect := w.Side("Side")
	at := w.Moment("Date and Time")
	f := statement.Fill{
		Side: side, Effect: effect, Quantity: volume, Price: w.Required("Fill Price"), At: at.At, DateOnly: at.DateOnly,
		Commission: w.Cost("Commission"), ID: w.Text("Order ID|Order Id"),
	}
	symbol := strings.TrimSpace(w.Text("Symbol"))
	f.Name(symbol, metatrader.InstrumentType(symbol))
	const smallest = 1000
	switch {
	case volume.Cmp(decimal.New(smallest)) >= 0:
		f.Multiplier = decimal.Of(decimal.New(1))
	case instruments.LotSize(symbol).Valid:
		f.Multiplier = instruments.LotSize(symbol)
		f.Details = map[string]string{"unit": "lot"}
	default:
		w.Reader().Out.Warn("The size of a lot of %s is not known and was taken as 1; correct the multiplier if the results look wrong.", f.Symbol)
		f.Details = map[string]string{"unit": "lot"}
	}
	w.Fill(f)
}
