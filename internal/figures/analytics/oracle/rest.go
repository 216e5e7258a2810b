package oracle

import "slices"

// RowRests predicts how breakdown rows compare with the other trades, by key, with days
// in the question's zone. There is no comparison for realized results.
func (j *Journal) RowRests(q *Question, by string) map[string]any {
	// Rows are formed by all trades: removed ones have a size as well.
	all := j.SelectTrades(q)
	list, out := listCounting(all), map[string]any{}
	for _, of := range list {
		for _, key := range j.rowKeys(q, by, of, all) {
			isInside := func(t *Trade) bool { return slices.Contains(j.rowKeys(q, by, t, all), key) }
			with, without := filterTrades(list, isInside), filterTrades(list, func(t *Trade) bool { return !isInside(t) })
			switch _, known := out[key]; {
			case known:
			case q.Realized:
				out[key] = nil
			default:
				var interval any
				if drawn := drawDifference(byDay(with, q.basis, q.Zone), byDay(without, q.basis, q.Zone)); drawn != nil {
					interval = drawn
				}
				out[key] = newRest(with, without, interval)
			}
		}
	}
	return out
}

// newRest returns a comparison with the other trades, nil without any.
func newRest(with, without []*Trade, interval any) any {
	if len(without) == 0 {
		return nil
	}
	return Object{
		"trades": len(without), "avg_pnl": average(mapTrades(without, net)), "interval": interval, "p_value": Unpredicted{},
		"difference": sub(average(mapTrades(with, net)), average(mapTrades(without, net))),
	}
}

// addShare adds whether a row holds most trades, and whether a tag was chosen by the
// result.
func addShare(row Object, list, all []*Trade, tag bool) {
	list, all = listCounting(list), listCounting(all)
	rest := filterTrades(all, func(t *Trade) bool {
		return !slices.ContainsFunc(list, func(u *Trade) bool { return u.ID == t.ID })
	})
	selects := func(has func(*Trade) bool) bool {
		inside, outside := len(filterTrades(list, has)), 0.0
		if len(rest) > 0 {
			outside = float64(len(filterTrades(rest, has))) / float64(len(rest))
		}
		return tag && len(list) >= 10 && inside*100 >= len(list)*95 && float64(inside)/float64(len(list))-outside >= 0.2
	}
	row.set("holds_most", len(list)*10 > len(all)*8).
		set("selects_winners", selects((*Trade).isWin)).set("selects_losers", selects((*Trade).isLoss))
}
