package metatrader

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
)

// book joins the deals in an MT5 report with its positions.
type book struct {
	r         *statement.Reader
	rep       *report
	mode      mode
	currency  string
	positions map[string]*position
	opened    map[string]bool        // positions opened by a deal in the report
	closings  map[string][]stated    // rows in the position table, by what a deal must share
	rows      map[string][]stated    // the same rows, by symbol and side
	joined    map[string]*position   // positions by their closing deals
	held      map[string][]*position // positions opened by deals, by symbol and side, oldest first
}

// stated is a closing in the position table, with its position.
type stated struct {
	of  *position
	row *closing
}

func newBook(r *statement.Reader, rep *report) *book {
	b := &book{
		r: r, rep: rep, currency: rep.account.currency, positions: map[string]*position{},
		opened: map[string]bool{}, closings: map[string][]stated{}, rows: map[string][]stated{},
		joined: map[string]*position{}, held: map[string][]*position{},
	}
	for _, row := range rep.deals.Rows[1:] {
		const direction, order = 4, 7
		if strings.HasPrefix(strings.ToLower(row.Cells[direction]), "in") && row.Cells[order] != "" {
			b.opened[row.Cells[order]] = true
		}
	}
	return b
}

// section returns a reader for a table.
func (b *book) section(part part) *statement.Reader {
	table := b.rep.deals
	switch part {
	case closedPart:
		table = b.rep.closed
	case openPart:
		table = b.rep.open
	case dealPart, noPart, orderPart:
	}
	return b.r.Section(table, 0, len(table.Rows))
}

// index reads the position tables. Their rows are not data rows if deals contain the
// same.
func (b *book) index() {
	for w := range b.section(closedPart).Rows() {
		c, opened := positionClosing(w), w.Decimal("Opened")
		if p := b.position(w); p != nil {
			p.stated = decimal.Max(p.stated, opened)
			p.closed = p.closed.Add(c.volume)
			p.closings = append(p.closings, c)
			key := closingKey(p.symbol, p.side, c.at)
			b.closings[key] = append(b.closings[key], stated{p, c})
			key = holdingKey(p.symbol, p.side)
			b.rows[key] = append(b.rows[key], stated{p, c})
		}
		w.Drop()
	}
	for w := range b.section(openPart).Rows() {
		volume := w.Required("Volume")
		if p := b.position(w); p != nil {
			p.left = p.left.Add(volume)
			p.comment = w.Text("Comment")
		}
		w.Drop()
	}
	b.mode = b.inferMode()
	for _, p := range b.positions {
		p.lot = b.lotOf(p.id)
	}
}

func positionClosing(w *statement.Row) *closing {
	return &closing{at: w.Text("Close Time"), price: w.Required("Close Price"), volume: w.Required("Volume"), profit: w.Decimal("Profit")}
}

// position returns a row's position, or nil for an unreadable row.
func (b *book) position(w *statement.Row) *position {
	id := w.Text("Position")
	side, _ := w.Side("Type")
	price, stop, target := w.Required("Price"), w.Null("S / L"), w.Null("T / P")
	if w.Failed() {
		return nil
	}
	p := b.positions[id]
	if p == nil {
		p = &position{id: id, symbol: w.Text("Symbol"), side: side, openedAt: w.Text("Time"), price: price, dealt: b.opened[id]}
		b.positions[id] = p
	}
	p.stop, p.target = level(stop), statement.NonZero(target)
	return p
}

// inferMode returns the account's mode. If the report does not contain it, as in sheets
// saved by hand, it is inferred: on a hedging account each opening deal creates a
// position with its order's id, and only there can positions close one another.
func (b *book) inferMode() mode {
	if b.rep.account.mode != unknownMode {
		return b.rep.account.mode
	}
	for _, row := range b.rep.deals.Rows[1:] {
		const direction = 4
		switch strings.ToLower(row.Cells[direction]) {
		case "out by":
			return hedging
		case "in/out":
			return netting
		}
	}
	for id := range b.opened {
		if b.positions[id] == nil {
			return netting
		}
	}
	return hedging
}

// lotOf returns the lot for a position's fills: none on a netting account.
func (b *book) lotOf(id string) string {
	if b.mode == netting {
		return ""
	}
	return id
}

// readPositions reads the positions without deals: the report was saved without
// its deals, or they are before its first day.
func (b *book) readPositions() {
	for w := range b.section(closedPart).Rows() {
		c := positionClosing(w)
		if p := b.withoutDeals(w); p != nil {
			p.leave(w, c, costs{commission: w.Cost("Commission"), fees: w.Cost("Swap")}, "")
		}
	}
	for w := range b.section(openPart).Rows() {
		b.r.Out.Warn("Open positions are imported without a result until a later statement closes them.")
		if p := b.withoutDeals(w); p != nil {
			p.enterOrSkip(w)
		}
	}
}

// withoutDeals returns a row's position, or nil if deals already contain all of it: the
// row is then not a data row. On a netting account they always do.
func (b *book) withoutDeals(w *statement.Row) *position {
	p := b.positions[w.Text("Position")]
	switch {
	case p == nil:
		b.position(w) // reports what is wrong with the row
	case p.dealt, b.mode == netting && len(b.rep.deals.Rows) > 1:
		w.Drop()
		return nil
	}
	return p
}
