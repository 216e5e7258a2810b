package rulecheck

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// EventKind is what happened to a rule.
type EventKind int

// The kinds of events.
const (
	// RuleBroken is a trade that broke the rule.
	RuleBroken EventKind = iota + 1
	// LossLevel is a close that brought the day's loss to a level of max_daily_loss.
	LossLevel
	// LossStreak is the close with the n-th loss in a row of stop_after_losses.
	LossStreak
)

// Event is a fact that a trader wants to know at once.
type Event struct {
	Kind EventKind
	// Place is the trade's in the query.
	Place int
	Day   journal.Day
	// Level is in percent of the limit for a LossLevel.
	Level int
	// At is the opening of the trade that broke the rule, else the close.
	At time.Time
}

// lossLevels are the levels of a daily loss, in percent, the highest first.
var lossLevels = []int{100, 75, 50}

// labelKinds are the kinds that rest on what the trader adds to a trade. Until the trade is
// reviewed the labels may still come.
var labelKinds = []rules.Kind{rules.OnlySetups, rules.AvoidSetups, rules.AvoidTags, rules.MinRewardRisk, rules.StopSet}

// FindEvents returns what happened to a rule, in no order. A close reports the highest level
// that it reached, if that is above the levels of the day's closes before it.
//
// The trades may be the latest ones only: then the events of the first of their days are
// incomplete, and so are those of cool_down before a win, and of limits in percent of the
// equity.
func FindEvents(rule *rules.Rule, trades analytics.Openings, facts *Facts) (list []Event) {
	w := newWalker(rule, trades, facts)
	w.checkDay = rule.JudgesDay
	w.onClose = func(i int, day int64, d *dayState) {
		add := func(kind EventKind, level int) {
			list = append(list, Event{Kind: kind, Place: i, Day: analytics.DayName(day), Level: level, At: time.UnixMicro(w.trades[i].ClosedAt).UTC()})
		}
		switch {
		case !d.judged:
		case rule.Kind == rules.MaxDailyLoss && !facts.Mixed:
			if level := w.lossLevel(d); level > d.level {
				d.level = level
				add(LossLevel, level)
			}
		case rule.Kind == rules.StopAfterLosses && d.row >= rule.Params.N && !d.streak:
			d.streak = true
			add(LossStreak, 0)
		}
	}
	needsReview := slices.Contains(labelKinds, rule.Kind)
	w.walk(results{}, false, func(i int, v Verdict) {
		t := &w.trades[i]
		if v == Broken && (!needsReview || !t.ReviewedAt().IsZero()) {
			list = append(list, Event{Kind: RuleBroken, Place: i, Day: analytics.DayName(w.openDay(i)), At: time.UnixMicro(t.OpenedAt).UTC()})
		}
	})
	return list
}

// lossLevel returns the highest level that a day's loss has reached, or 0.
func (w *walker) lossLevel(d *dayState) int {
	const percent = 100
	loss := d.running.Neg().Mul(decimal.New(percent))
	for _, level := range lossLevels {
		if loss.Cmp(w.rule.Params.Amount.Decimal.Mul(decimal.New(int64(level)))) >= 0 {
			return level
		}
	}
	return 0
}

// NeedsAll reports whether the events of a rule's latest trades depend on all trades before
// them.
func NeedsAll(rule *rules.Rule) bool {
	return rule.Kind == rules.MaxSize && rule.Params.EquityPct.Valid
}

// PauseBegin returns the last close after which a cool_down may still rest at an instant.
func PauseBegin(rule *rules.Rule, at time.Time) time.Time {
	wait, _ := rule.Params.Minutes.Decimal.Mul(decimal.New(microsMinute)).Round(0).ToScaled(0) // at most a million minutes
	return time.UnixMicro(at.UnixMicro() - wait - 1).UTC()
}

// IsWin reports whether a trade counts for a rule and closed with a win. What was lost before a
// win is no part of a row of losses after it.
func IsWin(rule *rules.Rule, t *analytics.Opening, facts *Facts) bool {
	return rule.HasAccount(t.Account()) && (facts.Began == nil || !t.IsIn(facts.Began)) && t.OutcomeWith(t.Net(), facts.Tolerance) > 0
}
