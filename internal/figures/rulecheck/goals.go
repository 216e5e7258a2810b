package rulecheck

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// Pace is where a goal stands.
type Pace string

// The paces.
const (
	Ahead  Pace = "ahead"
	OnPace Pace = "on"
	Behind Pace = "behind"
	Done   Pace = "done"
	Missed Pace = "missed"
)

// Progress is where a goal stands at the end of a day, in the period with that day.
type Progress struct {
	PeriodFrom  journal.Day     `json:"period_from" format:"date"`
	PeriodTo    journal.Day     `json:"period_to" format:"date"`
	Value       decimal.Null    `json:"value" doc:"Null if there is nothing to divide by, and for amounts in several currencies."`
	Target      decimal.Decimal `json:"target"`
	Expected    decimal.Decimal `json:"expected_by_now" doc:"Target × elapsed / planned trading days, Monday to Friday; the target itself for shares and factors."`
	Pace        Pace            `json:"pace" enum:"ahead,on,behind,done,missed"`
	Range       *Bounds         `json:"range" doc:"Where the period may end: 95% of 1000 draws of the remaining trading days from your own days. Null with fewer than 20 days with trades, and for shares and factors."`
	DaysElapsed int             `json:"days_elapsed" doc:"Trading days of the period up to the day, itself included."`
	DaysPlanned int             `json:"days_planned" doc:"Trading days of the period."`
}

// GoalFacts are what a goal is measured on.
type GoalFacts struct {
	Trades analytics.Openings // of the goal's accounts
	Facts  *Facts
	Zone   *time.Location
	// Rules are the rule of days_kept and those that continue it.
	Rules []JudgedRule
}

// JudgedRule is a rule with its verdicts.
type JudgedRule struct {
	Rule      *rules.Rule
	Trades    analytics.Openings
	Judgement *Judgement
}

// goalTally sums a period's trades.
type goalTally struct {
	net, r, profit, loss   decimal.Decimal
	trades, wins, reviewed int
}

// MeasureGoal returns a goal's progress at the end of a day. Facts after it are not looked
// at.
func MeasureGoal(goal *rules.Goal, day journal.Day, f *GoalFacts) Progress {
	first, last := goal.PeriodOf(day)
	p := Progress{PeriodFrom: first, PeriodTo: last, Target: goal.Target, DaysPlanned: countWeekdays(first, last)}
	until := min(day, last)
	p.DaysElapsed = countWeekdays(first, until)
	days := f.tallyDays(until)
	var sum goalTally
	for at, t := range days {
		if name := analytics.DayName(at); first <= name && name <= until {
			sum.add(t)
		}
	}
	p.Value = f.value(goal.Metric, &sum, first, until)
	p.Expected = expectedBy(goal, p.DaysElapsed, p.DaysPlanned)
	p.Pace = findPace(goal, &p, day >= last)
	const minDays = 20
	if goal.Metric.IsSum() && p.Value.Valid && len(days) >= minDays {
		p.Range = drawRange(goal.Metric, days, p.Value.Decimal, p.DaysPlanned-p.DaysElapsed)
	}
	return p
}

func (t *goalTally) add(o *goalTally) {
	t.net, t.r, t.profit, t.loss = t.net.Add(o.net), t.r.Add(o.r), t.profit.Add(o.profit), t.loss.Add(o.loss)
	t.trades, t.wins, t.reviewed = t.trades+o.trades, t.wins+o.wins, t.reviewed+o.reviewed
}

// tallyDays returns the closed trades by day of closing up to a day.
func (f *GoalFacts) tallyDays(until journal.Day) map[int64]*goalTally {
	clock := analytics.NewDayClock(f.Zone)
	end := dayNumber(until)
	days := map[int64]*goalTally{}
	for _, i := range f.Trades.Closes {
		t := &f.Trades.Trades[i]
		day := clock.Day(t.ClosedAt)
		if day > end || t.IsRemoved() {
			continue
		}
		d := days[day]
		if d == nil {
			d = &goalTally{}
			days[day] = d
		}
		net := t.Net()
		one := goalTally{net: net, r: t.R().Decimal, trades: 1}
		switch t.OutcomeWith(net, f.Facts.Tolerance) {
		case 1:
			one.wins, one.profit = 1, net
		case -1:
			one.loss = net.Neg()
		}
		if at := t.ReviewedAt(); !at.IsZero() && clock.Day(at.UnixMicro()) <= end {
			one.reviewed = 1
		}
		d.add(&one)
	}
	return days
}

