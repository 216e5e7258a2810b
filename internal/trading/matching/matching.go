// Package matching groups fills into trades. It has no database, no clock and no ids: the
// same fills always result in the same trades.
//
// Group walks one stream's fills (one instrument in one account) in time order and keeps
// the position. A trade opens with the first fill after flat, grows and shrinks, and
// closes when the position is exactly zero. A fill crossing zero closes one trade and
// opens the next; it is in both.
//
// Open positions are carried at average cost. A fill closing a part takes the same share
// from the open entry notional and entry costs, rounded half to even at CostScale
// decimals; what closes the position takes all that is left. So rounding only moves tiny
// amounts between one trade's closings: a closed trade's gross result is exit notional
// minus entry notional without any rounding, and its net result is that minus its parts'
// costs. The rounding is necessary: otherwise a position that is halved and refilled
// again and again would gain a digit with every fill.
//
// A fill whose kind only closes, such as an expiry, never opens a position: what it
// exceeds the position by, or would add to it, belongs to no trade; see Closure.
// A removal closes its share at exactly its cost, whatever its price.
//
// An event is a corporate action's effect. A split, for example, converts the open trade's
// quantities to new units and leaves its money as it is; see Event. GroupLinked groups
// streams between which actions move positions.
//
// A stated result replaces the priced result for the part it closes; that part still
// takes its share from the entry notional. A trade's gross result is the sum over its
// closing parts, so a trade whose closings are all stated is exactly their sum, and one
// with some stated may carry the rounding above at the closings that are not.
//
// Reconcile then maps new trades to old ones, so a regrouping does not lose annotations.
// Package oracle recomputes trades with other algorithms, to check this one.
package matching

import (
	"fmt"
	"iter"
	"slices"

	"fillbook/internal/base/decimal"
)

// The scales at which figures are rounded, half to even, where they must be.
const (
	// CostScale is for shares in entry notionals and costs.
	CostScale = 12
	// PercentScale is for percentages, from which nothing is
	// computed. Averages follow [decimal.Decimal.DivAverage].
	PercentScale = 12
)

// Group returns a stream's trades in time order; only the last can be open. The fills
// must be ordered by CompareFills and valid (see Fill); otherwise Group panics, because
// the caller's query or validation is broken.
//
// The zero Head groups from a flat position. To regroup from inside a history, pass the
// fills from some trade's first fill on, and that trade's Head: the result is exactly
// what grouping everything gives from that trade on, provided that the fills before and
// the first fill itself are unchanged.
func Group(fills []Fill, head Head) []Trade {
	return slices.Collect(Walk(slices.Values(fills), head))
}

// Walk is Group for fills that are read one by one. It yields a closed trade before it
// reads the next fill, so a caller can stop at a known flat point without reading on. An
// open trade is yielded last.
func Walk(fills iter.Seq[Fill], head Head) iter.Seq[Trade] {
	return Grouping{Head: head}.Walk(fills)
}

// Grouping is a walk that can begin inside a trade and report its state on the
// way. Its zero value groups from a flat position.
type Grouping struct {
	// Head is the start inside the first fill; see Group.
	Head Head
	// From is the open trade the fills continue, nil for none. Parts contains only this
	// walk's fills; see Trade.Skipped.
	From *Checkpoint
	// Every is how many of a trade's fills lie between two Report calls; 0 means it is
	// never called.
	Every  int
	Report func(Checkpoint)
	// OmitParts leaves out trades' Parts; all their fills count as skipped.
	OmitParts bool
	// ReportClosing is called for every fill whose kind only closes; it may be nil.
	ReportClosing func(Closure)
	// Events are the stream's, in order. Start is the first trade's First if the walk begins
	// inside the stream and some of the events are arrivals.
	Events []Event
	Start  Position
}

// Closure is what a fill whose kind only closes has closed.
type Closure struct {
	FillID string
	// Leftover is the quantity that belongs to no trade.
	Leftover decimal.Decimal
	// Price is the average entry price at which a removal closed, zero if it closed
	// nothing; it has no meaning for other kinds.
	Price decimal.Decimal
}

