// Package matching turns fills into trades. It is the rule of the journal and
// nothing else: no database, no clock, no ids of its own. The same fills give the
// same trades, always.
//
// Group walks the fills of one stream (one instrument in one account) in time
// order and keeps the position. A trade opens with the first fill after flat,
// grows and shrinks, and closes when the position is exactly zero. A fill that
// crosses zero closes one trade and opens the next; it is a part of both.
//
// Open positions are carried at average cost. A fill that closes a part of the
// position takes the same share of the entry notional, and of the entry costs,
// that are still open, rounded half to even at CostScale decimals; what closes
// the position takes all that is left. So the rounding only moves a hair between
// the closings of one trade: a closed trade's gross result is exit notional minus
// entry notional without any rounding, and its net result is that minus the costs
// of its parts. The bound is needed, not just convenient: a position that is
// halved and refilled for ever would otherwise grow a digit with every fill.
//
// A stated result takes the place of what prices say about the part it closes;
// that part still takes its share of the entry notional with it. The gross result
// of a trade is the sum over its closing parts, so a trade whose closings are all
// stated is exactly their sum, and one with some of them stated may carry the
// rounding above at the closings that are not.
//
// Reconcile then says which new trade is which old one, so that a regrouping
// does not lose what the trader wrote. Package oracle recomputes trades by other
// means, to check these.
package matching

import (
	"fmt"
	"iter"
	"slices"
)

// The scales at which figures are rounded, half to even, where they must be.
const (
	// CostScale is for shares of an entry notional and of costs.
	CostScale = 12
	// PercentScale is for percentages, which are computed last and never computed
	// with. Averages follow [decimal.Decimal.DivAverage].
	PercentScale = 12
)

// Group returns the trades of a stream in time order; only the last can be open.
// The fills must be in the order of Order and sound (see Fill); Group panics when
// they are not, as the caller's query or validation is then broken.
//
// The zero Head groups from a flat position. To regroup from the middle of a
// history, pass the fills from some trade's first fill on, and that trade's Head:
// the result is exactly the tail, from that trade on, of grouping everything,
// provided that the fills before and the first fill itself are unchanged.
func Group(fills []Fill, head Head) []Trade {
	return slices.Collect(Walk(slices.Values(fills), head))
}

// Walk is Group for fills that are read one by one. A closed trade comes out
// before the next fill is asked for, so a caller that meets a known flat point
// can stop there without reading on; an open trade comes out last.
func Walk(fills iter.Seq[Fill], head Head) iter.Seq[Trade] {
	return func(yield func(Trade) bool) {
		var w walk
		for f := range fills {
			next := w.nextPiece(f, head)
			head = Head{}
			for rest := &next; rest != nil; {
				rest = w.addPiece(*rest)
				if w.open.isClosed() && !yield(w.closeTrade()) {
					return
				}
			}
		}
		if w.open != nil {
			yield(w.closeTrade())
		}
	}
}

// walk is the state between two fills: the trade that is open, if any.
type walk struct {
	open *holding
	last Fill
	any  bool
}

// nextPiece checks a fill and cuts off what the head says is spent.
func (w *walk) nextPiece(f Fill, head Head) piece {
	switch {
	case f.Side != Buy && f.Side != Sell:
		panic(fmt.Sprintf("matching: fill %s has side %q", f.ID, f.Side))
	case f.Quantity.Sign() <= 0:
		panic(fmt.Sprintf("matching: fill %s has quantity %s", f.ID, f.Quantity))
	case w.any && f.Position().Compare(w.last.Position()) < 0:
		panic(fmt.Sprintf("matching: fill %s is before fill %s", f.ID, w.last.ID))
	case head.Consumed.Sign() < 0 || head.Consumed.Cmp(f.Quantity) >= 0:
		panic(fmt.Sprintf("matching: head consumes %s of %s in fill %s", head.Consumed, f.Quantity, f.ID))
	}
	w.last, w.any = f, true
	if head.Consumed.IsZero() {
		return newPiece(f)
	}
	_, rest := newPiece(f).cut(head.Consumed)
	return rest
}

// addPiece puts a piece into the open trade, or opens one with it. What the piece has
// beyond a flat position comes back, to open the next trade.
func (w *walk) addPiece(p piece) *piece {
	if w.open == nil {
		w.open = newHolding(p)
	}
	h := w.open
	switch {
	case p.fill.Side == h.trade.Direction.openingSide():
		h.addEntry(p)
		return nil
	case p.quantity.Cmp(h.trade.QtyRemaining) <= 0:
		h.addExit(p)
		return nil
	default:
		first, rest := p.cut(h.trade.QtyRemaining)
		h.addExit(first)
		return &rest
	}
}

// closeTrade takes the open trade out of the walk, with its closing figures.
func (w *walk) closeTrade() Trade {
	h := w.open
	w.open = nil
	return h.toTrade()
}
