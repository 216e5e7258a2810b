package analytics

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// RuleState is whether a trade followed a setup rule.
type RuleState string

// The rule states.
const (
	RuleFollowed      RuleState = "followed"
	RuleBroken        RuleState = "broken"
	RuleNotApplicable RuleState = "not_applicable"
)

// TradeRule is a rule's state on a trade with the setup.
type TradeRule struct {
	Setup journal.SetupID
	Rule  string
	State RuleState
}

// SetupChecklist is a setup's rules, in order.
type SetupChecklist struct {
	ID    journal.SetupID
	Rules []string
}

// RulesQuery has the parameters for [MeasureRules].
type RulesQuery struct {
	Setups []SetupChecklist // all setups, in answer order
	States map[journal.TradeID][]TradeRule
	Zone   *time.Location // for evidence days
	Seed   uint64
}

// RuleReport is how often rules were followed, and what breaking them cost.
type RuleReport struct {
	RuleCounts
	RuleEffect
	Setups []SetupRules `json:"setups"`
}

// SetupRules is one setup's report.
type SetupRules struct {
	ID journal.SetupID `json:"setup_id"`
	RuleCounts
	RuleEffect
	Rules []RuleRow `json:"rules"`
}

// RuleRow is one rule's report.
type RuleRow struct {
	Rule    string `json:"rule"`
	Removed bool   `json:"removed" doc:"Whether the checklist no longer has the rule."`
	RuleCounts
	RuleEffect
}

// RuleCounts counts the answers to rules: each rule on a trade is one answer.
type RuleCounts struct {
	Trades        int      `json:"trades" doc:"Trades whose setups have rules."`
	Followed      int      `json:"followed"`
	Broken        int      `json:"broken"`
	NotApplicable int      `json:"not_applicable"`
	Unanswered    int      `json:"unanswered" doc:"Rules of the checklists that have no answer. A rule that was removed is not counted here."`
	FollowRate    *float64 `json:"follow_rate" doc:"followed / (followed + broken)."`
}

// RuleEffect compares the trades that followed a rule with those that broke it. For
// several rules, the first are the trades that followed at least one and broke none.
type RuleEffect struct {
	WhenFollowed RuleSide     `json:"when_followed"`
	WhenBroken   RuleSide     `json:"when_broken"`
	Difference   decimal.Null `json:"difference" doc:"The average result when followed less that when broken; null if either has no trades."`
	// Interval belongs to the difference, with whole days drawn.
	Interval DifferenceInterval `json:"interval" doc:"The 95% interval of the difference; null unless both sides have two days with trades."`
	Cost     decimal.Null       `json:"cost" doc:"What breaking cost: the difference times the number of trades that broke. Below zero if breaking paid."`
	CostR    *float64           `json:"cost_r" doc:"The same in R: the difference of the average R times the trades that broke and have R."`
	Enough   bool               `json:"enough" doc:"Whether both sides have at least 30 trades on 10 days."`
	PValue   *float64           `json:"p_value" doc:"The probability of such a difference by chance, corrected for the number of rules; null unless enough."`
	// Significant reports whether PValue is below 0.05.
	Significant bool `json:"significant"`
}

// RuleSide is the result on one side of a comparison.
type RuleSide struct {
	Group
	AvgTrade    decimal.Null `json:"avg_trade"`
	AvgR        *float64     `json:"avg_r"`
	TradesWithR int          `json:"trades_with_r"`
}

// MeasureRules reports the rules for all setups with a checklist or with states in the
// selection. Rules are in checklist order; removed rules follow, by text.
func MeasureRules(s *Selection, q RulesQuery) RuleReport {
	s = s.withoutRemoved()
	return chooseArithmetic(s, measureRules[int128], measureRules[exact])(s, q)
}

// ruleTally accumulates the answers to some rules.
type ruleTally[T number[T]] struct {
	counts         RuleCounts
	followed, hurt rowTally[T] // by trade
}

func (t *ruleTally[T]) count(state RuleState) {
	switch state {
	case RuleFollowed:
		t.counts.Followed++
	case RuleBroken:
		t.counts.Broken++
	case RuleNotApplicable:
		t.counts.NotApplicable++
	}
}

