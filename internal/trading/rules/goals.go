package rules

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// GoalKind is what a goal is about.
type GoalKind string

// The goal kinds. A limit is broken by a loss or a count beyond its target.
const (
	OutcomeGoal GoalKind = "outcome"
	ProcessGoal GoalKind = "process"
	LimitGoal   GoalKind = "limit"
)

// Metric is what a goal measures.
type Metric string

// The metrics.
const (
	NetPnL       Metric = "net_pnl"
	RMultiple    Metric = "r"
	WinRate      Metric = "win_rate"
	ProfitFactor Metric = "profit_factor"
	TradeCount   Metric = "trades"
	Reviewed     Metric = "reviewed"
	DaysKept     Metric = "days_kept"
)

// Metrics returns all metrics.
func Metrics() []Metric {
	return []Metric{NetPnL, RMultiple, WinRate, ProfitFactor, TradeCount, Reviewed, DaysKept}
}

// IsSum reports whether a metric grows with each trade; the others are shares and
// factors.
func (m Metric) IsSum() bool { return m == NetPnL || m == RMultiple || m == TradeCount }

// isShare reports whether a metric lies between 0 and 1.
func (m Metric) isShare() bool { return m == WinRate || m == Reviewed || m == DaysKept }

// GoalPeriod is how long a goal's period is.
type GoalPeriod string

// The periods. A week begins on Monday.
const (
	Daily     GoalPeriod = "day"
	Weekly    GoalPeriod = "week"
	Monthly   GoalPeriod = "month"
	Quarterly GoalPeriod = "quarter"
	Yearly    GoalPeriod = "year"
)

// GoalPeriods returns all periods.
func GoalPeriods() []GoalPeriod { return []GoalPeriod{Daily, Weekly, Monthly, Quarterly, Yearly} }

// Goal is what a trader wants to reach in each period.
type Goal struct {
	ID       journal.GoalID
	Kind     GoalKind
	Metric   Metric
	Target   decimal.Decimal
	Period   GoalPeriod
	Accounts []journal.AccountID // none means all
	// Rule is the rule that days_kept measures.
	Rule *journal.TradingRuleID
	// StartsOn and EndsOn are the first and the last day; an empty EndsOn means no end.
	StartsOn, EndsOn journal.Day
	Name             string
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// Check returns the goal in its canonical form, or the reason why it is invalid.
func (g Goal) Check() (Goal, error) {
	kinds := []GoalKind{OutcomeGoal, ProcessGoal, LimitGoal}
	var err error
	switch {
	case !slices.Contains(kinds, g.Kind):
		return g, journal.InvalidField("kind", "kind must be one of %s.", joinNames(kinds))
	case !slices.Contains(Metrics(), g.Metric):
		return g, journal.InvalidField("metric", "metric must be one of %s.", joinNames(Metrics()))
	case g.Kind == LimitGoal && !g.Metric.IsSum():
		return g, journal.InvalidField("metric", "metric of a limit must be net_pnl, r or trades.")
	case !slices.Contains(GoalPeriods(), g.Period):
		return g, journal.InvalidField("period", "period must be one of %s.", joinNames(GoalPeriods()))
	case g.Target.Sign() <= 0:
		return g, journal.InvalidField("target", "target must be above 0.")
	case g.Metric.isShare() && g.Target.Cmp(decimal.New(1)) > 0:
		return g, journal.InvalidField("target", "target of %s must be at most 1.", g.Metric)
	case g.Metric == DaysKept && g.Rule == nil:
		return g, journal.InvalidField("rule_id", "rule_id is required for days_kept.")
	case g.Metric != DaysKept && g.Rule != nil:
		return g, journal.InvalidField("rule_id", "rule_id is only for days_kept.")
	}
	if g.Accounts, err = checkAccounts(g.Accounts); err != nil {
		return g, err
	}
	if g.Name, err = journal.CleanName("name", g.Name); err != nil {
		return g, err
	}
	if g.StartsOn, err = journal.ParseDay("starts_on", string(g.StartsOn)); err != nil {
		return g, err
	}
	if g.EndsOn != "" {
		if g.EndsOn, err = journal.ParseDay("ends_on", string(g.EndsOn)); err == nil && g.EndsOn < g.StartsOn {
			err = journal.InvalidField("ends_on", "ends_on must not be before starts_on.")
		}
	}
	return g, err
}

// PeriodOf returns the first and the last day of the period with a day, cut by the goal's
// own days. A day outside these counts as the nearest of them.
func (g *Goal) PeriodOf(day journal.Day) (first, last journal.Day) {
	day = max(day, g.StartsOn)
	if g.EndsOn != "" {
		day = min(day, g.EndsOn)
	}
	at := day.Time()
	year, month, _ := at.Date()
	start := func(month time.Month) journal.Day {
		return journal.DayOf(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
	}
	switch g.Period {
	case Daily:
		first, last = day, day
	case Weekly:
		const days = 7
		first = day.AddDays(-(day.Weekday() + days - 1) % days)
		last = first.AddDays(days - 1)
	case Monthly:
		first, last = start(month), start(month+1).AddDays(-1)
	case Quarterly:
		quarter := month - (month-1)%3
		first, last = start(quarter), start(quarter+3).AddDays(-1)
	case Yearly:
		first, last = start(time.January), start(time.December+1).AddDays(-1)
	}
	first = max(first, g.StartsOn)
	if g.EndsOn != "" {
		last = min(last, g.EndsOn)
	}
	return first, last
}
