package matching

import "fillbook/internal/base/decimal"

// RealizedPart is what a trade realized at one instant, by closing the position or a
// part. Over a closed trade's parts, the amounts sum exactly to the trade's.
type RealizedPart struct {
	// At is when the fills closed, in microseconds since 1970.
	At int64
	// Seq is the closing fill's; with several fills the first's.
	Seq int64
	// Quantity is what was closed; see [Realizer.Openings]. Entry is its entry notional share, Exit its exit
	// notional, both in the prices' currency.
	Quantity, Entry, Exit decimal.Decimal
	// Gross is the stated result, or exit notional less the entry notional share. Costs
	// are the fill's and the entry cost share.
	Gross, Costs decimal.Decimal
	// Volume is the fill's traded notional and the entry's share.
	Volume decimal.Decimal
	// Kind is the first closing fill's.
	Kind Kind
}

// Net returns the result after costs.
func (p RealizedPart) Net() decimal.Decimal { return p.Gross.Sub(p.Costs) }

func (p RealizedPart) add(other RealizedPart) RealizedPart {
	p.Gross, p.Costs, p.Volume = p.Gross.Add(other.Gross), p.Costs.Add(other.Costs), p.Volume.Add(other.Volume)
	p.Quantity, p.Entry, p.Exit = p.Quantity.Add(other.Quantity), p.Entry.Add(other.Entry), p.Exit.Add(other.Exit)
	return p
}

// Realizer groups a stream's fills as Walk does and records what each instant realized.
// Its zero value starts from a flat position.
type Realizer struct {
	// Head is the start inside the first fill; see Group.
	Head Head
	// EachFill has a part for each closing fill, even with the same instant.
	EachFill bool
	// Events are the stream's, in order; see Grouping for Start.
	Events []Event
	Start  Position
	// Openings has a part for each opening fill as well, with a negative quantity and no
	// amounts, and one for each event that changes the quantity: their sum is what is held.
	// It needs EachFill.
	Openings bool

	walk walk
	// parts belong to the open trade, and openVolume is the traded notional still held
	// from its entries.
	parts      []RealizedPart
	openVolume decimal.Decimal
	ended      []Realized // trades not returned yet
}

// Realized is a trade and what it realized, in time order.
type Realized struct {
	Trade Trade
	Parts []RealizedPart
}

// Add adds the next fill, ordered by CompareFills. It returns the trades that ended with
// it, or by an event since the fill before.
func (r *Realizer) Add(f Fill) []Realized {
	r.begin()
	p := r.walk.nextPiece(f, r.Head)
	r.Head = Head{}
	for more := true; more; {
		before := newHoldingState(r.walk.open)
		more = r.walk.addPiece(&p)
		r.record(f, before, newHoldingState(r.walk.open))
		if r.walk.open.isClosed() {
			r.end(r.walk.closeTrade())
		}
	}
	return r.takeEnded()
}

// begin prepares the walk before the first fill.
func (r *Realizer) begin() {
	if r.walk.any || r.walk.reportEvent != nil {
		return
	}
	r.walk.events, r.walk.reportEvent, r.walk.reportDeparture = eventsFrom(r.Events, r.Start), r.recordEvent, r.end
}

// end keeps a trade that ended, with its parts, until Add or Finish returns it.
func (r *Realizer) end(t Trade) {
	r.ended = append(r.ended, Realized{t, r.parts})
	r.parts, r.openVolume = nil, decimal.Zero
}

func (r *Realizer) takeEnded() []Realized {
	ended := r.ended
	r.ended = nil
	return ended
}

// Finish returns the trades that events have ended after all fills, and the one that is
// open then, with its parts so far.
func (r *Realizer) Finish() []Realized {
	r.begin()
	r.walk.advance(endOfTime)
	if r.walk.open != nil {
		r.end(r.walk.closeTrade())
	}
	return r.takeEnded()
}

// recordEvent adds the part that an event realized, if it paid cash or ended the trade.
func (r *Realizer) recordEvent(e Event, before, after holdingState) {
	quantity, kind := decimal.Zero, KindTrade
	if r.Openings {
		quantity = before.held.Sub(after.held)
	}
	switch {
	case e.Kind == EventDeparture:
		quantity, kind = before.held, KindRemoval
	case e.Kind == EventConversion && e.Cash.Valid:
	case !quantity.IsZero():
		r.addPart(RealizedPart{At: e.At, Quantity: quantity})
		return
	default:
		return
	}
	r.addPart(RealizedPart{
		At: e.At, Quantity: quantity, Kind: kind, Entry: before.entry.Sub(after.entry), Exit: after.exit.Sub(before.exit),
		Gross: after.gross.Sub(before.gross), Costs: after.spent.Sub(before.spent),
	})
}

// holdingState has a holding's sums whose changes are realized parts.
type holdingState struct{ gross, spent, volume, held, entry, exit decimal.Decimal }

// newHoldingState returns a holding's state; h is nil before its first fill.
func newHoldingState(h *holding) holdingState {
	if h == nil {
		return holdingState{}
	}
	return holdingState{
		gross: h.gross, spent: h.spent, volume: h.trade.Volume, held: h.trade.QtyRemaining, entry: h.openNotional, exit: h.trade.ExitNotional,
	}
}

// record adds the part a fill realized, if it closed anything.
func (r *Realizer) record(f Fill, before, after holdingState) {
	traded := after.volume.Sub(before.volume)
	quantity := before.held.Sub(after.held)
	if quantity.Sign() <= 0 {
		r.openVolume = r.openVolume.Add(traded)
		if r.Openings && quantity.Sign() < 0 {
			r.parts = append(r.parts, RealizedPart{At: f.At, Seq: f.Seq, Kind: f.Kind, Quantity: quantity})
		}
		return
	}
	entry := r.openVolume
	if !quantity.Equal(before.held) {
		entry, _ = r.openVolume.Split(quantity, before.held, CostScale)
	}
	r.openVolume = r.openVolume.Sub(entry)
	part := RealizedPart{
		At: f.At, Seq: f.Seq, Kind: f.Kind, Quantity: quantity, Entry: before.entry.Sub(after.entry), Exit: after.exit.Sub(before.exit),
		Gross: after.gross.Sub(before.gross), Costs: after.spent.Sub(before.spent), Volume: traded.Add(entry),
	}
	r.addPart(part)
}

// addPart adds a part. Parts with one instant are one, unless EachFill is set.
func (r *Realizer) addPart(part RealizedPart) {
	if n := len(r.parts); !r.EachFill && n > 0 && r.parts[n-1].At == part.At {
		r.parts[n-1] = r.parts[n-1].add(part)
		return
	}
	r.parts = append(r.parts, part)
}
