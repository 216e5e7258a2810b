package rulecheck_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/rulecheck/oracle"
	"fillbook/internal/trading/rules"
)

func measure(goal rules.Goal, day journal.Day, trades ...oracle.Trade) rulecheck.Progress {
	goal.StartsOn = "2026-01-01"
	openings := build(trades)
	return rulecheck.MeasureGoal(&goal, day, &rulecheck.GoalFacts{Trades: openings, Facts: &rulecheck.Facts{}, Zone: time.UTC})
}

// TestGoalPace: March 2026 has 22 trading days, of which 11 have passed on the 16th.
func TestGoalPace(t *testing.T) {
	t.Parallel()
	target := func(kind rules.GoalKind, metric rules.Metric, amount string) rules.Goal {
		return rules.Goal{Kind: kind, Metric: metric, Target: decimal.Must(amount), Period: rules.Monthly}
	}
	march := slices.Concat(day("2026-02-27", 900), day("2026-03-02", 300, -100), day("2026-03-16", 250), day("2026-03-17", 5000))
	for name, c := range map[string]struct {
		goal rules.Goal
		day  journal.Day
		want string
	}{
		"half of the days":        {target(rules.OutcomeGoal, rules.NetPnL, "1000"), "2026-03-16", "450 500 on 11/22"},
		"more than 5% behind":     {target(rules.OutcomeGoal, rules.NetPnL, "2000"), "2026-03-16", "450 1000 behind 11/22"},
		"ahead":                   {target(rules.OutcomeGoal, rules.NetPnL, "600"), "2026-03-16", "450 300 ahead 11/22"},
		"reached before its end":  {target(rules.OutcomeGoal, rules.NetPnL, "450"), "2026-03-16", "450 225 done 11/22"},
		"missed at its end":       {target(rules.OutcomeGoal, rules.NetPnL, "9000"), "2026-03-31", "5450 9000 missed 22/22"},
		"trades":                  {target(rules.ProcessGoal, rules.TradeCount, "6"), "2026-03-16", "3 3 on 11/22"},
		"a share is not done yet": {target(rules.OutcomeGoal, rules.WinRate, "0.5"), "2026-03-16", "0.666666666667 0.5 ahead 11/22"},
		"a share is done":         {target(rules.OutcomeGoal, rules.WinRate, "0.75"), "2026-03-31", "0.75 0.75 done 22/22"},
		"a factor":                {target(rules.OutcomeGoal, rules.ProfitFactor, "5.6"), "2026-03-16", "5.5 5.6 on 11/22"},
		"no reviews":              {target(rules.ProcessGoal, rules.Reviewed, "0.9"), "2026-03-16", "0 0.9 behind 11/22"},
		"a limit that holds":      {target(rules.LimitGoal, rules.NetPnL, "100"), "2026-03-16", "450 50 on 11/22"},
		"a limit of trades":       {target(rules.LimitGoal, rules.TradeCount, "2"), "2026-03-16", "3 1 missed 11/22"},
		"a limit at its end":      {target(rules.LimitGoal, rules.TradeCount, "4"), "2026-03-31", "4 4 done 22/22"},
	} {
		p := measure(c.goal, c.day, march...)
		if got := fmt.Sprintf("%s %s %s %d/%d", p.Value, p.Expected, p.Pace, p.DaysElapsed, p.DaysPlanned); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestGoalRange: with 20 days the range is drawn from them, and it holds the value alone
// when no day is left.
func TestGoalRange(t *testing.T) {
	t.Parallel()
	goal := rules.Goal{Kind: rules.OutcomeGoal, Metric: rules.NetPnL, Target: decimal.New(100), Period: rules.Monthly}
	var trades []oracle.Trade
	for date := journal.Day("2026-02-02"); date <= "2026-02-27"; date = date.AddDays(1) {
		if date.Weekday() > 0 && date.Weekday() < 6 {
			trades = append(trades, day(string(date), 10)...)
		}
	}
	if p := measure(goal, "2026-02-26", trades...); p.Range != nil {
		t.Errorf("19 days have a range: %+v", p.Range)
	}
	p := measure(goal, "2026-03-02", trades...)
	if p.Range == nil || !p.Range.Low.Equal(decimal.New(210)) || !p.Range.High.Equal(p.Range.Low) {
		t.Errorf("21 more days of 10: %+v", p.Range)
	}
}

// TestDaysKeptGoal counts days of the rule in the period.
func TestDaysKeptGoal(t *testing.T) {
	t.Parallel()
	rule := newRule(rules.MaxTrades, rules.Params{N: 1})
	openings := build(slices.Concat(day("2026-02-27", 1, 1), day("2026-03-02", 1), day("2026-03-03", 1, 1), day("2026-03-04", 1), day("2026-03-05", 1, 1)))
	j := rulecheck.Judge(&rule, openings, &rulecheck.Facts{})
	goal := rules.Goal{Kind: rules.ProcessGoal, Metric: rules.DaysKept, Target: decimal.Must("0.9"), Period: rules.Weekly, StartsOn: "2026-01-01"}
	p := rulecheck.MeasureGoal(&goal, "2026-03-04", &rulecheck.GoalFacts{
		Trades: analytics.Openings{}, Facts: &rulecheck.Facts{}, Zone: time.UTC, Rules: []rulecheck.JudgedRule{{Rule: &rule, Trades: openings, Judgement: &j}},
	})
	if p.Value.String() != "0.666666666667" || p.PeriodFrom != "2026-03-02" || p.PeriodTo != "2026-03-08" {
		t.Errorf("the progress is %+v", p)
	}
}
