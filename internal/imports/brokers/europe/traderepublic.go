package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// tradeRepublic knows the export of the app, and the older table that tools make
// of it, in Dutch, German or English. Securities are named by their ISIN.
func tradeRepublic() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "Trade Republic", Export: "transactions", Evidence: statement.RealFile, Format: statement.Executions,
			Header: []string{"datetime", "date", "account_type", "category", "type", "asset_class", "name", "symbol", "shares", "price", "amount", "fee", "tax", "currency"},
			Zone:   "Europe/Berlin", Costs: statement.CostsNegative,
			Each: republicRow,
		},
		{
			Broker: "Trade Republic", Export: "older transactions", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{"Datum|Date", "Transactietype|Typ|Type", "Waarde (netto)|Wert|Value", "Opmerking|Notiz|Note", "ISIN", "Aantal|Stück|Shares", "Kosten|Gebühren|Fees", "Belasting|Steuern|Taxes"},
			Zone:   "Europe/Berlin", NewestFirst: true,
			Each: oldRepublicRow,
		},
	}
}

// republicRow reads a row. Amounts are before fee and tax, which are below zero
// where they were paid.
func republicRow(w *statement.Row) {
	kind := w.Text("type")
	if kind == "" {
		w.Ignore()
		return
	}
	e := event{
		word: kind, symbol: w.Text("symbol"), name: w.Text("name"), at: w.Moment("datetime"), currency: w.Text("currency"),
		amount: w.Null("amount"), note: w.Text("description"),
	}
	tax, charge := w.Null("tax"), w.Cost("fee")
	shares := w.Null("shares")
	switch category := strings.ToUpper(w.Text("category")); {
	case category == "TRADING" && !shares.Decimal.IsZero():
		d := deal{
			event: e, side: republicSide(kind, e.amount.Decimal), quantity: shares.Decimal, price: w.Required("price"),
			commission: charge, id: w.Text("transaction_id"),
		}
		if d.amount.Valid {
			d.amount.Decimal = d.amount.Decimal.Sub(d.commission)
		}
		d.fill(w)
		e.payPart(w, adjustment, tax.Decimal, "Tax of "+kind)
		return
	case category == "CORPORATE_ACTION":
		e.leaveOut(w)
		e.payPart(w, adjustment, tax.Decimal, "Tax of "+kind)
	default:
		s := senseOf(strings.ReplaceAll(kind, "_", " "))
		e.emit(w, s)
		if s == dividend || s == interest {
			e.payPart(w, s, tax.Decimal, "Tax: "+e.note)
		} else {
			e.payPart(w, adjustment, tax.Decimal, "Tax of "+kind)
		}
	}
	e.payPart(w, fee, charge.Neg(), "Fee of "+kind)
}

// payPart emits a part of the row that is money of its own, if there is any.
func (e *event) payPart(w *statement.Row, s sense, amount decimal.Decimal, note string) {
	if amount.IsZero() {
		return
	}
	part := *e
	part.amount, part.note = decimal.Of(amount), note
	part.pay(w, s)
}

// republicSide is the side that the word says, or else what it did to the cash.
func republicSide(kind string, amount decimal.Decimal) matching.Side {
	if side, _, ok := statement.SideWord(kind); ok {
		return side
	}
	return flip(sideOf(amount))
}

// oldRepublicRow reads a row of the older table, which has no price: it follows
// from the amount, which is after costs. Thousands are never grouped in it, so
// that a comma and a point are the same.
func oldRepublicRow(w *statement.Row) {
	kind := w.Text("Transactietype|Typ|Type")
	if kind == "" {
		w.Ignore()
		return
	}
	number := func(names string) decimal.Null {
		text := w.Text(names)
		if text == "" {
			return decimal.Null{}
		}
		return decimal.Of(inText(w, strings.ReplaceAll(text, ",", "."), statement.Point))
	}
	name := w.Text("Opmerking|Notiz|Note")
	e := event{
		word: kind, symbol: symbolOf(w.Text("ISIN"), ""), name: name, at: w.Moment("Datum|Date"),
		amount: number("Waarde (netto)|Wert|Value"), note: strings.TrimSpace(kind + " " + name),
	}
	side, _, trades := statement.SideWord(kind)
	shares := number("Aantal|Stück|Shares")
	if !trades {
		e.emit(w, senseOf(kind))
		return
	}
	costs := number("Kosten|Gebühren|Fees").Decimal.Abs()
	taxes := number("Belasting|Steuern|Taxes").Decimal.Abs()
	if shares.Decimal.IsZero() || !e.amount.Valid {
		w.Fail("There is no quantity or no value.")
		return
	}
	d := deal{event: e, side: side, quantity: shares.Decimal.Abs(), commission: costs}
	d.symbol, d.amount = symbolOf(e.symbol, name), signed(e.amount, side)
	gross := d.amount.Decimal.Add(costs).Add(taxes).Abs()
	if d.amount.Valid {
		d.amount.Decimal = d.amount.Decimal.Add(taxes)
	}
	const priceScale = 8
	d.price = gross.DivRound(d.quantity, priceScale)
	d.fill(w)
	e.payPart(w, adjustment, taxes.Neg(), "Tax of "+e.note)
}
