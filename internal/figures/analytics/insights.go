package analytics

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// InsightKind is what an insight's group has in common.
type InsightKind string

// The kinds besides the dimensions with the same names, in the order of candidates.
const (
	InsightRule        InsightKind = "rule"
	InsightAfterLosses InsightKind = "after_losses"
	InsightNthOfDay    InsightKind = "nth_of_day"
)

// insightDimensions are the dimensions whose rows are candidates.
var insightDimensions = []Dimension{BySetup, ByTag, ByMistake, ByRoot, BySide, ByWeekday, ByHour, BySession, ByHoldTime}

// Insight is a group of trades whose average result differs from that of the other
// selected trades by more than chance explains.
type Insight struct {
	Kind InsightKind
	// Key is a breakdown key, a rule's text (empty for any rule), a number of losses, or
	// the number of the day: "1", or "3+" for the third and later.
	Key      string
	N        int
	Effect   decimal.Decimal // the group's average less that of the rest
	EffectR  *float64        // the same in R, nil unless both sides have R
	Interval DifferenceInterval
	PValue   float64 // corrected for the number of candidates
}

// InsightQuery has the parameters for [FindInsights].
type InsightQuery struct {
	// Open are the columns for the accounts' open trades, which count in the number of the
	// day.
	Open     []*Columns
	Zone     *time.Location
	Mistakes []journal.TagID
	// Rules are the trades that broke each rule, and AnyRule those that broke any; nil
	// without rules.
	Rules   []BrokenRule
	AnyRule *TradeIDs
	Limit   int
	Seed    uint64
}

// BrokenRule is the trades that broke a rule.
type BrokenRule struct {
	Rule   string
	Trades *TradeIDs
}

// FindInsights returns the groups that differ from the rest, the least likely by chance
// first, at most as many as the limit. Groups with the same trades, or with exactly the
// others, are listed once.
func FindInsights(columns []*Columns, f Filter, q InsightQuery) []Insight {
	s := SelectTrades(columns, f)
	return chooseArithmetic(s, findInsights[int128], findInsights[exact])(s, columns, q)
}

// candidate is a group that may be an insight.
type candidate[T number[T]] struct {
	Insight
	groupStats[T]
	isIn      func(i int) bool
	statistic float64 // the difference in standard errors
}

// groupStats accumulates a group.
type groupStats[T number[T]] struct {
	tally[T]
	rs    float64
	withR int
	days  []groupDay // a day may occur more than once
}

// groupDay is results on a day, as floats: they are for standard errors only.
type groupDay struct {
	day    int32
	trades int32
	sum    float64
}

// insightSearch is the selection's values by trade.
type insightSearch[T number[T]] struct {
	s       *Selection
	net     []T
	floats  []float64
	results []outcome
	rs      []float64 // NaN without R
	dayOf   []int32
	days    int
	all     groupStats[T]
	// dayTotals are the whole selection's days, and inside is for one candidate's.
	dayTotals, inside []groupDay
	deviation         float64 // of all results
}

func findInsights[T number[T]](s *Selection, columns []*Columns, q InsightQuery) []Insight {
	if s.Len() < 2*minTrades {
		return nil
	}
	search := newInsightSearch[T](s, q.Zone)
	var list []*candidate[T]
	for _, by := range insightDimensions {
		g := s.groupTrades(BreakdownQuery{By: by, Zone: q.Zone, Mistakes: q.Mistakes})
		list = append(list, search.collect(InsightKind(by), g, func(key string) bool { return isCandidate(by, key, q.Mistakes) })...)
	}
	whole := func(string) bool { return true }
	if q.AnyRule != nil {
		list = append(list, search.collect(InsightRule, s.groupByBrokenRule(q), whole)...)
	}
	sequence := NewDaySequence(slices.Concat(columns, q.Open), s.filter.Tolerance, q.Zone)
	list = append(list, search.collect(InsightAfterLosses, s.groupByLosses(sequence), whole)...)
	list = append(list, search.collect(InsightNthOfDay, s.groupByNth(sequence), whole)...)
	return search.choose(list, q)
}

// isCandidate reports whether a row can be an insight. Trades without a tag or a mistake
// are no group, and a mistake is a candidate as such only.
func isCandidate(by Dimension, key string, mistakes []journal.TagID) bool {
	switch by { //nolint:exhaustive // all rows of the others
	case ByTag:
		return key != "" && !slices.Contains(mistakes, journal.TagID(key))
	case ByMistake:
		return key != ""
	}
	return true
}

