package analytics

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// Every filter field narrows it, except for the period, its basis, when results count,
// and the tolerance. The test fails for a new field ignored by isNarrowed.
func TestFilterIsNarrowedByEveryField(t *testing.T) {
	t.Parallel()
	kind := reflect.TypeFor[Filter]()
	for field := range kind.Fields() {
		var f Filter
		switch name := field.Name; name {
		case "Period", "Basis", "Realized", "Tolerance":
			continue
		case "Status":
			f.Status = OnlyClosed
		case "None":
			f.None = true
		case "Invert":
			f.Invert = true
		case "Conditions": // see TestEveryConditionIsTested in tradefilter
			f.Weekdays = []int{1}
		case "Lookups":
			f.Lookups.Among = NewTradeIDs(nil)
		default:
			t.Errorf("%s is not in the test", name)
		}
		if !f.isNarrowed() {
			t.Errorf("%s does not narrow the filter", field.Name)
		}
	}
}

// Summary, drawdowns and equity curve have the same maximum drawdown, in money
// and in percent, for every filter.
func TestOneMaximumDrawdown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		columns := []*Columns{BuildColumns("a", anyTrades(20).Draw(t, "rows"))}
		capital := Capital{
			Starting: decimal.New(rapid.SampledFrom([]int64{0, 10, 100, -5}).Draw(t, "starting")),
			Cash:     [][]CashEvent{anyCash().Draw(t, "cash"), anyCash().Draw(t, "more cash")},
		}
		f := anyFilter().Draw(t, "filter")
		if f.Basis = ByClosing; f.Period.Check() != nil {
			f.Period.To = nil
		}
		s := SelectTrades(columns, f)
		summary, falls := Summarize(s, capital), ListDrawdowns(s, capital, 0)
		curve := BuildEquityCurve(columns, CurveQuery{Filter: f, Capital: capital})
		deepest, pct := decimal.Zero, 0.0
		for _, d := range falls {
			deepest = decimal.Max(deepest, d.Depth)
			if (d.DepthPct == nil) != (summary.MaxDrawdownPct == nil) {
				t.Fatalf("the depth in percent is %v, of the summary %v", d.DepthPct, summary.MaxDrawdownPct)
			}
			if d.DepthPct != nil {
				pct = max(pct, *d.DepthPct)
			}
		}
		if !summary.MaxDrawdown.Equal(curve.MaxDrawdown) || !summary.MaxDrawdown.Equal(deepest) {
			t.Fatalf("summary %s, curve %s, drawdowns %s", summary.MaxDrawdown, curve.MaxDrawdown, deepest)
		}
		if (summary.MaxDrawdownPct == nil) != (curve.MaxDrawdownPct == nil) {
			t.Fatalf("in percent: summary %v, curve %v", summary.MaxDrawdownPct, curve.MaxDrawdownPct)
		}
		if got := summary.MaxDrawdownPct; got != nil && (*got != *curve.MaxDrawdownPct || *got != pct) {
			t.Fatalf("in percent: summary %v, curve %v, drawdowns %v", *got, *curve.MaxDrawdownPct, pct)
		}
	})
}

// A timeline that begins at the span of its selection has the same daily ratios and
// drawdowns as one with all account trades.
func TestSpanOfATimeline(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		hour := func(name string) time.Time {
			return begin.Add(time.Duration(rapid.IntRange(0, 60*24).Draw(t, name)) * time.Hour)
		}
		var columns []*Columns
		for _, account := range []journal.AccountID{"a", "b"} {
			rows := generateSteadyTrades(rapid.IntRange(0, 40).Draw(t, "trades"), 7, -11, 3, -20, 2, 30)
			for i := range rows {
				rows[i].ClosedAt = hour("closed")
				rows[i].OpenedAt = rows[i].ClosedAt.Add(-time.Duration(rapid.IntRange(0, 100).Draw(t, "held")) * time.Hour)
				rows[i].Symbol = rapid.SampledFrom([]string{"AAA", "BBB"}).Draw(t, "symbol")
			}
			columns = append(columns, buildColumns(account, rows, 3))
		}
		cash := make([]CashEvent, rapid.IntRange(0, 10).Draw(t, "cash"))
		for i := range cash {
			cash[i] = CashEvent{At: hour("cash"), Amount: decimal.New(rapid.Int64Range(-9, 9).Draw(t, "amount")), Flow: rapid.Bool().Draw(t, "flow")}
		}
		f := Filter{Basis: Basis(rapid.IntRange(0, 1).Draw(t, "basis"))}
		if rapid.Bool().Draw(t, "has from") {
			from := hour("from")
			f.Period.From = &from
		}
		if rapid.Bool().Draw(t, "has to") {
			to := hour("to")
			f.Period.To = &to
		}
		f.Symbols = rapid.SampledFrom([][]string{nil, {"AAA"}}).Draw(t, "symbols")
		s, column := SelectTrades(columns, f).withCash(Capital{
			Starting: decimal.New(rapid.SampledFrom([]int64{0, 20, 1000}).Draw(t, "starting")), Cash: [][]CashEvent{cash},
		})
		if s.unbounded {
			compareSpans[exact](t, s, column)
		} else {
			compareSpans[int128](t, s, column)
		}
	})
}

