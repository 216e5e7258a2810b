package rulecheck

import (
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// LimitState is how near a rule is to forbidding the next trade.
type LimitState string

// The states. A warning begins at 80% of the limit.
const (
	LimitOK      LimitState = "ok"
	LimitWarning LimitState = "warning"
	LimitReached LimitState = "reached"
)

// Limit is where a rule stands at an instant: whether another trade would break it.
type Limit struct {
	Day   journal.Day  `json:"day" format:"date" doc:"The day in the rule's zone."`
	State LimitState   `json:"state" enum:"ok,warning,reached" doc:"reached: another trade would break the rule now. warning: 80% of the limit is used."`
	Value decimal.Null `json:"value" doc:"What is used: losses, trades, money lost or made, the share given back, open trades or risk."`
	Limit decimal.Null `json:"limit"`
	Left  decimal.Null `json:"left" doc:"What is left of the limit, at least 0; null if the rule has no number or the share is given back."`
	Until *time.Time   `json:"until" doc:"When a cool_down ends; null without one."`
}

// limitKinds are the kinds that change during the day.
var limitKinds = []rules.Kind{
	rules.StopAfterLosses, rules.MaxLosses, rules.MaxDailyLoss, rules.StopAtProfit, rules.GiveBack, rules.MaxTrades, rules.NoTrading,
	rules.MaxOpen, rules.MaxOpenRisk, rules.CoolDown,
}

// HasLimit reports whether rules of a kind change during the day.
func HasLimit(kind rules.Kind) bool { return slices.Contains(limitKinds, kind) }

// FindLimit returns where a rule stands at an instant. It returns false if the rule does
// not judge that day, or does not change during it.
func FindLimit(rule *rules.Rule, trades analytics.Openings, facts *Facts) (Limit, bool) {
	now := facts.Now.UnixMicro()
	w := newWalker(rule, trades, facts)
	w.checkDay = rule.JudgesDay
	day := w.clock.Day(now)
	out := Limit{Day: analytics.DayName(day), State: LimitOK}
	if !HasLimit(rule.Kind) || !rule.JudgesDay(out.Day) || facts.Mixed && rule.HasAmount() {
		return out, false
	}
	w.walk(results{}, false, func(int, Verdict) {})
	w.closeOpen(now)
	out.fill(w, w.stateAt(day), now)
	return out, true
}

func (l *Limit) fill(w *walker, d *dayState, now int64) {
	p := &w.rule.Params
	reached := false
	switch w.rule.Kind { //nolint:exhaustive // see limitKinds
	case rules.StopAfterLosses:
		reached = d.reached
		l.Value, l.Limit = countOf(d.row), countOf(p.N)
		if reached {
			l.Value = decimal.Of(d.worst)
		}
	case rules.MaxLosses:
		l.Value, l.Limit = countOf(d.losses), countOf(p.N)
	case rules.MaxDailyLoss:
		reached = d.reached
		l.Value, l.Limit = decimal.Of(decimal.Max(d.running.Neg(), decimal.Zero)), p.Amount
	case rules.StopAtProfit:
		reached = d.reached
		l.Value, l.Limit = decimal.Of(decimal.Max(d.running, decimal.Zero)), p.Amount
	case rules.GiveBack:
		reached = d.reached
		l.Value, l.Limit = decimal.Of(decimal.Zero), p.Share
		if d.peak.Sign() > 0 && d.peak.Cmp(p.MinPeak.Decimal) >= 0 {
			l.Value = decimal.Of(d.peak.Sub(d.running).DivRound(d.peak, ratioScale))
		}
	case rules.MaxTrades:
		l.Value, l.Limit = countOf(d.opened), countOf(p.N)
	case rules.MaxOpen:
		l.Value, l.Limit = countOf(w.open.count), countOf(p.N)
	case rules.MaxOpenRisk:
		l.Value, l.Limit = decimal.Of(w.open.risk), p.Amount
	case rules.NoTrading:
		minute := w.clock.Minute(now)
		reached = slices.ContainsFunc(w.windows, func(at rules.Window) bool { return at.Contains(minute) })
	case rules.CoolDown:
		reached = l.fillRest(w, now)
	}
	l.compare(reached)
	if w.rule.Kind == rules.GiveBack {
		l.Left = decimal.Null{}
	}
}

// fillRest sets when a cool-down ends, and reports whether it lasts.
func (l *Limit) fillRest(w *walker, now int64) bool {
	if w.rest == math.MinInt64 {
		return false
	}
	wait, _ := w.rule.Params.Minutes.Decimal.Mul(decimal.New(microsMinute)).Round(0).ToScaled(0) // at most a million minutes
	until := time.UnixMicro(w.rest + wait).UTC()
	if until.UnixMicro() <= now {
		return false
	}
	l.Until = &until
	return true
}

// compare sets the state and what is left.
func (l *Limit) compare(reached bool) {
	if l.Limit.Valid {
		left := l.Limit.Decimal.Sub(l.Value.Decimal)
		if left.Sign() <= 0 || reached {
			reached, left = true, decimal.Zero
		}
		l.Left = decimal.Of(left)
		if l.Value.Decimal.Cmp(l.Limit.Decimal.Mul(decimal.Must("0.8"))) >= 0 {
			l.State = LimitWarning
		}
	}
	if reached {
		l.State = LimitReached
	}
}