func newInsightSearch[T number[T]](s *Selection, zone *time.Location) *insightSearch[T] {
	in := &insightSearch[T]{s: s, net: readColumn[T](s, netOf), floats: make([]float64, s.Len()), rs: make([]float64, s.Len())}
	in.results = outcomes(s, in.net)
	var zero T
	zero.floats(in.floats, in.net, s.scale)
	for i := range in.rs {
		in.rs[i] = math.NaN()
	}
	multiples, withR := computeMultiples(s, in.net)
	for k, i := range withR {
		in.rs[i] = multiples[k]
	}
	days, of := s.findDays(newClock(zone))
	in.dayOf, in.days = of, len(days)
	for i := range in.net {
		in.all.add(in, i)
	}
	in.dayTotals, in.inside = in.all.sumDays(nil, in.days), make([]groupDay, in.days)
	in.deviation = standardDeviation(in.floats, in.all.net().float(s.scale)/float64(s.Len()))
	return in
}

// add adds a trade.
func (g *groupStats[T]) add(in *insightSearch[T], i int) {
	g.addResult(in.net[i], in.results[i])
	if r := in.rs[i]; !math.IsNaN(r) {
		g.rs += r
		g.withR++
	}
	if last := len(g.days) - 1; last < 0 || g.days[last].day != in.dayOf[i] {
		g.days = append(g.days, groupDay{day: in.dayOf[i]})
	}
	d := &g.days[len(g.days)-1]
	d.trades++
	d.sum += in.floats[i]
}

// sumDays returns the group's days with one place for each day in the selection.
func (g *groupStats[T]) sumDays(into []groupDay, days int) []groupDay {
	if into == nil {
		into = make([]groupDay, days)
	}
	clear(into)
	for _, d := range g.days {
		into[d.day].trades += d.trades
		into[d.day].sum += d.sum
	}
	return into
}

// collect returns the groups with enough trades and days on both sides that are not
// chosen by the result.
func (in *insightSearch[T]) collect(kind InsightKind, g grouping, use func(key string) bool) (list []*candidate[T]) {
	groups := make([]groupStats[T], len(g.keys))
	for i := range in.net {
		for _, k := range g.of(i) {
			groups[k].add(in, i)
		}
	}
	for k, key := range g.keys {
		rest := in.all.minus(&groups[k].tally)
		if groups[k].trades() < minTrades || rest.trades() < minTrades || !use(key) ||
			selectsBy(&groups[k].tally, &rest, (*tally[T]).wins) || selectsBy(&groups[k].tally, &rest, (*tally[T]).losses) {
			continue
		}
		c := &candidate[T]{Insight: Insight{Kind: kind, Key: key, N: groups[k].trades()}, groupStats: groups[k]}
		c.isIn = func(i int) bool { return slices.Contains(g.of(i), int32(k)) }
		if in.test(c) {
			list = append(list, c)
		}
	}
	return list
}

// test sets a candidate's effect and its uncorrected probability, and reports whether both
// sides have enough days and vary.
//
// The probability is the greater of two. One lets whole days vary, both sides together,
// and uses Student's distribution for the smaller day count, because few days
// underestimate how much they vary. The other lets single trades vary with the deviation of
// all of them, so a group that is uniform by accident is not certain.
func (in *insightSearch[T]) test(c *candidate[T]) bool {
	inside := c.sumDays(in.inside, in.days)
	n, m := float64(c.N), float64(in.s.Len()-c.N)
	scale := in.s.scale
	others := in.all.minus(&c.tally)
	averageIn, averageOut := c.net().float(scale)/n, others.net().float(scale)/m
	var daysIn, daysOut int
	var squares float64
	for d, all := range in.dayTotals {
		tradesIn, sumIn := float64(inside[d].trades), inside[d].sum
		tradesOut, sumOut := float64(all.trades)-tradesIn, all.sum-sumIn
		if tradesIn > 0 {
			daysIn++
		}
		if tradesOut > 0 {
			daysOut++
		}
		apart := (sumIn-averageIn*tradesIn)/n - (sumOut-averageOut*tradesOut)/m
		squares += apart * apart
	}
	if daysIn < minDays || daysOut < minDays {
		return false
	}
	total := float64(in.days)
	byDay := math.Sqrt(squares * total / (total - 1))
	byTrade := in.deviation * math.Sqrt(1/n+1/m)
	if byDay == 0 || byTrade == 0 {
		return false
	}
	difference := averageIn - averageOut
	c.statistic = math.Abs(difference) / max(byDay, byTrade)
	c.PValue = max(studentTail(difference/byDay, float64(min(daysIn, daysOut)-1)), studentTail(difference/byTrade, n+m-2))
	c.Effect = mean(c.net().decimal(scale), c.N).Sub(mean(others.net().decimal(scale), others.trades()))
	if x, y := divide(c.rs, float64(c.withR)), divide(in.all.rs-c.rs, float64(in.all.withR-c.withR)); x != nil && y != nil {
		apart := *x - *y
		c.EffectR = &apart
	}
	return true
}

