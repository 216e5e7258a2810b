package matching

import (
	"fillbook/internal/base/decimal"
)

// Link is a corporate action between streams: it acts on the position that is open in From
// at its instant, before every fill of that instant.
type Link struct {
	// Event is the conversion. Of a spin-off only its ratio and its CostShare count.
	Event
	// From and To are places in the list of streams. If they are the same, the position is
	// converted and stays.
	From, To int
	// SpinOff leaves the position where it is, and opens one in To that takes CostShare of its
	// cost; none without a share.
	SpinOff bool
}

// Lineage is a part of the given streams that is a stream of its own: grouping its fills
// with its events results in its trades.
type Lineage struct {
	// Stream is the place of the stream in which it ends.
	Stream int
	// Moved reports that a position came from another stream. Every moved position is a
	// lineage of its own, so its fills do not mix with others of the same instrument. Any other
	// lineage is what is left of a stream.
	Moved  bool
	Fills  []Fill
	Events []Event
	Trades []Trade
	// EndedIn has the stream in which each trade ended, or is open.
	EndedIn []int
}

// GroupLinked groups streams between which links move positions. Every stream's fills are
// as for Group, and the links in the order in which they act. A link from a stream without
// a position does nothing. If the stream it leads to has a position in the same direction,
// the one departs at its cost and the other grows; in the other direction it does nothing.
//
// The first lineages are what is left of the streams, in order. reportClosing may be nil;
// see Grouping.
func GroupLinked(streams [][]Fill, links []Link, reportClosing func(Closure)) []Lineage {
	g := linkedWalk{lanes: make([]lane, len(streams)), reportClosing: reportClosing}
	for i, fills := range streams {
		g.lanes[i] = lane{rest: fills, left: Lineage{Stream: i}}
	}
	for _, l := range links {
		g.advance(l.From, l.At)
		g.advance(l.To, l.At)
		g.apply(l)
	}
	out := make([]Lineage, 0, len(streams))
	for i := range g.lanes {
		g.advance(i, endOfTime)
		g.finish(i)
		out = append(out, g.lanes[i].left)
	}
	return append(out, g.moved...)
}

// linkedWalk walks several streams, each up to the next link.
type linkedWalk struct {
	lanes         []lane
	moved         []Lineage
	reportClosing func(Closure)
}

// lane is a stream's state: the fills not walked yet, its stretch since the last flat point,
// nil at one, and what is left of it before.
type lane struct {
	rest []Fill
	run  *run
	left Lineage
}

// run is a stretch from a flat point on. It moves between lanes as a whole.
type run struct {
	Lineage
	walk walk
}

// addTrade adds a trade that ends in the run's stream.
func (r *run) addTrade(t Trade) {
	r.Trades, r.EndedIn = append(r.Trades, t), append(r.EndedIn, r.Stream)
}

// advance walks a lane's fills before an instant.
func (g *linkedWalk) advance(place int, at int64) {
	for l := &g.lanes[place]; len(l.rest) > 0 && (l.rest[0].At < at || at == endOfTime); l.rest = l.rest[1:] {
		g.add(l, l.rest[0])
	}
}

// add adds a fill to a lane.
func (g *linkedWalk) add(l *lane, f Fill) {
	r := g.runOf(l)
	p := r.walk.nextPiece(f, Head{})
	r.Fills = append(r.Fills, f)
	for more := true; more; {
		more = r.walk.addPiece(&p)
		if r.walk.open.isClosed() {
			r.addTrade(r.walk.closeTrade())
		}
	}
	g.endRun(l)
}

// runOf returns the lane's run, and begins one at a flat point.
func (g *linkedWalk) runOf(l *lane) *run {
	if l.run == nil {
		l.run = &run{Lineage: Lineage{Stream: l.left.Stream}, walk: walk{reportClosing: g.reportClosing}}
		l.run.walk.reportDeparture = l.run.addTrade
	}
	return l.run
}

// endRun ends a lane's run if the position is flat. A run that has moved is a lineage of its
// own, any other a part of what is left of its stream.
func (g *linkedWalk) endRun(l *lane) {
	r := l.run
	if r == nil || r.walk.open != nil {
		return
	}
	l.run = nil
	g.keep(l, r)
}

func (g *linkedWalk) keep(l *lane, r *run) {
	if r.Moved {
		g.moved = append(g.moved, r.Lineage)
		return
	}
	l.left.Fills, l.left.Events = append(l.left.Fills, r.Fills...), append(l.left.Events, r.Events...)
	l.left.Trades, l.left.EndedIn = append(l.left.Trades, r.Trades...), append(l.left.EndedIn, r.EndedIn...)
}

// finish ends the run that is open at the end.
func (g *linkedWalk) finish(place int) {
	l := &g.lanes[place]
	if r := l.run; r != nil {
		r.addTrade(r.walk.closeTrade())
		l.run = nil
		g.keep(l, r)
	}
}

// happen applies an event to a lane's run and records it.
func (g *linkedWalk) happen(l *lane, e Event) {
	r := g.runOf(l)
	r.walk.apply(e)
	r.Events = append(r.Events, e)
	g.endRun(l)
}

// apply applies a link whose lanes are at its instant.
func (g *linkedWalk) apply(l Link) {
	from, to := &g.lanes[l.From], &g.lanes[l.To]
	l.Event.Kind = EventConversion
	if from.run == nil {
		if l.From == l.To {
			from.left.Events = append(from.left.Events, l.Event)
		}
		return
	}
	h := from.run.walk.open
	switch {
	case l.From == l.To:
		g.happen(from, l.Event)
	case to.run != nil && to.run.walk.open.trade.Direction != h.trade.Direction:
	case l.SpinOff:
		cost := h.shareOfCost(l.CostShare.Or(decimal.Zero))
		child := Event{
			Kind: EventArrival, At: l.At, Cost: cost, Direction: h.trade.Direction, Multiplier: h.trade.Multiplier,
			Quantity: l.Event.Apply(h.trade.QtyRemaining),
		}
		g.happen(from, Event{Kind: EventCostOut, At: l.At, Cost: cost})
		g.happen(to, child)
	case to.run != nil:
		g.happen(from, l.Event)
		arrival := Event{
			Kind: EventArrival, At: l.At, Cost: h.openNotional, Direction: h.trade.Direction, Multiplier: h.trade.Multiplier,
			Quantity: h.trade.QtyRemaining,
		}
		g.happen(from, Event{Kind: EventDeparture, At: l.At})
		g.happen(to, arrival)
	default:
		g.happen(from, l.Event)
		to.run, from.run = from.run, nil
		to.run.Stream, to.run.Moved = to.left.Stream, true
	}
}
