package metatrader

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// ledger reads the tickets in an MT4 statement. A partly closed ticket goes on under a
// new number; such a chain is one position, named after its first known ticket.
type ledger struct {
	r         *statement.Reader
	tickets   tabular.Table
	currency  string
	parent    map[string]string // ticket by the one continuing it
	positions map[string]*position
	archived  decimal.Decimal // results given as a sum only
}

func newLedger(r *statement.Reader, tickets tabular.Table, currency string) *ledger {
	l := &ledger{r: r, tickets: tickets, currency: currency, parent: map[string]string{}, positions: map[string]*position{}}
	for _, row := range tickets.Rows[1:] {
		l.link(row.Cells[0], row.Cells[commentAt])
	}
	return l
}

// linkText is how a comment points to the other ticket in a partial close.
var linkText = lazyregexp.New(`\b(to|from) #(\d+)`)

func (l *ledger) link(ticket, comment string) {
	for _, found := range linkText().FindAllStringSubmatch(comment, -1) {
		older, newer := ticket, found[2]
		if found[1] == "from" {
			older, newer = newer, older
		}
		if older != newer {
			l.parent[newer] = older
		}
	}
}

// root returns the first ticket in a ticket's chain.
func (l *ledger) root(ticket string) string {
	for range len(l.parent) { // a file could chain tickets in a circle
		older, ok := l.parent[ticket]
		if !ok {
			break
		}
		ticket = older
	}
	return ticket
}

func (l *ledger) section() *statement.Reader { return l.r.Section(l.tickets, 0, len(l.tickets.Rows)) }

// index adds up the positions the tickets are parts of.
func (l *ledger) index() {
	for w := range l.section().Rows() {
		if kind := strings.ToLower(w.Text("Type")); isSide(kind) && !isArchive(w) {
			l.part(w)
		}
		w.Drop()
	}
}

// part adds a ticket to its position.
func (l *ledger) part(w *statement.Row) {
	id := l.root(w.Text("Ticket"))
	side, _ := w.Side("Type")
	c := ticketClosing(w)
	p := &position{
		id: id, lot: id, fillID: id + "/open", symbol: w.Text("Item"), side: side, openedAt: w.Text("Open Time"), price: w.Required("Price"),
		stop: level(w.Null("S / L")), target: statement.NonZero(w.Null("T / P")), comment: ticketComment(w.Text("Comment")),
	}
	if w.Failed() {
		return
	}
	if known := l.positions[id]; known != nil {
		p = known
	}
	l.positions[id] = p
	if c.at == "" {
		p.left = p.left.Add(c.volume)
		return
	}
	p.closed = p.closed.Add(c.volume)
	p.closings = append(p.closings, c)
}

func ticketClosing(w *statement.Row) *closing {
	return &closing{at: w.Text("Close Time"), price: w.Required("Close Price"), volume: w.Required("Size"), profit: w.Decimal("Profit")}
}

// take reads the tickets.
func (l *ledger) take() {
	for w := range l.section().Rows() {
		switch kind := strings.ToLower(w.Text("Type")); {
		case isSide(kind) && isArchive(w):
			l.archive(w)
		case isSide(kind):
			l.trade(w)
		case isTrade(kind):
			w.Skip("order not filled")
		default:
			l.money(w)
		}
	}
}

// trade reads a ticket that bought or sold. While it is open, its costs so far are left
// to the closing statement.
func (l *ledger) trade(w *statement.Row) {
	ticket := w.Text("Ticket")
	c := ticketClosing(w)
	p := l.positions[l.root(ticket)]
	if p == nil { // it could not be read
		w.Side("Type")
		w.Required("Price")
		return
	}
	if c.volume.IsZero() && c.profit.IsZero() {
		w.Skip("other half of a ticket closed by an opposite one")
		return
	}
	if c.at == "" {
		l.r.Out.Warn("Open trades are imported without a result until a later statement closes them.")
		p.enterOrSkip(w)
		return
	}
	p.leave(w, c, costs{commission: w.Cost("Commission"), fees: w.Cost("Taxes", "Swap")}, ticket+"/close")
}

// isArchive reports whether a row replaces many trades: brokers replace trades from past
// years by their result.
func isArchive(w *statement.Row) bool {
	return strings.HasPrefix(w.Text("Comment"), "Summary trade result") ||
		strings.EqualFold(w.Text("Item"), "profit") && isZero(w.Text("Price")) && isZero(w.Text("Close Price"))
}

func (l *ledger) archive(w *statement.Row) {
	amount := decimal.Sum(w.Decimal("Commission"), w.Decimal("Taxes"), w.Decimal("Swap"), w.Decimal("Profit"))
	at := w.Moment("Close Time|Open Time")
	if w.Failed() || amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	l.archived = l.archived.Add(amount)
	l.r.Out.Warn("The broker keeps only the sum of some past trades; it was read as an adjustment of cash.")
	note := w.Text("Comment")
	if note == "" {
		note = "Summary trade result"
	}
	w.Money(statement.Cash{Type: "adjustment", Amount: amount, Currency: l.currency, At: at.At, Note: note})
}

func (l *ledger) money(w *statement.Row) {
	amount, at := w.Required("Profit"), w.Moment("Open Time")
	if amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	emitCash(w, statement.Cash{Amount: amount, Currency: l.currency, At: at.At})
}

// ticketComment returns a ticket's comment without the terminal's link to another ticket.
func ticketComment(title string) string {
	return strings.TrimSpace(linkText().ReplaceAllString(title, ""))
}