// choose returns the candidates that hold, the strongest first.
func (in *insightSearch[T]) choose(list []*candidate[T], q InsightQuery) []Insight {
	chances := make([]*float64, len(list))
	for i, c := range list {
		chances[i] = &c.PValue
	}
	trades := func(i int) int { return list[i].N }
	isMirrored := func(i, k int) bool { return list[i].Effect.Equal(list[k].Effect.Neg()) }
	for i, p := range correctOnce(chances, in.s.Len(), trades, isMirrored) {
		list[i].PValue = *p
	}
	list = slices.DeleteFunc(list, func(c *candidate[T]) bool { return c.PValue >= significance })
	// Of two groups that are each other's rest, the smaller is the one to name.
	slices.SortStableFunc(list, func(a, b *candidate[T]) int {
		return cmp.Or(cmp.Compare(a.PValue, b.PValue), cmp.Compare(b.statistic, a.statistic), cmp.Compare(a.N, b.N))
	})
	var chosen []Insight
	for _, c := range list {
		if len(chosen) == q.Limit {
			break
		}
		if slices.ContainsFunc(chosen, func(of Insight) bool { return in.isSameGroup(&of, &c.Insight) }) || !in.setInterval(c, q.Seed) {
			continue
		}
		chosen = append(chosen, c.Insight)
	}
	return chosen
}

// isSameGroup reports whether two groups have the same trades, or one has exactly the
// trades outside the other.
func (in *insightSearch[T]) isSameGroup(a, b *Insight) bool {
	return a.N == b.N && a.Effect.Equal(b.Effect) || a.N+b.N == in.s.Len() && a.Effect.Equal(b.Effect.Neg())
}

// setInterval sets the interval as in a breakdown row, and reports whether it is without
// zero.
func (in *insightSearch[T]) setInterval(c *candidate[T], seed uint64) bool {
	var sides [2][]dayNet[T]
	for side := range sides {
		sides[side] = make([]dayNet[T], in.days)
	}
	for i := range in.net {
		side := 1
		if c.isIn(i) {
			side = 0
		}
		sides[side][in.dayOf[i]].addResult(in.net[i], in.results[i])
	}
	var estimates [2]meanEstimate
	for side, trades := range []int{c.N, in.s.Len() - c.N} {
		days := slices.DeleteFunc(sides[side], func(d dayNet[T]) bool { return d.trades() == 0 })
		estimates[side] = estimateMean(days, trades, in.s.scale)
	}
	c.Interval, _ = compareMeans(estimates[0], estimates[1], seed)
	return c.Interval.Low.Decimal.Sign() > 0 || c.Interval.High.Decimal.Sign() < 0
}

// groupByBrokenRule groups by the broken rules, with the empty key for any.
func (s *Selection) groupByBrokenRule(q InsightQuery) grouping {
	keys := []string{""}
	for _, r := range q.Rules {
		keys = append(keys, r.Rule)
	}
	return grouping{keys, func(i int) []int32 {
		p := s.picks[i]
		ids := &s.pages[p.source].ids
		if !q.AnyRule.hasRow(ids, p.row) {
			return nil
		}
		groups := []int32{0}
		for k, r := range q.Rules {
			if r.Trades.hasRow(ids, p.row) {
				groups = append(groups, int32(k)+1)
			}
		}
		return groups
	}}
}

// maxInsightLosses is the most losses in a row that are a group.
const maxInsightLosses = 3

// groupByLosses groups by the losses in a row before a trade: a trade after two is also
// after one.
func (s *Selection) groupByLosses(d *DaySequence) grouping {
	numbers := []int32{0, 1, 2}
	return grouping{numberNames(1, maxInsightLosses), func(i int) []int32 {
		p := s.picks[i]
		return numbers[:min(maxInsightLosses, d.before[p.source][p.row].losses)]
	}}
}

// laterTrades are the numbers of the day from which on trades are a group.
var laterTrades = []int32{3, 5}

// groupByNth groups by the number of the day: the first, and from some numbers on.
func (s *Selection) groupByNth(d *DaySequence) grouping {
	keys := []string{"1"}
	for _, from := range laterTrades {
		keys = append(keys, strconv.Itoa(int(from))+"+")
	}
	return grouping{keys, func(i int) []int32 {
		p := s.picks[i]
		nth := d.before[p.source][p.row].nth
		if nth == 1 {
			return []int32{0}
		}
		var groups []int32
		for k, from := range laterTrades {
			if nth >= from {
				groups = append(groups, int32(k)+1)
			}
		}
		return groups
	}}
}
