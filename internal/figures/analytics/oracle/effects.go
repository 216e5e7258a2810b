package oracle

import (
	"cmp"
	"math/big"
	"slices"
)

// TagEffects predicts the effects by tag for mistakes only or for all tags, the greatest
// loss first.
func (j *Journal) TagEffects(q *Question, mistakesOnly bool) List {
	list := listCounting(j.SelectTrades(q))
	groups := map[string]bool{}
	for _, t := range list {
		for _, tag := range t.Tags {
			if j.Mistakes[tag] || !mistakesOnly {
				groups[tag] = true
			}
		}
	}
	totals := map[string]*big.Rat{}
	rows := map[string]Object{}
	for tag := range groups {
		with := filterTrades(list, func(t *Trade) bool { return slices.Contains(t.Tags, tag) })
		without := filterTrades(list, func(t *Trade) bool { return !slices.Contains(t.Tags, tag) })
		interval := drawDifference(byDay(with, q.basis, q.Zone), byDay(without, q.basis, q.Zone))
		rows[tag] = j.newEffect(tag, with, without, interval)
		addShare(rows[tag], with, list, true)
		var ofRest any
		if interval != nil {
			ofRest = interval
		}
		rows[tag]["rest"] = newRest(with, without, ofRest)
		totals[tag], _ = rows[tag]["total"].(*big.Rat)
	}
	out := List{}
	for _, tag := range keysOf(groups, func(a, b string) int {
		x, y := totals[a], totals[b]
		if (x == nil) != (y == nil) {
			return map[bool]int{true: 1, false: -1}[x == nil]
		}
		if x == nil {
			return cmp.Compare(a, b)
		}
		return cmp.Or(x.Cmp(y), cmp.Compare(a, b))
	}) {
		out = append(out, rows[tag])
	}
	return out
}

func (j *Journal) newEffect(tag string, with, without []*Trade, interval Object) Object {
	if interval == nil {
		interval = Object{"low": nil, "high": nil}
	}
	kind := "custom"
	if j.Mistakes[tag] {
		kind = "mistake"
	}
	row := Object{
		"tag_id": tag, "name": j.Names[tag], "kind": kind, "color": Unpredicted{}, "p_value": Unpredicted{}, "significant": Unpredicted{},
		"with": effectSide(with), "without": effectSide(without), "interval": interval,
		"difference": nil, "total": nil, "difference_r": nil, "total_r": nil,
	}
	if len(without) == 0 {
		return row
	}
	difference := sub(average(mapTrades(with, net)), average(mapTrades(without, net)))
	row["difference"], row["total"] = difference, new(big.Rat).Mul(difference, whole(len(with)))
	x, y := mean(resultsInR(with)), mean(resultsInR(without))
	if x != nil && y != nil {
		apart := sub(x, y)
		row["difference_r"], row["total_r"] = float(apart), float(new(big.Rat).Mul(apart, whole(len(resultsInR(with)))))
	}
	return row
}

func effectSide(list []*Trade) Object {
	r := resultsInR(list)
	return Object{
		"trades": len(list), "net_pnl": sum(mapTrades(list, net)), "avg_trade": average(mapTrades(list, net)),
		"avg_r": float(mean(r)), "trades_with_r": len(r),
	}
}
