package matching

import "fillbook/internal/base/decimal"

// RealizedPart is what a trade realized at one instant, by closing a part of the
// position or the rest of it. Over the parts of a closed trade, the amounts sum
// exactly to those of the trade.
type RealizedPart struct {
	// At is the instant of the closing fills, in microseconds since 1970.
	At int64
	// Quantity is what was closed. Entry is its share of the entry notional, Exit
	// its exit notional, both in the currency of the prices.
	Quantity, Entry, Exit decimal.Decimal
	// Gross is the stated result, or exit notional less the share of the entry
	// notional. Costs are those of the fill and the share of the entry's costs.
	Gross, Costs decimal.Decimal
	// Volume is the traded notional of the fill and the share of the entry's.
	Volume decimal.Decimal
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
	// EachFill has a part for each closing fill, even of the same instant.
	EachFill bool

	walk walk
	// parts are those of the open trade, and openVolume the traded notional of
	// its entries that is still held.
	parts      []RealizedPart
	openVolume decimal.Decimal
}

// Add adds the next fill, ordered by CompareFills. It returns the trade the fill closed,
// with its parts in time order; the trade is nil if it closed none.
func (r *Realizer) Add(f Fill) (closed *Trade, parts []RealizedPart) {
	p := r.walk.nextPiece(f, r.Head)
	r.Head = Head{}
	for more := true; more; {
		before := newHoldingState(r.walk.open)
		more = r.walk.addPiece(&p)
		r.record(f, before, newHoldingState(r.walk.open))
		if r.walk.open.isClosed() {
			trade := r.walk.closeTrade()
			closed, parts = &trade, r.parts
			r.parts, r.openVolume = nil, decimal.Zero
		}
	}
	return closed, parts
}

// Open returns the trade that is still open after all fills, with its parts so
// far; the trade is nil if the position is flat.
func (r *Realizer) Open() (*Trade, []RealizedPart) {
	if r.walk.open == nil {
		return nil, nil
	}
	trade := r.walk.closeTrade()
	return &trade, r.parts
}

// holdingState is the sums of a holding whose changes are realized parts.
type holdingState struct{ gross, spent, volume, held, entry, exit decimal.Decimal }

// newHoldingState returns the state of a holding; h is nil before its first fill.
func newHoldingState(h *holding) holdingState {
	if h == nil {
		return holdingState{}
	}
	return holdingState{
		gross: h.gross, spent: h.spent, volume: h.trade.Volume, held: h.trade.QtyRemaining, entry: h.openNotional, exit: h.trade.ExitNotional,
	}
}

// record adds the part a fill realized, if it closed anything. Parts of one instant are
// one, unless EachFill is set.
func (r *Realizer) record(f Fill, before, after holdingState) {
	traded := after.volume.Sub(before.volume)
	quantity := before.held.Sub(after.held)
	if quantity.Sign() <= 0 {
		r.openVolume = r.openVolume.Add(traded)
		return
	}
	entry := r.openVolume
	if !quantity.Equal(before.held) {
		entry, _ = r.openVolume.Split(quantity, before.held, CostScale)
	}
	r.openVolume = r.openVolume.Sub(entry)
	part := RealizedPart{
		At: f.At, Quantity: quantity, Entry: before.entry.Sub(after.entry), Exit: after.exit.Sub(before.exit),
		Gross: after.gross.Sub(before.gross), Costs: after.spent.Sub(before.spent), Volume: traded.Add(entry),
	}
	if n := len(r.parts); !r.EachFill && n > 0 && r.parts[n-1].At == f.At {
		r.parts[n-1] = r.parts[n-1].add(part)
		return
	}
	r.parts = append(r.parts, part)
}
