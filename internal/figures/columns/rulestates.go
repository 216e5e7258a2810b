package columns

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
)

// FindLimits returns where the owner's rules stand now, by rule, without those that do not
// judge today. It is a step.
func (s *Service) FindLimits(ctx context.Context, tx *db.Tx, owner journal.UserID, list []rules.Rule) ([]RuleLimit, error) {
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	out := []RuleLimit{}
	for i := range list {
		accounts := ruleAccounts(b.Accounts, &list[i])
		facts := rulecheck.Facts{Tolerance: b.Tolerance, Now: s.clock(), Mixed: haveSeveralCurrencies(accounts)}
		if !rulecheck.HasLimit(list[i].Kind) {
			continue
		}
		if err := s.addFacts(ctx, tx, owner, accounts, &list[i], &facts); err != nil {
			return nil, err
		}
		trades, err := s.listSince(ctx, tx, owner, accounts, &list[i], &facts, facts.Now.Add(-longestDay))
		if err != nil {
			return nil, err
		}
		if limit, judges := rulecheck.FindLimit(&list[i], trades, &facts); judges {
			row := RuleLimit{Rule: list[i], Limit: limit}
			if len(accounts) > 0 && !facts.Mixed {
				row.Currency = accounts[0].BaseCurrency
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// RuleEvents are what happened to a rule.
type RuleEvents struct {
	Rule   rules.Rule
	Trades analytics.Openings
	Events []rulecheck.Event
}

// FindEvents returns what happened to rules since an instant, by rule; some may be older. A
// zero instant means all. It is a step.
func (s *Service) FindEvents(ctx context.Context, tx *db.Tx, owner journal.UserID, list []rules.Rule, since time.Time) ([]RuleEvents, error) {
	if len(list) == 0 {
		return nil, nil
	}
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	out := make([]RuleEvents, len(list))
	for i := range list {
		rule := &list[i]
		accounts := ruleAccounts(b.Accounts, rule)
		facts := rulecheck.Facts{Tolerance: b.Tolerance, Now: s.clock(), Mixed: haveSeveralCurrencies(accounts)}
		if err := s.addFacts(ctx, tx, owner, accounts, rule, &facts); err != nil {
			return nil, err
		}
		trades, err := s.listSince(ctx, tx, owner, accounts, rule, &facts, since)
		if err != nil {
			return nil, err
		}
		events := rulecheck.FindEvents(rule, trades, &facts)
		if !since.IsZero() && rule.Kind == rules.CoolDown {
			events = slices.DeleteFunc(events, func(e rulecheck.Event) bool { return e.At.Before(since) })
		}
		out[i] = RuleEvents{*rule, trades, events}
	}
	return out, nil
}

// longestDay is longer than any day, with the change of the clocks.
const longestDay = 26 * time.Hour

// RuleLimit is where a rule stands.
type RuleLimit struct {
	Rule rules.Rule
	rulecheck.Limit
	Currency string // empty for several
}

// ReadFacts returns a snapshot's trades, or units, passing a filter, and what a rule needs to be
// enforced on them. It is a step.
func (s *Service) ReadFacts(
	ctx context.Context, tx *db.Tx, b *Snapshot, f analytics.Filter, rule *rules.Rule,
) (analytics.Openings, *rulecheck.Facts, error) {
	facts := &rulecheck.Facts{Tolerance: b.Tolerance, Now: s.clock()}
	f.Tolerance = b.Tolerance
	err := s.addFacts(ctx, tx, b.owner, b.Accounts, rule, facts)
	listed := b.closed
	if b.HasUnits {
		listed = b.Columns
	}
	return analytics.ListOpenings(listed, f), facts, err
}

// GoalFacts returns what a goal is measured on, and its currency, empty for several. It is
// a step.
func (s *Service) GoalFacts(ctx context.Context, tx *db.Tx, owner journal.UserID, goal *rules.Goal) (*rulecheck.GoalFacts, string, error) {
	b, err := readScope(ctx, tx, owner)
	if err != nil {
		return nil, "", err
	}
	accounts := ruleAccounts(b.Accounts, &rules.Rule{Accounts: goal.Accounts})
	facts := &rulecheck.GoalFacts{Facts: &rulecheck.Facts{Tolerance: b.Tolerance, Mixed: haveSeveralCurrencies(accounts)}}
	currency := ""
	if len(accounts) > 0 && !facts.Facts.Mixed {
		currency = accounts[0].BaseCurrency
	}
	if facts.Trades, err = s.listAllOpenings(ctx, tx, owner, accounts); err != nil || goal.Rule == nil {
		return facts, currency, err
	}
	versions, err := rulebook.ListVersions(ctx, tx, owner, *goal.Rule) // none if it was removed
	if err != nil {
		return nil, "", err
	}
	for _, rule := range versions {
		judged, err := s.Judge(ctx, tx, owner, b.Accounts, b.Tolerance, rule)
		if err != nil {
			return nil, "", err
		}
		facts.Rules = append(facts.Rules, rulecheck.JudgedRule{Rule: &judged.Rule, Trades: judged.Trades, Judgement: &judged.Judgement})
	}
	return facts, currency, nil
}
