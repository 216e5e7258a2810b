package europe

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// degiro describes both exports of DEGIRO, in the languages of its customers. They
// name only one of the two columns that an amount and its currency take, so
// amounts are found by place. The account has the same trades as the
// transactions, to the minute, and they come out alike.
func degiro() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "DEGIRO", Export: "transactions", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{degiroDate, degiroTime, degiroProduct, degiroISIN, degiroQuantity, degiroPrice, degiroLocal},
			Zone:   amsterdam, Order: statement.DayFirst, NewestFirst: true,
			Each: degiroTransaction,
		},
		{
			Broker: "DEGIRO", Export: "account", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{degiroDate, degiroTime, degiroProduct, degiroISIN, degiroText, degiroChange, degiroBalance, degiroOrder},
			Zone:   amsterdam, Order: statement.DayFirst, NewestFirst: true,
			Whole: degiroAccount,
		},
	}
}

// The names of columns in English, Dutch, German, French, Spanish, Portuguese,
// Italian, Czech and Polish.
const (
	degiroDate     = "Date|Datum|Fecha|Data"
	degiroTime     = "Time|Tijd|Uhrzeit|Heure|Hora|Ora|Čas|Czas"
	degiroProduct  = "Product|Produkt|Produit|Producto|Produto|Prodotto" //nolint:misspell // Spanish
	degiroISIN     = "ISIN|Code ISIN"
	degiroQuantity = "Quantity|Aantal|Anzahl|Quantité|Número|Quantidade|Quantità|Počet|Liczba"
	degiroPrice    = "Price|Koers|Kurs|Cours|Precio|Preços|Preço|Quotazione|Cena"
	degiroLocal    = "Local value|Lokale waarde|Wert in Lokalwährun|Wert in Lokalwährung|Montant devise locale|Valor local|Valore locale|Hodnota v domácí měně|Wartość lokalna"
	degiroValue    = "Value|Waarde|Wert|Montant|Valor|Valore|Hodnota|Wartość"
	degiroRate     = "Exchange rate|Wisselkoers|Wechselkurs|Taux de change|Tipo de cambio|Taxa de Câmbio|Tasso di cambio|Směnný kurz|Kurs wymiany"
	degiroTotal    = "Total|Totaal|Gesamt|Montant négocié|Totale|Celkem|Razem"
	degiroText     = "Description|Omschrijving|Beschreibung|Descripción|Descrição|Descrizione|Popis|Opis"
	degiroChange   = "Change|Mutatie|Änderung|Mouvements|Mouvement|Variación|Mudança|Variazioni|Variazione|Změna|Zmiana"
	degiroBalance  = "Balance|Saldo|Solde|Zůstatek"
	degiroOrder    = "Order Id|Order-ID|ID Ordre|ID Orden|ID da Ordem|ID Ordine|ID objednávky|Identyfikator zlecenia"
)

// degiroCosts are how the names of the columns of costs begin; they go on in
// several ways.
var degiroCosts = []string{
	"transaction and/or", "transaction fee", "transactiekosten", "transaktionskost", "transaktionsgeb", "frais de courtage",
	"costes de transac", "custos de transa", "costi di transaz", "opłata transakc", "poplatek",
}

// degiroTransaction reads a trade: the sign of its quantity is its side, and
// what was paid is below zero.
func degiroTransaction(w *statement.Row) {
	g := places{w}
	if w.Text(degiroProduct) == "" && w.Text(degiroISIN) == "" {
		w.Ignore()
		return
	}
	quantity := g.number(g.column(degiroQuantity))
	price, money := g.amount(g.column(degiroPrice))
	value, currency := g.amount(g.column(calledIn(w, degiroValue)))
	rate, _ := g.amount(g.column(degiroRate))
	d := deal{
		event: event{
			symbol: symbolOf(w.Text(degiroISIN), w.Text(degiroProduct)), name: w.Text(degiroProduct),
			at: w.DateAndTime(degiroDate, degiroTime), currency: currency,
		},
		side: sideOf(quantity.Decimal), quantity: quantity.Decimal, price: price.Decimal, money: money,
	}
	if !quantity.Valid || !price.Valid {
		w.Fail("There is no quantity or no price.")
	}
	d.worth = worth(d.quantity, d.price, value.Decimal, rate)
	d.commission = g.cost(isDegiroCommission)
	d.fees = g.cost(func(header string) bool { return strings.Contains(header, "autofx") })
	d.amount, _ = g.amount(g.column(calledIn(w, degiroTotal)))
	d.fill(w)
}

