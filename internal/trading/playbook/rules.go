package playbook

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
)

// RuleState is whether a trade followed a rule.
type RuleState string

// A rule's states. A rule without a state has not been answered.
const (
	RuleFollowed      RuleState = "followed"
	RuleBroken        RuleState = "broken"
	RuleNotApplicable RuleState = "not_applicable"
)

// RuleStates returns all states.
func RuleStates() []RuleState { return []RuleState{RuleFollowed, RuleBroken, RuleNotApplicable} }

// RuleTick is the state of a setup's rule on a trade. A rule is a line in the setup's
// checklist and is known by its text: a line that moves keeps its ticks, and a removed
// line's ticks stay, as history. [RuleRename] moves them to another text.
type RuleTick struct {
	Setup journal.SetupID `json:"setup_id"`
	Rule  string          `json:"rule" doc:"The text of a line of the setup's checklist."`
	State RuleState       `json:"state" enum:"followed,broken,not_applicable"`
}

func compareTicks(a, b RuleTick) int {
	return cmp.Or(strings.Compare(string(a.Setup), string(b.Setup)), strings.Compare(a.Rule, b.Rule))
}

// CurrentRules returns the ticks for the trade's setups, by setup in the trade's order
// and then by text. Ticks for a setup removed from the trade are kept, so they are there
// when it is added again.
func (m Annotations) CurrentRules() []RuleTick {
	list := []RuleTick{}
	for _, setup := range m.Setups {
		for _, tick := range m.Rules { // sorted by text within a setup
			if tick.Setup == setup {
				list = append(list, tick)
			}
		}
	}
	return list
}

// RuleChange sets one rule's state; an empty state removes it.
type RuleChange = RuleTick

// maxRules is how many rules one change may set.
const maxRules = 1000

// setRules returns ticks after some changes.
func setRules(old []RuleTick, changes []RuleChange) []RuleTick {
	list := slices.Clone(old)
	for _, change := range changes {
		at, found := slices.BinarySearchFunc(list, change, compareTicks)
		switch {
		case found && change.State == "":
			list = slices.Delete(list, at, at+1)
		case found:
			list[at] = change
		case change.State != "":
			list = slices.Insert(list, at, change)
		}
	}
	return list
}

// mergeRules returns several trades' ticks in order. The first tick for a rule counts.
func mergeRules(lists ...[]RuleTick) []RuleTick {
	merged := slices.Concat(lists...)
	slices.SortStableFunc(merged, compareTicks)
	return slices.CompactFunc(merged, func(a, b RuleTick) bool { return compareTicks(a, b) == 0 })
}

// NewRules returns ticks a file states, checked and in order. The first tick for a rule
// counts.
func NewRules(ticks []RuleTick) (list []RuleTick, err error) {
	for _, tick := range ticks {
		if tick.Rule, err = journal.CleanRequiredName("rules", tick.Rule); err != nil {
			return nil, err
		}
		if !slices.Contains(RuleStates(), tick.State) {
			return nil, invalidRuleState()
		}
		list = append(list, tick)
	}
	return mergeRules(list), nil
}

func invalidRuleState() error {
	return journal.InvalidField("rules", "state must be followed, broken, not_applicable or null.")
}

// applyRules returns a trade's ticks after the change. It does not check whether
// checklists have the rules.
func (c AnnotationChange) applyRules(m Annotations) ([]RuleTick, error) {
	switch {
	case !c.Rules.Set:
		return m.Rules, nil
	case c.Rules.Null:
		return nil, nil
	case len(c.Rules.Value) > maxRules:
		return nil, journal.InvalidField("rules", "rules must have at most %d entries.", maxRules)
	}
	changes := slices.Clone(c.Rules.Value)
	for i := range changes {
		change := &changes[i]
		var err error
		if change.Rule, err = journal.CleanRequiredName("rules", change.Rule); err != nil {
			return nil, err
		}
		if change.State != "" && !slices.Contains(RuleStates(), change.State) {
			return nil, invalidRuleState()
		}
		if !slices.Contains(m.Setups, change.Setup) {
			return nil, journal.InvalidField("rules", "rules names a setup that the trade does not have. Add the setup first.")
		}
	}
	return setRules(m.Rules, changes), nil
}

// checkRules refuses ticks for rules missing from the setup's checklist, except those the
// trade had before.
func checkRules(ctx context.Context, tx *db.Tx, owner journal.UserID, old, changed []RuleTick) error {
	lists := map[journal.SetupID][]string{}
	for _, tick := range changed {
		if _, found := slices.BinarySearchFunc(old, tick, compareTicks); found {
			continue
		}
		if _, read := lists[tick.Setup]; !read {
			setup, err := readSetup(ctx, tx, owner, tick.Setup, "")
			if err != nil {
				return reference("rules", err)
			}
			lists[tick.Setup] = setup.Checklist
		}
		if !slices.Contains(lists[tick.Setup], tick.Rule) {
			return journal.InvalidField("rules", "The setup has no rule %q. Check its checklist.", tick.Rule)
		}
	}
	return nil
}

// EachTickedTrade calls fn with each owner's tick whose trade has the tick's setup, trade
// by trade. It is a step; fn must not run statements.
func EachTickedTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, fn func(trade journal.TradeID, tick RuleTick)) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var tick RuleTick
		err := row.Scan(&trade, &tick.Setup, &tick.Rule, &tick.State)
		fn(trade, tick)
		return err
	}, `SELECT r.trade_id, r.setup_id, r.rule, r.state FROM trade_rules r
		JOIN trade_setups l ON l.user_id = r.user_id AND l.trade_id = r.trade_id AND l.setup_id = r.setup_id
		WHERE r.user_id = $1 ORDER BY r.trade_id, r.setup_id, r.rule`, owner)
}

