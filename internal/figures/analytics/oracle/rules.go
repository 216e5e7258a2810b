package oracle

import (
	"math/big"
	"slices"
	"strings"
)

// Rule is the state of a setup's rule on a trade.
type Rule struct{ Setup, Rule, State string }

// Rules predicts the rule report, without probabilities.
func (j *Journal) Rules(q *Question) Object {
	list := listCounting(j.SelectTrades(q))
	setups := List{}
	byName := func(a, b string) int { return strings.Compare(j.Names[a], j.Names[b]) }
	for _, setup := range keysOf(j.Checklists, byName) {
		if rules := j.listRules(list, setup); len(rules) > 0 {
			rows := List{}
			for _, rule := range rules {
				isOf := func(r Rule) bool { return r.Setup == setup && r.Rule == rule }
				removed := !slices.Contains(j.Checklists[setup], rule)
				rows = append(rows, j.reportRules(q, list, isOf).set("rule", rule).set("removed", removed))
			}
			isOf := func(r Rule) bool { return r.Setup == setup }
			setups = append(setups, j.reportRules(q, list, isOf).
				set("setup_id", setup).set("name", j.Names[setup]).set("trades_link", Unpredicted{}).set("rules", rows))
		}
	}
	return j.reportRules(q, list, func(Rule) bool { return true }).set("setups", setups)
}

// listRules lists a setup's checklist and then the other rules with a state.
func (j *Journal) listRules(list []*Trade, setup string) []string {
	var removed []string
	for _, t := range list {
		for _, r := range t.Rules {
			if r.Setup == setup && !slices.Contains(j.Checklists[setup], r.Rule) {
				removed = append(removed, r.Rule)
			}
		}
	}
	slices.Sort(removed)
	return slices.Concat(j.Checklists[setup], slices.Compact(removed))
}

// reportRules reports the rules passing a test. Each checklist rule a trade could have
// answered is one place.
func (j *Journal) reportRules(q *Question, list []*Trade, isOf func(Rule) bool) Object {
	count := map[string]int{}
	var followed, broken []*Trade
	trades := 0
	for _, t := range list {
		states := map[string]int{}
		for _, r := range t.Rules {
			if isOf(r) {
				states[r.State]++
				count[r.State]++
			}
		}
		places := j.unanswered(t, isOf)
		count[""] += places
		if places+states["followed"]+states["broken"]+states["not_applicable"] > 0 {
			trades++
		}
		switch {
		case states["broken"] > 0:
			broken = append(broken, t)
		case states["followed"] > 0:
			followed = append(followed, t)
		}
	}
	out := Object{
		"trades": trades, "followed": count["followed"], "broken": count["broken"], "not_applicable": count["not_applicable"],
		"unanswered": count[""], "follow_rate": float(divide(whole(count["followed"]), whole(count["followed"]+count["broken"]))),
	}
	return q.addEffect(out, followed, broken)
}

// unanswered counts the rules in the checklists for a trade's setups that pass a test and
// have no state.
func (j *Journal) unanswered(t *Trade, isOf func(Rule) bool) (n int) {
	for _, setup := range t.Setups {
		for _, rule := range j.Checklists[setup] {
			has := slices.ContainsFunc(t.Rules, func(r Rule) bool { return r.Setup == setup && r.Rule == rule })
			if isOf(Rule{Setup: setup, Rule: rule}) && !has {
				n++
			}
		}
	}
	return n
}

// addEffect compares the trades that followed with those that broke.
func (q *Question) addEffect(out Object, followed, broken []*Trade) Object {
	out.set("when_followed", newSide(followed)).set("when_broken", newSide(broken)).
		set("difference", nil).set("cost", nil).set("cost_r", nil).set("interval", Object{"low": nil, "high": nil}).
		set("enough", q.hasEnough(followed) && q.hasEnough(broken)).set("p_value", Unpredicted{}).set("significant", Unpredicted{})
	if len(followed) == 0 || len(broken) == 0 {
		return out
	}
	out["difference"] = sub(average(mapTrades(followed, net)), average(mapTrades(broken, net)))
	expected := average(mapTrades(followed, func(t *Trade) *big.Rat { return mul(t.Net, whole(len(broken))) }))
	out["cost"] = sub(expected, sum(mapTrades(broken, net)))
	if a, b := resultsInR(followed), resultsInR(broken); len(a) > 0 && len(b) > 0 {
		out["cost_r"] = float(mul(sub(mean(a), mean(b)), whole(len(b))))
	}
	out["interval"] = q.ruleInterval(followed, broken)
	return out
}

func newSide(list []*Trade) Object {
	r := resultsInR(list)
	side := newGroup(list).set("avg_trade", nil).set("avg_r", float(mean(r))).set("trades_with_r", len(r))
	if len(list) > 0 {
		side["avg_trade"] = average(mapTrades(list, net))
	}
	return side
}

func (q *Question) hasEnough(list []*Trade) bool {
	return len(list) >= 30 && len(byDay(list, q.basis, q.Zone)) >= 10
}

func (q *Question) ruleInterval(followed, broken []*Trade) Object {
	daysA, daysB := byDay(followed, q.basis, q.Zone), byDay(broken, q.basis, q.Zone)
	if interval := drawDifference(daysA, daysB); interval != nil {
		return interval
	}
	return Object{"low": nil, "high": nil}
}
