package europe

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// freetrade knows the activity of an account: a row an order, with the rate
// before the fee for changing money, and that fee.
func freetrade() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Freetrade", Export: "activity", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Title", "Type", "Timestamp", "Account Currency", "Total Amount", "Buy / Sell", "Ticker", "Quantity", "Order ID", "Price per Share"},
		Zone:   london, Costs: statement.CostsPositive, NewestFirst: true,
		Each: freetradeRow,
	}}
}

func freetradeRow(w *statement.Row) {
	kind := w.Text("Type")
	if kind == "" {
		w.Ignore()
		return
	}
	e := event{
		word: kind, symbol: w.Text("Ticker"), name: w.Text("Title"), at: w.Moment("Timestamp"),
		currency: w.Text("Account Currency"), amount: w.Null("Total Amount"), note: w.Text("Title"),
	}
	if w.Text("Buy / Sell") == "" {
		if strings.Contains(kind, "WITHDRAWAL") {
			e.amount = decimal.Of(e.amount.Decimal.Abs().Neg())
		}
		if s := senseOf(kind); s == corporate || e.symbol == "" || s == dividend {
			e.emit(w, s)
			return
		}
		e.leaveOut(w)
		return
	}
	side, _ := w.Side("Buy / Sell")
	d := deal{
		event: e, side: side, quantity: w.Required("Quantity"), fees: w.Cost("Stamp Duty", "FX Fee Amount"), id: w.Text("Order ID"),
	}
	if price := w.Null("Price per Share"); price.Valid {
		d.price, d.money = price.Decimal, w.Text("Instrument Currency")
	} else {
		d.price = w.Required("Price per Share in Account Currency")
	}
	d.amount = signed(d.amount, side)
	if d.money != "" && d.money != d.currency {
		d.worth = worth(d.quantity, d.price, d.amount.Decimal.Add(d.fees), w.Null("Base FX Rate|FX Rate"))
	}
	d.fill(w)
	if kind == "FREESHARE_ORDER" && !e.amount.Decimal.IsZero() {
		e.amount, e.note = decimal.Of(e.amount.Decimal.Abs()), "Free share"
		e.pay(w, transfer)
	}
}

// hargreaves knows the transaction summary of Hargreaves Lansdown: days only,
// newest first, unit costs in pence, and the costs hidden in the value. What a
// row is stands in its reference: that of a contract note begins with B or S.
func hargreaves() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Hargreaves Lansdown", Export: "transaction summary", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Trade date", "Settle date", "Reference", "Description", "Unit cost (p)", "Quantity"},
		Zone:   london, Order: statement.DayFirst, NewestFirst: true,
		Each: hargreavesRow,
	}}
}

var (
	hargreavesNote = regexp.MustCompile(`^([BS])\d+$`)
	hargreavesName = regexp.MustCompile(`^(.+?)\s+[\d.,]+\s+@\s+[\d.,]+$`)
)

func hargreavesRow(w *statement.Row) {
	reference, description := w.Text("Reference"), w.Text("Description")
	if reference == "" && w.Text("Trade date") == "" {
		w.Ignore()
		return
	}
	e := event{word: reference, at: w.Moment("Trade date"), currency: "GBP", amount: w.Null("Value (£)|Value"), note: description}
	note := hargreavesNote.FindStringSubmatch(reference)
	if note == nil {
		e.emit(w, senseOf(reference+" "+description))
		return
	}
	if name := hargreavesName.FindStringSubmatch(description); name != nil {
		description = name[1]
	}
	d := deal{
		event: e, side: matching.Buy, quantity: w.Required("Quantity"), price: w.Required("Unit cost (p)"), money: "GBX",
		worth: decimal.Of(decimal.Must("0.01")), id: reference,
	}
	if note[1] == "S" {
		d.side = matching.Sell
	}
	d.symbol, d.amount = symbolOf("", description), signed(e.amount, d.side)
	d.commission = hiddenCosts(&d)
	d.fill(w)
}
