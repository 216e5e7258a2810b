package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
)

// whatIfQuery names the rule to enforce: a stored one, or a kind with its parameters.
type whatIfQuery struct {
	FigureQuery
	RuleID journal.TradingRuleID `query:"rule_id" doc:"A trading rule. Its accounts, weekdays and time zone hold, its validity does not."`
	Kind   rules.Kind            `query:"kind" doc:"Instead of rule_id: the kind of a rule, with its parameters."`
	Sweep  string                `query:"sweep" doc:"param:from:to:step. The answer has a point for each value of the parameter, at most 40, and nothing else."`
	RuleParams
}

// RuleParams are a rule's parameters in a query. Lists are separated by commas.
type RuleParams struct {
	values map[string]string
}

// paramNames are the names of all parameters.
var paramNames = []string{
	"n", "amount", "share", "min_peak", "minutes", "before", "after", "between", "quantity", "notional", "risk", "equity_pct", "setup_ids", "tag_ids",
	"symbols", "ratio", "hours", "unit",
}

// resolve reads the parameters of the filter, and of the rule.
func (in *whatIfQuery) resolve(r *http.Request) error {
	if err := in.TradeFilter.resolve(r); err != nil {
		return err
	}
	in.values = map[string]string{}
	query := r.URL.Query()
	for _, name := range paramNames {
		if value := query.Get(name); value != "" {
			in.values[name] = value
		}
	}
	return nil
}

func (RuleParams) hasRuleParams() {}

// describeRuleParams returns a rule's parameters, if a query has them.
func describeRuleParams(input any) (list []*huma.Param) {
	if _, has := input.(interface{ hasRuleParams() }); !has {
		return nil
	}
	for _, name := range paramNames {
		schema := &huma.Schema{Type: huma.TypeString}
		switch {
		case name == "n":
			schema.Type = huma.TypeInteger
		case rules.IsNumberName(name):
			schema.Type = huma.TypeNumber
		case name == "unit":
			schema.Enum = shapeAll(rules.Units(), func(u rules.Unit) any { return string(u) })
		}
		list = append(list, &huma.Param{
			Name: name, In: "query", Description: "With kind: the rule's parameter " + name + ", as in params. Lists are separated by commas.", Schema: schema,
		})
	}
	return list
}

// ruleWhatIf is the answer without a sweep.
type ruleWhatIf struct {
	Unit figureUnit `json:"unit" enum:"trade,strategy" doc:"What everything is counted in, as the rule says."`
	rulecheck.Effect
	Interval      orNull[rulecheck.Bounds]  `json:"interval" doc:"The 95% interval of the effect, with whole days drawn; null with fewer than two days."`
	Actual        analytics.Summary         `json:"actual"`
	KeptRule      analytics.Summary         `json:"kept_rule" doc:"The summary without the removed trades, and with the resized ones smaller."`
	Placebo       orNull[rulecheck.Placebo] `json:"placebo" doc:"The same rule on shuffled results; null if nothing was removed, and for max_size."`
	InSample      bool                      `json:"in_sample" doc:"Whether the trades are older than the rule, so that it may have been chosen for them."`
	RemovedTrades []journal.TradeID         `json:"removed_trades" doc:"The first 200 in the order of opening. Empty for access tokens with scope analytics."`
	Assumptions   []string                  `json:"assumptions" doc:"other_trades_unchanged: the other trades would have been the same. no_substitutes: nothing else would have been traded. closed_results_only: open profit is not known. prices_unchanged: smaller trades would have had the same prices."`
	Param         string                    `json:"param,omitempty" doc:"Only with sweep: the parameter. The answer then has param and points only."`
	Points        []sweepPoint              `json:"points,omitempty" doc:"Only with sweep: the effect for each value."`
}

// TransformSchema describes that a sweep answers other members.
func (ruleWhatIf) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

// MarshalJSON writes only the curve of a sweep.
func (w ruleWhatIf) MarshalJSON() ([]byte, error) {
	if w.Param != "" {
		return json.Marshal(map[string]any{"param": w.Param, "points": w.Points})
	}
	type plain ruleWhatIf
	return json.Marshal(plain(w))
}

type sweepPoint struct {
	Value       decimal.Decimal          `json:"value"`
	Removed     rulecheck.RemovedTrades  `json:"removed"`
	Resized     rulecheck.ResizedTrades  `json:"resized"`
	Effect      decimal.Decimal          `json:"effect"`
	Interval    orNull[rulecheck.Bounds] `json:"interval"`
	DaysTouched int                      `json:"days_touched"`
	Enough      bool                     `json:"enough"`
}

