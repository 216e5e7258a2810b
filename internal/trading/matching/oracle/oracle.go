// Package oracle recomputes a stream's trades with a slower and different algorithm than
// package matching, so the two can be compared: in tests, and by `fillbook check` on a
// stored journal. It shares no code and no types with matching, and computes with
// fractions instead of decimals.
//
// While matching walks from fill to fill and tracks the position, the oracle places all
// fills end to end on one traded quantity axis. Each fill covers a stretch. The points at
// which the position is zero divide the axis into trades, and a trade's share in a fill
// is where the two stretches overlap. A closed trade's gain is its sale proceeds minus
// its purchase costs, for both directions.
//
// A fill whose kind only closes is first cut down to what it can close, so the axis has
// no stretch that belongs to no trade. A removal's notional is the cost of what it removes.
//
// At a split, the open trade's cuts are multiplied one by one, without rounding, and a last
// cut without a fill corrects their sums to the rounded ones.
//
// Only four matching rules have no such alternative, because they round: splitting a
// fill's costs between two trades, cutting off what closes nothing, a partial
// position's average cost, and the quantities after a split. They are
// implemented here a second time, with fractions.
package oracle

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// Fill is an execution. The fractions are read, never changed. Quantity must be
// above zero; Stated is nil when the broker stated no result. Kind is the kind's name in the
// API; an empty one is a trade.
type Fill struct {
	ID         string
	Kind       string
	At, Seq    int64
	Buy        bool
	Quantity   *big.Rat
	Price      *big.Rat
	Multiplier *big.Rat
	Fees       *big.Rat
	Commission *big.Rat
	Stated     *big.Rat
}

// Trade is a trade as the oracle computes it. Everything is exact except for the two
// shares the rules round.
type Trade struct {
	// FillIDs are the fills with a share in the trade, in time order.
	FillIDs []string
	Long    bool
	// Opened is all fills' quantity in the trade's direction, Remaining what is left:
	// zero for a closed trade.
	Opened, Remaining *big.Rat
	// Entry and Exit are both sides' notionals.
	Entry, Exit *big.Rat
	// Fees and Commission are the trade's shares in its fills' costs.
	Fees, Commission *big.Rat
	// Gross and Net are nil while the trade is open.
	Gross, Net *big.Rat
	// Realized is the closed part's result after its costs.
	Realized *big.Rat
	// EndedBy is the last exit's kind, empty while the trade is open. Removed reports that
	// there were exits and all were removals.
	EndedBy string
	Removed bool

	// EntryPrice and ExitPrice are the average prices, ExitPrice nil until something was
	// closed. Size is what one price unit is worth for the whole opened quantity.
	EntryPrice, ExitPrice, Size *big.Rat
	// Rate is the exchange rate from the prices' currency to the account's; nil if it is
	// unknown. Return is Net in percent of the entry, nil without one, and Volume is the
	// traded notional; both are converted by Rate.
	Rate, Return, Volume *big.Rat
}

// Recompute returns a stream's trades in time order. The fills may come in any order;
// they are sorted by instant, arrival number and id. The splits are in order.
func Recompute(fills []Fill, splits ...Split) []Trade {
	parts, _ := cutTrades(fills, splits)
	trades := make([]Trade, len(parts))
	for i, cuts := range parts {
		trades[i] = newTrade(cuts)
	}
	return trades
}

// Leftovers returns what of each fill belongs to no trade, by id. Fills that belong to
// trades wholly are left out.
func Leftovers(fills []Fill, splits ...Split) map[string]*big.Rat {
	_, left := cutTrades(fills, splits)
	return left
}

// cutTrades returns the cuts of each trade and what belongs to none. Each split ends a
// stretch of time, whose open trade is converted and begins the next one.
func cutTrades(fills []Fill, splits []Split) (trades [][]cut, left map[string]*big.Rat) {
	left = map[string]*big.Rat{}
	rest := sortFills(fills)
	var carried []cut
	for i := range len(splits) + 1 {
		n := len(rest)
		if i < len(splits) {
			n, _ = slices.BinarySearchFunc(rest, splits[i].At, func(f Fill, at int64) int { return cmp.Compare(f.At, at) })
		}
		closings, more := cutToClosings(rest[:n], position(carried))
		maps.Copy(left, more)
		rest = rest[n:]
		trades = append(trades, cutAtFlatPoints(buildAxis(carried, closings))...)
		carried = nil
		if last := len(trades) - 1; i < len(splits) && last >= 0 && position(trades[last]).Sign() != 0 {
			carried, trades = splits[i].convert(trades[last]), trades[:last]
		}
	}
	return trades, left
}

