package analytics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
)

// The conditions under which a figure counts as evidence.
const (
	evidenceLevel  = 0.95
	evidenceDraws  = 1000
	evidenceBlocks = 250 // with more days than this, several days form a block
	minTrades      = 30
	minDays        = 10
	// winRateWidth is the greatest half-width for a win rate interval.
	winRateWidth = 0.1
	// maxMissing is returned if no realistic trade count is enough.
	maxMissing = 1_000_000
)

// Seed is the seed for every random figure. It is the same for all users, so a restored
// journal shows the same intervals and they can be recomputed elsewhere.
const Seed uint64 = 1

// generatorName names the generator behind every random figure; see splitMix64.
const generatorName = "splitmix64"

// Evidence describes how reliable a selection's figures are. Trades on one day are not
// independent, so whole days are drawn, with replacement, to see how expectancy and
// profit factor would have varied. The win rate has Wilson's interval.
type Evidence struct {
	N            int           `json:"n"`
	Days         int           `json:"days"`
	Level        float64       `json:"level"`
	Expectancy   MoneyInterval `json:"expectancy"`
	WinRate      Interval      `json:"win_rate"`
	ProfitFactor Interval      `json:"profit_factor"`
	// Generator, Seed and Draws describe how the random draws were made.
	Generator string `json:"generator"`
	Seed      uint64 `json:"seed"`
	Draws     int    `json:"draws"`
}

// Verdict reports whether there are enough trades to rely on a figure and, if not,
// about how many more are needed.
type Verdict struct {
	Enough  bool `json:"enough"`
	Missing int  `json:"missing"`
}

// Interval is a figure's interval at the evidence level. A bound is null if there are
// fewer than two days, or for a profit factor without a loss.
type Interval struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	Verdict
}

// MoneyInterval is an Interval for money.
type MoneyInterval struct {
	Low  decimal.Null `json:"low"`
	High decimal.Null `json:"high"`
	Verdict
}

// AssessEvidence returns a selection's evidence, with days in the zone.
func AssessEvidence(s *Selection, zone *time.Location, seed uint64) Evidence {
	s = s.withoutRemoved()
	return chooseArithmetic(s, assessEvidence[int128], assessEvidence[exact])(s, zone, seed)
}

func assessEvidence[T number[T]](s *Selection, zone *time.Location, seed uint64) Evidence {
	days := tallyNetDays[T](s, zone)
	return computeEvidence(days, s.scale, newDraws(evidenceDraws, len(days), seed))
}

// computeEvidence computes the evidence from days, which must be in order.
func computeEvidence[T number[T]](days []dayNet[T], scale int32, draws *draws) Evidence {
	e, _ := drawEvidence(days, scale, draws)
	return e
}

// drawEvidence is computeEvidence with the drawn histories, nil with fewer than two days.
func drawEvidence[T number[T]](days []dayNet[T], scale int32, draws *draws) (Evidence, []drawnHistory[T]) {
	var all tally[T]
	for i := range days {
		all = all.plus(&days[i].tally)
	}
	e := Evidence{
		N: all.trades(), Days: len(days), Level: evidenceLevel, Generator: generatorName, Seed: draws.seed, Draws: draws.count,
	}
	least := checkMinimums(all.trades(), len(days))
	e.Expectancy.Verdict, e.WinRate.Verdict, e.ProfitFactor.Verdict = least, least, least
	if len(days) < 2 {
		return e, nil
	}
	list := drawHistories(groupDays(days), scale, draws)
	cut := int(float64(draws.count) * (1 - evidenceLevel) / 2)
	low, high := findBounds(list, cut, func(d *drawnHistory[T]) float64 { return d.mean })
	e.Expectancy.Low = decimal.Of(mean(low.net.decimal(scale), low.trades))
	e.Expectancy.High = decimal.Of(mean(high.net.decimal(scale), high.trades))
	center := all.net().float(scale) / float64(all.trades())
	e.Expectancy.checkWidth(all.trades(), (high.mean-low.mean)/2, math.Abs(center), low.mean > 0 || high.mean < 0)

	lowRate, highRate := wilsonInterval(all.wins(), all.trades())
	e.WinRate.Low, e.WinRate.High = &lowRate, &highRate
	width := (highRate - lowRate) / 2
	e.WinRate.checkWidth(all.trades(), width, winRateWidth, width <= winRateWidth)

	low, high = findBounds(list, cut, func(d *drawnHistory[T]) float64 { return d.factor })
	e.ProfitFactor.Low, e.ProfitFactor.High = finiteOrNil(low.factor), finiteOrNil(high.factor)
	e.ProfitFactor.Verdict = e.Expectancy.Verdict // above one is above zero
	return e, list
}

