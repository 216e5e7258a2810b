package europe

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// saxo knows the list of transactions. A trade is a text, and the amount is
// what it moved after costs.
func saxo() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Saxo Bank", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Trade Date", "Value Date", "Type", "Instrument", "Instrument ISIN", "Instrument currency", "Instrument Symbol", "Event", "Amount"},
		Zone:   "Europe/Copenhagen", NewestFirst: true,
		Each: saxoRow, Done: manyMoneys,
	}}
}

// saxoTrade is how a trade is told: "Sell 3 @ 139.74 USD".
var saxoTrade = regexp.MustCompile(`^(\p{L}+(?: \p{L}+)*?) (-?[\d.,]+) @ ([\d.,]+) ([A-Za-z]{3})$`)

func saxoRow(w *statement.Row) {
	told := w.Text("Event")
	if told == "" && w.Text("Trade Date") == "" {
		w.Ignore()
		return
	}
	symbol, _, _ := strings.Cut(w.Text("Instrument Symbol"), ":")
	if symbol == "" {
		symbol = w.Text("Instrument ISIN")
	}
	e := event{
		word: told, symbol: symbol, name: w.Text("Instrument"), at: w.Moment("Trade Date"), amount: loose(w, "Amount"), note: told,
	}
	trade := saxoTrade.FindStringSubmatch(told)
	if trade == nil {
		s := senseOf(told)
		if s == unknown && w.Text("Type") == "Cash Transfer" {
			s = transfer
		}
		e.emit(w, s)
		return
	}
	side, ok := sideWord(trade[1])
	if !ok {
		e.leaveOut(w)
		return
	}
	d := deal{
		event: e, side: side, quantity: inText(w, trade[2], statement.Unsettled), price: inText(w, trade[3], statement.Unsettled),
		money: trade[4],
	}
	d.worth = saxoWorth(&d, w.Null("Conversion Rate"))
	if !d.worth.Valid {
		d.currency = d.money
	}
	d.commission = hiddenCosts(&d)
	d.fill(w)
}

// saxoWorth is what a unit of the price is in the money of the amount. The
// amount has costs in it, so of what the rate offers the nearest is taken.
func saxoWorth(d *deal, rate decimal.Null) decimal.Null {
	amount, traded := d.amount.Decimal.Abs(), d.quantity.Mul(d.price).Abs()
	off := func(c decimal.Decimal) decimal.Decimal { return traded.Mul(c).Sub(amount).Abs() }
	one := decimal.New(1)
	best := one
	for _, c := range rates(rate) {
		if off(c).Cmp(off(best)) < 0 {
			best = c
		}
	}
	const tenth = 10 // more than that are no costs
	if best.Equal(one) || off(best).Mul(decimal.New(tenth)).Cmp(amount) > 0 {
		return decimal.Null{}
	}
	return decimal.Of(best)
}
