// Package oracle evaluates trading rules slowly and literally, as docs/metrics.md defines
// them: for each opening it looks at all other trades. Tests compare package rulecheck
// with it.
package oracle

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/rules"
	"fillbook/internal/trading/tradefilter"
)

// Trade is a trade with its account and its entries.
type Trade struct {
	analytics.Trade
	Account journal.AccountID
	Began   bool // with a position held before
	Entries []rulecheck.EntryStep
}

// Judge returns the verdict on each trade. The trades must be in opening order.
func Judge(rule *rules.Rule, trades []Trade, facts *rulecheck.Facts) []rulecheck.Verdict {
	verdicts := make([]rulecheck.Verdict, len(trades))
	for i := range trades {
		j := judge{rule: rule, trades: trades, facts: facts, i: i, alive: func(int) bool { return true }}
		if day := j.day(trades[i].OpenedAt); j.counts(i) && rule.JudgesDay(day) {
			verdicts[i] = j.verdict()
		}
	}
	return verdicts
}

// Enforce returns which trades a rule removes. All trades must be closed.
func Enforce(rule *rules.Rule, trades []Trade, facts *rulecheck.Facts) []bool {
	removed := make([]bool, len(trades))
	for i := range trades {
		j := judge{rule: rule, trades: trades, facts: facts, i: i, alive: func(k int) bool { return !removed[k] }}
		day := j.day(trades[i].OpenedAt)
		if onDay := len(rule.Weekdays) == 0 || slices.Contains(rule.Weekdays, day.Weekday()); j.counts(i) && onDay {
			removed[i] = j.verdict() == rulecheck.Broken
		}
	}
	return removed
}

// judge tests one trade.
type judge struct {
	rule   *rules.Rule
	trades []Trade
	facts  *rulecheck.Facts
	i      int
	alive  func(k int) bool // whether a trade makes state
}

func (j *judge) day(at time.Time) journal.Day { return journal.DayOf(at.In(j.rule.Location())) }

func (j *judge) counts(k int) bool {
	return !j.trades[k].Began && j.rule.HasAccount(j.trades[k].Account) && j.alive(k)
}

// closedBefore returns the trades closed before the opening, in closing order.
func (j *judge) closedBefore() (list []*Trade) {
	opened := j.trades[j.i].OpenedAt
	for k := range j.trades {
		if t := &j.trades[k]; j.counts(k) && !t.Open && t.ClosedAt.Before(opened) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *Trade) int {
		if c := a.ClosedAt.Compare(b.ClosedAt); c != 0 {
			return c
		}
		if c := a.OpenedAt.Compare(b.OpenedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Instrument, b.Instrument)
	})
	return list
}

// closedToday returns the trades closed before the opening on its day.
func (j *judge) closedToday() (list []*Trade) {
	for _, t := range j.closedBefore() {
		if j.day(t.ClosedAt) == j.day(j.trades[j.i].OpenedAt) {
			list = append(list, t)
		}
	}
	return list
}

func (j *judge) outcome(t *Trade) tradefilter.Outcome {
	if t.Removed {
		return ""
	}
	return j.facts.Tolerance.OutcomeOf(t.Net, t.InitialRisk)
}

// lossesInRow returns the longest run of losses at the end of any beginning of a list, if
// ever is set, else at the end of the whole list.
func (j *judge) lossesInRow(list []*Trade, ever bool) int {
	row, longest := 0, 0
	for _, t := range list {
		switch j.outcome(t) {
		case tradefilter.Loss:
			row++
		case tradefilter.Win:
			row = 0
		case tradefilter.Breakeven:
		}
		longest = max(longest, row)
	}
	if ever {
		return longest
	}
	return row
}

// sums returns the running net after each close.
func sums(list []*Trade) (running []decimal.Decimal) {
	var sum decimal.Decimal
	for _, t := range list {
		sum = sum.Add(t.Net)
		running = append(running, sum)
	}
	return running
}

func broken(is bool) rulecheck.Verdict {
	if is {
		return rulecheck.Broken
	}
	return rulecheck.Kept
}