// addAnswers adds another tally's answers. A trade may be in both, so trades are not
// added.
func (c *RuleCounts) addAnswers(other *RuleCounts) {
	c.Followed += other.Followed
	c.Broken += other.Broken
	c.NotApplicable += other.NotApplicable
	c.Unanswered += other.Unanswered
}

// setupTally accumulates a setup.
type setupTally[T number[T]] struct {
	ruleTally[T]
	checklist []string
	rules     map[string]*ruleTally[T]
}

// tradeResult is the trade values a tally needs.
type tradeResult[T number[T]] struct {
	net    T
	result outcome
	r      float64
	hasR   bool
	day    int64
}

func (t *rowTally[T]) addTrade(of *tradeResult[T]) {
	t.addResult(of.net, of.result)
	t.addToDay(of.day, of.net, of.result)
	if of.hasR {
		t.rs += of.r
		t.withR++
	}
}

// addTrade adds a trade to the side chosen by its answers, if any.
func (t *ruleTally[T]) addTrade(of *tradeResult[T], followed, broken bool) {
	switch {
	case broken:
		t.hurt.addTrade(of)
	case followed:
		t.followed.addTrade(of)
	}
}

func measureRules[T number[T]](s *Selection, q RulesQuery) RuleReport {
	var all ruleTally[T]
	setups := make(map[journal.SetupID]*setupTally[T], len(q.Setups))
	for _, setup := range q.Setups {
		lines := slices.Compact(slices.Sorted(slices.Values(setup.Rules)))
		setups[setup.ID] = &setupTally[T]{checklist: lines, rules: map[string]*ruleTally[T]{}}
	}
	net := readColumn[T](s, netOf)
	rs, withR := computeMultiples(s, net)
	results := outcomes(s, net)
	clock := newClock(q.Zone)
	next := 0
	for i, p := range s.picks {
		of := tradeResult[T]{net: net[i], result: results[i]}
		if next < len(withR) && int(withR[next]) == i {
			of.r, of.hasR = rs[next], true
			next++
		}
		word := s.pages[p.source].setups.at(p.row)
		if word == "" {
			continue // without setups there are no rules
		}
		of.day = clock.day(s.basisInstant(i))
		all.addStates(&of, setups, splitIDs[journal.SetupID](word), q.States[s.ID(i)])
	}
	return newRuleReport(&all, setups, q, s.scale)
}

// addStates adds a trade to its setups' tallies and to the overall tally, whose answers
// are added up at the end.
func (t *ruleTally[T]) addStates(of *tradeResult[T], setups map[journal.SetupID]*setupTally[T], ids []journal.SetupID, states []TradeRule) {
	hasRules, followed, broken := false, false, false
	for _, id := range ids {
		if setup := setups[id]; setup != nil {
			f, b, has := setup.addStates(of, id, states)
			hasRules, followed, broken = hasRules || has, followed || f, broken || b
		}
	}
	if hasRules {
		t.counts.Trades++
	}
	t.addTrade(of, followed, broken)
}

// addStates adds a trade. It reports whether the trade followed and whether it
// broke any rule, and whether it has rules.
func (t *setupTally[T]) addStates(of *tradeResult[T], id journal.SetupID, states []TradeRule) (followed, broken, hasRules bool) {
	for _, rule := range t.checklist {
		row := t.rule(rule)
		row.counts.Trades++
		row.counts.Unanswered++
		t.counts.Unanswered++
		hasRules = true
	}
	for _, state := range states {
		if state.Setup != id {
			continue
		}
		hasRules = true
		row := t.rule(state.Rule)
		row.count(state.State)
		t.count(state.State)
		if slices.Contains(t.checklist, state.Rule) {
			row.counts.Unanswered--
			t.counts.Unanswered--
		} else {
			row.counts.Trades++
		}
		row.addTrade(of, state.State == RuleFollowed, state.State == RuleBroken)
		followed, broken = followed || state.State == RuleFollowed, broken || state.State == RuleBroken
	}
	if hasRules {
		t.counts.Trades++
	}
	t.addTrade(of, followed, broken)
	return followed, broken, hasRules
}

