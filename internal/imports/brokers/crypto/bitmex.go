package crypto

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// bitmex describes the wallet history of BitMEX, in satoshi. It has the result of
// each day and contract but no fills.
func bitmex() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "BitMEX", Export: "wallet history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"transactTime", "transactType", "amount", "fee", "address", "transactStatus", "walletBalance"},
		Zone:   utc, Order: statement.MonthFirst, NewestFirst: true, Each: bitmexRow, Done: tell,
	}}
}

// satoshi is the part of a bitcoin that BitMEX counts in.
var satoshi = decimal.Must("0.00000001")

// bitmexRow reads a change of the wallet. Results are adjustments, as there are
// no fills that they could come from.
func bitmexRow(w *statement.Row) {
	kind := w.Text("transactType")
	if kind == "" {
		w.Ignore()
		return
	}
	if !strings.EqualFold(w.Text("transactStatus"), "Completed") {
		w.Skip("it was not completed")
		return
	}
	at, amount := w.Moment("transactTime"), w.Required("amount").Mul(satoshi)
	if w.Failed() || amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	c := coins{amount, "XBT"}
	if account := strings.ToUpper(w.Reader().Hints.Currency); account == "BTC" || account == "XBT" {
		c.coin = account
	}
	word, cash := strings.ToLower(kind), "adjustment"
	switch word {
	case "deposit", "withdrawal", "transfer":
		cash = inOrOut(amount)
	case "realisedpnl":
		kind += " " + w.Text("address")
		w.Reader().Out.Warn("The wallet has results of days and no fills: they were taken as adjustments of the balance. Import the trade history to have the trades.")
	}
	w.Money(statement.Cash{Type: cash, Amount: c.amount, Currency: c.coin, At: at.At, Note: kind})
}