// Walk groups fills; see the function Walk.
func (g Grouping) Walk(fills iter.Seq[Fill]) iter.Seq[Trade] {
	return func(yield func(Trade) bool) {
		w, head := walk{omitParts: g.OmitParts, reportClosing: g.ReportClosing, events: eventsFrom(g.Events, g.Start)}, g.Head
		var departed []Trade
		w.reportDeparture = func(t Trade) { departed = append(departed, t) }
		yieldDeparted := func() bool {
			list := departed
			departed = nil
			return !slices.ContainsFunc(list, func(t Trade) bool { return !yield(t) })
		}
		if g.From != nil {
			w.open = g.From.toHolding()
			w.events = eventsFrom(w.events, Position{At: g.From.Last().At, Seq: 1})
		}
		for f := range fills {
			p := w.nextPiece(f, head)
			head = Head{}
			if !yieldDeparted() {
				return
			}
			for more := true; more; {
				more = w.addPiece(&p)
				if w.open.isClosed() && !yield(w.closeTrade()) {
					return
				}
			}
			if w.open != nil && g.Every > 0 && w.executions()%g.Every == 0 && w.open.trade.Last == f.Position() {
				g.Report(w.toCheckpoint())
			}
		}
		w.advance(endOfTime)
		if yieldDeparted() && w.open != nil {
			yield(w.closeTrade())
		}
	}
}

// walk is the state between two fills: the open trade, if any.
type walk struct {
	open *holding
	// spare is an unused holding, and parts belong to the open trade. Both are reused for
	// the next trade.
	spare         *holding
	parts         []Part
	omitParts     bool
	reportClosing func(Closure) // may be nil
	events        []Event       // those not applied yet
	// reportDeparture is called for every trade that an event ends. Several can end between
	// two fills.
	reportDeparture func(Trade)
	// reportEvent is called for every event that acts on an open trade; it may be nil.
	reportEvent func(e Event, before, after holdingState)

	last Fill // the pieces point to it
	any  bool
}

// nextPiece validates a fill and cuts off the part the head consumed.
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
	w.advance(f.At)
	w.last, w.any = f, true
	p := newPiece(&w.last)
	if !head.Consumed.IsZero() {
		p.cut(head.Consumed)
	}
	return p
}

// addPiece adds a piece to the open trade, or opens one with it. If the piece goes
// beyond a flat position, it sets p to the rest, which opens the next trade, and
// reports that there is more.
func (w *walk) addPiece(p *piece) (more bool) {
	if p.fill.Kind.OnlyCloses() {
		done := w.addClosing(p)
		if w.reportClosing != nil {
			w.reportClosing(done)
		}
		return false
	}
	if w.open == nil {
		w.openTrade(p)
	}
	h := w.open
	switch {
	case p.fill.Side == h.trade.Direction.openingSide():
		h.addEntry(p)
		w.addPart(p, Opening)
	case p.quantity.Cmp(h.trade.QtyRemaining) <= 0:
		h.addExit(p)
		w.addPart(p, Closing)
	default:
		first := p.cut(h.trade.QtyRemaining)
		h.addExit(&first)
		w.addPart(&first, Closing)
		return true
	}
	return false
}

// addClosing adds a piece that can only close to the open trade, as far as it closes
// anything.
func (w *walk) addClosing(p *piece) Closure {
	h, done := w.open, Closure{FillID: p.fill.ID, Leftover: p.quantity}
	if h == nil || p.fill.Side == h.trade.Direction.openingSide() {
		return done
	}
	done.Leftover = decimal.Zero
	if p.fill.Kind == KindRemoval {
		done.Price = h.averagePrice(p.fill.Multiplier)
	}
	closing := *p
	if p.quantity.Cmp(h.trade.QtyRemaining) > 0 {
		closing = p.cut(h.trade.QtyRemaining)
		done.Leftover = p.quantity
	}
	h.addExit(&closing)
	w.addPart(&closing, Closing)
	return done
}

// openTrade opens a trade with its first piece.
func (w *walk) openTrade(p *piece) { w.begin(func(h *holding) { h.start(p) }) }

// begin makes an unused holding the open trade.
func (w *walk) begin(start func(*holding)) {
	if w.spare == nil {
		w.spare = &holding{}
	}
	w.open, w.spare, w.parts = w.spare, nil, w.parts[:0]
	start(w.open)
}

// addPart adds a piece to the open trade's parts.
func (w *walk) addPart(p *piece, role Role) {
	if w.omitParts {
		w.open.trade.Skipped++
		return
	}
	w.parts = append(w.parts, Part{FillID: p.fill.ID, Role: role, Quantity: p.quantity, Fees: p.fees, Commission: p.commission})
}

// executions returns how many fills the open trade has.
func (w *walk) executions() int { return w.open.trade.Skipped + len(w.parts) }

// closeTrade removes the open trade from the walk and returns it with its final
// figures.
func (w *walk) closeTrade() Trade {
	h := w.open
	w.open, w.spare = nil, h
	t := h.toTrade()
	t.Parts = slices.Clone(w.parts)
	return t
}
