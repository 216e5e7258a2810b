package rulecheck_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/rulecheck/oracle"
	"fillbook/internal/trading/rules"
)

// newBelow returns SplitMix64 from its definition: a function for numbers from 0 to k − 1.
func newBelow(seed uint64) func(k int) int {
	state := seed
	return func(k int) int {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		return int((z >> 32) * uint64(k) >> 32)
	}
}

// drawChance returns a journal in which every result is independent of all others.
func drawChance(seed uint64, days, trades int) (list []oracle.Trade) {
	random := rand.New(rand.NewPCG(seed, 7))
	date := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for k := range days {
		nets := make([]int64, trades)
		for i := range nets {
			nets[i] = random.Int64N(20_001) - 10_000
		}
		list = append(list, day(date.AddDate(0, 0, k).Format(time.DateOnly), nets...)...)
	}
	return list
}

// TestIntervalIsReproducible recomputes the bounds from the documented generator, with more
// days than blocks.
func TestIntervalIsReproducible(t *testing.T) {
	t.Parallel()
	for _, days := range []int{2, 7, 250, 301} {
		trades := drawChance(3, days, 4)
		rule := newRule(rules.StopAfterLosses, rules.Params{N: 1})
		x := rulecheck.NewWhatIf(&rule, build(trades), &rulecheck.Facts{})
		effect, _ := x.Measure()
		differences := make([]int64, days)
		for i, removed := range oracle.Enforce(&rule, trades, &rulecheck.Facts{}) {
			if removed {
				net, _ := trades[i].Net.ToScaled(0)
				differences[i/4] -= net
			}
		}
		n := min(days, 250)
		blocks := make([]int64, n)
		for k := range blocks {
			for _, d := range differences[k*days/n : (k+1)*days/n] {
				blocks[k] += d
			}
		}
		below, sums := newBelow(1), make([]int64, 1000)
		for draw := range sums {
			for range n {
				sums[draw] += blocks[below(n)]
			}
		}
		slices.Sort(sums)
		if b := effect.Interval; b == nil || !b.Low.Equal(decimal.New(sums[25])) || !b.High.Equal(decimal.New(sums[974])) {
			t.Errorf("%d days: the interval is %+v, recomputed %d to %d", days, b, sums[25], sums[974])
		}
	}
}

// TestChanceIsNoSkill: over 200 journals of pure chance, the share of shuffles at least as
// good is uniform, and few journals seem to have enough trades for a conclusion.
func TestChanceIsNoSkill(t *testing.T) {
	t.Parallel()
	const journals = 200
	for _, rule := range []rules.Rule{
		newRule(rules.StopAfterLosses, rules.Params{N: 1}),
		newRule(rules.StopAtProfit, rules.Params{Amount: money("5000")}),
		newRule(rules.MaxDailyLoss, rules.Params{Amount: money("5000")}),
	} {
		t.Run(string(rule.Kind), func(t *testing.T) {
			t.Parallel()
			shares, enough := make([]float64, journals), 0
			for k := range shares {
				x := rulecheck.NewWhatIf(&rule, build(drawChance(uint64(k), 15, 5)), &rulecheck.Facts{})
				effect, _ := x.Measure()
				shares[k] = x.MeasurePlacebo(&effect).ShareAtLeastAsGood
				if effect.Enough {
					enough++
				}
			}
			slices.Sort(shares)
			apart := 0.0 // the largest distance from the uniform distribution
			for k, share := range shares {
				apart = max(apart, math.Abs(share-float64(k)/journals), math.Abs(share-float64(k+1)/journals))
			}
			// By chance the distance is above 0.115 in one of 100 sets of journals, and an
			// interval of 95% excludes 0 in one of 20 journals, in somewhat more with few days.
			if apart > 0.115 {
				t.Errorf("the shares are %v from uniform: %v", apart, shares)
			}
			if enough > journals/8 {
				t.Errorf("%d of %d journals of pure chance have enough", enough, journals)
			}
		})
	}
}

// TestUnitsAgreeWithTheOracle merges drawn trades to units in columns, and literally.
func TestUnitsAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	kinds := []rules.Kind{rules.StopAfterLosses, rules.MaxLosses, rules.MaxTrades, rules.MaxOpen, rules.CoolDown}
	rapid.Check(t, func(t *rapid.T) {
		trades, facts := drawTrades(t, false)
		rule := drawRule(t)
		if !slices.Contains(kinds, rule.Kind) {
			rule.Kind, rule.Params = rules.MaxOpen, rules.Params{N: 1}
		}
		groups := map[int]int{} // the second trade of each unit, by its first
		taken := map[int]bool{}
		for i := range trades {
			k := i + rapid.IntRange(1, 4).Draw(t, "apart")
			if k < len(trades) && !taken[i] && !taken[k] && trades[i].Account == trades[k].Account && rapid.Bool().Draw(t, "together") {
				groups[i], taken[i], taken[k] = k, true, true
			}
		}
		merged := oracle.MergePairs(trades, groups)
		openings := buildUnits(trades, groups)
		if len(openings.Trades) != len(merged) {
			t.Fatalf("%d openings for %d units", len(openings.Trades), len(merged))
		}
		got := rulecheck.Judge(&rule, openings, &facts)
		if want := oracle.Judge(&rule, merged, &facts); !slices.Equal(listVerdicts(&got), want) {
			t.Fatalf("%s %s: %s, the oracle says %s", rule.Kind, rule.Params.Encode(), verdicts(listVerdicts(&got)), verdicts(want))
		}
	})
}

// buildUnits returns units in opening order as columns have them.
func buildUnits(trades []oracle.Trade, groups map[int]int) analytics.Openings {
	closed, open, units := map[journal.AccountID][]analytics.Trade{}, map[journal.AccountID][]analytics.Trade{}, map[journal.AccountID][]analytics.Unit{}
	for i := range trades {
		t := &trades[i]
		if t.Open {
			open[t.Account] = append(open[t.Account], t.Trade)
		} else {
			closed[t.Account] = append(closed[t.Account], t.Trade)
		}
		if k, first := groups[i]; first {
			id := journal.StrategyID(fmt.Sprint(i))
			units[t.Account] = append(units[t.Account], analytics.Unit{ID: id, Trades: []journal.TradeID{t.ID, trades[k].ID}, Symbol: "ES"})
		}
	}
	var columns []*analytics.Columns
	for n, account := range []journal.AccountID{"a", "b"} {
		merged, left := analytics.MergeUnits(analytics.BuildColumns(account, closed[account]), analytics.BuildColumns(account, open[account]), units[account])
		columns = append(columns, merged.WithName(string(account), int64(n)), left.WithName(string(account), int64(n)))
	}
	return analytics.ListOpenings(columns, analytics.Filter{})
}
