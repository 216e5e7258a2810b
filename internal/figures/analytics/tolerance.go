package analytics

import (
	"math"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/tradefilter"
)

// tolerantOutcomes returns each result's outcome, with results near zero as breakeven. It
// computes in 128 bits if the limits fit as well.
func tolerantOutcomes[T number[T]](s *Selection, net []T, tolerance tradefilter.Tolerance) []outcome {
	if list, is := any(net).([]int128); is {
		if within, ok := boundedOutcomes(s, list, tolerance); ok {
			return within
		}
	}
	list := make([]exact, len(net))
	for i, v := range net {
		list[i] = exact{v.decimal(s.scale)}
	}
	if tolerance.InR {
		return outcomesWithinR(s, list, func(risk exact) exact { return exact{risk.d.Mul(tolerance.R)} }, 1)
	}
	return outcomesWithin(list, exact{tolerance.Amount})
}

// boundedOutcomes is tolerantOutcomes in 128 bits; ok is false if the numbers do
// not fit.
func boundedOutcomes(s *Selection, net []int128, tolerance tradefilter.Tolerance) (list []outcome, ok bool) {
	if tolerance.InR {
		factor, unit, ok := toFraction(tolerance.R)
		if !ok || slices.ContainsFunc(net, int128.exceedsAmount) {
			return nil, false
		}
		return outcomesWithinR(s, net, func(risk int128) int128 { return risk.times(factor) }, unit), true
	}
	var limit amounts
	limit.push(roundTo(tolerance.Amount, s.scale, false))
	if limit.unbounded != nil || !limit.fits(s.scale) {
		return nil, false
	}
	return outcomesWithin(net, limit.fixedAt(0).scaleUp(s.scale-limit.scale)), true
}

// exceedsAmount reports whether a number, such as a sum over a trade's parts, has more
// bits than an amount.
func (a int128) exceedsAmount() bool {
	top := a.hi >> (amountBits - 64)
	return top != 0 && top != -1
}

// outcomesWithin treats results up to a limit, in either direction, as breakeven.
func outcomesWithin[T number[T]](net []T, limit T) []outcome {
	list := make([]outcome, len(net))
	for i, v := range net {
		if v.cmp(limit) > 0 || v.add(limit).sign() < 0 {
			list[i] = outcome(v.sign())
		}
	}
	return list
}

// outcomesWithinR treats results as breakeven whose multiple by unit is at most the limit
// for their initial risk. A trade without a risk above zero is breakeven only at zero.
func outcomesWithinR[T number[T]](s *Selection, net []T, limitOf func(risk T) T, unit int64) []outcome {
	list := make([]outcome, len(net))
	for i, v := range net {
		list[i] = outcome(v.sign())
	}
	risk, known := readOptionalColumn[T](s, riskOf)
	for k, i := range known {
		if risk[k].sign() <= 0 {
			continue
		}
		limit, v := limitOf(risk[k]), net[i].times(unit)
		if v.cmp(limit) <= 0 && v.add(limit).sign() >= 0 {
			list[i] = breakeven
		}
	}
	return list
}

// toFraction returns r as a quotient of whole numbers, if 95-bit amounts can be
// multiplied by both in 128 bits.
func toFraction(r decimal.Decimal) (factor, unit int64, ok bool) {
	v, scale, ok := fixedPoint(r)
	factor, small := v.key()
	const longest = 9 // decimals: 10^9 has 30 bits
	if !ok || !small || scale > longest || factor > math.MaxInt32>>1 {
		return 0, 0, false
	}
	return factor, powers[scale], true
}
