package httpapi

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/playbook"
)

// ruleReport is the rule report with setup names.
type ruleReport struct {
	CountedUnit
	analytics.RuleCounts
	analytics.RuleEffect
	Setups []setupRules `json:"setups"`
	CurrencyConversion
}

type setupRules struct {
	analytics.SetupRules
	Name       string `json:"name" doc:"The name of the setup."`
	TradesLink string `json:"trades_link" doc:"The list of exactly the setup's trades; empty if no filter selects them, and for access tokens with scope analytics."`
}

func (a figureAPI) ruleReport(ctx context.Context, in *FigureQuery) (*body[ruleReport], error) {
	var out ruleReport
	err := a.withFigures(ctx, in.byTrade(), func(tx *db.Tx, q *figureRequest) error {
		setups, err := playbook.ListSetups(ctx, tx, caller(ctx).UserID)
		if err != nil {
			return err
		}
		query := analytics.RulesQuery{Zone: q.zone, Seed: analytics.Seed}
		names := map[journal.SetupID]string{}
		for _, s := range setups {
			names[s.ID] = s.Name
			query.Setups = append(query.Setups, analytics.SetupChecklist{ID: s.ID, Rules: s.Checklist})
		}
		report, err := columns.LoadOrTry(a.figures, q.book, fmt.Sprintf("rules %q?%s", query.Setups, q.text), func() (analytics.RuleReport, error) {
			var err error
			if query.States, err = loadRuleStates(ctx, tx); err != nil {
				return analytics.RuleReport{}, err
			}
			return analytics.MeasureRules(q.selection(), query), nil
		})
		if err != nil {
			return err
		}
		out = ruleReport{CountedUnit: in.byTrade().countedUnit(), RuleCounts: report.RuleCounts, RuleEffect: report.RuleEffect, Setups: []setupRules{}, CurrencyConversion: q.conversion()}
		for _, s := range report.Setups {
			out.Setups = append(out.Setups, setupRules{
				SetupRules: s, Name: names[s.ID], TradesLink: in.byTrade().rowLink(ctx, analytics.BySetup, string(s.ID), q.zone),
			})
		}
		return nil
	})
	return answer(out, err)
}

// loadRuleStates reads the rule states on all trades, as one step.
func loadRuleStates(ctx context.Context, tx *db.Tx) (map[journal.TradeID][]analytics.TradeRule, error) {
	states := map[journal.TradeID][]analytics.TradeRule{}
	err := playbook.EachTickedTrade(ctx, tx, caller(ctx).UserID, func(trade journal.TradeID, tick playbook.RuleTick) {
		states[trade] = append(states[trade], analytics.TradeRule{Setup: tick.Setup, Rule: tick.Rule, State: analytics.RuleState(tick.State)})
	})
	return states, err
}
