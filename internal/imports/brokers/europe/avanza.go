package europe

import (
	"fillbook/internal/imports/statement"
)

// avanza knows the Swedish list of transactions: days only, newest first, with
// prices in the money of the instrument and the rate beside them.
func avanza() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Avanza", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Datum", "Konto", "Typ av transaktion", "Värdepapper/beskrivning", "Antal", "Kurs", "Belopp"},
		Zone:   "Europe/Stockholm", Costs: statement.CostsPositive, NewestFirst: true,
		Each: avanzaRow,
	}}
}

func avanzaRow(w *statement.Row) {
	word := w.Text("Typ av transaktion")
	if word == "" {
		w.Ignore()
		return
	}
	name := w.Text("Värdepapper/beskrivning")
	e := event{
		word: word, name: name, at: w.Moment("Datum"), amount: w.Null("Belopp"), note: name,
		symbol: symbolOf(w.Text("ISIN"), ""), currency: w.Text("Transaktionsvaluta"),
	}
	side, _, trades := statement.SideWord(word)
	switch {
	case trades:
	case w.Text("Antal") != "" && !e.amount.Valid: // a fund that became another
		e.leaveOut(w)
		return
	default:
		if e.note == "" {
			e.note = word
		}
		e.emit(w, senseOf(word))
		return
	}
	e.symbol = symbolOf(w.Text("ISIN"), name)
	d := deal{
		event: e, side: side, quantity: w.Required("Antal"), price: w.Required("Kurs"), money: w.Text("Instrumentvaluta"),
		commission: w.Cost("Courtage (SEK)|Courtage"),
	}
	// The result of the file is after costs that the fills have too; the amounts
	// give it without counting them twice.
	gross := d.amount.Decimal.Add(d.commission)
	if d.money != "" && d.money != d.currency {
		d.worth = worth(d.quantity, d.price, gross, w.Null("Valutakurs"))
	}
	d.fill(w)
}