func compareSpans[T number[T]](t *rapid.T, s *Selection, cash *cashColumn) {
	parts := readColumn[T](s, netOf)
	span := newTimeline(s, parts, cash)
	all := *span
	var zero T
	all.whole, all.prior = s.withAllTrades(math.MinInt64, math.MaxInt64), zero
	all.net = readColumn[T](all.whole, netOf)
	var got, want Summary
	computeDailyRatios(&got, span, parts)
	computeMaxDrawdown(&got, span)
	computeDailyRatios(&want, &all, parts)
	computeMaxDrawdown(&want, &all)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// Doubling the capital and all later results changes neither
// percentages nor daily returns.
func TestFlowsDoNotChangePercentages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := generateSteadyTrades(rapid.IntRange(5, 40).Draw(t, "days"), 7, -11, 3, -20, 2, 30)
		doubleAt := rapid.IntRange(1, len(rows)-1).Draw(t, "double")
		doubled, equity := slices.Clone(rows), decimal.New(1000)
		for i := range doubled {
			if i < doubleAt {
				equity = equity.Add(rows[i].Net)
			} else {
				doubled[i].Net = rows[i].Net.Add(rows[i].Net)
			}
		}
		deposit := CashEvent{At: rows[doubleAt].OpenedAt.Truncate(24 * time.Hour).Add(-time.Minute), Amount: equity, Flow: true}
		plain := Capital{Starting: decimal.New(1000)}
		with := plain
		with.Cash = [][]CashEvent{{deposit}}
		a, b := Summarize(selectAll(rows), plain), Summarize(selectAll(doubled), with)
		if a.Basis != OnReturns || b.Basis != OnReturns {
			t.Fatalf("the bases are %s and %s", a.Basis, b.Basis)
		}
		for name, pair := range map[string][2]*float64{
			"drawdown": {a.MaxDrawdownPct, b.MaxDrawdownPct}, "sharpe": {a.Sharpe, b.Sharpe}, "sortino": {a.Sortino, b.Sortino},
		} {
			if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil && math.Abs(*pair[0]-*pair[1]) > 1e-9 {
				t.Fatalf("%s: %v and %v", name, pair[0], pair[1])
			}
		}
	})
}

// countWeekdays equals a count day by day.
func TestWeekdaysAreCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(-1000, 1000).Draw(t, "first")
		last := first + rapid.Int64Range(0, 60).Draw(t, "days")
		count := 0
		for day := first; day <= last; day++ {
			if weekday := time.Unix(day*86400, 0).UTC().Weekday(); weekday != time.Saturday && weekday != time.Sunday {
				count++
			}
		}
		if got := countWeekdays(first, last); got != count || hasWeekday(first, last) != (count > 0) {
			t.Fatalf("%d weekdays, want %d; any: %v", got, count, hasWeekday(first, last))
		}
	})
}

// dumpOutcomes returns some outcome-dependent answers as JSON.
func dumpOutcomes(t *rapid.T, s *Selection) string {
	text, err := json.MarshalIndent(map[string]any{
		"summary": Summarize(s, Capital{}), "behavior": AnalyzeBehavior(s, BehaviorQuery{Zone: time.UTC}), "r": ComputeRStats(s),
		"tags": BreakDown(s, BreakdownQuery{By: ByTag, Zone: time.UTC}), "wins": fmt.Sprint(s.tradeSets(Capital{}).find(Winners)),
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Outcomes with a tolerance equal a direct decimal comparison, and money sums do not
// change.
func TestToleranceMatchesItsDefinition(t *testing.T) {
	t.Parallel()
	limits := []string{"0", "0.5", "1", "0.005", "2.999", "0.333333333333333333", "999999999999999"}
	rapid.Check(t, func(t *rapid.T) {
		rows := anyTrades(25).Draw(t, "rows")
		limit := decimal.Must(rapid.SampledFrom(limits).Draw(t, "limit"))
		tolerance := tradefilter.Tolerance{Amount: limit}
		if rapid.Bool().Draw(t, "in r") {
			tolerance = tradefilter.Tolerance{R: limit, InR: true}
		}
		f := Filter{Tolerance: tolerance}
		s := SelectTrades([]*Columns{BuildColumns("a", rows)}, f)
		got := Summarize(s, Capital{})
		var counts [3]int
		var profit, lost decimal.Decimal
		for _, row := range rows {
			within := limit
			if tolerance.InR {
				within = decimal.Zero
				if row.InitialRisk.Valid && row.InitialRisk.Decimal.Sign() > 0 {
					within = row.InitialRisk.Decimal.Mul(limit)
				}
			}
			switch {
			case row.Net.Abs().Cmp(within) <= 0:
				counts[1]++
			case row.Net.Sign() > 0:
				counts[2]++
				profit = profit.Add(row.Net)
			default:
				counts[0]++
				lost = lost.Sub(row.Net)
			}
		}
		if got.Losses != counts[0] || got.Breakeven != counts[1] || got.Wins != counts[2] || !got.GrossProfit.Equal(profit) || !got.GrossLoss.Equal(lost) {
			t.Fatalf("%d wins, %d losses, %d breakeven, %s, %s; want %v, %s, %s", got.Wins, got.Losses, got.Breakeven, got.GrossProfit, got.GrossLoss, counts, profit, lost)
		}
		if plain := Summarize(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), Capital{}); !plain.NetPnL.Equal(got.NetPnL) || plain.TotalTrades != got.TotalTrades {
			t.Fatalf("the net result is %s, without tolerance %s", got.NetPnL, plain.NetPnL)
		}
		unbounded := *s
		unbounded.unbounded = true
		checkEqual(t, "128 bits and unbounded", dumpOutcomes(t, s), dumpOutcomes(t, &unbounded))
	})
}
