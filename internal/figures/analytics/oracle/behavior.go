package oracle

import (
	"math/big"
	"slices"
	"strconv"
	"time"
)

const (
	// minTrades is the trade count below which detectors report nothing.
	minTrades = 10
	// maxEvents is the most events they list.
	maxEvents = 500
)

// Behavior predicts the behavior, without expected rates.
func (j *Journal) Behavior(q *Question) Object {
	list := sortByOpening(listCounting(j.SelectTrades(q)))
	out := Object{
		"trades": len(list), "streaks": listStreaks(sortByClosing(list)),
		"revenge":        newDetector(q, list, func(i int) string { return revengeReason(list, i) }),
		"overconfidence": newDetector(q, list, func(i int) string { return overconfidenceReason(list, i) }),
		"loss_aversion":  detectLossAversion(q, list), "overtrading": detectOvertrading(q, list),
		"breakeven_tolerance": j.Tolerance,
	}
	numbers := func(n int) (keys []string) {
		for i := range n {
			keys = append(keys, strconv.Itoa(i))
		}
		return keys
	}
	for _, by := range []struct {
		name, dimension, field string
		keys                   []string
	}{
		{"by_hour", "hour", "hour", numbers(24)},
		{"by_weekday", "weekday", "weekday", numbers(7)},
		{"by_session", "session", "session", sessions()},
		{"by_hold_time", "hold_time", "bucket", holdBuckets()},
	} {
		out[by.name] = j.listBuckets(q, list, by.dimension, by.field, by.keys)
	}
	out["by_weekday_hour"] = j.listWeekdayHours(q, list)
	return out
}

// listWeekdayHours returns the trades by weekday and hour, without empty rows.
func (j *Journal) listWeekdayHours(q *Question, list []*Trade) List {
	out := List{}
	for day := range 7 {
		for hour := range 24 {
			in := filterTrades(list, func(t *Trade) bool {
				return j.rowKeys(q, "weekday", t, list)[0] == strconv.Itoa(day) && j.rowKeys(q, "hour", t, list)[0] == strconv.Itoa(hour)
			})
			if len(in) > 0 {
				out = append(out, newGroup(in).set("weekday", day).set("hour", hour))
			}
		}
	}
	return out
}

// listBuckets returns a breakdown including empty rows.
func (j *Journal) listBuckets(q *Question, list []*Trade, by, field string, keys []string) List {
	out := List{}
	for _, key := range keys {
		var label any = key
		if n, err := strconv.Atoi(key); err == nil {
			label = n
		}
		in := filterTrades(list, func(t *Trade) bool { return j.rowKeys(q, by, t, list)[0] == key })
		out = append(out, newGroup(in).set(field, label))
	}
	return out
}

// newDetector returns a detector with an event for each trade whose reason is not
// empty.
func newDetector(q *Question, list []*Trade, why func(i int) string) Object {
	events, flagged := List{}, map[*Trade]bool{}
	if len(list) >= minTrades {
		for i, t := range list {
			if reason := why(i); reason != "" {
				flagged[t] = true
				events = append(events, tradeEvent(q, t, reason))
			}
		}
	}
	out := fillDetector(list, events, flagged)
	if len(list) >= minTrades {
		out["rate"] = float(share(len(flagged), len(list)))
	}
	return out
}

func tradeEvent(q *Question, t *Trade, reason string) Object {
	return Object{
		"date": t.OpenedAt.In(q.Zone).Format(time.DateOnly), "trade_id": t.ID, "symbol": t.Symbol, "reason": reason, "net_pnl": t.Net,
		"trades": 1, "opened_at": t.OpenedAt,
	}
}

func fillDetector(list []*Trade, events List, flagged map[*Trade]bool) Object {
	return Object{
		"insufficient_data": len(list) < minTrades, "events": events[max(0, len(events)-maxEvents):], "event_count": len(events),
		"flagged":  newGroup(filterTrades(list, func(t *Trade) bool { return flagged[t] })),
		"baseline": newGroup(filterTrades(list, func(t *Trade) bool { return !flagged[t] })),
		"rate":     nil, "expected_rate": Unpredicted{},
	}
}

// isOversized reports whether a size is at least 1.5 times another.
func isOversized(size, than *big.Rat) bool { return size.Cmp(mul(than, big.NewRat(3, 2))) >= 0 }

func revengeReason(list []*Trade, i int) string {
	t := list[i]
	since := func(other *Trade) time.Duration { return t.OpenedAt.Sub(other.ClosedAt) }
	recent := func(within time.Duration) []*Trade {
		return filterTrades(list, func(o *Trade) bool { return o.isLoss() && since(o) > 0 && since(o) <= within })
	}
	usual := median(mapTrades(list[max(0, i-20):i], (*Trade).size))
	same := slices.ContainsFunc(recent(15*time.Minute), func(o *Trade) bool { return o.Symbol == t.Symbol })
	oversized := len(recent(time.Hour)) > 0 && usual != nil && usual.Sign() > 0 && isOversized(t.size(), usual)
	switch {
	case same && oversized:
		return "same_symbol_oversized"
	case same:
		return "same_symbol"
	case oversized:
		return "oversized"
	}
	return ""
}

