package brokers

import (
	"cmp"
	"slices"
	"strconv"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// partOf returns the fill that a part belongs to.
type partOf struct {
	symbol string
	side   matching.Side
	id     string
}

// joinParts puts fills together that a file spreads over rows, as one that
// pairs bought contracts with sold ones does: parts of one id are one fill.
// Then it puts all in order; of one instant the lower id came first.
func joinParts(s *statement.Statement) {
	parts := map[partOf][]*statement.Fill{}
	var order []partOf
	var joined []*statement.Fill
	for _, f := range s.Fills {
		if f.ID == "" {
			joined = append(joined, f)
			continue
		}
		key := partOf{f.Symbol, f.Side, f.ID}
		if len(parts[key]) == 0 {
			order = append(order, key)
		}
		parts[key] = append(parts[key], f)
	}
	for _, key := range order {
		joined = append(joined, joinFill(parts[key])...)
	}
	slices.SortStableFunc(joined, byTimeAndID)
	skipJoined(s, joined)
	s.Fills = joined
}

// skipJoined accounts for rows of which every fill became a part of another
// row's.
func skipJoined(s *statement.Statement, joined []*statement.Fill) {
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

// joinFill makes one fill of parts. Parts at several prices are one at their
// average if that has an end; otherwise they stay apart, as a rounded price
// would change what was made.
func joinFill(parts []*statement.Fill) []*statement.Fill {
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
			whole.At = p.At
		}
	}
	return []*statement.Fill{whole}
}

// byTimeAndID orders fills by their instant and then by their number.
func byTimeAndID(a, b *statement.Fill) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}