// wilsonInterval returns Wilson's score interval for a share, at the evidence level.
func wilsonInterval(part, all int) (low, high float64) {
	const z = 1.959963984540054
	n, p := float64(all), fraction(part, all)
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, center-half), min(1, center+half)
}

// checkMinimums returns the verdict on the minimum trades and days. Missing days are
// converted to trades at the average trade count per day.
func checkMinimums(trades, days int) Verdict {
	missing := max(0, minTrades-trades)
	if short := minDays - days; short > 0 && days > 0 {
		missing = max(missing, (short*trades+days-1)/days)
	}
	return Verdict{Enough: missing == 0, Missing: missing}
}

// checkWidth adds the verdict on the interval's half-width, which shrinks with the square
// root of the trade count and must reach the target.
func (v *Verdict) checkWidth(n int, width, target float64, reached bool) {
	if reached {
		return
	}
	v.Enough = false
	needed := math.Ceil(float64(n) * (width / target) * (width / target))
	more := maxMissing
	if needed-float64(n) < maxMissing { // false for NaN, too
		more = max(1, int(needed)-n)
	}
	v.Missing = max(v.Missing, more)
}

func finiteOrNil(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// groupDays merges neighboring days if there are more than evidenceBlocks.
func groupDays[T number[T]](days []dayNet[T]) []tally[T] {
	n := min(len(days), evidenceBlocks)
	list := make([]tally[T], n)
	for k := range list {
		for i := k * len(days) / n; i < (k+1)*len(days)/n; i++ {
			list[k] = list[k].plus(&days[i].tally)
		}
	}
	return list
}

// meanError returns the mean result per trade and its standard error when whole days
// vary: the root of D/(D−1) Σ (day sum − mean × day trades)², over the trade count.
func meanError[T number[T]](days []dayNet[T], scale int32) (average, deviation float64) {
	var all tally[T]
	for i := range days {
		all = all.plus(&days[i].tally)
	}
	if len(days) < 2 {
		return 0, 0
	}
	n, d := float64(all.trades()), float64(len(days))
	average = all.net().float(scale) / n
	var squares float64
	for i := range days {
		apart := days[i].net().float(scale) - average*float64(days[i].trades())
		squares += apart * apart
	}
	return average, math.Sqrt(squares*d/(d-1)) / n
}

// pValue returns the two-sided probability for a deviation by so many standard errors. It
// is nil if the standard error is 0.
func pValue(apart, deviation float64) *float64 {
	if deviation == 0 {
		return nil
	}
	p := math.Erfc(math.Abs(apart) / deviation / math.Sqrt2)
	return &p
}

// correctByHolm corrects p-values for multiple comparisons by Holm's method: the smallest
// is multiplied by their number, the next by one less, and so on, and none is below its
// predecessor.
func correctByHolm(chances []*float64) []*float64 {
	var order []int
	for i, p := range chances {
		if p != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(*chances[a], *chances[b]) })
	out := make([]*float64, len(chances))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, *chances[i]*float64(len(order)-rank)))
		corrected := least
		out[i] = &corrected
	}
	return out
}

// correctOnce is correctByHolm for comparisons of groups with the other trades. One that is
// made from both sides, such as long with short and short with long, counts once, and both
// get the same probability. trades returns a group's trades, and isMirrored reports whether
// two groups differ from each other's trades by the same.
func correctOnce(chances []*float64, all int, trades func(i int) int, isMirrored func(i, k int) bool) []*float64 {
	distinct, same := slices.Clone(chances), map[int]int{}
	bySize := map[int][]int{}
	for i, p := range chances {
		if p == nil {
			continue
		}
		others := bySize[all-trades(i)]
		if at := slices.IndexFunc(others, func(k int) bool { return isMirrored(i, k) }); at >= 0 {
			distinct[i], same[i] = nil, others[at]
			continue
		}
		bySize[trades(i)] = append(bySize[trades(i)], i)
	}
	out := correctByHolm(distinct)
	for i, k := range same {
		out[i] = out[k]
	}
	return out
}