// RuleRename is a checklist line with a new text. Its ticks move with it.
type RuleRename struct{ From, To string }

// checkRenames refuses renames that do not lead from the old checklist to the new
// one, and cleans them.
func checkRenames(renames []RuleRename, before, after []string) ([]RuleRename, error) {
	clean := make([]RuleRename, 0, len(renames))
	for _, rename := range renames {
		var err error
		if rename.From, err = journal.CleanRequiredName("renamed_rules", rename.From); err != nil {
			return nil, err
		}
		if rename.To, err = journal.CleanRequiredName("renamed_rules", rename.To); err != nil {
			return nil, err
		}
		switch {
		case !slices.Contains(before, rename.From):
			return nil, journal.InvalidField("renamed_rules", "from must be a line of the checklist before the change.")
		case !slices.Contains(after, rename.To):
			return nil, journal.InvalidField("renamed_rules", "to must be a line of the new checklist.")
		case slices.ContainsFunc(clean, func(r RuleRename) bool { return r.From == rename.From || r.To == rename.To }):
			return nil, journal.InvalidField("renamed_rules", "renamed_rules must name each line once.")
		}
		clean = append(clean, rename)
	}
	for _, rename := range clean {
		isTarget := func(r RuleRename) bool { return r.To == rename.From }
		if slices.Contains(after, rename.From) && !slices.ContainsFunc(clean, isTarget) {
			return nil, journal.InvalidField("renamed_rules", "from must not be a line of the new checklist.")
		}
	}
	return clean, nil
}

// renameRules moves rule ticks to their new texts. Lines may swap their texts, so each
// moves to a name no line can have first. If a trade has a tick for the new text from
// earlier, the moved one replaces it.
func (s *Service) renameRules(ctx context.Context, tx *db.Tx, owner journal.UserID, setup journal.SetupID, renames []RuleRename) error {
	if len(renames) == 0 {
		return nil
	}
	passing := func(i int) string { return "\x1f" + strconv.Itoa(i) }
	const update = `UPDATE trade_rules SET rule = $1 WHERE user_id = $2 AND setup_id = $3 AND rule = $4`
	for i, rename := range renames {
		if _, err := tx.Exec(ctx, update, passing(i), owner, setup, rename.From); err != nil {
			return err
		}
	}
	for i, rename := range renames {
		_, err := tx.Exec(ctx, `DELETE FROM trade_rules WHERE user_id = $1 AND setup_id = $2 AND rule = $3
			AND trade_id IN (SELECT trade_id FROM trade_rules WHERE user_id = $1 AND setup_id = $2 AND rule = $4)`,
			owner, setup, rename.To, passing(i))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, update, rename.To, owner, setup, passing(i)); err != nil {
			return err
		}
	}
	return s.unlink(ctx, tx, owner, `SELECT DISTINCT trade_annotations.account_id FROM trade_annotations JOIN trade_rules
		ON trade_rules.user_id = trade_annotations.user_id AND trade_rules.trade_id = trade_annotations.trade_id
		WHERE trade_rules.user_id = $1 AND trade_rules.setup_id = $2 ORDER BY trade_annotations.account_id`, owner, setup)
}

// TradeRules is an index of rule states on trades: a term for each; see [RuleTerm].
type TradeRules = textindex.Index[journal.TradeID, struct{}]

// RuleTerm returns a state's term in [TradeRules], or, without a rule, the prefix that
// all rules' terms have.
func RuleTerm(state RuleState, rule string) string {
	const end = "\x00" // not in a rule
	if rule == "" {
		return string(state) + end
	}
	return string(state) + end + rule + end
}

// IndexRules returns the rule states on all an account's trades, without setups a trade
// no longer has. It is a step.
func IndexRules(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (*TradeRules, error) {
	w := owned("r.user_id", owner)
	w.and("m.account_id =", account)
	b := textindex.NewBuilder[journal.TradeID, struct{}]()
	err := addRules(ctx, tx, w, b)
	return b.Build(), err
}

// IndexRulesOf is [IndexRules] for some trades.
func IndexRulesOf(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (*TradeRules, error) {
	b := textindex.NewBuilder[journal.TradeID, struct{}]()
	for chunk := range slices.Chunk(slices.Sorted(slices.Values(trades)), idChunk) {
		w := owned("r.user_id", owner)
		andIn(w, "r.trade_id", chunk)
		if err := addRules(ctx, tx, w, b); err != nil {
			return nil, err
		}
	}
	return b.Build(), nil
}

func addRules(ctx context.Context, tx *db.Tx, w *where, b *textindex.Builder[journal.TradeID, struct{}]) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var trade journal.TradeID
		var tick RuleTick
		err := row.Scan(&trade, &tick.Rule, &tick.State)
		b.AddTerm(trade, struct{}{}, RuleTerm(tick.State, tick.Rule))
		return err
	}, `SELECT r.trade_id, r.rule, r.state FROM trade_rules r
		JOIN trade_setups s ON s.user_id = r.user_id AND s.trade_id = r.trade_id AND s.setup_id = r.setup_id
		JOIN trade_annotations m ON m.user_id = r.user_id AND m.trade_id = r.trade_id`+w.text.String()+` ORDER BY r.trade_id`, w.args...)
}