// value returns what a metric measures.
func (f *GoalFacts) value(metric rules.Metric, t *goalTally, first, until journal.Day) decimal.Null {
	share := func(part, whole int) decimal.Null {
		if whole == 0 {
			return decimal.Null{}
		}
		return decimal.Of(decimal.New(int64(part)).DivRound(decimal.New(int64(whole)), ratioScale))
	}
	if f.Facts.Mixed && (metric == rules.NetPnL || metric == rules.ProfitFactor) {
		return decimal.Null{}
	}
	switch metric {
	case rules.NetPnL:
		return decimal.Of(t.net)
	case rules.RMultiple:
		return decimal.Of(t.r)
	case rules.TradeCount:
		return decimal.Of(decimal.New(int64(t.trades)))
	case rules.WinRate:
		return share(t.wins, t.trades)
	case rules.Reviewed:
		return share(t.reviewed, t.trades)
	case rules.ProfitFactor:
		if t.loss.IsZero() {
			return decimal.Null{}
		}
		return decimal.Of(t.profit.DivRound(t.loss, ratioScale))
	case rules.DaysKept:
		kept, broken := f.countRuleDays(first, until)
		return share(kept, kept+broken)
	}
	return decimal.Null{}
}

// countRuleDays counts the days of the rules in a period. No day belongs to two of them.
func (f *GoalFacts) countRuleDays(first, until journal.Day) (kept, broken int) {
	for _, j := range f.Rules {
		r := Summarize(j.Rule, j.Trades, j.Judgement, Selection{days: &dayRange{dayNumber(first), dayNumber(until)}}, true)
		kept, broken = kept+r.DaysKept, broken+r.DaysBroken
	}
	return kept, broken
}

// countWeekdays counts Monday to Friday from one day to another, both included.
func countWeekdays(first, last journal.Day) int {
	if last < first {
		return 0
	}
	const week, workdays = 7, 5
	days := first.DaysUntil(last) + 1
	n := days / week * workdays
	for k := range days % week {
		if weekday := (first.Weekday() + k) % week; weekday != 0 && weekday != 6 {
			n++
		}
	}
	return n
}

func expectedBy(goal *rules.Goal, elapsed, planned int) decimal.Decimal {
	switch {
	case !goal.Metric.IsSum():
		return goal.Target
	case planned == 0:
		return decimal.Zero
	}
	return goal.Target.Mul(decimal.New(int64(elapsed))).DivRound(decimal.New(int64(planned)), ratioScale)
}

// findPace compares the value with the target and what is expected by now.
func findPace(goal *rules.Goal, p *Progress, isOver bool) Pace {
	if goal.Kind == rules.LimitGoal {
		return findLimitPace(goal, p, isOver)
	}
	reached := p.Value.Valid && p.Value.Decimal.Cmp(goal.Target) >= 0
	switch {
	case reached && (goal.Metric.IsSum() || isOver):
		return Done
	case isOver:
		return Missed
	case !p.Value.Valid:
		return OnPace
	}
	near := goal.Target.Mul(decimal.Must("0.05"))
	switch apart := p.Value.Decimal.Sub(p.Expected); {
	case apart.Abs().Cmp(near) <= 0:
		return OnPace
	case apart.Sign() > 0:
		return Ahead
	}
	return Behind
}

func findLimitPace(goal *rules.Goal, p *Progress, isOver bool) Pace {
	used := p.Value.Decimal
	if goal.Metric != rules.TradeCount {
		used = used.Neg()
	}
	switch {
	case used.Cmp(goal.Target) > 0:
		return Missed
	case isOver:
		return Done
	}
	return OnPace
}

// drawRange draws the remaining days from the days with trades.
func drawRange(metric rules.Metric, days map[int64]*goalTally, value decimal.Decimal, left int) *Bounds {
	order := make([]int64, 0, len(days))
	for day := range days {
		order = append(order, day)
	}
	slices.Sort(order)
	results := make([]decimal.Decimal, len(order))
	for k, day := range order {
		switch d := days[day]; metric {
		case rules.NetPnL:
			results[k] = d.net
		case rules.RMultiple:
			results[k] = d.r
		default:
			results[k] = decimal.New(int64(d.trades))
		}
	}
	low, high := analytics.DrawBounds(analytics.Seed, func(g *analytics.Generator) decimal.Decimal {
		sum := value
		for range left {
			sum = sum.Add(results[g.Below(len(results))])
		}
		return sum
	})
	return &Bounds{low, high}
}
