package oracle

import "math/big"

// RStats predicts the results in risk units.
func (j *Journal) RStats(q *Question) Object {
	list := listCounting(j.SelectTrades(q))
	r := resultsInR(list)
	wins := resultsInR(filterTrades(list, (*Trade).isWin))
	var losses []*big.Rat
	for _, value := range resultsInR(filterTrades(list, (*Trade).isLoss)) {
		losses = append(losses, neg(value))
	}
	out := Object{
		"trades": len(list), "trades_with_r": len(r), "avg_r": float(mean(r)), "expectancy_r": float(mean(r)), "median_r": float(median(r)),
		"total_r": float(sum(r)), "std_dev_r": nil, "sqn_r": systemQuality(r), "best_r": nil, "worst_r": nil,
		"avg_win_r": float(mean(wins)), "avg_loss_r": float(mean(losses)), "win_rate": float(orZero(share(len(wins), len(r)))), "buckets": countBuckets(r),
		"breakeven_tolerance": j.Tolerance,
	}
	if len(r) > 0 {
		ordered := sortedCopy(r, func(a, b *big.Rat) int { return a.Cmp(b) })
		out["worst_r"], out["best_r"] = float(ordered[0]), float(ordered[len(ordered)-1])
		out["std_dev_r"] = squareRoot(orZero(variance(r)))
	}
	return out
}

// countBuckets counts in halves from -3 to 5, with an unbounded bucket at each end.
func countBuckets(r []*big.Rat) List {
	edges := []*big.Rat{nil}
	for half := int64(-6); half <= 10; half++ {
		edges = append(edges, big.NewRat(half, 2))
	}
	edges = append(edges, nil)
	out := List{}
	for i := range len(edges) - 1 {
		from, to, count := edges[i], edges[i+1], 0
		for _, value := range r {
			if (from == nil || value.Cmp(from) >= 0) && (to == nil || value.Cmp(to) < 0) {
				count++
			}
		}
		out = append(out, Object{"from": float(from), "to": float(to), "trades": count})
	}
	return out
}
