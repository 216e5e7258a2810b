package europe

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// degiroTrade is how the account tells a trade: the number, in some languages
// the product, the price and its currency. What stands in front of a colon says
// that it was none, but a change of the product.
var degiroTrade = regexp.MustCompile(`^(?:(.+?)\s*:\s*)?(\p{L}+) ([\d.,\s\p{Zs}']*\d)(?: .*?)?\s?@\s?([\d.,]+) ([A-Z]{3})\b`)

// degiroBook is what has to be known of the whole file: how numbers are
// written, and what belongs to each order.
type degiroBook struct {
	separator statement.Separator
	orders    map[string]*degiroPaid
}

// degiroPaid is what the other rows of an order say: its costs, and both sides
// of the money that was changed for it, by currency.
type degiroPaid struct {
	commission, fees decimal.Decimal
	changed          map[string]decimal.Decimal
	fills            []*statement.Fill
	rows             []int // that only add to a trade
	trades           bool
}

// degiroAccount reads the account: one trade is several rows with one order id,
// its price in foreign money, the money that was changed for it and its costs.
// So the file is gone through twice.
func degiroAccount(r *statement.Reader) error {
	rows := degiroRows(r)
	book := &degiroBook{orders: map[string]*degiroPaid{}}
	for w := range r.Rows() {
		if w.Number == 1 {
			places{w}.separator()
			book.separator = r.Memory.(*degiroBook).separator //nolint:forcetypeassert // it was made in the line above
			r.Memory = book
			book.gather(rows, places{w})
		}
		readDegiro(w, book, rows[w.Line])
	}
	for _, paid := range book.orders {
		paid.settle(r.Out)
	}
	return nil
}

// degiroRows gives the order id of every line of the file. The export wraps
// long ids onto a line of their own.
func degiroRows(r *statement.Reader) map[int]string {
	orders := map[int]string{}
	last := 0
	for _, row := range r.File.Tables[0].Rows {
		end := len(row.Cells) - 1
		if end < 0 {
			continue
		}
		order := strings.TrimSpace(row.Cells[end])
		if isWrapped(row.Cells) {
			orders[last] += order
			continue
		}
		if len(row.Cells) >= len(r.Out.Headers) {
			orders[row.Line] = order
		}
		last = row.Line
	}
	return orders
}

// isWrapped tells that a row is nothing but the end of an order id.
func isWrapped(cells []string) bool {
	end := len(cells) - 1
	return end > 0 && cells[end] != "" && strings.TrimSpace(strings.Join(cells[:end], "")) == ""
}

// gather finds out which orders trade, and what was changed and paid for them.
func (b *degiroBook) gather(orders map[int]string, first places) {
	r := first.w.Reader()
	text, change := first.column(degiroText), first.column(degiroChange)
	for _, row := range r.File.Tables[0].Rows {
		order := orders[row.Line]
		if order == "" || text >= len(row.Cells) || change+1 >= len(row.Cells) {
			continue
		}
		paid := b.orders[order]
		if paid == nil {
			paid = &degiroPaid{changed: map[string]decimal.Decimal{}}
			b.orders[order] = paid
		}
		paid.add(row.Cells[text], row.Cells[change], row.Cells[change+1], b.separator)
	}
}

func (p *degiroPaid) add(text, currency, number string, sep statement.Separator) {
	if trade := degiroTrade.FindStringSubmatch(text); trade != nil {
		p.trades = p.trades || trade[1] == ""
		return
	}
	n, err := statement.Number(number, sep)
	if err != nil {
		return // its own row will tell
	}
	switch lower := strings.ToLower(text); {
	case senseOf(text) == exchange:
		p.changed[currency] = p.changed[currency].Add(n.Abs())
	case strings.Contains(lower, "autofx") || senseOf(text) == adjustment:
		p.fees = p.fees.Sub(n)
	default:
		p.commission = p.commission.Sub(n)
	}
}

// rate is what one unit of a currency was worth in the other one that was
// changed for the order, and which that is.
func (p *degiroPaid) rate(currency string) (decimal.Null, string) {
	from := p.changed[currency]
	if len(p.changed) != 2 || from.IsZero() {
		return decimal.Null{}, ""
	}
	for other, n := range p.changed {
		if other != currency && !n.IsZero() {
			return decimal.Of(n.DivRound(from, rateScale)), other
		}
	}
	return decimal.Null{}, ""
}