func (j *judge) verdict() rulecheck.Verdict {
	t, p := &j.trades[j.i], &j.rule.Params
	if j.facts.Mixed && j.rule.HasAmount() {
		return rulecheck.Unknown
	}
	brokenByAny := func(list []decimal.Decimal, is func(decimal.Decimal) bool) rulecheck.Verdict {
		return broken(slices.ContainsFunc(list, is))
	}
	switch j.rule.Kind {
	case rules.StopAfterLosses:
		return broken(j.lossesInRow(j.closedToday(), true) >= p.N)
	case rules.MaxLosses:
		losses := 0
		for _, c := range j.closedToday() {
			if j.outcome(c) == tradefilter.Loss {
				losses++
			}
		}
		return broken(losses >= p.N)
	case rules.MaxDailyLoss:
		return brokenByAny(sums(j.closedToday()), func(sum decimal.Decimal) bool { return sum.Cmp(p.Amount.Decimal.Neg()) <= 0 })
	case rules.StopAtProfit:
		return brokenByAny(sums(j.closedToday()), func(sum decimal.Decimal) bool { return sum.Cmp(p.Amount.Decimal) >= 0 })
	case rules.GiveBack:
		return broken(j.gaveBack())
	case rules.MaxTrades:
		opened := 0
		for k := range j.i {
			if j.counts(k) && j.day(j.trades[k].OpenedAt) == j.day(t.OpenedAt) {
				opened++
			}
		}
		return broken(opened+1 > p.N)
	case rules.NoTrading:
		return broken(j.isForbiddenTime())
	case rules.MaxSize:
		return j.size()
	case rules.MaxOpen:
		return broken(len(j.openTrades())+1 > p.N)
	case rules.MaxOpenRisk:
		return j.openRisk()
	case rules.CoolDown:
		return broken(j.isResting())
	case rules.OnlySetups:
		if len(t.Setups) == 0 {
			return rulecheck.Unknown
		}
		return broken(!slices.ContainsFunc(t.Setups, func(id journal.SetupID) bool { return slices.Contains(p.SetupIDs, id) }))
	case rules.AvoidSetups:
		return broken(slices.ContainsFunc(t.Setups, func(id journal.SetupID) bool { return slices.Contains(p.SetupIDs, id) }))
	case rules.AvoidTags:
		return broken(slices.ContainsFunc(t.Tags, func(id journal.TagID) bool { return slices.Contains(p.TagIDs, id) }))
	case rules.OnlySymbols:
		return broken(!slices.Contains(p.Symbols, t.Symbol) && !slices.Contains(p.Symbols, t.Root))
	case rules.MinRewardRisk:
		if !t.PlannedR.Valid {
			return rulecheck.Unknown
		}
		return broken(t.PlannedR.Decimal.Cmp(p.Ratio.Decimal) < 0)
	case rules.StopSet:
		return broken(!t.HasStop)
	case rules.NoAddingToLosers:
		return broken(slices.ContainsFunc(t.Entries, func(e rulecheck.EntryStep) bool { return e.AddsToLoser }))
	case rules.ReviewBy:
		return j.review()
	}
	panic("unknown kind " + j.rule.Kind)
}

func (j *judge) gaveBack() bool {
	p := &j.rule.Params
	var peak decimal.Decimal
	for _, sum := range sums(j.closedToday()) {
		peak = decimal.Max(peak, sum)
		if peak.Sign() > 0 && peak.Cmp(p.MinPeak.Decimal) >= 0 && peak.Sub(sum).Cmp(p.Share.Decimal.Mul(peak)) >= 0 {
			return true
		}
	}
	return false
}

func (j *judge) isForbiddenTime() bool {
	p := &j.rule.Params
	clock := j.trades[j.i].OpenedAt.In(j.rule.Location()).Format("15:04")
	if p.Before == "" && p.After == "" && len(p.Between) == 0 {
		return true
	}
	if p.Before != "" && clock < p.Before || p.After != "" && clock >= p.After {
		return true
	}
	for _, window := range p.Between {
		from, to, _ := strings.Cut(window, "-")
		if from < to && from <= clock && clock < to || from > to && (clock >= from || clock < to) {
			return true
		}
	}
	return false
}

// openTrades returns the trades opened earlier and still open at the opening.
func (j *judge) openTrades() (list []*Trade) {
	for k := range j.i {
		if t := &j.trades[k]; j.counts(k) && (t.Open || t.ClosedAt.After(j.trades[j.i].OpenedAt)) {
			list = append(list, t)
		}
	}
	return list
}

