package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// bitstamp describes the transactions of Bitstamp, whose amounts carry their coins.
func bitstamp() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Bitstamp", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Type", "Datetime", "Account", "Amount", "Value", "Rate", "Fee", "Sub Type"},
		Zone:   utc, Each: bitstampRow, Done: tell,
	}}
}

func bitstampRow(w *statement.Row) {
	word := w.Text("Type")
	if word == "" {
		w.Ignore()
		return
	}
	at, amount, fee := w.Moment("Datetime"), amountOf(w, "Amount"), amountOf(w, "Fee")
	switch kind := strings.ToLower(word); kind {
	case "market", "limit", "stop", "instant", "buy", "sell":
		rate := amountOf(w, "Rate")
		d := deal{
			symbol: amount.coin + "/" + rate.coin, base: amount.coin, quote: rate.coin, quantity: amount.amount, price: rate.amount,
			costs: []coins{fee}, at: at, id: w.Text("ID"),
		}
		d.side, d.effect = w.Side("Sub Type|Type")
		d.emit(w)
	case "deposit":
		pay(w, "deposit", coins{amount.amount.Abs(), amount.coin}, at, kind)
		payFee(w, fee, at, kind)
	case "withdrawal":
		pay(w, "withdrawal", coins{amount.amount.Abs().Neg(), amount.coin}, at, kind)
		payFee(w, fee, at, kind)
	default:
		leaveOut(w, kind, amount.coin)
	}
}
