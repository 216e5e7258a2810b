package savers

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
	// status is the column that must say "executed", where there is one.
	status string

	symbol, isin, name  string // the first that is filled is the symbol
	at, date, tod       string // one column for day and time, or two
	quantity, price     string
	amount              string // what was traded, in money
	hidden              bool   // the amount has costs in it that stand nowhere else
	unsigned            bool   // amounts have no sign: the word says which way they went
	costs               []string
	priced, money, rate string // currencies of price and amount, and the rate between them
	home                string // the currency of amounts where no column tells
	id                  string
}

// row reads one row.
func (l *ledger) row(w *statement.Row) {
	word := w.Text(l.word)
	switch {
	case word == "" && w.Text(l.date+"|"+l.at) == "":
		w.Ignore()
		return
	case l.status != "" && !strings.EqualFold(w.Text(l.status), "executed"):
		w.Skip(statement.ReasonNotFilled)
		return
	}
	if side, ok := l.side(word); ok {
		l.fill(w, side)
		return
	}
	l.cash(w, word)
}

// side reads the word. A word of a known sort of cash is no side, whatever else
// it may mean.
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

func (l *ledger) currency(w *statement.Row, column string) string {
	if column != "" {
		if text := w.Text(column); text != "" {
			return strings.ToUpper(text)
		}
	}
	return l.home
}

// fill reads a buy or a sell, and gives it unless the row failed. Without a
// price the amount gives it.
func (l *ledger) fill(w *statement.Row, side matching.Side) *statement.Fill {
	f := statement.Fill{Side: side, Quantity: w.Required(l.quantity).Abs(), Fees: w.Cost(l.costs...)}
	l.called(w, &f)
	at := l.moment(w)
	f.At, f.DateOnly = at.At, at.DateOnly
	amount := w.Null(l.amount)
	amount.Decimal = amount.Decimal.Abs()
	switch {
	case l.price != "":
		f.Price = w.Required(l.price)
	case !amount.Valid || f.Quantity.IsZero():
		w.Fail("There is no quantity or no amount to compute the price from.")
	default:
		f.Price = amount.Decimal.DivRound(f.Quantity, rateScale)
	}
	if w.Failed() {
		return nil
	}
	if l.id != "" {
		f.ID = w.Text(l.id)
	}
	l.worth(w, &f, amount)
	return w.Fill(f)
}

// undo reads a buy or a sell that was taken back: the other side, and its costs
// returned.
func (l *ledger) undo(w *statement.Row, side matching.Side) {
	f := l.fill(w, side)
	if f == nil {
		return
	}
	f.Side = matching.Buy
	if side == matching.Buy {
		f.Side = matching.Sell
	}
	f.Fees, f.StatedCashFlow.Decimal = f.Fees.Neg(), f.StatedCashFlow.Decimal.Neg()
}

// worth settles costs and currencies by the amount.
func (l *ledger) worth(w *statement.Row, f *statement.Fill, amount decimal.Null) {
	d := deal{home: l.currency(w, l.money), gross: amount.Decimal}
	d.priced = d.home
	if l.priced != "" {
		d.priced = l.currency(w, l.priced)
	}
	if l.rate != "" {
		d.rate = w.Null(l.rate)
	}
	if amount.Valid && l.price != "" {
		costs := f.Fees
		if l.hidden {
			f.Fees, costs = hiddenCosts(f, amount.Decimal), decimal.Zero
		}
		f.StatedCashFlow = flow(f.Side, amount.Decimal, costs)
	}
	d.settle(w, f)
}

// called gives the fill its symbol and keeps the other names beside it.
func (l *ledger) called(w *statement.Row, f *statement.Fill) {
	names := [...]struct{ column, key string }{{l.symbol, "symbol"}, {l.isin, "isin"}, {l.name, "name"}}
	for _, n := range names {
		if n.column == "" {
			continue
		}
		text := strings.TrimSpace(w.Text(n.column))
		if f.Symbol == "" {
			f.Symbol = strings.ToUpper(text)
			continue
		}
		note(f, n.key, text)
	}
}

// cash reads a row that is no fill.
func (l *ledger) cash(w *statement.Row, word string) {
	kind := sortOf(word, l.sorts)
	amount := w.Null(l.amount)
	if kind == shares || !amount.Valid {
		leftOut(w, word)
		return
	}
	if l.unsigned && (kind == fee || kind == withdrawal) {
		amount.Decimal = amount.Decimal.Abs().Neg()
	}
	c := statement.Cash{Amount: amount.Decimal, At: l.moment(w).At, Note: word, Currency: l.currency(w, l.money)}
	for _, column := range []string{l.symbol, l.isin, l.name} {
		if column != "" && w.Text(column) != "" {
			c.Note += ": " + w.Text(column)
			break
		}
	}
	book(w, kind, c)
}
