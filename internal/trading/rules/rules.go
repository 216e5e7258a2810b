// Package rules defines the trading rules and goals that a trader sets: their kinds and
// parameters, and which values are valid. Package rulebook stores them, and package
// rulecheck evaluates them.
//
// The package has no I/O and no state.
package rules

import (
	"slices"
	"time"

	"fillbook/internal/base/journal"
)

// Kind is what a rule tests.
type Kind string

// The kinds. docs/metrics.md has the exact test of each.
const (
	StopAfterLosses  Kind = "stop_after_losses"
	MaxLosses        Kind = "max_losses"
	MaxDailyLoss     Kind = "max_daily_loss"
	StopAtProfit     Kind = "stop_at_profit"
	GiveBack         Kind = "give_back"
	MaxTrades        Kind = "max_trades"
	NoTrading        Kind = "no_trading"
	MaxSize          Kind = "max_size"
	MaxOpen          Kind = "max_open"
	MaxOpenRisk      Kind = "max_open_risk"
	CoolDown         Kind = "cool_down"
	OnlySetups       Kind = "only_setups"
	OnlySymbols      Kind = "only_symbols"
	AvoidSetups      Kind = "avoid_setups"
	AvoidTags        Kind = "avoid_tags"
	MinRewardRisk    Kind = "min_reward_risk"
	StopSet          Kind = "stop_set"
	NoAddingToLosers Kind = "no_adding_to_losers"
	ReviewBy         Kind = "review_by"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		StopAfterLosses, MaxLosses, MaxDailyLoss, StopAtProfit, GiveBack, MaxTrades, NoTrading, MaxSize, MaxOpen, MaxOpenRisk, CoolDown,
		OnlySetups, OnlySymbols, AvoidSetups, AvoidTags, MinRewardRisk, StopSet, NoAddingToLosers, ReviewBy,
	}
}

// Rule is a trading rule. It judges the trades of its accounts whose day of opening, in
// its zone, is within its validity and on its weekdays.
type Rule struct {
	ID       journal.TradingRuleID
	Kind     Kind
	Params   Params
	Accounts []journal.AccountID // none means all
	Weekdays []int               // 0 is Sunday; none means all
	Zone     string              // an IANA name
	// From and To are the first and the last day that is judged; an empty To means no end.
	From, To journal.Day
	Name     string
	// Predecessor is the rule that this one continues, if any.
	Predecessor *journal.TradingRuleID
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Location returns the rule's zone.
func (r *Rule) Location() *time.Location {
	zone, err := journal.ParseZone("tz", r.Zone)
	if err != nil {
		return time.UTC // a zone that a later system no longer has
	}
	return zone
}

// JudgesDay reports whether a day of opening is within the rule's validity and weekdays.
func (r *Rule) JudgesDay(day journal.Day) bool {
	return r.From <= day && (r.To == "" || day <= r.To) && (len(r.Weekdays) == 0 || slices.Contains(r.Weekdays, day.Weekday()))
}

// HasAccount reports whether the rule looks at an account's trades.
func (r *Rule) HasAccount(id journal.AccountID) bool {
	return len(r.Accounts) == 0 || slices.Contains(r.Accounts, id)
}

// HasAmount reports whether the rule compares money.
func (r *Rule) HasAmount() bool {
	switch r.Kind {
	case MaxDailyLoss, StopAtProfit, MaxOpenRisk:
		return true
	case GiveBack:
		return true // the peak is a sum of money
	case MaxSize:
		return r.Params.Notional.Valid || r.Params.Risk.Valid
	default:
		return false
	}
}

// CountsStrategies reports whether strategies count as one opening and one close each.
func (r *Rule) CountsStrategies() bool { return r.Params.Unit == UnitStrategy }

// Check returns the rule in its canonical form, or the reason why it is invalid.
func (r Rule) Check() (Rule, error) {
	var err error
	if !slices.Contains(Kinds(), r.Kind) {
		return r, journal.InvalidField("kind", "kind must be one of %s.", joinNames(Kinds()))
	}
	if r.Params, err = r.Params.check(r.Kind); err != nil {
		return r, err
	}
	if r.Weekdays, err = checkWeekdays(r.Weekdays); err != nil {
		return r, err
	}
	if _, err := journal.ParseZone("tz", r.Zone); err != nil {
		return r, err
	}
	if r.Accounts, err = checkAccounts(r.Accounts); err != nil {
		return r, err
	}
	if r.Name, err = journal.CleanName("name", r.Name); err != nil {
		return r, err
	}
	if r.From, err = journal.ParseDay("valid_from", string(r.From)); err != nil {
		return r, err
	}
	if r.To != "" {
		if r.To, err = journal.ParseDay("valid_to", string(r.To)); err != nil {
			return r, err
		}
		if r.To < r.From {
			return r, journal.InvalidField("valid_to", "valid_to must not be before valid_from.")
		}
	}
	return r, nil
}

const maxAccounts = 200

// checkAccounts returns account ids in order, each once.
func checkAccounts(ids []journal.AccountID) ([]journal.AccountID, error) {
	if len(ids) > maxAccounts {
		return nil, journal.InvalidField("account_ids", "account_ids must have at most %d values.", maxAccounts)
	}
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if slices.Contains(sorted, "") {
		return nil, journal.InvalidField("account_ids", "account_ids must not have an empty value.")
	}
	if sorted == nil {
		sorted = []journal.AccountID{}
	}
	return sorted, nil
}

func checkWeekdays(days []int) ([]int, error) {
	sorted := slices.Clone(days)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	if slices.ContainsFunc(sorted, func(day int) bool { return day < 0 || day > 6 }) {
		return nil, journal.InvalidField("weekdays", "weekdays must be numbers from 0 (Sunday) to 6 (Saturday).")
	}
	if sorted == nil {
		sorted = []int{}
	}
	return sorted, nil
}