func (j *judge) openRisk() rulecheck.Verdict {
	var sum decimal.Decimal
	missing := false
	for _, t := range append(j.openTrades(), &j.trades[j.i]) {
		sum = sum.Add(t.InitialRisk.Decimal)
		missing = missing || !t.InitialRisk.Valid
	}
	over := sum.Cmp(j.rule.Params.Amount.Decimal) > 0
	if missing && !over {
		return rulecheck.Unknown
	}
	return broken(over)
}

// isResting reports whether a close after n losses in a row is too recent.
func (j *judge) isResting() bool {
	p := &j.rule.Params
	list := j.closedBefore()
	for k, t := range list {
		if j.outcome(t) != tradefilter.Loss || j.lossesInRow(list[:k+1], false) < p.N {
			continue
		}
		passed := decimal.New(j.trades[j.i].OpenedAt.Sub(t.ClosedAt).Microseconds())
		if passed.Cmp(p.Minutes.Decimal.Mul(decimal.New(time.Minute.Microseconds()))) < 0 {
			return true
		}
	}
	return false
}

func (j *judge) size() rulecheck.Verdict {
	t, p := &j.trades[j.i], &j.rule.Params
	if p.Risk.Valid {
		if !t.InitialRisk.Valid {
			return rulecheck.Unknown
		}
		return broken(t.InitialRisk.Decimal.Cmp(p.Risk.Decimal) > 0)
	}
	steps := t.Entries
	if len(steps) == 0 {
		steps = []rulecheck.EntryStep{{Quantity: t.Quantity, Notional: t.EntryNotional.Abs()}}
	}
	equity := j.equity()
	if p.EquityPct.Valid && equity.Sign() <= 0 {
		return rulecheck.Unknown
	}
	return broken(slices.ContainsFunc(steps, func(s rulecheck.EntryStep) bool {
		switch {
		case p.Quantity.Valid:
			return s.Quantity.Cmp(p.Quantity.Decimal) > 0
		case p.Notional.Valid:
			return s.Notional.Cmp(p.Notional.Decimal) > 0
		}
		return s.Notional.Mul(decimal.New(100)).Cmp(p.EquityPct.Decimal.Mul(equity)) > 0
	}))
}

// equity returns the account's equity right before the opening.
func (j *judge) equity() decimal.Decimal {
	t := &j.trades[j.i]
	capital := j.facts.Capital[t.Account]
	sum := capital.Starting
	for _, c := range capital.Cash {
		if c.At.Before(t.OpenedAt) {
			sum = sum.Add(c.Amount)
		}
	}
	for _, c := range j.closedBefore() {
		if c.Account == t.Account {
			sum = sum.Add(c.Net)
		}
	}
	return sum
}

func (j *judge) review() rulecheck.Verdict {
	t := &j.trades[j.i]
	if t.Open {
		return rulecheck.Unknown
	}
	hours := j.rule.Params.Hours.Decimal.Float64() // whole in tests
	deadline := t.ClosedAt.Add(time.Duration(hours * float64(time.Hour)))
	switch {
	case !t.ReviewedAt.IsZero():
		return broken(t.ReviewedAt.After(deadline))
	case j.facts.Now.After(deadline):
		return rulecheck.Broken
	}
	return rulecheck.Unknown
}

// MergePairs returns the trades with each pair, named by the places of its trades, as one:
// it opens with the first, closes with the last if both are closed, and makes both results.
func MergePairs(trades []Trade, pairs map[int]int) (merged []Trade) {
	gone := map[int]bool{}
	for i, t := range trades {
		k, isPair := pairs[i]
		switch {
		case gone[i]:
			continue
		case isPair:
			gone[k] = true
			second := trades[k]
			t.Net, t.InitialRisk = t.Net.Add(second.Net), decimal.Null{}
			t.Open, t.Removed = t.Open || second.Open, t.Removed && second.Removed
			if second.ClosedAt.After(t.ClosedAt) {
				t.ClosedAt = second.ClosedAt
			}
			if t.Open {
				t.ClosedAt = t.OpenedAt
			}
		}
		merged = append(merged, t)
	}
	return merged
}