// newRule returns the rule in question.
func (in *whatIfQuery) newRule(ctx context.Context, tx *db.Tx) (rules.Rule, error) {
	switch {
	case in.RuleID != "" && in.Kind != "":
		return rules.Rule{}, journal.InvalidField("kind", "Send either rule_id or kind.")
	case in.RuleID != "":
		rule, err := rulebook.ReadRule(ctx, tx, caller(ctx).UserID, in.RuleID)
		if err == nil && !rulecheck.CanEnforce(rule.Kind) {
			err = errNotEnforced(rule.Kind)
		}
		if err == nil {
			err = in.checkStored(rule)
		}
		return rule, err
	case in.Kind == "":
		return rules.Rule{}, journal.InvalidField("rule_id", "rule_id or kind is required.")
	case !rulecheck.CanEnforce(in.Kind):
		return rules.Rule{}, errNotEnforced(in.Kind)
	}
	rule := rules.Rule{Kind: in.Kind, Zone: in.TZ, From: "1970-01-01"}
	if rule.Zone == "" {
		rule.Zone = "UTC"
	}
	if param, _, _ := strings.Cut(in.Sweep, ":"); param != "" && !rules.IsNumber(in.Kind, param) {
		return rule, errSweepParam()
	}
	for name, value := range in.values {
		if err := rule.Params.Set(name, value); err != nil {
			return rule, unprefix(err)
		}
	}
	rule, err := in.fillSwept(rule).Check()
	return rule, unprefix(err)
}

// checkStored returns an error if the query has parameters besides a stored rule. Its unit
// may be repeated.
func (in *whatIfQuery) checkStored(rule rules.Rule) error {
	for _, name := range paramNames {
		switch value := in.values[name]; {
		case value == "", name == "unit" && slices.Contains(rules.Names(rule.Kind), name) && rules.Unit(value) == cmp.Or(rule.Params.Unit, rules.UnitTrade):
		default:
			return journal.InvalidField(name, "%s is a parameter of kind. A stored rule has its own; leave it out with rule_id.", name)
		}
	}
	return nil
}

// fillSwept sets the swept parameter to its first value if it is absent.
func (in *whatIfQuery) fillSwept(rule rules.Rule) rules.Rule {
	parts := strings.Split(in.Sweep, ":")
	if len(parts) > 1 && rules.IsNumber(rule.Kind, parts[0]) && in.values[parts[0]] == "" {
		_ = rule.Params.Set(parts[0], parts[1]) // parseSweep checks it
	}
	return rule
}

func errNotEnforced(kind rules.Kind) error {
	return journal.InvalidField("kind", "%s cannot be enforced on past trades: it needs prices, or tests what comes after the trade.", kind)
}

// unprefix names a parameter as the query does.
func unprefix(err error) error {
	var refusal *journal.Error
	if !errors.As(err, &refusal) {
		return err
	}
	name, named := refusal.Details["field"].(string)
	if !named {
		return err
	}
	return journal.InvalidField(strings.TrimPrefix(name, "params."), "%s", strings.ReplaceAll(refusal.Message, "params.", ""))
}

// maxRemoved is how many removed trades are listed.
const maxRemoved = 200

func (a figureAPI) whatIf(ctx context.Context, in *whatIfQuery) (*body[ruleWhatIf], error) {
	var out ruleWhatIf
	err := a.withFigures(ctx, in.byTrade(), func(tx *db.Tx, q *figureRequest) error {
		rule, err := in.newRule(ctx, tx)
		if err != nil {
			return err
		}
		if rule.CountsStrategies() {
			if err := q.countUnits(ctx, tx, in.FigureQuery); err != nil {
				return err
			}
			if q.converter != nil {
				q.book.RequireRates(q.filter, false)
				if err := q.converter.Err(); err != nil {
					return err
				}
			}
		}
		swept, err := in.parseSweep(rule)
		if err != nil {
			return err
		}
		text := strings.Join([]string{"what-if", string(rule.ID), string(rule.Kind), rule.Params.Encode(), rule.Zone, in.Sweep, q.text}, "?") +
			strings.Join(toStrings(rule.Accounts), ",") + joinDays(rule.Weekdays)
		out, err = columns.LoadOrTry(a.figures, q.book, text, func() (ruleWhatIf, error) {
			trades, facts, err := a.figures.ReadFacts(ctx, tx, q.book, q.filter, &rule)
			if err != nil {
				return ruleWhatIf{}, err
			}
			if swept != nil {
				return ruleWhatIf{Param: strings.Split(in.Sweep, ":")[0], Points: sweep(swept, trades, facts)}, nil
			}
			return measureWhatIf(q, rule, trades, facts), nil
		})
		if hidesTrades(caller(ctx)) {
			out.RemovedTrades = []journal.TradeID{}
		}
		return err
	})
	return answer(out, err)
}

func joinDays(days []int) string {
	var b strings.Builder
	for _, day := range days {
		b.WriteByte(byte('0' + day)) // 0 to 6
	}
	return b.String()
}

