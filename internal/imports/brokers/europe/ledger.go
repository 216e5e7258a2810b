package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// ledger is an account of money in which a column says of each row whether it
// is a buy, a sell or a sort of cash. Fields are names of columns unless told
// otherwise; those that a broker does not have stay empty.
type ledger struct {
	word string // what the row is
	// sides are words, in lower case, that mean buying or selling only here.
	sides map[string]matching.Side
	// sorts are looked through for rows that are neither. Rows of no known sort
	// that move money are adjustments.
	sorts []sort

	symbol, name, isin   string // the first that is filled is the symbol
	at, date, tod        string // one column for day and time, or two
	quantity, price      string
	amount               string // what moved, in money
	net                  bool   // the amount has the costs in it
	hidden               bool   // costs are stated nowhere but in the amount
	costs                []string
	priced, money, rate  string // currencies of price and amount, and what lies between
	home, pricedIn       string // those currencies where no column tells them
	id                   string
	notes                string
	taxed                string // a column of tax beside the amount of cash, with its own sign
	instrument           string
	instrumentOf         map[string]string // by the words of that column
	crossesOut           func(*statement.Row) bool
	asCash               func(*statement.Row, *statement.Fill) // what a fill moves besides
	bare                 bool                                  // costs of cash stand beside its amount
}

// row reads one row.
func (l *ledger) row(w *statement.Row) {
	word := strings.TrimSpace(w.Text(l.word))
	if word == "" && w.Text(l.date+"|"+l.at) == "" {
		w.Ignore()
		return
	}
	if l.crossesOut != nil && l.crossesOut(w) {
		return
	}
	if side, ok := l.side(word); ok {
		l.fill(w, side)
		return
	}
	l.cash(w, word)
}

func (l *ledger) side(word string) (matching.Side, bool) {
	if side, ok := l.sides[strings.ToLower(word)]; ok {
		return side, true
	}
	if sortOf(word, l.sorts) != "" {
		return "", false
	}
	side, _, ok := statement.SideWord(word)
	return side, ok
}

func (l *ledger) moment(w *statement.Row) statement.Moment {
	if l.at != "" {
		return w.Moment(l.at)
	}
	return w.DateAndTime(l.date, l.tod)
}

func (l *ledger) currency(w *statement.Row, column, otherwise string) string {
	if column != "" {
		if text := w.Text(column); text != "" {
			return text
		}
	}
	return otherwise
}

// fill reads a buy or a sell.
func (l *ledger) fill(w *statement.Row, side matching.Side) {
	f := statement.Fill{Side: side, Quantity: w.Required(l.quantity).Abs(), Fees: w.Cost(l.costs...)}
	l.named(w, &f)
	at := l.moment(w)
	f.At, f.DateOnly = at.At, at.DateOnly
	amount := decimal.Null{}
	if l.amount != "" {
		amount = w.Null(l.amount)
	}
	gross := l.gross(side, amount.Decimal.Abs(), f.Fees)
	l.priceOf(w, &f, gross)
	if l.id != "" {
		f.ID = w.Text(l.id)
	}
	if w.Failed() {
		return
	}
	home := l.currency(w, l.money, l.home)
	d := deal{priced: l.currency(w, l.priced, l.pricedIn), home: home, gross: gross}
	if d.priced == "" {
		d.priced = home
	}
	if l.rate != "" {
		d.rate = rateIn(w, l.rate)
	}
	if l.hidden && amount.Valid {
		f.Fees = hiddenCosts(&f, amount.Decimal, d.known())
	}
	if amount.Valid && l.price != "" {
		f.StatedCashFlow = flow(side, l.moved(side, amount.Decimal.Abs(), f.Fees))
	}
	d.settle(w, &f)
	done := w.Fill(f)
	if l.asCash != nil {
		l.asCash(w, done)
	}
}

// known is the worth of a price before the amount is looked at, for files whose
// costs can only be told from it.
func (d deal) known() decimal.Decimal {
	switch {
	case pence(d.priced) == "GBX" && strings.EqualFold(d.home, "GBP"):
		return decimal.FromScaled(1, 2)
	case d.rate.Valid:
		return d.rate.Decimal
	}
	return decimal.New(1)
}

// gross takes the costs out of an amount that has them in it.
func (l *ledger) gross(side matching.Side, amount, costs decimal.Decimal) decimal.Decimal {
	switch {
	case !l.net:
		return amount
	case side == matching.Buy:
		return amount.Sub(costs)
	}
	return amount.Add(costs)
}

// moved is what went in or out, costs included.
func (l *ledger) moved(side matching.Side, amount, costs decimal.Decimal) decimal.Decimal {
	switch {
	case l.net || l.hidden:
		return amount
	case side == matching.Buy:
		return amount.Add(costs)
	}
	return amount.Sub(costs)
}

// priceOf reads the price, or computes it where the file has only the amount.
func (l *ledger) priceOf(w *statement.Row, f *statement.Fill, gross decimal.Decimal) {
	switch {
	case l.price != "":
		f.Price = w.Required(l.price)
	case f.Quantity.IsZero():
		w.Fail("The quantity of %s is zero.", f.Symbol)
	case gross.IsZero():
		w.Fail("There is no value in column %s.", l.amount)
	default:
		f.Price = gross.DivRound(f.Quantity, rateScale)
	}
}

// named gives the fill its symbol and keeps the other names beside it.
func (l *ledger) named(w *statement.Row, f *statement.Fill) {
	symbol := ""
	for _, column := range []string{l.symbol, l.isin, l.name} {
		if column == "" {
			continue
		}
		text := w.Text(column)
		if symbol == "" {
			symbol = text
		} else if column == l.name {
			note(f, "name", text)
		} else {
			note(f, "isin", text)
		}
	}
	kind := ""
	if l.instrument != "" {
		kind = l.instrumentOf[strings.ToLower(w.Text(l.instrument))]
	}
	f.Symbol, f.Type = strings.ToUpper(strings.TrimSpace(symbol)), kind
}

// rateIn is a rate, for which files write words where there is none.
func rateIn(w *statement.Row, column string) decimal.Null {
	n, err := statement.Number(w.Text(column), statement.Unsettled)
	if err != nil {
		return decimal.Null{}
	}
	if strings.Contains(w.Text(column), ",") {
		return w.Null(column) // the column knows whether that is a thousand
	}
	return decimal.Of(n)
}

// cash reads a row that is no fill.
func (l *ledger) cash(w *statement.Row, word string) {
	kind := sortOf(word, l.sorts)
	switch kind {
	case nothing:
		return
	case shares:
		leftOut(w, word)
		return
	}
	amount := w.Null(l.amount)
	if !amount.Valid {
		if l.quantity != "" && w.Text(l.quantity) != "" {
			leftOut(w, word)
		}
		return
	}
	c := statement.Cash{Amount: amount.Decimal, At: l.moment(w).At, Note: l.described(w, word)}
	if l.bare {
		c.Amount = c.Amount.Sub(w.Cost(l.costs...))
	}
	if l.taxed != "" {
		c.Amount = c.Amount.Add(w.Decimal(l.taxed))
	}
	c.Currency = l.currency(w, l.money, l.home)
	book(w, kind, c)
}

func (l *ledger) described(w *statement.Row, word string) string {
	parts := []string{word}
	for _, column := range []string{l.symbol, l.isin, l.name, l.notes} {
		if column != "" && w.Text(column) != "" {
			parts = append(parts, w.Text(column))
			break
		}
	}
	return strings.Join(parts, ": ")
}
