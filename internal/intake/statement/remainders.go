package statement

import (
	"fmt"

	"fillbook/internal/base/decimal"
)

// remainder is what quantity, price and costs leave unexplained of the amount that a
// file states for a fill. It is above zero if the account is worse off.
type remainder struct {
	fill *Fill
	gap  decimal.Decimal
}

// isPlausible reports whether the remainder may be a cost. One that equals the stated
// costs is not another cost: the amount has them, or the reader counts them twice.
func (r remainder) isPlausible() bool {
	known := r.fill.Fees.Add(r.fill.Commission)
	isKnown := !known.IsZero() && r.gap.Sub(known).Abs().Cmp(hundredth) <= 0
	return r.gap.Sign() > 0 && r.gap.Cmp(mostHiddenCosts(r.fill.value())) <= 0 && !isKnown
}

// isRounding reports whether the rounding of the price explains the remainder.
func (r remainder) isRounding() bool {
	units := r.fill.Quantity.Mul(r.fill.effectiveMultiplier())
	return r.gap.Abs().Cmp(roundingOf(r.fill.Price, units)) <= 0
}

// value returns what a fill traded.
func (f *Fill) value() decimal.Decimal {
	return f.Quantity.Mul(f.effectiveMultiplier()).Mul(f.Price).Abs()
}

// settleRemainders compares the amount that the file states for each fill with
// quantity × price × multiplier and costs, to the cent. A remainder that comes again
// with the same sign is a cost. Any other is told.
func (s *Statement) settleRemainders() {
	list := s.findRemainders()
	if areCosts(list) {
		list = s.bookRemainders(list)
	}
	s.warnRemainders(list)
}

func (s *Statement) findRemainders() (list []remainder) {
	for _, f := range s.Fills {
		if gap := f.hiddenGap(); gap.Abs().Cmp(hundredth) > 0 {
			list = append(list, remainder{f, gap})
		}
	}
	return list
}

// areCosts reports whether remainders are costs: several of them, and none that
// makes the account better off. Rounded prices err in both directions, so it takes
// more of those that rounding could explain.
func areCosts(list []remainder) bool {
	const fewest, fewestRounded = 2, 6
	certain, rounded := 0, 0
	for _, r := range list {
		switch {
		case r.gap.Sign() < 0:
			return false
		case !r.isPlausible():
		case r.isRounding():
			rounded++
		default:
			certain++
		}
	}
	return certain >= fewest || certain+rounded >= fewestRounded
}

// bookRemainders adds remainders to the fees and returns those that are too high for
// a cost.
func (s *Statement) bookRemainders(list []remainder) (left []remainder) {
	sum, rows, first := decimal.Zero, 0, 0
	for _, r := range list {
		if !r.isPlausible() {
			left = append(left, r)
			continue
		}
		r.fill.Fees, r.fill.FeesKnown = r.fill.Fees.Add(r.gap), true
		sum, rows = sum.Add(r.gap), rows+1
		if first == 0 || r.fill.Row < first {
			first = r.fill.Row
		}
	}
	s.Warn("%s", fmt.Sprintf("The amounts contain costs of %s that the file does not list; they were booked as fees (%s, first row %d).", sum, countRows(rows), first))
	return left
}

// warnRemainders warns about amounts that quantity, price and costs do not explain.
func (s *Statement) warnRemainders(list []remainder) {
	if len(list) == 0 {
		return
	}
	first, most, rounded := list[0], decimal.Zero, true
	for _, r := range list {
		rounded = rounded && r.isRounding()
		most = decimal.Max(most, r.gap.Abs())
		if r.fill.Row < first.fill.Row {
			first = r
		}
	}
	f := first.fill
	computed := f.StatedCashFlow.Decimal.Add(first.gap)
	if rounded {
		s.Warn("%s", fmt.Sprintf("The amounts differ from quantity × price by up to %s, as the file rounds its prices (%s, first row %d).", most, countRows(len(list)), f.Row))
		return
	}
	s.Warn("%s", fmt.Sprintf("The amount is not quantity × price with costs in %s. The first is row %d (%s): the file says %s, quantity, price, multiplier %s and costs give %s.",
		countRows(len(list)), f.Row, f.Symbol, f.StatedCashFlow, f.effectiveMultiplier(), computed))
}
