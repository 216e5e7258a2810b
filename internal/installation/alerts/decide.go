package alerts

import (
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/rules"
)

// This file has the pure part: facts → alerts. Nothing in it is stored or read.

// maxAge is the age of a fact from which on it fires no alert of its own.
const maxAge = 72 * time.Hour

// isRecent reports whether a fact is young enough for an alert.
func (a *Alert) isRecent(now time.Time) bool { return now.Sub(a.At) <= maxAge }

// setKey sets what identifies the fact: the kind, its subject, and the day or level.
func (a *Alert) setKey(subject ...any) {
	parts := make([]string, 0, len(subject)+1)
	parts = append(parts, string(a.Kind))
	for _, part := range subject {
		parts = append(parts, fmt.Sprint(part))
	}
	a.dedup = strings.Join(parts, "|")
}

// ruleAlerts returns the alerts of what happened to a rule.
func ruleAlerts(found *columns.RuleEvents) []Alert {
	rule := &found.Rule
	list := make([]Alert, 0, len(found.Events))
	for _, e := range found.Events {
		trade := &found.Trades.Trades[e.Place]
		account, id := trade.Account(), trade.ID()
		a := Alert{At: e.At, Severity: Warning, Rule: &rule.ID, Trade: &id, Account: &account, several: len(rule.Accounts) > 1, Day: e.Day, Link: "/rules"}
		if a.several {
			a.Account = nil
		}
		switch e.Kind {
		case rulecheck.RuleBroken:
			symbol, _ := trade.Symbols()
			a.Kind, a.Link = RuleBroken, "/trades/"+string(id)
			a.Title = fmt.Sprintf("%s broke your rule “%s”.", symbol, nameRule(rule))
			a.setKey(rule.ID, id)
		case rulecheck.LossLevel:
			const whole = 100
			a.Kind, a.Level = DailyLoss, fmt.Sprint(e.Level)
			a.Title = fmt.Sprintf("%d%% of your daily loss limit is used.", e.Level)
			if e.Level >= whole {
				a.Title, a.Severity = "Your daily loss limit is reached.", Critical
			}
			a.setKey(rule.ID, e.Day, e.Level)
		case rulecheck.LossStreak:
			a.Kind, a.Title = LossStreak, fmt.Sprintf("%d losing trades in a row.", rule.Params.N)
			a.setKey(rule.ID, e.Day)
		}
		list = append(list, a)
	}
	return list
}

// programAlerts returns the alerts of an active enrollment.
func programAlerts(e *enrollments.Evaluated) (list []Alert) {
	program := e.Definition()
	name := program.Firm + " " + program.Name
	account := e.AccountID
	newAlert := func(kind Kind, severity Severity, at time.Time, title string) Alert {
		return Alert{
			Kind: kind, Severity: severity, At: at, Title: title, Enrollment: &e.ID, Account: &account, Link: "/programs/" + string(e.ID),
			Day: e.Result.Today.Day,
		}
	}
	if breach := e.Result.Breach; breach != nil {
		a := newAlert(ProgramBreached, Critical, time.UnixMicro(breach.At).UTC(), fmt.Sprintf("%s: the rule “%s” was breached.", name, programRuleNames[breach.Kind]))
		a.Level = string(breach.Kind)
		if breach.Trade != "" {
			a.Trade = &breach.Trade
		}
		a.setKey(e.ID, breach.Kind, breach.At)
		return []Alert{a}
	}
	micros := e.Result.LastFill
	if e.Result.DecidedAt != 0 {
		micros = e.Result.DecidedAt
	}
	if micros == 0 {
		return nil
	}
	at := time.UnixMicro(micros).UTC()
	for i := range e.Result.Rules {
		r := &e.Result.Rules[i]
		kind := r.Rule.Kind
		switch {
		case r.State == programs.Warning && e.Result.State == programs.Active:
			a := newAlert(ProgramWarning, Warning, at, fmt.Sprintf("%s: 80%% or more of “%s” is used.", name, programRuleNames[kind]))
			a.Level = string(kind)
			a.setKey(e.ID, kind, a.Day)
			list = append(list, a)
		case r.Met == nil || !*r.Met:
		case kind == programs.ProfitTarget:
			a := newAlert(TargetReached, Info, at, name+": the profit target is reached.")
			a.setKey(e.ID)
			list = append(list, a)
		case kind == programs.Payouts:
			a := newAlert(PayoutReady, Info, at, name+": a payout can be requested.")
			a.setKey(e.ID, len(e.Payouts))
			list = append(list, a)
		}
	}
	return list
}