func overconfidenceReason(list []*Trade, i int) string {
	t := list[i]
	before := sortByClosing(filterTrades(list, func(o *Trade) bool { return o.ClosedAt.Before(t.OpenedAt) }))
	var run []*Trade
	for k := len(before) - 1; k >= 0 && before[k].isWin(); k-- {
		run = append(run, before[k])
	}
	if len(run) < 3 {
		return ""
	}
	if usual := median(mapTrades(run, (*Trade).size)); usual.Sign() > 0 && isOversized(t.size(), usual) {
		return "oversized_after_wins"
	}
	return ""
}

func detectLossAversion(q *Question, list []*Trade) Object {
	wins, losses := filterTrades(list, (*Trade).isWin), filterTrades(list, (*Trade).isLoss)
	winners, losers := median(mapTrades(wins, hold)), median(mapTrades(losses, hold))
	heldLosers := 0
	out := newDetector(q, list, func(i int) string {
		t := list[i]
		if t.isLoss() && winners != nil && hold(t).Cmp(mul(winners, whole(2))) > 0 {
			heldLosers++
			return "held_loser"
		}
		if t.isWin() && hasMFE(t) && sub(t.MFE, t.Gross).Cmp(quo(t.MFE, whole(2))) >= 0 {
			return "gave_back"
		}
		return ""
	})
	if len(list) >= minTrades {
		out["rate"] = float(share(heldLosers, len(losses)))
	}
	out["avg_win_hold_secs"], out["avg_loss_hold_secs"] = float(orZero(mean(mapTrades(wins, hold)))), float(orZero(mean(mapTrades(losses, hold))))
	out["median_win_hold_secs"], out["median_loss_hold_secs"] = float(orZero(winners)), float(orZero(losers))
	out["hold_ratio"] = float(divide(losers, winners))
	known := filterTrades(list, hasMFE)
	best, kept, lost := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, t := range known {
		saved := maxOf(new(big.Rat), t.Gross)
		if saved.Cmp(t.MFE) > 0 {
			saved = t.MFE
		}
		best, kept, lost = add(best, t.MFE), add(kept, saved), add(lost, sub(t.MFE, saved))
	}
	out["trades_with_mfe"], out["given_back"], out["captured"] = len(known), lost, float(divide(kept, best))
	return out
}

func hasMFE(t *Trade) bool { return t.MFE != nil && t.MFE.Sign() > 0 }

func detectOvertrading(q *Question, list []*Trade) Object {
	days := byDay(list, func(t *Trade) time.Time { return t.OpenedAt }, q.Zone)
	counts := make([]*big.Rat, len(days))
	for i, d := range days {
		counts[i] = whole(len(d.trades))
	}
	usual := orZero(median(counts))
	distances := make([]*big.Rat, len(counts))
	for i, c := range counts {
		distances[i] = new(big.Rat).Abs(sub(c, usual))
	}
	limit := add(usual, mul(whole(2), orZero(median(distances))))
	events, flagged := List{}, map[*Trade]bool{}
	for i, d := range days {
		if len(list) < minTrades || counts[i].Cmp(limit) <= 0 {
			continue
		}
		events = append(events, Object{
			"date": d.date, "trade_id": "", "symbol": "", "reason": "many_trades", "net_pnl": d.net(), "trades": len(d.trades), "opened_at": nil,
		})
		for _, t := range d.trades {
			flagged[t] = true
		}
	}
	out := fillDetector(list, events, flagged)
	out["days"], out["usual"], out["limit"] = len(days), float(usual), float(limit)
	if len(list) >= minTrades {
		out["rate"] = float(share(len(events), len(days)))
	}
	return out
}

// listStreaks returns the runs in closing order.
func listStreaks(list []*Trade) Object {
	kind := func(t *Trade) string {
		switch {
		case t.isWin():
			return "win"
		case t.isLoss():
			return "loss"
		}
		return ""
	}
	current, length := "", 0
	if n := len(list); n > 0 && kind(list[n-1]) != "" {
		current = kind(list[n-1])
		for length < n && kind(list[n-1-length]) == current {
			length++
		}
	}
	var afterWin, afterLoss []*Trade
	for i := 1; i < len(list); i++ {
		switch {
		case list[i-1].isWin():
			afterWin = append(afterWin, list[i])
		case list[i-1].isLoss():
			afterLoss = append(afterLoss, list[i])
		}
	}
	return Object{
		"current_kind": current, "current_length": length,
		"max_consecutive_wins": longest(listMatches(list, (*Trade).isWin)), "max_consecutive_losses": longest(listMatches(list, (*Trade).isLoss)),
		"after_win": newGroup(afterWin), "after_loss": newGroup(afterLoss),
	}
}
