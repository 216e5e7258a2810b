package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// bitvavo describes the history of Bitvavo, which names its zone in every row.
func bitvavo() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Bitvavo", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Timezone", "Date", "Time", "Type", "Currency", "Amount", "Quote Currency|Price Currency", "Quote Price|Price", "Fee currency", "Fee amount", "Transaction ID"},
		Zone:   "Europe/Amsterdam", NewestFirst: true, Costs: statement.CostsPositive, Each: bitvavoRow, Done: tell,
	}}
}

func bitvavoRow(w *statement.Row) {
	kind := strings.ToLower(w.Text("Type"))
	if kind == "" {
		w.Ignore()
		return
	}
	at := bitvavoTime(w)
	coin, amount, fee := strings.ToUpper(w.Text("Currency")), w.Required("Amount"), w.Cost("Fee amount")
	switch kind {
	case "buy", "sell":
		d := deal{
			base: coin, quote: strings.ToUpper(w.Text("Quote Currency|Price Currency")), quantity: amount, price: w.Required("Quote Price|Price"),
			costs: []coins{{fee, w.Text("Fee currency")}}, at: at, id: w.Text("Transaction ID"),
		}
		d.symbol = d.base + "-" + d.quote
		d.side, d.effect = w.Side("Type")
		d.emit(w)
	case "deposit", "withdrawal":
		pay(w, inOrOut(amount), coins{amount, coin}, at, kind)
		payFee(w, coins{fee, w.Text("Fee currency")}, at, kind)
	default:
		pay(w, "interest", coins{amount, coin}, at, kind)
	}
}

// bitvavoTime reads when it was, in the zone that the row names.
func bitvavoTime(w *statement.Row) statement.Moment {
	name := w.Text("Timezone")
	if name == "" {
		return w.DateAndTime("Date", "Time")
	}
	clock, err := remembered(w.Reader()).clock(name)
	if err == nil {
		var at statement.Moment
		if at, err = clock.DateAndTime(w.Text("Date"), w.Text("Time")); err == nil {
			return at
		}
	}
	w.Fail("Date: %v.", err)
	return statement.Moment{}
}
