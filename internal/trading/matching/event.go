package matching

import (
	"math"

	"fillbook/internal/base/decimal"
)

// EventKind is what an [Event] does.
type EventKind uint8

// The kinds.
const (
	// EventConversion multiplies a position and may pay cash for a part of its cost: a split,
	// a stock dividend or an exchange.
	EventConversion EventKind = iota
	// EventCostOut takes a part of the open cost away, for shares that are spun off.
	EventCostOut
	// EventArrival opens a position at a cost, or adds to the one that is open.
	EventArrival
	// EventDeparture ends a position at its cost: it goes on in another stream's.
	EventDeparture
)

// Event is a corporate action's effect on a stream. It acts on the position open at its
// instant, before every fill of that instant.
type Event struct {
	Kind EventKind
	// At is the instant in microseconds since 1970.
	At int64
	// New units replace Old ones; both are above zero in a conversion.
	New, Old int64
	// Cash is what a conversion pays for one unit held before it. It closes CostShare of the
	// open cost; without a share, as much cost as the cash, and at most all.
	Cash, CostShare decimal.Null
	// Cost is what a cost-out takes, or an arrival brings.
	Cost decimal.Decimal
	// Direction, Quantity and Multiplier are an arrival's.
	Direction  Direction
	Quantity   decimal.Decimal
	Multiplier decimal.Decimal
}

// Equal reports whether two events are the same.
func (e Event) Equal(other Event) bool {
	return e.Kind == other.Kind && e.At == other.At && e.New == other.New && e.Old == other.Old &&
		e.Cash.Equal(other.Cash) && e.CostShare.Equal(other.CostShare) && e.Cost.Equal(other.Cost) &&
		e.Direction == other.Direction && e.Quantity.Equal(other.Quantity) && e.Multiplier.Equal(other.Multiplier)
}

// QuantityScale is the scale to which a conversion rounds quantities, half to even.
const QuantityScale = 8

// smallestQuantity is what a conversion leaves at least: a position does not round to nothing.
var smallestQuantity = decimal.FromScaled(1, QuantityScale)

// Apply returns a quantity in the units after a conversion.
func (e Event) Apply(quantity decimal.Decimal) decimal.Decimal {
	if quantity.IsZero() || e.New == e.Old {
		return quantity
	}
	after := quantity.Mul(decimal.New(e.New)).DivRound(decimal.New(e.Old), QuantityScale)
	if after.IsZero() {
		return smallestQuantity
	}
	return after
}

// convert converts the quantities of an open trade and pays the cash. Apart from cash,
// amounts of money stay, so averages follow from them.
func (h *holding) convert(e Event) {
	if e.Cash.Valid {
		h.payCash(e)
	}
	if e.New == e.Old {
		return
	}
	t := &h.trade
	opened, remaining := e.Apply(t.QtyOpened), e.Apply(t.QtyRemaining)
	if opened.Equal(remaining) && !t.QtyOpened.Equal(t.QtyRemaining) {
		opened = remaining.Add(smallestQuantity) // what was closed does not round to nothing either
	}
	t.EntrySize = t.EntrySize.Mul(opened).DivAverage(t.QtyOpened)
	t.QtyOpened, t.QtyRemaining = opened, remaining
}

// payCash closes a part of the cost for cash. No unit is closed, so averages of exits have
// no part in it.
func (h *holding) payCash(e Event) {
	t := &h.trade
	cash := t.QtyRemaining.Mul(e.Cash.Decimal).Mul(t.Multiplier)
	cost := cash
	switch {
	case e.CostShare.Valid:
		cost = h.shareOfCost(e.CostShare.Decimal)
	case cost.Cmp(h.openNotional) > 0:
		cost = h.openNotional
	}
	h.openNotional = h.openNotional.Sub(cost)
	h.gross = h.gross.Add(t.Direction.signedGain(cash.Sub(cost)))
	t.ExitNotional = t.ExitNotional.Add(cash)
	h.paid, h.removed = true, false
}

// shareOfCost returns a share of the open cost, rounded as other shares are.
func (h *holding) shareOfCost(share decimal.Decimal) decimal.Decimal {
	if share.Equal(decimal.New(1)) {
		return h.openNotional
	}
	return h.openNotional.Mul(share).Round(CostScale)
}

// takeCost reduces the cost of what is open.
func (h *holding) takeCost(cost decimal.Decimal) {
	h.openNotional = h.openNotional.Sub(cost)
	h.trade.EntryNotional = h.trade.EntryNotional.Sub(cost)
	h.entered = h.entered.Sub(cost.DivAverage(h.trade.Multiplier))
}

// arrive adds what an arrival brings.
func (h *holding) arrive(e Event) {
	t := &h.trade
	h.entered = h.entered.Add(e.Cost.DivAverage(e.Multiplier))
	h.openNotional = h.openNotional.Add(e.Cost)
	t.QtyOpened, t.QtyRemaining = t.QtyOpened.Add(e.Quantity), t.QtyRemaining.Add(e.Quantity)
	t.EntryNotional = t.EntryNotional.Add(e.Cost)
	t.EntrySize = t.EntrySize.Add(e.Quantity.Mul(e.Multiplier))
}

// depart ends the trade at its cost, as a removal of everything does.
func (h *holding) depart(e Event) {
	t := &h.trade
	if !h.paid && t.QtyRemaining.Equal(t.QtyOpened) {
		h.removed = true
	}
	h.exited = h.exited.Add(h.openNotional.DivAverage(t.Multiplier))
	t.ExitNotional = t.ExitNotional.Add(h.openNotional)
	h.spent = h.spent.Add(h.openCosts)
	h.openNotional, h.openCosts = decimal.Zero, decimal.Zero
	t.QtyRemaining, t.EndedBy, t.Last = decimal.Zero, KindRemoval, eventPosition(e)
}

// eventPosition returns an event's place in its stream: before every fill of its instant.
func eventPosition(e Event) Position { return Position{At: e.At} }

// apply applies an event to the open trade. An arrival may open one, and a departure ends
// it.
func (w *walk) apply(e Event) {
	before := newHoldingState(w.open)
	if w.open == nil {
		if e.Kind != EventArrival {
			return
		}
		w.begin(func(h *holding) {
			*h = holding{}
			h.trade.Direction, h.trade.Multiplier = e.Direction, e.Multiplier
			h.trade.First, h.trade.Last = eventPosition(e), eventPosition(e)
		})
	}
	switch e.Kind {
	case EventConversion:
		w.open.convert(e)
	case EventCostOut:
		w.open.takeCost(e.Cost)
	case EventArrival:
		w.open.arrive(e)
	case EventDeparture:
		w.open.depart(e)
	}
	if w.reportEvent != nil {
		w.reportEvent(e, before, newHoldingState(w.open))
	}
	if w.open.isClosed() {
		w.reportDeparture(w.closeTrade())
	}
}

// advance applies the events up to an instant.
func (w *walk) advance(at int64) {
	for ; len(w.events) > 0 && w.events[0].At <= at; w.events = w.events[1:] {
		w.apply(w.events[0])
	}
}

// eventsFrom returns the events that act on a walk starting at a position. A trade that
// begins with a fill is not there when its instant's events act.
func eventsFrom(events []Event, start Position) []Event {
	for len(events) > 0 && (events[0].At < start.At || events[0].At == start.At && start.Seq > 0) {
		events = events[1:]
	}
	return events
}

// endOfTime is after every instant.
const endOfTime = math.MaxInt64