func cutAtFlatPoints(axis []stretch) (trades [][]cut) {
	first, from := 0, new(big.Rat)
	for _, until := range flatPoints(axis) {
		var cuts []cut
		cuts, first = cutsBetween(axis, first, from, until)
		trades = append(trades, cuts)
		from = until
	}
	return trades
}

// sortFills returns the fills in the order in which they are grouped.
func sortFills(fills []Fill) []Fill {
	fills = slices.Clone(fills)
	slices.SortFunc(fills, func(a, b Fill) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	return fills
}

// cutToClosings cuts the fills that only close down to what they close, leaves out those
// that close nothing, and sets openings' costs to zero. position is the signed one before
// them, left what was cut off, by id.
func cutToClosings(sorted []Fill, position *big.Rat) (fills []Fill, left map[string]*big.Rat) {
	left = map[string]*big.Rat{}
	for _, f := range sorted {
		switch f.Kind {
		case "", "trade":
		case "opening":
			f.Fees, f.Commission = new(big.Rat), new(big.Rat)
		default:
			closes := new(big.Rat)
			if signed(position, f.Buy).Sign() < 0 {
				closes = smaller(f.Quantity, abs(position))
			}
			if rest := sub(f.Quantity, closes); rest.Sign() > 0 {
				left[f.ID] = rest
			}
			if closes.Sign() == 0 {
				continue
			}
			if portion := quo(closes, f.Quantity); portion.Cmp(big.NewRat(1, 1)) < 0 {
				f.Fees, f.Commission = roundShare(mul(f.Fees, portion)), roundShare(mul(f.Commission, portion))
			}
			f.Quantity = closes
		}
		position = add(position, signed(f.Quantity, f.Buy))
		fills = append(fills, f)
	}
	return fills, left
}

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// stretch is a fill on the traded quantity axis.
type stretch struct {
	fill       Fill
	start, end *big.Rat
	// before and after are the signed positions at both ends.
	before, after *big.Rat
	// carried is the whole stretch's cut in a trade from before a split, nil for a fill.
	carried *cut
}

// buildAxis places the cuts of a trade from before a split and then the fills on the axis.
func buildAxis(carried []cut, fills []Fill) []stretch {
	axis := make([]stretch, 0, len(carried)+len(fills))
	at, position := new(big.Rat), new(big.Rat)
	place := func(s stretch, quantity *big.Rat) {
		s.start, s.end = at, add(at, quantity)
		s.before, s.after = position, add(position, signed(quantity, s.fill.Buy))
		axis = append(axis, s)
		at, position = s.end, s.after
	}
	for i := range carried {
		place(stretch{fill: carried[i].fill, carried: &carried[i]}, carried[i].quantity)
	}
	for _, f := range fills {
		place(stretch{fill: f}, f.Quantity)
	}
	return axis
}

// flatPoints returns all trades' ends on the axis: every point at which the position
// comes back to zero, and the axis's end if the position is not zero there.
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

// cut is a trade's share in a fill.
type cut struct {
	fill             Fill
	quantity         *big.Rat
	fees, commission *big.Rat
	cost             *big.Rat // what a removal takes away, nil for other fills
	// scale is how many units after later splits one unit of the fill is; nil for 1. The
	// quantity is in those units.
	scale *big.Rat
	// rounding makes the cut a split's rounding, without a fill; nil for others. event makes it
	// another effect of a corporate action.
	rounding *rounding
	event    *event
}

// cutsBetween returns the trade's cuts between two axis points, starting at stretch
// first, and the stretch to start at for the next trade.
func cutsBetween(axis []stretch, first int, from, until *big.Rat) ([]cut, int) {
	var cuts []cut
	for i := first; i < len(axis); i++ {
		s := axis[i]
		// A split's rounding may cover nothing of the axis, at its very end.
		if s.carried == nil && s.start.Cmp(until) >= 0 {
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

// cutOut returns a fill's cut between two points. If the fill crosses zero, the closing
// cut's costs are rounded and the opening cut has the rest.
func (s stretch) cutOut(low, high *big.Rat) cut {
	if s.carried != nil {
		return *s.carried
	}
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
