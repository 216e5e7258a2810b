package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
	"fillbook/internal/transport"
)

// ruleKind is a rule's kind, described with all of them.
type ruleKind rules.Kind

// Schema describes the kinds.
func (ruleKind) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: shapeAll(rules.Kinds(), func(k rules.Kind) any { return string(k) })}
}

// tradingRule is a trading rule as the API shows it.
type tradingRule struct {
	ID            journal.TradingRuleID  `json:"id"`
	Kind          ruleKind               `json:"kind"`
	Params        rules.Params           `json:"params"`
	AccountIDs    []journal.AccountID    `json:"account_ids" doc:"Empty for all accounts."`
	Weekdays      []int                  `json:"weekdays" doc:"0 is Sunday; empty for all days."`
	TZ            string                 `json:"tz" doc:"The IANA time zone of days and times."`
	ValidFrom     journal.Day            `json:"valid_from" format:"date"`
	ValidTo       *journal.Day           `json:"valid_to" format:"date" doc:"The last day that is judged; null without an end."`
	Name          *string                `json:"name"`
	PredecessorID *journal.TradingRuleID `json:"predecessor_id" doc:"The rule that this one continues."`
	CreatedAt     time.Time              `json:"created_at"`
	UpdatedAt     time.Time              `json:"updated_at"`
}

func shapeTradingRule(r rules.Rule) tradingRule {
	return tradingRule{
		ID: r.ID, Kind: ruleKind(r.Kind), Params: r.Params, AccountIDs: shapeAll(r.Accounts, keepShape), Weekdays: shapeAll(r.Weekdays, keepShape),
		TZ: r.Zone, ValidFrom: r.From, ValidTo: nilIfZero(r.To), Name: nilIfZero(r.Name), PredecessorID: r.Predecessor,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

func tradingRuleTag(r rules.Rule) any { return shapeTradingRule(r) }

type tradingRuleFields struct {
	Kind       opt[rules.Kind]          `json:"kind" doc:"It cannot change."`
	Params     opt[rules.Params]        `json:"params" doc:"The parameters of the kind. In a change, all of them."`
	AccountIDs opt[[]journal.AccountID] `json:"account_ids" doc:"Default: all accounts."`
	Weekdays   opt[[]integer]           `json:"weekdays" doc:"0 is Sunday. Default: all days."`
	TZ         opt[string]              `json:"tz" doc:"An IANA time zone. Default UTC."`
	ValidFrom  opt[journal.Day]         `json:"valid_from" doc:"Default: today in tz. A day in the past is allowed."`
	ValidTo    opt[journal.Day]         `json:"valid_to" doc:"The last day that is judged; null for no end."`
	Name       opt[string]              `json:"name"`
}

// TransformSchema describes what a request must have.
func (tradingRuleFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "kind")
}

func (f tradingRuleFields) change() rulebook.RuleChange {
	c := rulebook.RuleChange{
		Kind: f.Kind.Opt, Params: f.Params.Opt, Accounts: f.AccountIDs.Opt, Zone: f.TZ.Opt, From: f.ValidFrom.Opt, To: f.ValidTo.Opt, Name: f.Name.Opt,
	}
	if f.Weekdays.Set {
		c.Weekdays = journal.Some(shapeAll(f.Weekdays.Value, func(day integer) int { return int(day) }))
	}
	return c
}

// tradingRuleAPI has the operations on trading rules.
type tradingRuleAPI struct {
	db       *db.DB
	rulebook *rulebook.Service
	figures  *columns.Service
}

func ruleRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/trading-rules"+path, id, "Trading rules", summary)
}

