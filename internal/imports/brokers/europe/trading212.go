package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// trading212 knows the history of an account. The set of columns changes every
// year and names carried the account's currency once, "Total (GBP)"; what is
// read has been there in all of them.
func trading212() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Trading 212", Export: "history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Action", "Time", "ISIN", "Ticker", "No. of shares", "Price / share", "Currency (Price / share)", "Exchange rate"},
		Zone:   "UTC", Costs: statement.CostsPositive,
		Each: trading212Row,
	}}
}

// trading212Costs are the columns of costs.
var trading212Costs = []string{
	"Transaction fee", "Finra fee", "Stamp duty", "Stamp duty reserve tax", "PTM levy", "French transaction tax", "Currency conversion fee",
}

func trading212Row(w *statement.Row) {
	r := w.Reader()
	action := w.Text("Action")
	total, currency := called(r, "Total")
	if currency == "" {
		currency = strings.ToUpper(w.Text("Currency (Total)"))
	}
	e := event{word: action, symbol: w.Text("Ticker"), name: w.Text("Name"), at: w.Moment("Time"), currency: currency}
	side, trades := sideWord(action)
	if !trades {
		trading212Cash(w, e, total)
		return
	}
	d := deal{
		event: e, side: side, quantity: w.Required("No. of shares"), price: w.Required("Price / share"),
		money: w.Text("Currency (Price / share)"), id: w.Text("ID"),
	}
	if result, _ := called(r, "Result"); result != "" {
		d.result = w.Null(result)
	}
	d.amount = signed(w.Null(total), side)
	if d.money != "" && d.money != currency {
		d.worth = trading212Worth(w, &d)
	}
	for _, name := range trading212Costs {
		d.fees = d.fees.Add(trading212Cost(w, &d, name))
	}
	d.fill(w)
}

// trading212Worth is what a unit of the price is in the account's money. The
// total includes the costs, which are small enough for the rate to be found.
func trading212Worth(w *statement.Row, d *deal) decimal.Null {
	rate := decimal.Null{}
	if n, err := statement.Number(w.Text("Exchange rate"), statement.Point); err == nil {
		rate = decimal.Of(n)
	}
	if isPence(d.money, d.currency) {
		return decimal.Of(decimal.Must("0.01"))
	}
	return worth(d.quantity, d.price, d.amount.Decimal, rate)
}

// trading212Cost is one sort of costs in the account's money. A fee of the
// American exchange is written in dollars.
func trading212Cost(w *statement.Row, d *deal, name string) decimal.Decimal {
	column, currency := called(w.Reader(), name)
	if column == "" {
		return decimal.Zero
	}
	cost := w.Cost(column)
	if currency == "" {
		currency = w.Text("Currency (" + name + ")")
	}
	if d.worth.Valid && currency == d.money && currency != d.currency {
		return cost.Mul(d.worth.Decimal).Round(2)
	}
	return cost
}

// trading212Cash reads a row that is no trade. The number columns of rows that
// move shares are not looked at, as such rows were seen with columns in the
// order of another year.
func trading212Cash(w *statement.Row, e event, total string) {
	s := senseOf(e.word)
	if e.symbol != "" && s != dividend {
		e.leaveOut(w)
		return
	}
	e.amount, e.note = w.Null(total), w.Text("Notes")
	if e.note == "" {
		e.note = e.word
	}
	e.emit(w, s)
}
