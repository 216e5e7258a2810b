package analytics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fillbook/internal/decimal"
)

// Comparison is the summaries of two selections and their difference.
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
	// PValue is the probability that two histories with the same expectancy differ
	// as much; null unless both have enough trades and days.
	PValue      *float64 `json:"p_value"`
	Significant bool     `json:"significant"`
}

// CompareSelections compares two selections. Days are those of the zone; the
// trades of a day are not independent.
func CompareSelections(a, b *Selection, zone *time.Location, ofA, ofB Capital) Comparison {
	out := Comparison{A: Summarize(a, ofA), B: Summarize(b, ofB)}
	out.Difference = Difference{
		NetPnL: out.A.NetPnL.Sub(out.B.NetPnL), Expectancy: out.A.Expectancy.Sub(out.B.Expectancy),
		WinRate: out.A.WinRate - out.B.WinRate, ProfitFactor: subtractOptional(out.A.ProfitFactor, out.B.ProfitFactor),
		PayoffRatio: subtractOptional(out.A.PayoffRatio, out.B.PayoffRatio), AvgR: subtractOptional(out.A.AvgR, out.B.AvgR),
	}
	x, y := estimateMean(a, zone), estimateMean(b, zone)
	if x.enough && y.enough {
		p := pValue(x.mean-y.mean, math.Hypot(x.deviation, y.deviation))
		out.Difference.PValue, out.Difference.Significant = p, p != nil && *p < significance
	}
	return out
}

func subtractOptional(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	value := *a - *b
	return &value
}

// meanEstimate is a mean result of a trade with its standard error.
type meanEstimate struct {
	mean, deviation float64
	enough          bool
}

func estimateMean(s *Selection, zone *time.Location) meanEstimate {
	if s.unbounded {
		return estimateMeanIn[exact](s, zone)
	}
	return estimateMeanIn[int128](s, zone)
}

func estimateMeanIn[T number[T]](s *Selection, zone *time.Location) meanEstimate {
	days := tallyNetDays[T](s, zone)
	p := meanEstimate{enough: checkMinimums(s.Len(), len(days)).Enough}
	p.mean, p.deviation = meanError(days, s.scale)
	return p
}

// tallyNetDays returns the tallies of net results by day, in the order of the calendar.
func tallyNetDays[T number[T]](s *Selection, zone *time.Location) []dayTally[T] {
	days, of := s.findDays(newClock(zone))
	trades, net, of := mergeParts(s, readColumn[T](s, netOf), of)
	results := outcomes(trades, net)
	sums := make([]dayTally[T], len(days))
	for i, d := range of {
		sums[d].addResult(net[i], results[i])
		sums[d].day = days[d]
	}
	slices.SortFunc(sums, func(a, b dayTally[T]) int { return cmp.Compare(a.day, b.day) })
	return sums
}
