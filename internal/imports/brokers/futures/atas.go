package futures

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// atas knows the journal sheet of the statistics workbook of ATAS, in English
// and French. The sign of the volume is the direction; the result in money is
// PnL, that in points is Price PnL.
func atas() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "ATAS", Export: "statistics journal", Evidence: statement.RealFile, Format: statement.JournalTrades,
		Header: []string{
			"Instrument|Outil", "Open time|Heure d'ouverture|Heure d’ouverture", "Open price|Prix d'ouverture|Prix d’ouverture",
			"Open volume|Volume d'ouverture|Volume d’ouverture", "Close time|Heure de clôture", "Close price|Prix de clôture", "PnL",
		},
		Instrument: instruments.TypeFuture,
		Each:       atasTrade, Done: closeBooks,
	}}
}

func atasTrade(w *statement.Row) {
	name, _, _ := strings.Cut(w.Text("Instrument|Outil"), "@") // MESU6@CME_Ind
	if name == "" {
		w.Ignore()
		return
	}
	symbol := contractName(name)
	volume := w.Required("Open volume|Volume d'ouverture|Volume d’ouverture")
	open := roundTrip(w, statement.Trip{
		Symbol: symbol, Type: instruments.TypeFuture, Short: volume.Sign() < 0, Quantity: volume.Abs(),
		Open:       w.Moment("Open time|Heure d'ouverture|Heure d’ouverture"),
		Close:      w.Moment("Close time|Heure de clôture"),
		OpenPrice:  price(w, "Open price|Prix d'ouverture|Prix d’ouverture", symbol),
		ClosePrice: decimal.Of(price(w, "Close price|Prix de clôture", symbol)), GrossPnL: w.Null("PnL"),
	})
	w.Annotate(statement.Annotations{Fill: open, Notes: w.Text("Comment|Commentaire")})
	booksOf(w.Reader()).account(w.Text("Account|Compte"))
}
