// Package oracle recomputes the trades of a stream slowly and by other means than
// package matching, so that the two can be held against each other: in tests, and
// by `fillbook check` on a stored journal. It shares no code and no types with
// matching, and counts in fractions instead of decimals.
//
// Where matching walks from fill to fill with a position in its hand, the oracle
// lays all fills end to end on one axis of traded quantity. Each fill covers a
// stretch of it. The points of the axis at which the position is zero cut it into
// trades, and a trade's share of a fill is simply where the two stretches overlap.
// A closed trade has gained what its sales brought in minus what its purchases
// cost, whichever way it pointed.
//
// Only two rules of matching cannot be had by such a detour, as they round: how
// the costs of a fill are shared by two trades, and what a part of a position cost
// at average. They are written out here a second time, in fractions.
package oracle

import (
	"cmp"
	"math/big"
	"slices"
)

// Fill is an execution. The fractions are read, never changed. Quantity must be
// above zero; Stated is nil when the broker stated no result.
type Fill struct {
	ID         string
	At, Seq    int64
	Buy        bool
	Quantity   *big.Rat
	Price      *big.Rat
	Multiplier *big.Rat
	Fees       *big.Rat
	Commission *big.Rat
	Stated     *big.Rat
}

// Trade is what the oracle says about one trade. Everything is exact except for
// the two shares that the rules round.
type Trade struct {
	// FillIDs are the fills with a share in the trade, in time order.
	FillIDs []string
	Long    bool
	// Opened is the quantity of all fills in the trade's direction, Remaining
	// what is left of it: zero for a closed trade.
	Opened, Remaining *big.Rat
	// Entry and Exit are the notionals of the two sides.
	Entry, Exit *big.Rat
	// Fees and Commission are the trade's shares of its fills' costs.
	Fees, Commission *big.Rat
	// Gross and Net are nil while the trade is open.
	Gross, Net *big.Rat
	// Realized is the result of the closed part after its costs.
	Realized *big.Rat

	// EntryPrice and ExitPrice are the average prices, ExitPrice nil until
	// something was closed. Size is what one unit of price is worth for all that
	// was opened.
	EntryPrice, ExitPrice, Size *big.Rat
	// Rate is what one unit of the prices' currency is worth in the account's; nil
	// where the trade does not tell. Return is the percentage that Net is of the
	// entry, nil without one, and Volume all that was traded; both go by Rate.
	Rate, Return, Volume *big.Rat
}

// Recompute returns the trades of a stream in time order. The fills may come in
// any order; they are put into that of instant, arrival number and id.
func Recompute(fills []Fill) []Trade {
	fills = slices.Clone(fills)
	slices.SortFunc(fills, func(a, b Fill) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	axis := buildAxis(fills)
	var trades []Trade
	first, from := 0, new(big.Rat)
	for _, until := range flatPoints(axis) {
		var cuts []cut
		cuts, first = cutsBetween(axis, first, from, until)
		trades = append(trades, newTrade(cuts))
		from = until
	}
	return trades
}

// stretch is a fill on the axis of traded quantity.
type stretch struct {
	fill       Fill
	start, end *big.Rat
	// before and after are the signed positions at both ends.
	before, after *big.Rat
}

func buildAxis(fills []Fill) []stretch {
	axis := make([]stretch, len(fills))
	at, position := new(big.Rat), new(big.Rat)
	for i, f := range fills {
		moved := add(position, signed(f.Quantity, f.Buy))
		end := add(at, f.Quantity)
		axis[i] = stretch{fill: f, start: at, end: end, before: position, after: moved}
		at, position = end, moved
	}
	return axis
}

// flatPoints returns the ends of all trades on the axis: every point at which the
// position comes back to zero, and the end of the axis if it does not lie flat.
func flatPoints(axis []stretch) []*big.Rat {
	var points []*big.Rat
	for _, s := range axis {
		switch s.before.Sign() * s.after.Sign() {
		case -1:
			points = append(points, add(s.start, abs(s.before)))
		case 0:
			if s.after.Sign() == 0 {
				points = append(points, s.end)
			}
		}
	}
	if n := len(axis); n > 0 && axis[n-1].after.Sign() != 0 {
		points = append(points, axis[n-1].end)
	}
	return points
}

// cut is what a trade has of a fill.
type cut struct {
	fill             Fill
	quantity         *big.Rat
	fees, commission *big.Rat
}

// cutsBetween returns the cuts of the trade between two points of the axis, looking
// from the given stretch on, and the stretch to look from for the next trade.
func cutsBetween(axis []stretch, first int, from, until *big.Rat) ([]cut, int) {
	var cuts []cut
	for i := first; i < len(axis); i++ {
		s := axis[i]
		if s.start.Cmp(until) >= 0 {
			return cuts, i
		}
		low, high := s.start, s.end
		if low.Cmp(from) < 0 {
			low = from
		}
		if high.Cmp(until) > 0 {
			high = until
		}
		cuts = append(cuts, s.cutOut(low, high))
		if s.end.Cmp(until) > 0 {
			return cuts, i
		}
	}
	return cuts, len(axis)
}

// cutOut cuts a piece out of a fill. The piece that closes, at the beginning of
// a fill that crosses zero, has its costs rounded; the other has the rest.
func (s stretch) cutOut(low, high *big.Rat) cut {
	c := cut{fill: s.fill, quantity: sub(high, low), fees: s.fill.Fees, commission: s.fill.Commission}
	if c.quantity.Cmp(s.fill.Quantity) == 0 {
		return c
	}
	portion := quo(abs(s.before), s.fill.Quantity)
	closingFees := roundShare(mul(s.fill.Fees, portion))
	closingCommission := roundShare(mul(s.fill.Commission, portion))
	if low.Cmp(s.start) == 0 {
		c.fees, c.commission = closingFees, closingCommission
		return c
	}
	c.fees, c.commission = sub(s.fill.Fees, closingFees), sub(s.fill.Commission, closingCommission)
	return c
}
