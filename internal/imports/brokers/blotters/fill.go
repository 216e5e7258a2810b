package blotters

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// columns says where a fill is in a row. Either at has day and time, or date has
// the day and tod the time.
type columns struct {
	symbol, side, quantity, price string
	at, date, tod                 string
	commission, id                string
	fees                          []string
}

// fill reads a row. It gives nothing where no quantity is filled, as in a list
// of orders.
func (c columns) fill(w *statement.Row) (statement.Fill, bool) {
	quantity := w.Null(c.quantity)
	if quantity.Decimal.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return statement.Fill{}, false
	}
	f := statement.Fill{Quantity: quantity.Decimal, Price: w.Required(c.price), Fees: w.Cost(c.fees...)}
	f.Side, f.Effect = w.Side(c.side)
	if c.commission != "" {
		f.Commission = w.Cost(c.commission)
	}
	if c.id != "" {
		f.ID = w.Text(c.id)
	}
	at := c.moment(w)
	f.At, f.DateOnly = at.At, at.DateOnly
	return f, true
}

func (c columns) moment(w *statement.Row) statement.Moment {
	if c.at != "" {
		return w.Moment(c.at)
	}
	return w.DateAndTime(c.date, c.tod)
}

// foreign notes that a fill is in other money than the account.
func foreign(w *statement.Row, f *statement.Fill, currency string) {
	r := w.Reader()
	currency = strings.ToUpper(currency)
	r.Out.NoteCurrency(currency)
	if home := r.Hints.Currency; currency != "" && home != "" && currency != home {
		r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", currency, home)
		f.Details = map[string]string{"currency": currency}
	}
}
