package analytics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
)

// Comparison is two summaries and their difference.
type Comparison struct {
	A          Summary    `json:"a"`
	B          Summary    `json:"b"`
	Difference Difference `json:"difference"`
}

// Difference is A less B. A figure is null if A or B does not have it.
type Difference struct {
	NetPnL       decimal.Decimal `json:"net_pnl"`
	Expectancy   decimal.Decimal `json:"expectancy"`
	WinRate      float64         `json:"win_rate"`
	ProfitFactor *float64        `json:"profit_factor"`
	PayoffRatio  *float64        `json:"payoff_ratio"`
	AvgR         *float64        `json:"avg_r"`
	// Interval belongs to the expectancy difference.
	Interval DifferenceInterval `json:"interval"`
	// PValue is how likely two histories with the same expectancy differ as much; null
	// unless both have enough trades and days.
	PValue      *float64 `json:"p_value"`
	Significant bool     `json:"significant"`
}

// DifferenceInterval is the 95% interval for a money difference; its bounds are null
// unless both sides have two days with trades.
type DifferenceInterval struct {
	Low  decimal.Null `json:"low"`
	High decimal.Null `json:"high"`
}

// CompareSelections compares two selections, with days in the zone; trades on one day are
// not independent.
func CompareSelections(a, b *Selection, zone *time.Location, ofA, ofB Capital) Comparison {
	out := Comparison{A: Summarize(a, ofA), B: Summarize(b, ofB)}
	out.Difference = Difference{
		NetPnL: out.A.NetPnL.Sub(out.B.NetPnL), Expectancy: out.A.Expectancy.Sub(out.B.Expectancy),
		WinRate: out.A.WinRate - out.B.WinRate, ProfitFactor: subtractOptional(out.A.ProfitFactor, out.B.ProfitFactor),
		PayoffRatio: subtractOptional(out.A.PayoffRatio, out.B.PayoffRatio), AvgR: subtractOptional(out.A.AvgR, out.B.AvgR),
	}
	a, b = a.withoutRemoved(), b.withoutRemoved()
	x := chooseArithmetic(a, estimateSelection[int128], estimateSelection[exact])(a, zone)
	y := chooseArithmetic(b, estimateSelection[int128], estimateSelection[exact])(b, zone)
	d := &out.Difference
	d.Interval, d.PValue = compareMeans(x, y, Seed)
	d.Significant = d.PValue != nil && *d.PValue < significance
	return out
}

// drawDayMeans returns the mean result per trade in histories drawn as for a breakdown row.
// It returns nil with fewer than two days.
func drawDayMeans[T number[T]](days []dayNet[T], scale int32, seed uint64) []decimal.Decimal {
	if len(days) < 2 {
		return nil
	}
	return meansOf(drawHistories(groupDays(days), scale, newDraws(rowDraws, len(days), seed)), scale)
}

// meansOf returns the mean result per trade in drawn histories.
func meansOf[T number[T]](list []drawnHistory[T], scale int32) []decimal.Decimal {
	means := make([]decimal.Decimal, len(list))
	for i := range list {
		means[i] = mean(list[i].net.decimal(scale), list[i].trades)
	}
	return means
}

// intervalOfDifference returns the interval between two lists, compared draw by draw.
func intervalOfDifference(a, b []decimal.Decimal) (interval DifferenceInterval) {
	if a == nil || b == nil {
		return interval
	}
	apart := make([]decimal.Decimal, len(a))
	for i := range apart {
		apart[i] = a[i].Sub(b[i])
	}
	slices.SortFunc(apart, decimal.Decimal.Cmp)
	cut := int(float64(len(apart)) * (1 - evidenceLevel) / 2)
	return DifferenceInterval{Low: decimal.Of(apart[cut]), High: decimal.Of(apart[len(apart)-1-cut])}
}

func subtractOptional(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	value := *a - *b
	return &value
}

// meanEstimate is a mean result per trade with its standard error.
type meanEstimate struct {
	trades          int
	net             decimal.Decimal
	mean, deviation float64
	enough          bool
	// draw returns the means of drawn histories, nil with fewer than two days.
	draw func(seed uint64) []decimal.Decimal
}

func estimateMean[T number[T]](days []dayNet[T], trades int, scale int32) meanEstimate {
	var all tally[T]
	for i := range days {
		all = all.plus(&days[i].tally)
	}
	e := meanEstimate{trades: trades, net: all.net().decimal(scale), enough: checkMinimums(trades, len(days)).Enough}
	e.draw = func(seed uint64) []decimal.Decimal { return drawDayMeans(days, scale, seed) }
	e.mean, e.deviation = meanError(days, scale)
	return e
}

func estimateSelection[T number[T]](s *Selection, zone *time.Location) meanEstimate {
	return estimateMean(tallyNetDays[T](s, zone), s.Len(), s.scale)
}

// compareMeans returns the interval for the difference between two means, and how likely
// it is by chance: nil unless both have enough trades and days.
func compareMeans(a, b meanEstimate, seed uint64) (interval DifferenceInterval, p *float64) {
	if a.enough && b.enough {
		p = pValue(a.mean-b.mean, math.Hypot(a.deviation, b.deviation))
	}
	seedA, seedB := seed, seed+1
	if !isDrawnFirst(a.trades, b.trades, a.net, b.net) {
		seedA, seedB = seedB, seedA
	}
	return intervalOfDifference(a.draw(seedA), b.draw(seedB)), p
}

// isDrawnFirst reports whether, of two sides to compare, a is drawn with the seed and b with
// the next one: the side with fewer trades is, of as many the one with the lower result. So
// A compared with B has the interval of B compared with A, mirrored.
func isDrawnFirst(tradesA, tradesB int, netA, netB decimal.Decimal) bool {
	return tradesA < tradesB || tradesA == tradesB && netA.Cmp(netB) <= 0
}

// tallyNetDays returns the net results by day, in calendar order.
func tallyNetDays[T number[T]](s *Selection, zone *time.Location) []dayNet[T] {
	days, of := s.findDays(newClock(zone))
	trades, net, of := mergeParts(s, readColumn[T](s, netOf), of)
	sums := make([]dayNet[T], len(days))
	for d, t := range tallyGroups(len(days), of, net, outcomes(trades, net)) {
		sums[d] = dayNet[T]{t, days[d]}
	}
	slices.SortFunc(sums, func(a, b dayNet[T]) int { return cmp.Compare(a.day, b.day) })
	return sums
}
