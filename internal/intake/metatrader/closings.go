package metatrader

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// A closing deal does not name its position. The position table has a row with the same
// time, price and volume for most deals, and among several, one with the same profit.
// Those are joined first, so the remaining deals can be assigned to the remaining rows.

// guessed is the warning if neither a row nor anything else decides.
const guessed = "The report does not say which positions some of its deals close; one of the same volume, or else the oldest, was taken."

// join finds the positions for deals with a row of their own.
func (b *book) join() {
	for w := range b.section(dealPart).Rows() {
		side, _ := w.Side("Type")
		c := dealClosing(w)
		if w.Failed() || !isClosing(w) {
			w.Drop()
			continue
		}
		if found := b.rowOf(w.Text("Symbol"), side, c); found.row != nil {
			found.row.used = found.row.volume
			b.joined[w.Text("Deal")] = found.of
		}
		w.Drop()
	}
}

// rowOf returns the row in the position table that matches a deal.
func (b *book) rowOf(symbol string, side matching.Side, c *closing) (found stated) {
	for _, s := range b.closings[closingKey(symbol, opposite(side), c.at)] {
		if s.row.used.Sign() > 0 || !s.row.price.Equal(c.price) || !s.row.volume.Equal(c.volume) {
			continue
		}
		if s.row.profit.Equal(c.profit) {
			return s
		}
		if found.row == nil {
			found = s
		}
	}
	return found
}

// closedBy returns the position closed by a deal. A deal without its own row is part of a
// row summing up several; or else, as in a report saved without its positions, it closes
// an open position.
func (b *book) closedBy(deal, symbol string, side matching.Side, c *closing) *position {
	if p := b.joined[deal]; p != nil {
		return p
	}
	key := holdingKey(symbol, opposite(side))
	if p := b.within(key, c); p != nil {
		return p
	}
	b.held[key] = slices.DeleteFunc(b.held[key], func(p *position) bool { return p.held.Sign() <= 0 })
	best := pick(b.held[key], c.volume)
	if best != nil && b.mode == hedging {
		b.r.Out.Warn(guessed)
	}
	return best
}

// within returns the position of a row a deal can be part of: it has enough volume left,
// and the deal is within its position's period. Times are compared as text.
func (b *book) within(key string, c *closing) *position {
	b.rows[key] = slices.DeleteFunc(b.rows[key], func(s stated) bool { return s.row.left().Sign() <= 0 })
	var fit []stated
	for _, s := range b.rows[key][:min(len(b.rows[key]), enough)] {
		if s.of.openedAt <= c.at && c.at <= s.row.at && s.row.left().Cmp(c.volume) >= 0 {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	best := fit[0]
	for _, s := range fit[1:] {
		if s.row.at == c.at && best.row.at != c.at {
			best = s
		}
	}
	if len(fit) > 1 && b.mode == hedging {
		b.r.Out.Warn(guessed)
	}
	best.row.used = best.row.used.Add(c.volume)
	return best.of
}

// enough bounds how many positions are searched, more than any account has in one symbol.
const enough = 1000

// pick returns an open position with exactly that volume, or else the oldest. Positions
// whose rows have unmatched closings are left out.
func pick(held []*position, volume decimal.Decimal) *position {
	var oldest *position
	for _, p := range held[:min(len(held), enough)] {
		if p.awaits() {
			continue
		}
		if p.held.Equal(volume) {
			return p
		}
		if oldest == nil {
			oldest = p
		}
	}
	return oldest
}

// hold records that a deal opened a position or added to it.
func (b *book) hold(p *position, volume decimal.Decimal) {
	key := holdingKey(p.symbol, p.side)
	if p.held.IsZero() {
		b.held[key] = append(b.held[key], p)
	}
	p.dealt = true
	p.held = p.held.Add(volume)
}

// awaits reports whether the position table has closings without a matching deal.
func (p *position) awaits() bool {
	return slices.ContainsFunc(p.closings, func(c *closing) bool { return c.left().Sign() > 0 })
}

// dealClosing returns a deal as a closing, even if it closes nothing.
func dealClosing(w *statement.Row) *closing {
	return &closing{at: w.Text("Time"), price: w.Required("Price"), volume: w.Required("Volume"), profit: w.Decimal("Profit")}
}

func closingKey(symbol string, side matching.Side, at string) string {
	return holdingKey(symbol, side) + "|" + at
}

func holdingKey(symbol string, side matching.Side) string { return symbol + "|" + string(side) }
