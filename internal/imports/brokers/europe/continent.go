package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// rabobank knows the Dutch list of mutations, with a time for trades and a day
// for money.
func rabobank() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Rabobank", Export: "mutations", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Portefeuille", "Naam", "Datum", "Type mutatie", "Valuta mutatie", "Volume", "Koers", "Waarde", "Bedrag", "Isin code"},
		Zone:   amsterdam, Order: statement.DayFirst, NewestFirst: true,
		Each: rabobankRow,
	}}
}

func rabobankRow(w *statement.Row) {
	kind := w.Text("Type mutatie")
	if kind == "" {
		w.Ignore()
		return
	}
	e := event{
		word: kind, symbol: symbolOf(w.Text("Isin code"), ""), name: w.Text("Naam"), at: w.DateAndTime("Datum", "Tijd"),
		currency: w.Text("Valuta mutatie"), amount: w.Null("Bedrag"), note: strings.TrimSpace(kind + " " + w.Text("Naam")),
	}
	side, trades := sideWord(kind)
	if !trades {
		e.emit(w, senseOf(kind))
		return
	}
	e.symbol = symbolOf(e.symbol, e.name)
	d := deal{event: e, side: side, quantity: w.Required("Volume"), price: w.Required("Koers"), money: w.Text("Valuta koers")}
	if d.money != "" && d.money != d.currency {
		d.worth = worth(d.quantity, d.price, w.Decimal("Waarde"), decimal.Null{})
	}
	d.commission = hiddenCosts(&d)
	d.fill(w)
}

// swissquote knows the list of transactions, in several currencies at once: each
// row is in its own.
func swissquote() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Swissquote", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Date", "Order #", "Transaction", "Symbol", "Name", "ISIN", "Quantity", "Unit price", "Costs", "Accrued Interest", "Net Amount", "Currency"},
		Zone:   "Europe/Zurich", Order: statement.DayFirst, Costs: statement.CostsPositive, NewestFirst: true,
		Each: swissquoteRow, Done: manyMoneys,
	}}
}

func swissquoteRow(w *statement.Row) {
	kind := w.Text("Transaction")
	if kind == "" {
		w.Ignore()
		return
	}
	e := event{
		word: kind, symbol: w.Text("Symbol"), name: w.Text("Name"), at: w.Moment("Date"), currency: w.Text("Currency"),
		amount: w.Null("Net Amount"), note: strings.TrimSpace(kind + " " + w.Text("Name")),
	}
	side, _, trades := statement.SideWord(kind)
	if !trades {
		s := senseOf(kind)
		if s == exchange {
			swissquoteRate(w, e)
		}
		e.emit(w, s)
		return
	}
	if e.symbol == "" {
		e.symbol = symbolOf(w.Text("ISIN"), e.name)
	}
	d := deal{
		event: e, side: side, quantity: w.Required("Quantity"), price: w.Required("Unit price"),
		commission: w.Cost("Costs"), fees: w.Cost("Accrued Interest"),
	}
	d.fill(w)
}

// swissquoteRate notes the rate of money that was changed, which the second of
// its two rows completes.
func swissquoteRate(w *statement.Row, e event) {
	legs, ok := w.Reader().Memory.(map[string]event)
	if !ok {
		legs = map[string]event{}
		w.Reader().Memory = legs
	}
	order := w.Text("Order #")
	first, known := legs[order]
	if !known {
		legs[order] = e
		return
	}
	if from, to := first.amount.Decimal.Abs(), e.amount.Decimal.Abs(); !from.IsZero() {
		w.Rate(first.currency, e.currency, to.DivRound(from, rateScale), e.at.At)
	}
}

// revolut knows the statement of a stock account. Amounts carry the sign of
// their currency, and those of trades no sign for the side.
func revolut() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Revolut", Export: "stocks", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Date", "Ticker", "Type", "Quantity", "Price per share", "Total Amount", "Currency", "FX Rate"},
		Zone:   "UTC",
		Each:   revolutRow,
	}}
}

func revolutRow(w *statement.Row) {
	kind := w.Text("Type")
	if kind == "" {
		w.Ignore()
		return
	}
	e := event{
		word: kind, symbol: w.Text("Ticker"), at: w.Moment("Date"), currency: w.Text("Currency"), amount: w.Null("Total Amount"), note: kind,
	}
	side, trades := sideWord(kind)
	if !trades {
		if s := senseOf(kind); e.symbol == "" || !e.amount.Decimal.IsZero() || s == corporate {
			e.emit(w, s)
			return
		}
		e.leaveOut(w)
		return
	}
	quantity := loose(w, "Quantity")
	if !quantity.Valid {
		w.Fail("There is no quantity.")
	}
	d := deal{event: e, side: side, quantity: quantity.Decimal, price: w.Required("Price per share")}
	d.amount = signed(d.amount, side)
	d.fees = hiddenCosts(&d)
	d.fill(w)
}

// exante knows the list of trades, from other people's code only. Nobody said in
// which zone its times are.
func exante() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Exante", Export: "trades", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Time", "Account ID", "Side", "Symbol ID", "ISIN", "Type", "Price", "Currency", "Quantity", "Commission", "Commission Currency", "Order Id", "Order pos"},
		Columns: map[statement.Target]string{
			"executed_at": "Time", "side": "Side", "symbol": "Symbol ID", "instrument_type": "Type", "price": "Price", "currency": "Currency",
			"quantity": "Quantity", "commission": "Commission", "external_id": "Unique Transaction Identifier (UTI)",
		},
		Costs: statement.CostsPositive, NewestFirst: true,
		Done: exanteSymbols,
	}}
}

// exanteSymbols takes the exchange behind symbols away: AAPL.NASDAQ.
func exanteSymbols(r *statement.Reader) {
	for _, f := range r.Out.Fills {
		if symbol, exchange, ok := strings.Cut(f.Symbol, "."); ok && !strings.Contains(exchange, ".") {
			f.Symbol = symbol
		}
	}
}

// releve knows a French account statement of no particular bank: a preamble,
// decimal commas, amounts without costs and without a sign, and a total.
func releve() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Relevé de compte", Export: "French account statement", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Date d'operation|Date d'opération|Date opération", "Operation|Opération", "ISIN|Code ISIN", "Libelle|Libellé", "Quantite|Quantité", "Cours", "Montant", "Frais"}, //nolint:misspell // French
		Zone:   "Europe/Paris", Order: statement.DayFirst, Costs: statement.CostsPositive,
		Each: releveRow,
	}}
}

func releveRow(w *statement.Row) {
	kind := w.Text("Operation|Opération")
	if kind == "" {
		w.Ignore() // the total and the end
		return
	}
	name := w.Text("Libelle|Libellé")
	e := event{
		word: kind, name: name, symbol: symbolOf(w.Text("ISIN|Code ISIN"), ""), at: w.Moment("Date d'operation|Date d'opération|Date opération"),
		currency: w.Text("Devise"), amount: w.Null("Montant"), note: strings.TrimSpace(kind + " " + name),
	}
	side, _, trades := statement.SideWord(kind)
	if !trades {
		e.emit(w, senseOf(kind))
		return
	}
	e.symbol = symbolOf(e.symbol, name)
	d := deal{
		event: e, side: side, price: w.Required("Cours"), commission: w.Cost("Frais"),
		quantity: w.Required("Quantite|Quantité"), //nolint:misspell // French
	}
	d.amount = signed(d.amount, side)
	if d.amount.Valid {
		d.amount.Decimal = d.amount.Decimal.Sub(d.commission)
	}
	d.fill(w)
}
