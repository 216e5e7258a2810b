package futures

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// motiveWave knows MotiveWave's list of trades. It was read in another
// importer; no file was seen.
func motiveWave() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "MotiveWave", Export: "trades", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"Instrument", "Side", "Quantity", "Entry Time", "Entry Price", "Exit Time", "Exit Price", "P/L"},
		Each:   motiveWaveTrade, Done: closeBooks,
	}}
}

func motiveWaveTrade(w *statement.Row) {
	if w.Text("Instrument") == "" {
		w.Ignore()
		return
	}
	symbol, kind := ninjaInstrument(statement.WithoutExchange(w.Text("Instrument")))
	side, _ := w.Side("Side")
	roundTrip(w, statement.Trip{
		Symbol: symbol, Type: kind, Short: side == matching.Sell, Quantity: w.Required("Quantity").Abs(),
		Open: w.Moment("Entry Time"), Close: w.Moment("Exit Time"),
		OpenPrice: price(w, "Entry Price", symbol), ClosePrice: decimal.Of(price(w, "Exit Price", symbol)), GrossPnL: w.Null("P/L"),
	})
}
