package backup

import (
	"slices"
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
)

// TradingRule is a trading rule. Accounts and its predecessor are places; setups and tags
// of its parameters are names, unless they are unknown.
type TradingRule struct {
	Kind        rules.Kind   `json:"kind"`
	Params      rules.Params `json:"params"`
	Accounts    []int        `json:"accounts,omitempty"`
	Setups      []string     `json:"setups,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Weekdays    []int        `json:"weekdays,omitempty"`
	TZ          string       `json:"tz"`
	ValidFrom   journal.Day  `json:"valid_from"`
	ValidTo     journal.Day  `json:"valid_to,omitzero"`
	Name        string       `json:"name,omitzero"`
	Predecessor *int         `json:"predecessor,omitempty"`
	CreatedAt   Instant      `json:"created_at,omitzero"`
}

// Goal is a goal. Accounts and the rule are places.
type Goal struct {
	Kind      rules.GoalKind   `json:"kind"`
	Metric    rules.Metric     `json:"metric"`
	Target    decimal.Decimal  `json:"target"`
	Period    rules.GoalPeriod `json:"period"`
	Accounts  []int            `json:"accounts,omitempty"`
	Rule      *int             `json:"rule,omitempty"`
	StartsOn  journal.Day      `json:"starts_on"`
	EndsOn    journal.Day      `json:"ends_on,omitzero"`
	Name      string           `json:"name,omitzero"`
	CreatedAt Instant          `json:"created_at,omitzero"`
}

func (e *exporter) writeTradingRules() error {
	list, err := rulebook.ListRules(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "trading_rules", list, func(r rules.Rule) TradingRule {
		out := TradingRule{
			Kind: r.Kind, Params: r.Params, Accounts: e.accountPlaces(r.Accounts), Weekdays: r.Weekdays, TZ: r.Zone, ValidFrom: r.From, ValidTo: r.To,
			Name: r.Name, CreatedAt: Instant{r.CreatedAt}, Predecessor: findRulePlace(list, r.Predecessor),
		}
		out.Params.SetupIDs = slices.DeleteFunc(slices.Clone(r.Params.SetupIDs), func(id journal.SetupID) bool { return appendName(&out.Setups, e.named[id]) })
		out.Params.TagIDs = slices.DeleteFunc(slices.Clone(r.Params.TagIDs), func(id journal.TagID) bool { return appendName(&out.Tags, e.tagNames[id]) })
		return out
	})
}

// accountPlaces returns the places of accounts. An account that was deleted has the place
// -1, which no account of a file has.
func (e *exporter) accountPlaces(ids []journal.AccountID) (places []int) {
	for _, id := range ids {
		place, known := e.places[id]
		if !known {
			place = -1
		}
		places = append(places, place)
	}
	return places
}

func findRulePlace(list []rules.Rule, id *journal.TradingRuleID) *int {
	if id == nil {
		return nil
	}
	place := slices.IndexFunc(list, func(r rules.Rule) bool { return r.ID == *id })
	if place < 0 {
		return nil // it was removed
	}
	return &place
}

func (e *exporter) writeGoals() error {
	list, err := rulebook.ListGoals(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	ruleList, err := rulebook.ListRules(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "goals", list, func(g rules.Goal) Goal {
		return Goal{
			Kind: g.Kind, Metric: g.Metric, Target: g.Target, Period: g.Period, Accounts: e.accountPlaces(g.Accounts), Rule: findRulePlace(ruleList, g.Rule),
			StartsOn: g.StartsOn, EndsOn: g.EndsOn, Name: g.Name, CreatedAt: Instant{g.CreatedAt},
		}
	})
}

// restoreTradingRules adds the rules that are not stored yet.
func (r *playbookRestorer) restoreTradingRules() error {
	list, places, err := convertRows(r.restorer, "Trading rule", slices.All(r.Document.TradingRules), r.newTradingRule)
	if err != nil {
		return err
	}
	at := map[int]int{} // the place in the list by that in the file
	for i, place := range places {
		at[place] = i
		if before, known := at[list[i].PredecessorPlace]; known && before < i {
			list[i].PredecessorPlace = before
		} else {
			list[i].PredecessorPlace = -1
		}
	}
	ids, added, refusals, err := rulebook.RestoreRules(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.ruleIDs = make([]journal.TradingRuleID, len(r.Document.TradingRules))
	for i, place := range places {
		r.ruleIDs[place] = ids[i]
	}
	r.result.TradingRules = added
	return r.acceptAll("Trading rule", places, refusals)
}

func (r *playbookRestorer) newTradingRule(in TradingRule) (out rulebook.NewRule, err error) {
	created := in.CreatedAt.instantOr(r.now)
	out = rulebook.NewRule{PredecessorPlace: -1, Rule: rules.Rule{
		Kind: in.Kind, Params: in.Params, Weekdays: in.Weekdays, Zone: in.TZ, From: in.ValidFrom, To: in.ValidTo, Name: in.Name,
		CreatedAt: created, UpdatedAt: created,
	}}
	if in.Predecessor != nil {
		out.PredecessorPlace = *in.Predecessor
	}
	if out.Accounts, err = r.accountsAt(in.Accounts); err != nil {
		return out, err
	}
	setups, err := findEach(in.Setups, r.setups.find)
	if err != nil {
		return out, err
	}
	tags, err := findEach(in.Tags, r.tags.find)
	out.Params.SetupIDs, out.Params.TagIDs = slices.Concat(in.Params.SetupIDs, setups), slices.Concat(in.Params.TagIDs, tags)
	return out, err
}

// accountsAt returns the accounts at places. A deleted account is left out, unless it is
// the only one: a rule without accounts would be one for all.
func (r *playbookRestorer) accountsAt(places []int) (ids []journal.AccountID, err error) {
	for _, place := range places {
		account := journal.AccountID("")
		if place >= 0 {
			account = r.accountAt(&place)
		}
		switch {
		case account != "":
			ids = append(ids, account)
		case place >= 0 || len(places) == 1:
			return nil, journal.InvalidField("accounts", "accounts has the place %s, which is not in the file.", strconv.Itoa(place))
		}
	}
	return ids, nil
}

// restoreGoals adds the goals that are not stored yet.
func (r *playbookRestorer) restoreGoals() error {
	list, places, err := convertRows(r.restorer, "Goal", slices.All(r.Document.Goals), r.newGoal)
	if err != nil {
		return err
	}
	added, refusals, err := rulebook.RestoreGoals(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.Goals = added
	return r.acceptAll("Goal", places, refusals)
}

func (r *playbookRestorer) newGoal(in Goal) (rules.Goal, error) {
	created := in.CreatedAt.instantOr(r.now)
	out := rules.Goal{
		ID: journal.NewID[journal.GoalID](), Kind: in.Kind, Metric: in.Metric, Target: in.Target, Period: in.Period, StartsOn: in.StartsOn, EndsOn: in.EndsOn,
		Name: in.Name, CreatedAt: created, UpdatedAt: created,
	}
	if in.Rule != nil && *in.Rule >= 0 && *in.Rule < len(r.ruleIDs) && r.ruleIDs[*in.Rule] != "" {
		out.Rule = &r.ruleIDs[*in.Rule]
	}
	var err error
	out.Accounts, err = r.accountsAt(in.Accounts)
	return out, err
}