func (a tradingRuleAPI) register(api *API) {
	registerList(api, ruleRoute(readJournal, http.MethodGet, "", "listTradingRules", "List the trading rules, the oldest first, with those that have ended"),
		func(ctx context.Context, in *Paging) (*listing[tradingRule], error) {
			list, err := a.rulebook.ListRules(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeTradingRule, func(r rules.Rule) string { return string(r.ID) })
		})
	register(api, ruleRoute(writeJournal, http.MethodPost, "", "createTradingRule", "Create a trading rule"),
		func(ctx context.Context, in *body[tradingRuleFields]) (*body[tradingRule], error) {
			created, err := a.rulebook.CreateRule(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeTradingRule(created), err)
		})
	results := ruleRoute(readFigures, http.MethodGet, "/results", "tradingRuleResults", "Read how well each trading rule was kept")
	results.repeated = repeatable
	results.about = "date_basis is open by default: from and to test the opening. Ended rules are listed, too."
	register(api, results, a.results)
	register(api, ruleRoute(readJournal, http.MethodGet, "/today", "tradingRuleLimits", "Read where the rules stand that can stop trading today"), a.limits)
	register(api, ruleRoute(readJournal, http.MethodGet, "/{id}", "getTradingRule", "Read a trading rule"),
		func(ctx context.Context, in *ByID[journal.TradingRuleID]) (*body[tradingRule], error) {
			found, err := a.rulebook.Rule(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeTradingRule(found), err)
		})
	change := ruleRoute(writeJournal, http.MethodPatch, "/{id}", "changeTradingRule", "Change a trading rule")
	change.about = "What changes the judgement ends the rule and creates a successor from tomorrow on, or from today while no trade was opened today. The answer is then the successor."
	register(api, change,
		func(ctx context.Context, in *ChangeOf[journal.TradingRuleID, tradingRuleFields]) (*body[tradingRule], error) {
			changed, err := a.rulebook.UpdateRule(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, tradingRuleTag))
			return answer(shapeTradingRule(changed), err)
		})
	register(api, ruleRoute(writeJournal, http.MethodDelete, "/{id}", "deleteTradingRule", "End a trading rule today, or remove it"),
		func(ctx context.Context, in *struct {
			DeleteOf[journal.TradingRuleID]
			Purge flagParam `query:"purge" doc:"true removes the rule with its past. A rule that has not begun is always removed."`
		},
		) (*nothing, error) {
			return nil, a.rulebook.DeleteRule(ctx, caller(ctx).UserID, in.ID, in.Purge.Value, transport.IfMatch(in.IfMatch, tradingRuleTag))
		})
}

// ruleResult is a rule's results.
type ruleResult struct {
	RuleID journal.TradingRuleID `json:"rule_id"`
	Kind   ruleKind              `json:"kind"`
	Name   *string               `json:"name"`
	rulecheck.Results
}

func (a tradingRuleAPI) results(ctx context.Context, in *TradeFilter) (*body[[]ruleResult], error) {
	out := []ruleResult{}
	owner := caller(ctx).UserID
	err := a.db.View(ctx, func(tx *db.Tx) error {
		out = []ruleResult{}
		judged, err := a.figures.JudgeAll(ctx, tx, owner)
		if err != nil {
			return err
		}
		passes, err := a.figures.SelectJudged(ctx, tx, owner, in.filter)
		if err != nil {
			return err
		}
		selection := rulecheck.Selection{Passes: passes, Period: in.filter.Scope.Period, ByClosing: in.sent.Get("date_basis") == "close"}
		for _, j := range judged {
			r := ruleResult{RuleID: j.Rule.ID, Kind: ruleKind(j.Rule.Kind), Name: nilIfZero(j.Rule.Name), Results: j.Summarize(selection)}
			if hidesTrades(caller(ctx)) {
				for i := range r.Breaks {
					r.Breaks[i].TradeID, r.Breaks[i].StrategyID = nil, nil
				}
			}
			out = append(out, r)
		}
		return nil
	})
	return answer(out, err)
}

// ruleLimit is where a rule stands today.
type ruleLimit struct {
	RuleID   journal.TradingRuleID `json:"rule_id"`
	Kind     ruleKind              `json:"kind"`
	Name     *string               `json:"name"`
	Currency *string               `json:"currency" doc:"Null if the accounts have several."`
	rulecheck.Limit
}

func (a tradingRuleAPI) limits(ctx context.Context, _ *struct{}) (*body[[]ruleLimit], error) {
	out := []ruleLimit{}
	owner := caller(ctx).UserID
	err := a.db.View(ctx, func(tx *db.Tx) error {
		out = []ruleLimit{}
		list, err := rulebook.ListRules(ctx, tx, owner)
		if err != nil || len(list) == 0 {
			return err
		}
		limits, err := a.figures.FindLimits(ctx, tx, owner, list)
		for i := range limits {
			out = append(out, ruleLimit{
				RuleID: limits[i].Rule.ID, Kind: ruleKind(limits[i].Rule.Kind), Name: nilIfZero(limits[i].Rule.Name),
				Currency: nilIfZero(limits[i].Currency), Limit: limits[i].Limit,
			})
		}
		return err
	})
	return answer(out, err)
}

// brokenRules are the trades that broke each trading rule, with a text that identifies
// them for the cache.
type brokenRules struct {
	list  []analytics.BrokenRule
	state string
}

// loadBroken returns the broken rules, and adds their names.
func (a figureAPI) loadBroken(ctx context.Context, tx *db.Tx, names map[string]string) (out brokenRules, err error) {
	judged, err := a.figures.JudgeAll(ctx, tx, caller(ctx).UserID)
	for _, j := range judged {
		out.list = append(out.list, analytics.BrokenRule{Rule: string(j.Rule.ID), Trades: j.Set(rulecheck.Broken)})
		out.state += string(j.Rule.ID) + j.State()
		if j.Rule.Name != "" {
			names[string(j.Rule.ID)] = j.Rule.Name
		} else {
			names[string(j.Rule.ID)] = string(j.Rule.Kind)
		}
	}
	return out, err
}