// settle gives the costs of an order to the first of its fills.
func (p *degiroPaid) settle(out *statement.Statement) {
	if len(p.fills) == 0 {
		return
	}
	first := p.fills[0]
	for _, row := range p.rows {
		out.Join(row, first.Row)
	}
	first.Commission, first.Fees = p.commission, p.fees
	if first.StatedCashFlow.Valid {
		first.StatedCashFlow = decimal.Of(first.StatedCashFlow.Decimal.Sub(p.commission).Sub(p.fees))
	}
}

// readDegiro reads a row of the account.
func readDegiro(w *statement.Row, book *degiroBook, order string) {
	g := places{w}
	if isWrapped(w.Cells) || w.Text(degiroText) == "" && w.Text(degiroDate) == "" {
		w.Ignore()
		return
	}
	text := w.Text(degiroText)
	amount, currency := g.amount(g.column(degiroChange))
	e := event{
		word: text, at: w.DateAndTime(degiroDate, degiroTime), amount: amount, currency: currency, note: text,
		symbol: symbolOf(w.Text(degiroISIN), ""), name: w.Text(degiroProduct),
	}
	paid := book.orders[order]
	trade := degiroTrade.FindStringSubmatch(text)
	switch {
	case trade != nil:
		readDegiroTrade(w, e, trade, paid, book.separator)
	case paid != nil && paid.trades: // its trade has it
		paid.rows = append(paid.rows, w.Number)
	default:
		e.emit(w, senseOf(text))
	}
}

// readDegiroTrade reads the row of an order that tells its trade.
func readDegiroTrade(w *statement.Row, e event, trade []string, paid *degiroPaid, sep statement.Separator) {
	side, _, ok := statement.SideWord(trade[2])
	if !ok || trade[1] != "" {
		e.word = strings.TrimSpace(trade[1])
		if !ok {
			e.word = trade[2]
		}
		if e.amount.Decimal.IsZero() {
			e.leaveOut(w)
			return
		}
		e.pay(w, adjustment)
		return
	}
	d := deal{event: e, side: side, money: trade[5]}
	own := d.numbers(w, trade[3], trade[4], sep)
	if paid != nil {
		if rate, home := paid.rate(e.currency); rate.Valid {
			own = decimal.Of(own.Or(decimal.New(1)).Mul(rate.Decimal))
			d.amount, d.currency = decimal.Of(e.amount.Decimal.Mul(rate.Decimal).Round(2)), home
		}
	}
	d.worth, d.amount = own, signed(d.amount, side)
	if f := d.fill(w); paid != nil && !w.Failed() {
		paid.fills = append(paid.fills, f)
	}
}

// numbers reads quantity and price from a text, which is written in the language
// of its day and not always as the columns are: the reading that explains the
// amount is the right one. It gives what a unit of the price is in the money of
// its own row: a hundredth for pence, a hundred for options, else one.
func (d *deal) numbers(w *statement.Row, quantity, price string, sep statement.Separator) decimal.Null {
	for _, s := range []statement.Separator{sep, statement.Comma, statement.Point} {
		q, err := statement.Number(quantity, s)
		p, wrong := statement.Number(price, s)
		if err != nil || wrong != nil {
			continue
		}
		for _, own := range []decimal.Decimal{decimal.New(1), decimal.Must("0.01"), decimal.New(100)} {
			if !near(q.Mul(p).Mul(own), d.amount.Decimal.Abs()) {
				continue
			}
			d.quantity, d.price = q, p
			if own.Equal(decimal.New(1)) {
				return decimal.Null{}
			}
			return decimal.Of(own)
		}
	}
	d.quantity, d.price = inText(w, quantity, sep), inText(w, price, sep)
	if isPence(d.money, d.currency) {
		return decimal.Of(decimal.Must("0.01"))
	}
	return decimal.Null{}
}

// inText reads a number that stands inside a text.
func inText(w *statement.Row, text string, sep statement.Separator) decimal.Decimal {
	n, err := statement.Number(text, sep)
	if err != nil {
		w.Fail("%v.", err)
	}
	return n
}

// flip is the other side.
func flip(side matching.Side) matching.Side {
	if side == matching.Buy {
		return matching.Sell
	}
	return matching.Buy
}