func isDegiroCommission(header string) bool {
	return slices.ContainsFunc(degiroCosts, func(begin string) bool { return strings.HasPrefix(header, begin) })
}

// calledIn finds a column whose name may have a currency behind it.
func calledIn(w *statement.Row, names string) string {
	column, _ := called(w.Reader(), names)
	return column
}

// places finds the cells of a row by the place of a name in the header.
type places struct{ w *statement.Row }

// column is the place of the first column that has one of the names, or -1.
func (g places) column(names string) int {
	for name := range strings.SplitSeq(names, "|") {
		key := statement.HeaderKey(name)
		i := slices.IndexFunc(g.w.Reader().Out.Headers, func(h string) bool { return key != "" && statement.HeaderKey(h) == key })
		if i >= 0 {
			return i
		}
	}
	return -1
}

func (g places) cell(i int) string {
	if i < 0 || i >= len(g.w.Cells) {
		return ""
	}
	return strings.TrimSpace(g.w.Cells[i])
}

// unnamed reports whether a column has no name, and so belongs to the one before.
// The reader numbers such names from the second on.
func (g places) unnamed(i int) bool {
	headers := g.w.Reader().Out.Headers
	return i >= len(headers) || headers[i] == "" || headers[i][0] == '#'
}

// number reads the number in a place.
func (g places) number(i int) decimal.Null {
	text := g.cell(i)
	if statement.Blank(text) {
		return decimal.Null{}
	}
	n, err := statement.Number(text, g.separator())
	if err != nil {
		g.w.Fail("%s: %v.", g.w.Reader().Out.Headers[i], err)
		return decimal.Null{}
	}
	return decimal.Of(n)
}

// amount reads the number in a place and the currency with it, which is in
// front of it under the same name, behind it, or in the name.
func (g places) amount(i int) (decimal.Null, string) {
	if i < 0 {
		return decimal.Null{}, ""
	}
	headers := g.w.Reader().Out.Headers
	switch {
	case isCode(g.cell(i)) && g.unnamed(i+1):
		return g.number(i + 1), g.cell(i)
	case isCode(g.cell(i + 1)):
		return g.number(i), g.cell(i + 1)
	}
	name := headers[i]
	if code := name[strings.LastIndexByte(name, ' ')+1:]; isCode(code) && code != name {
		return g.number(i), code
	}
	return g.number(i), ""
}

// cost adds up the columns that are costs; paid is below zero.
func (g places) cost(is func(header string) bool) decimal.Decimal {
	sum := decimal.Zero
	for i, header := range g.w.Reader().Out.Headers {
		if is(statement.HeaderKey(header)) {
			n, _ := g.amount(i)
			sum = sum.Sub(n.Decimal)
		}
	}
	return sum
}

// separator decides over the whole file which sign marks decimals, as its
// columns without a name cannot be asked one by one.
func (g places) separator() statement.Separator {
	r := g.w.Reader()
	if known, ok := r.Memory.(*degiroBook); ok {
		return known.separator
	}
	book := &degiroBook{}
	var values []string
	for _, row := range r.File.Tables[0].Rows {
		for _, cell := range row.Cells {
			if strings.ContainsAny(cell, ",.") {
				values = append(values, cell)
			}
		}
	}
	book.separator = statement.SettleSeparator(values)
	r.Memory = book
	return book.separator
}
