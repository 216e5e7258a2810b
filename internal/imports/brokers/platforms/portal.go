package platforms

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// portal is the list of MT5 positions that the portals of some brokers write:
// one row for each leg, with the id of its position.
func portal() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "MetaTrader 5", Export: "position history list of a broker's portal", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Symbol", "Position", "Date Time", "Transaction Type", "Trade Volume Lots", "Open Price", "Profit"},
		Zone:   serverZone, Order: statement.MonthFirst, Units: true,
		Each: readLeg,
	}}
}

func readLeg(w *statement.Row) {
	if w.Text("Transaction Type") == "" {
		w.Ignore()
		return
	}
	if number := w.Text("Account Number"); number != "" {
		w.Reader().Out.Account.Name = number
	}
	side, effect := w.Side("Transaction Type")
	at := w.Moment("Date Time")
	f := statement.Fill{
		Side: side, Effect: effect, Quantity: w.Required("Trade Volume Lots"), Price: w.Required("Open Price"), At: at.At, DateOnly: at.DateOnly,
		Lot: w.Text("Position"), Details: map[string]string{"unit": "lot"},
	}
	symbol := strings.TrimSpace(w.Text("Symbol"))
	f.Name(symbol, metatrader.InstrumentType(symbol))
	f.Multiplier = decimal.Of(instruments.LotMultiplier(symbol, f.Quantity))
	if effect == statement.Closing {
		f.StatedPnL = decimal.Of(w.Decimal("Profit"))
	}
	w.Fill(f)
}
