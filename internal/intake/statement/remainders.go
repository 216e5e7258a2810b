package statement

import (
	"fmt"

	"fillbook/internal/base/decimal"
)

// remainder is the part of a fill's stated amount left unexplained by quantity, price and
// costs. It is above zero if the account is worse off.
type remainder struct {
	fill *Fill
	gap  decimal.Decimal
}

// isPlausible reports whether the remainder may be a cost. If it equals the stated costs,
// it is not another cost: the amount has them, or the reader counts them twice.
func (r remainder) isPlausible() bool {
	known := r.fill.Fees.Add(r.fill.Commission)
	isKnown := !known.IsZero() && r.gap.Sub(known).Abs().Cmp(hundredth) <= 0
	return r.gap.Sign() > 0 && r.gap.Cmp(mostHiddenCosts(r.fill.value())) <= 0 && !isKnown
}

// isRounding reports whether price rounding explains the remainder.
func (r remainder) isRounding() bool {
	units := r.fill.Quantity.Mul(r.fill.effectiveMultiplier())
	return r.gap.Abs().Cmp(roundingOf(r.fill.Price, units)) <= 0
}

// value returns what a fill traded.
func (f *Fill) value() decimal.Decimal {
	return f.Quantity.Mul(f.effectiveMultiplier()).Mul(f.Price).Abs()
}

// settleRemainders compares each fill's stated amount with quantity × price × multiplier
// and costs, to the cent. A remainder repeated with the same sign is a cost. Others are
// reported.
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

// areCosts reports whether remainders are costs: several, and none in the account's
// favor. Rounded prices err in both directions, so it takes more remainders within
// rounding.
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

// bookRemainders adds remainders to the fees and returns those too high for a cost.
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

// warnRemainders warns about amounts unexplained by quantity, price and costs.
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
