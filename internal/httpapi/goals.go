package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
	"fillbook/internal/transport"
)

// goal is a goal as the API shows it.
type goal struct {
	ID         journal.GoalID         `json:"id"`
	Kind       rules.GoalKind         `json:"kind" enum:"outcome,process,limit"`
	Metric     rules.Metric           `json:"metric" enum:"net_pnl,r,win_rate,profit_factor,trades,reviewed,days_kept"`
	Target     decimal.Decimal        `json:"target"`
	Period     rules.GoalPeriod       `json:"period" enum:"day,week,month,quarter,year"`
	AccountIDs []journal.AccountID    `json:"account_ids" doc:"Empty for all accounts."`
	RuleID     *journal.TradingRuleID `json:"rule_id" doc:"The trading rule that days_kept measures, with the rules that continue it."`
	StartsOn   journal.Day            `json:"starts_on" format:"date"`
	EndsOn     *journal.Day           `json:"ends_on" format:"date" doc:"The last day; null without an end."`
	Name       *string                `json:"name"`
	CreatedAt  time.Time              `json:"created_at"`
	UpdatedAt  time.Time              `json:"updated_at"`
}

func shapeGoal(g rules.Goal) goal {
	return goal{
		ID: g.ID, Kind: g.Kind, Metric: g.Metric, Target: g.Target, Period: g.Period, AccountIDs: shapeAll(g.Accounts, keepShape), RuleID: g.Rule,
		StartsOn: g.StartsOn, EndsOn: nilIfZero(g.EndsOn), Name: nilIfZero(g.Name), CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt,
	}
}

func goalTag(g rules.Goal) any { return shapeGoal(g) }

type goalFields struct {
	Kind       opt[rules.GoalKind]        `json:"kind" enum:"outcome,process,limit"`
	Metric     opt[rules.Metric]          `json:"metric" enum:"net_pnl,r,win_rate,profit_factor,trades,reviewed,days_kept"`
	Target     opt[decimal.Decimal]       `json:"target" doc:"Above 0; shares up to 1. A limit is broken by a net result below minus the target, or more trades than it."`
	Period     opt[rules.GoalPeriod]      `json:"period" enum:"day,week,month,quarter,year"`
	AccountIDs opt[[]journal.AccountID]   `json:"account_ids" doc:"Default: all accounts."`
	RuleID     opt[journal.TradingRuleID] `json:"rule_id" doc:"With days_kept: the trading rule."`
	StartsOn   opt[journal.Day]           `json:"starts_on" doc:"Default: today."`
	EndsOn     opt[journal.Day]           `json:"ends_on" doc:"The last day; null for no end."`
	Name       opt[string]                `json:"name"`
}

// TransformSchema describes what a request must have.
func (goalFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "kind", "metric", "target", "period")
}

func (f goalFields) change() rulebook.GoalChange {
	return rulebook.GoalChange{
		Kind: f.Kind.Opt, Metric: f.Metric.Opt, Target: f.Target.Opt, Period: f.Period.Opt, Accounts: f.AccountIDs.Opt, Rule: f.RuleID.Opt,
		StartsOn: f.StartsOn.Opt, EndsOn: f.EndsOn.Opt, Name: f.Name.Opt,
	}
}

// goalAPI has the operations on goals.
type goalAPI struct {
	db       *db.DB
	clock    journal.Clock
	rulebook *rulebook.Service
	figures  *columns.Service
}

func goalRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/goals"+path, id, "Goals", summary)
}

func (a goalAPI) register(api *API) {
	registerList(api, goalRoute(readJournal, http.MethodGet, "", "listGoals", "List the goals, the oldest first"),
		func(ctx context.Context, in *Paging) (*listing[goal], error) {
			list, err := a.rulebook.ListGoals(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeGoal, func(g rules.Goal) string { return string(g.ID) })
		})
	register(api, goalRoute(writeJournal, http.MethodPost, "", "createGoal", "Create a goal"),
		func(ctx context.Context, in *body[goalFields]) (*body[goal], error) {
			created, err := a.rulebook.CreateGoal(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeGoal(created), err)
		})
	register(api, goalRoute(readJournal, http.MethodGet, "/progress", "goalProgress", "Read where each goal stands"), a.progress)
	register(api, goalRoute(readJournal, http.MethodGet, "/{id}", "getGoal", "Read a goal"),
		func(ctx context.Context, in *ByID[journal.GoalID]) (*body[goal], error) {
			found, err := a.rulebook.Goal(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeGoal(found), err)
		})
	register(api, goalRoute(writeJournal, http.MethodPatch, "/{id}", "changeGoal", "Change a goal"),
		func(ctx context.Context, in *ChangeOf[journal.GoalID, goalFields]) (*body[goal], error) {
			changed, err := a.rulebook.UpdateGoal(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, goalTag))
			return answer(shapeGoal(changed), err)
		})
	register(api, goalRoute(writeJournal, http.MethodDelete, "/{id}", "deleteGoal", "Delete a goal"),
		func(ctx context.Context, in *DeleteOf[journal.GoalID]) (*nothing, error) {
			return nil, a.rulebook.DeleteGoal(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, goalTag))
		})
}

// goalProgress is where a goal stands.
type goalProgress struct {
	GoalID   journal.GoalID `json:"goal_id"`
	Currency *string        `json:"currency" doc:"Of net_pnl; null if the accounts have several."`
	rulecheck.Progress
	Range orNull[rulecheck.Bounds] `json:"range" doc:"Where the period may end: 95% of 1000 draws of the remaining trading days from your own days. Null with fewer than 20 days with trades, and for shares and factors."`
}

type progressQuery struct {
	Day dayParam `query:"day" doc:"The day at whose end the goals are judged. Default: today."`
	TZ  string   `query:"tz" doc:"The IANA time zone of days. Default UTC."`
}

func (a goalAPI) progress(ctx context.Context, in *progressQuery) (*body[[]goalProgress], error) {
	zone := time.UTC
	if in.TZ != "" {
		var err error
		if zone, err = journal.ParseZone("tz", in.TZ); err != nil {
			return nil, err
		}
	}
	day := in.Day.Day
	if day == "" {
		day = journal.DayOf(a.clock().In(zone))
	}
	out := []goalProgress{}
	err := a.db.View(ctx, func(tx *db.Tx) error {
		out = []goalProgress{}
		list, err := rulebook.ListGoals(ctx, tx, caller(ctx).UserID)
		for i := range list {
			p, failed := a.measure(ctx, tx, &list[i], day, zone)
			if failed != nil {
				return failed
			}
			out = append(out, p)
		}
		return err
	})
	return answer(out, err)
}

// measure returns a goal's progress, as a step.
func (a goalAPI) measure(ctx context.Context, tx *db.Tx, of *rules.Goal, day journal.Day, zone *time.Location) (goalProgress, error) {
	facts, currency, err := a.figures.GoalFacts(ctx, tx, caller(ctx).UserID, of)
	if err != nil {
		return goalProgress{}, err
	}
	facts.Zone = zone
	p := rulecheck.MeasureGoal(of, day, facts)
	return goalProgress{GoalID: of.ID, Currency: nilIfZero(currency), Progress: p, Range: orNull[rulecheck.Bounds]{p.Range}}, nil
}
