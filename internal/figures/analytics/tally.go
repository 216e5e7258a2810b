package analytics

import (
	"math"

	"fillbook/internal/base/decimal"
)

// outcome is a net result's sign, or breakeven within the tolerance. A removed trade has none.
type outcome int8

const (
	loss      outcome = -1
	breakeven outcome = 0
	win       outcome = 1
	uncounted outcome = 2
)

// outcomeCount is how many outcomes there are.
const outcomeCount = 4

// outcomes returns each trade's outcome from the given net results: those of its rows, or
// the sums over merged parts. Converted results are judged in their own currency.
func outcomes[T number[T]](s *Selection, net []T) []outcome {
	net = ownResults(s, net)
	var list []outcome
	if tolerance := s.filter.Tolerance; !tolerance.IsZero() {
		list = tolerantOutcomes(s, net, tolerance)
	} else {
		list = make([]outcome, len(net))
		var zero T
		zero.signs(list, net)
	}
	if s.hasRemoved() {
		for i := range list {
			if s.isRemoved(i) {
				list[i] = uncounted
			}
		}
	}
	return list
}

// tallyGroups adds up results by group and outcome. Without of there is one group.
func tallyGroups[T number[T]](groups int, of []int32, net []T, results []outcome) []tally[T] {
	sums, list := make([]T, outcomeCount*groups), make([]tally[T], groups)
	var zero T
	zero.sumOutcomes(sums, of, net, results)
	for i, result := range results {
		group := int32(0)
		if of != nil {
			group = of[i]
		}
		list[group].count[result-loss]++
	}
	for group := range list {
		list[group].sum = [outcomeCount]T(sums[outcomeCount*group:])
	}
	return list
}

// tally counts trades and adds up their results, separately
// for each outcome.
type tally[T number[T]] struct {
	count [outcomeCount]int
	sum   [outcomeCount]T
}

// addResult adds a result with its outcome. It has no branches.
func (t *tally[T]) addResult(net T, result outcome) {
	at := result - loss
	t.count[at]++
	t.sum[at] = t.sum[at].add(net)
}

func (t *tally[T]) trades() int      { return t.count[0] + t.count[1] + t.count[2] }
func (t *tally[T]) wins() int        { return t.count[win-loss] }
func (t *tally[T]) losses() int      { return t.count[0] }
func (t *tally[T]) profitSum() T     { return t.sum[win-loss] }
func (t *tally[T]) lossSum() T       { return t.sum[0] } // zero or negative
func (t *tally[T]) removed() int     { return t.count[uncounted-loss] }
func (t *tally[T]) net() T           { return t.countedNet().add(t.sum[uncounted-loss]) }
func (t *tally[T]) winRate() float64 { return fraction(t.wins(), t.trades()) }

// countedNet returns the result of the counted trades, which averages are computed from.
func (t *tally[T]) countedNet() T {
	return t.lossSum().add(t.sum[breakeven-loss]).add(t.profitSum())
}

// plus adds two tallies, and minus subtracts them.
func (t tally[T]) plus(other *tally[T]) tally[T] {
	for i := range t.count {
		t.count[i] += other.count[i]
		t.sum[i] = t.sum[i].add(other.sum[i])
	}
	return t
}

func (t tally[T]) minus(other *tally[T]) tally[T] {
	for i := range t.count {
		t.count[i] -= other.count[i]
		t.sum[i] = t.sum[i].sub(other.sum[i])
	}
	return t
}

// toGroup returns the tally in API form.
func (t *tally[T]) toGroup(scale int32) Group {
	return Group{Trades: t.trades(), Wins: t.wins(), WinRate: t.winRate(), NetPnL: t.net().decimal(scale)}
}

// Group is a trade count and result.
type Group struct {
	Trades  int             `json:"trades"`
	Wins    int             `json:"wins"`
	WinRate float64         `json:"win_rate"`
	NetPnL  decimal.Decimal `json:"net_pnl"`
}

// profitFactor returns gross profit / gross loss, or nil without a loss.
func (t *tally[T]) profitFactor(scale int32) *float64 {
	return ratio(t.profitSum().decimal(scale), t.lossSum().times(-1).decimal(scale))
}

// standardDeviation returns a sample's standard deviation about its mean, with n − 1. It
// is 0 for fewer than two values, and exactly 0 if all are equal.
func standardDeviation(values []float64, mean float64) float64 {
	if len(values) < 2 || isConstant(values) {
		return 0
	}
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// deviationOf is [standardDeviation] for numbers at a scale.
func deviationOf[T number[T]](values []T, mean float64, scale int32) float64 {
	var floats [floatsAtOnce]float64
	var squares, first float64
	var zero T
	constant := true
	for rest := values; len(rest) > 0; {
		n := min(floatsAtOnce, len(rest))
		zero.floats(floats[:n], rest[:n], scale)
		if len(rest) == len(values) {
			first = floats[0]
		}
		for _, v := range floats[:n] {
			squares += (v - mean) * (v - mean)
			constant = constant && v == first
		}
		rest = rest[n:]
	}
	if len(values) < 2 || constant {
		return 0
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

func isConstant(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// divide returns a / b, or nil if b is zero.
func divide(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	value := a / b
	return &value
}
