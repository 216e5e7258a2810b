package matching

import (
	"math"

	"fillbook/internal/base/decimal"
)

// Split multiplies a position: a split, a reverse split or a stock dividend. It acts on
// the position open at its instant, before every fill of that instant. Cost and costs stay.
type Split struct {
	// At is the instant in microseconds since 1970.
	At int64
	// New units replace Old ones; both are above zero.
	New, Old int64
}

// QuantityScale is the scale to which a split rounds quantities, half to even.
const QuantityScale = 8

// smallestQuantity is what a split leaves at least: a position does not round to nothing.
var smallestQuantity = decimal.FromScaled(1, QuantityScale)

// Apply returns a quantity in the units after the split.
func (s Split) Apply(quantity decimal.Decimal) decimal.Decimal {
	if quantity.IsZero() {
		return quantity
	}
	after := quantity.Mul(decimal.New(s.New)).DivRound(decimal.New(s.Old), QuantityScale)
	if after.IsZero() {
		return smallestQuantity
	}
	return after
}

// applySplit converts the quantities of an open trade. Amounts of money stay, so averages
// follow from them.
func (h *holding) applySplit(s Split) {
	t := &h.trade
	opened, remaining := s.Apply(t.QtyOpened), s.Apply(t.QtyRemaining)
	if opened.Equal(remaining) && !t.QtyOpened.Equal(t.QtyRemaining) {
		opened = remaining.Add(smallestQuantity) // what was closed does not round to nothing either
	}
	t.EntrySize = t.EntrySize.Mul(opened).DivAverage(t.QtyOpened)
	t.QtyOpened, t.QtyRemaining = opened, remaining
}

// advance applies the splits up to an instant to the open trade. A trade from a checkpoint
// contains those before its last fill already.
func (w *walk) advance(at int64) {
	for ; len(w.splits) > 0 && w.splits[0].At <= at; w.splits = w.splits[1:] {
		if w.open != nil && w.open.trade.Last.At < w.splits[0].At {
			w.open.applySplit(w.splits[0])
		}
	}
}

// endOfTime is after every instant.
const endOfTime = math.MaxInt64