// goalAlerts returns the alerts of a goal's progress on a day. last is the last close that
// the goal counts.
func goalAlerts(goal *rules.Goal, p *rulecheck.Progress, day journal.Day, last, now time.Time) []Alert {
	name := nameGoal(goal)
	a := Alert{Goal: &goal.ID, Severity: Info, Day: day, Link: "/rules", several: len(goal.Accounts) > 1}
	if len(goal.Accounts) == 1 {
		a.Account = &goal.Accounts[0]
	}
	switch {
	case p.Pace == rulecheck.Done && !last.IsZero():
		a.Kind, a.At, a.Title = GoalReached, last, fmt.Sprintf("Goal reached: %s.", name)
		a.setKey(goal.ID, p.PeriodFrom)
	case p.Pace == rulecheck.Behind && p.DaysElapsed > 1: // on the first day every goal is behind
		a.Kind, a.At, a.Title = GoalBehind, now, fmt.Sprintf("You are behind on your goal: %s.", name)
		a.setKey(goal.ID, startOfWeek(day))
	default:
		return nil
	}
	return []Alert{a}
}

// startOfWeek returns the Monday of a day's week.
func startOfWeek(day journal.Day) journal.Day {
	const week = 7
	return day.AddDays(-((day.Weekday() + week - 1) % week))
}

// expiryDays are the days before an expiry on which an option fires, the nearest first.
var expiryDays = []int{0, 1, 7}

// expiryAlert returns the alert of an open option on a day: the nearest that is due.
func expiryAlert(trade journal.TradeID, account journal.AccountID, symbol string, expiry, today journal.Day, now time.Time) (Alert, bool) {
	left := today.DaysUntil(expiry)
	for _, days := range expiryDays {
		if left < 0 || left > days {
			continue
		}
		title := fmt.Sprintf("The option %s expires in %d days.", symbol, left)
		switch left {
		case 0:
			title = fmt.Sprintf("The option %s expires today.", symbol)
		case 1:
			title = fmt.Sprintf("The option %s expires tomorrow.", symbol)
		}
		a := Alert{
			Kind: OptionExpires, Severity: Warning, At: now, Title: title, Link: "/trades/" + string(trade), Trade: &trade, Account: &account,
			Day: expiry, Level: fmt.Sprint(days),
		}
		a.setKey(trade, days)
		return a, true
	}
	return Alert{}, false
}

// summarize returns the alert of an import that brought old facts, nil if it brought none.
func summarize(batch journal.BatchID, name string, account *journal.AccountID, old []Alert, now time.Time) *Alert {
	if len(old) == 0 {
		return nil
	}
	a := &Alert{Kind: ImportSummary, Severity: Info, At: now, Batch: &batch, Account: account, Link: "/import/" + string(batch)}
	a.Title = fmt.Sprintf("%s: %d older facts would have been alerts. They are too old to act on.", name, len(old))
	if len(old) == 1 {
		a.Title = fmt.Sprintf("%s: 1 older fact would have been an alert. It is too old to act on.", name)
	}
	for _, kind := range Kinds() {
		n := 0
		for i := range old {
			if old[i].Kind == kind {
				n++
			}
		}
		if n > 0 {
			a.Counts = append(a.Counts, Count{kind, n})
		}
	}
	a.setKey(batch)
	return a
}
