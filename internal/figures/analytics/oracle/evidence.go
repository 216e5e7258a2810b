package oracle

import (
	"math"
	"math/big"
	"slices"
	"time"
)

// splitMix is the generator defined on the page: SplitMix64.
type splitMix struct{ state uint64 }

// intn returns a whole number from 0 to n − 1.
func (g *splitMix) intn(n int) int {
	g.state += 0x9e3779b97f4a7c15
	z := g.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	z ^= z >> 31
	product := new(big.Int).Mul(new(big.Int).SetUint64(z>>32), big.NewInt(int64(n)))
	return int(product.Rsh(product, 32).Int64())
}

// The draws for a summary and for a breakdown row.
const (
	SummaryDraws = 1000
	RowDraws     = 400
)

// Evidence predicts the summary's evidence, with days in UTC.
func (j *Journal) Evidence(q *Question) Object {
	return computeEvidence(q, listCounting(j.SelectTrades(q)), time.UTC, SummaryDraws)
}

// RowEvidence predicts the evidence for breakdown rows, by key, with days in the
// question's zone.
func (j *Journal) RowEvidence(q *Question, by string) map[string]Object {
	list, groups, out := j.SelectTrades(q), map[string][]*Trade{}, map[string]Object{}
	for _, t := range list {
		for _, key := range j.rowKeys(q, by, t, list) {
			groups[key] = append(groups[key], t)
		}
	}
	for key, group := range groups {
		out[key] = computeEvidence(q, listCounting(group), q.Zone, RowDraws)
	}
	return out
}

// computeEvidence computes the evidence from days. A trade with results on several days
// is in each.
func computeEvidence(q *Question, slips []*Trade, zone *time.Location, draws int) Object {
	days := byDay(slips, q.basis, zone)
	list := (&history{days: days}).trades()
	enough := len(list) >= 30 && len(days) >= 10
	out := Object{
		"n": len(list), "days": len(days), "level": 0.95, "generator": "splitmix64", "seed": 1, "draws": draws,
		"expectancy": newInterval(nil, nil, enough), "win_rate": newInterval(nil, nil, enough), "profit_factor": newInterval(nil, nil, enough),
	}
	if len(days) < 2 {
		return out
	}
	low, high := wilson(len(filterTrades(list, (*Trade).isWin)), len(list))
	out["win_rate"] = newInterval(low, high, enough && (high-low)/2 <= 0.1)

	drawn := drawHistories(days, draws, 1)
	cut := draws / 40
	slices.SortStableFunc(drawn, func(a, b history) int { return a.mean.Cmp(b.mean) })
	least, most := drawn[cut], drawn[draws-1-cut]
	distinct := enough && (least.mean.Sign() > 0 || most.mean.Sign() < 0)
	out["expectancy"] = newInterval(average(mapTrades(least.trades(), net)), average(mapTrades(most.trades(), net)), distinct)

	slices.SortStableFunc(drawn, func(a, b history) int { return compareFactors(a.factor, b.factor) })
	out["profit_factor"] = newInterval(float(drawn[cut].factor), float(drawn[draws-1-cut].factor), distinct)
	return out
}

func newInterval(low, high any, enough bool) Object {
	return Object{"low": low, "high": high, "enough": enough, "missing": Unpredicted{}}
}

// wilson returns Wilson's interval for a share of n.
func wilson(part, n int) (low, high float64) {
	const z = 1.959963984540054
	p, count := float64(part)/float64(n), float64(n)
	root := math.Sqrt(p*(1-p)*4*count + z*z)
	low = (2*count*p + z*z - z*root) / (2 * (count + z*z))
	high = (2*count*p + z*z + z*root) / (2 * (count + z*z))
	return low, high
}

// history is a draw of days. The factor is nil without a loss.
type history struct {
	days         []dayGroup
	mean, factor *big.Rat
}

func (h *history) trades() (list []*Trade) {
	for _, d := range h.days {
		list = append(list, d.trades...)
	}
	return list
}

// drawHistories draws histories from day blocks.
func drawHistories(days []dayGroup, draws int, seed uint64) []history {
	count := min(len(days), 250)
	blocks := make([][]dayGroup, count)
	for k := range blocks {
		blocks[k] = days[k*len(days)/count : (k+1)*len(days)/count]
	}
	dice := &splitMix{state: seed}
	out := make([]history, draws)
	for i := range out {
		for range count {
			out[i].days = append(out[i].days, blocks[dice.intn(count)]...)
		}
		list := out[i].trades()
		out[i].mean = mean(mapTrades(list, net))
		out[i].factor = divide(sum(mapTrades(filterTrades(list, (*Trade).isWin), net)), neg(sum(mapTrades(filterTrades(list, (*Trade).isLoss), net))))
	}
	return out
}

// differenceInterval predicts the interval for the difference between two expectancies.
func differenceInterval(a, b *Question, of, against []*Trade) Object {
	interval := drawDifference(byDay(of, a.basis, a.Zone), byDay(against, b.basis, a.Zone))
	if interval == nil {
		return Object{"low": nil, "high": nil}
	}
	return interval
}

// drawDifference returns the interval for the difference between two day lists, nil if
// one has fewer than two days. The list with fewer trades has seed 1, of as many the one with
// the lower result.
func drawDifference(daysA, daysB []dayGroup) Object {
	if len(daysA) < 2 || len(daysB) < 2 {
		return nil
	}
	const draws = RowDraws
	a, b := (&history{days: daysA}).trades(), (&history{days: daysB}).trades()
	seedA, seedB := uint64(1), uint64(2)
	if len(a) > len(b) || len(a) == len(b) && sum(mapTrades(a, net)).Cmp(sum(mapTrades(b, net))) > 0 {
		seedA, seedB = 2, 1
	}
	drawnA, drawnB := drawHistories(daysA, draws, seedA), drawHistories(daysB, draws, seedB)
	apart := make([]*big.Rat, draws)
	for i := range apart {
		apart[i] = sub(average(mapTrades(drawnA[i].trades(), net)), average(mapTrades(drawnB[i].trades(), net)))
	}
	slices.SortFunc(apart, (*big.Rat).Cmp)
	return Object{"low": apart[draws/40], "high": apart[draws-1-draws/40]}
}

// compareFactors compares factors; one without a loss is above all others.
func compareFactors(a, b *big.Rat) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Cmp(b)
}