// measureWhatIf enforces the rule and compares the summaries.
func measureWhatIf(q *figureRequest, rule rules.Rule, trades analytics.Openings, facts *rulecheck.Facts) ruleWhatIf {
	x := rulecheck.NewWhatIf(&rule, trades, facts)
	effect, outcome := x.Measure()
	out := ruleWhatIf{
		Unit: unitTrade, Effect: effect, Interval: orNull[rulecheck.Bounds]{effect.Interval}, Placebo: orNull[rulecheck.Placebo]{x.MeasurePlacebo(&effect)},
		Actual:   analytics.Summarize(q.selection(), q.book.Capital),
		InSample: rule.ID == "", RemovedTrades: outcome.ListRemoved(maxRemoved), Assumptions: listAssumptions(rule.Kind),
	}
	if rule.CountsStrategies() {
		out.Unit = unitStrategy
	}
	if rule.ID != "" && len(trades.Trades) > 0 {
		clock := analytics.NewDayClock(rule.Location())
		out.InSample = clock.Day(trades.Trades[0].OpenedAt) < clock.Day(rule.CreatedAt.UnixMicro())
	}
	out.KeptRule = summarizeKept(q, outcome)
	return out
}

// summarizeKept returns the summary after the rule.
func summarizeKept(q *figureRequest, outcome *rulecheck.Outcome) analytics.Summary {
	filter := q.filter
	if !outcome.HasResized() {
		filter.Lookups.Among = outcome.KeptIDs()
		return analytics.Summarize(q.book.Select(filter), q.book.Capital)
	}
	var smaller []*analytics.Columns
	for _, account := range q.book.Accounts {
		smaller = append(smaller, analytics.BuildColumns(account.ID, outcome.Trades()[account.ID]).WithName(account.Name, account.Number()))
	}
	filter = analytics.Filter{Basis: q.filter.Basis, Tolerance: q.book.Tolerance}
	filter.Lookups.Among = outcome.KeptIDs()
	return analytics.Summarize(analytics.SelectTrades(smaller, filter), q.book.Capital)
}

// listAssumptions names what the figures take for granted.
func listAssumptions(kind rules.Kind) []string {
	list := []string{"other_trades_unchanged", "no_substitutes"}
	switch kind { //nolint:exhaustive // the others have no more
	case rules.MaxSize:
		list = []string{"prices_unchanged"}
	case rules.MaxDailyLoss, rules.StopAtProfit, rules.GiveBack:
		list = append(list, "closed_results_only")
	}
	return list
}

// sweptRule is a rule with one value of the swept parameter.
type sweptRule struct {
	value decimal.Decimal
	rule  rules.Rule
}

const maxSweep = 40

func errSweepParam() error {
	return journal.InvalidField("sweep", "sweep must name a numeric parameter of the kind, such as n:1:5:1.")
}

// parseSweep returns the rules of a sweep, nil without one.
func (in *whatIfQuery) parseSweep(rule rules.Rule) ([]sweptRule, error) {
	if in.Sweep == "" {
		return nil, nil
	}
	refuse := func(text string) error { return journal.InvalidField("sweep", "sweep %s", text) }
	parts := strings.Split(in.Sweep, ":")
	if len(parts) != 4 {
		return nil, refuse("must be param:from:to:step, such as n:1:5:1.")
	}
	if !rules.IsNumber(rule.Kind, parts[0]) {
		return nil, errSweepParam()
	}
	var numbers [3]decimal.Decimal
	for i, text := range parts[1:] {
		var err error
		if numbers[i], err = decimal.Parse(text); err != nil {
			return nil, refuse("must have three numbers after the parameter.")
		}
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	if step.Sign() <= 0 || from.Cmp(to) > 0 {
		return nil, refuse("must have a step above 0, and a beginning up to its end.")
	}
	var list []sweptRule
	for value := from; value.Cmp(to) <= 0; value = value.Add(step) {
		if len(list) == maxSweep {
			return nil, refuse("must have at most 40 values.")
		}
		one := rule
		err := one.Params.Set(parts[0], value.String())
		if err == nil {
			one, err = one.Check()
		}
		if err != nil {
			return nil, refuse("has a value that the parameter cannot have.")
		}
		list = append(list, sweptRule{value, one})
	}
	return list, nil
}

// sweep returns the effect for each value.
func sweep(list []sweptRule, trades analytics.Openings, facts *rulecheck.Facts) (points []sweepPoint) {
	for i := range list {
		effect, _ := rulecheck.NewWhatIf(&list[i].rule, trades, facts).Measure()
		points = append(points, sweepPoint{
			Value: list[i].value, Removed: effect.Removed, Resized: effect.Resized, Effect: effect.Effect,
			Interval: orNull[rulecheck.Bounds]{effect.Interval}, DaysTouched: effect.DaysTouched, Enough: effect.Enough,
		})
	}
	return points
}
