package statement

import (
	"cmp"
	"slices"
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// finishParts joins the parts of fills and orders fills within an instant, if a layout in
// the preset says so.
func (r *Reader) finishParts() {
	for _, l := range r.Preset.layouts() {
		if slices.ContainsFunc(l.Join, func(j Join) bool { return j.As == JoinParts }) {
			r.Out.joinParts()
		}
		switch l.SameInstant {
		case InstantByID:
			slices.SortStableFunc(r.Out.Fills, compareInstantAndID)
		case InstantByHoldings:
			r.Out.sortByHoldings()
		case InstantByRow:
		}
	}
}

// partKey is what the parts of a fill have in common.
type partKey struct {
	symbol string
	side   matching.Side
	id     string
}

// joinParts joins fills with the same instrument, side and id. Exports pairing bought
// with sold contracts spread a fill over rows.
func (s *Statement) joinParts() {
	parts := map[partKey][]*Fill{}
	var order []partKey
	var joined []*Fill
	for _, f := range s.Fills {
		if f.ID == "" {
			joined = append(joined, f)
			continue
		}
		key := partKey{f.Symbol, f.Side, f.ID}
		if len(parts[key]) == 0 {
			order = append(order, key)
		}
		parts[key] = append(parts[key], f)
	}
	for _, key := range order {
		joined = append(joined, joinFills(parts[key])...)
	}
	s.skipJoined(joined)
	s.Fills = joined
}

// skipJoined skips the rows whose every fill became part of another row's.
func (s *Statement) skipJoined(joined []*Fill) {
	left := map[int]bool{}
	for _, f := range joined {
		left[f.Row] = true
	}
	for _, f := range s.Fills {
		if !left[f.Row] {
			left[f.Row] = true
			s.Skip(f.Row, "its fills are parts of fills in other rows")
		}
	}
}

// joinFills makes one fill from parts. Parts at several prices become one at their
// average if it terminates; otherwise they stay apart with numbered ids, because a
// rounded price would change the result.
func joinFills(parts []*Fill) []*Fill {
	quantity, paid := decimal.Zero, decimal.Zero
	for _, p := range parts {
		quantity, paid = quantity.Add(p.Quantity), paid.Add(p.Quantity.Mul(p.Price))
	}
	const decimals = 12
	average := paid.DivRound(quantity, decimals)
	if !average.Mul(quantity).Equal(paid) {
		for i, p := range parts[1:] {
			p.ID += "/" + strconv.Itoa(i+2)
		}
		return parts
	}
	whole := parts[0]
	whole.Quantity, whole.Price = quantity, average
	for _, p := range parts[1:] {
		whole.Fees, whole.Commission = whole.Fees.Add(p.Fees), whole.Commission.Add(p.Commission)
		if p.At.Before(whole.At) {
			whole.At, whole.ZeroFraction = p.At, p.ZeroFraction
		}
	}
	return []*Fill{whole}
}

// compareInstantAndID orders fills by their instant and then by their number.
func compareInstantAndID(a, b *Fill) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}

// sortByHoldings sorts the fills by time, within an instant in file order or in the
// opposite one; see [InstantByHoldings].
func (s *Statement) sortByHoldings() {
	reversed := slices.Clone(s.Fills)
	slices.Reverse(reversed)
	forwards, backwards := sortedByTime(s.Fills), sortedByTime(reversed)
	s.Fills = forwards
	if countSoldShort(backwards) < countSoldShort(forwards) {
		s.Fills = backwards
	}
}

// countSoldShort counts sales without shares held.
func countSoldShort(fills []*Fill) int {
	n := 0
	held := map[string]decimal.Decimal{}
	for _, f := range fills {
		if f.Right != "" {
			continue
		}
		held[f.Symbol] = held[f.Symbol].Add(f.signed())
		if f.Side == matching.Sell && held[f.Symbol].Sign() < 0 {
			n++
		}
	}
	return n
}