func (t *setupTally[T]) rule(text string) *ruleTally[T] {
	if t.rules[text] == nil {
		t.rules[text] = &ruleTally[T]{}
	}
	return t.rules[text]
}

func newRuleReport[T number[T]](all *ruleTally[T], setups map[journal.SetupID]*setupTally[T], q RulesQuery, scale int32) RuleReport {
	out := RuleReport{Setups: []SetupRules{}}
	for _, t := range setups {
		all.counts.addAnswers(&t.counts)
	}
	out.RuleCounts, out.RuleEffect, _ = all.report(scale, q.Seed)
	var chances []*float64
	for _, setup := range q.Setups {
		t := setups[setup.ID]
		if len(t.rules) == 0 && len(setup.Rules) == 0 {
			continue
		}
		row := SetupRules{ID: setup.ID, Rules: []RuleRow{}}
		row.RuleCounts, row.RuleEffect, _ = t.report(scale, q.Seed)
		for _, text := range t.listRules(setup.Rules) {
			r := RuleRow{Rule: text, Removed: !slices.Contains(t.checklist, text)}
			var p *float64
			r.RuleCounts, r.RuleEffect, p = t.rule(text).report(scale, q.Seed)
			row.Rules, chances = append(row.Rules, r), append(chances, p)
		}
		out.Setups = append(out.Setups, row)
	}
	corrected := correctByHolm(chances)
	for i := range out.Setups {
		for k := range out.Setups[i].Rules {
			effect := &out.Setups[i].Rules[k].RuleEffect
			effect.PValue, corrected = corrected[0], corrected[1:]
			effect.Significant = effect.PValue != nil && *effect.PValue < significance
		}
	}
	return out
}

// listRules returns the checklist rules, each once, and then the removed rules, by text.
func (t *setupTally[T]) listRules(checklist []string) (list []string) {
	for _, text := range checklist {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	var removed []string
	for text := range t.rules {
		if !slices.Contains(list, text) {
			removed = append(removed, text)
		}
	}
	slices.SortFunc(removed, strings.Compare)
	return append(list, removed...)
}

// report returns a tally's figures, and the probability for its difference.
func (t *ruleTally[T]) report(scale int32, seed uint64) (RuleCounts, RuleEffect, *float64) {
	counts := t.counts
	counts.FollowRate = divide(float64(counts.Followed), float64(counts.Followed+counts.Broken))
	a, b := &t.followed, &t.hurt
	e := RuleEffect{WhenFollowed: a.toSide(scale), WhenBroken: b.toSide(scale)}
	if a.trades() == 0 || b.trades() == 0 {
		return counts, e, nil
	}
	e.Difference = decimal.Of(e.WhenFollowed.AvgTrade.Decimal.Sub(e.WhenBroken.AvgTrade.Decimal))
	// Broken trades times the others' average, divided once, less their sum.
	n := decimal.New(int64(b.trades()))
	e.Cost = decimal.Of(mean(a.net().decimal(scale).Mul(n), a.trades()).Sub(b.net().decimal(scale)))
	if x, y := e.WhenFollowed.AvgR, e.WhenBroken.AvgR; x != nil && y != nil {
		cost := (*x - *y) * float64(b.withR)
		e.CostR = &cost
	}
	x, y := estimateMean(a.days, a.trades(), scale), estimateMean(b.days, b.trades(), scale)
	e.Enough = x.enough && y.enough
	e.Interval, e.PValue = compareMeans(x, y, seed)
	e.Significant = e.PValue != nil && *e.PValue < significance
	return counts, e, e.PValue
}

func (t *rowTally[T]) toSide(scale int32) RuleSide {
	side := RuleSide{Group: t.toGroup(scale), AvgR: divide(t.rs, float64(t.withR)), TradesWithR: t.withR}
	if t.trades() > 0 {
		side.AvgTrade = decimal.Of(mean(t.net().decimal(scale), t.trades()))
	}
	return side
}
