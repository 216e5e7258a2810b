package oracle

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Share predicts a public link's view. The label replaces the currency unless it is
// empty.
func (j *Journal) Share(q *Question, amounts bool, label string) Object {
	list := j.SelectTrades(q)
	days := byDay(list, q.basis, q.Zone)
	out := Object{
		"summary": j.shareSummary(q, amounts), "equity": listShareEquity(days, q.Zone, amounts),
		"trading_days": countTraded(days), "first_day": "", "last_day": "", "show_amounts": amounts, "currency": label,
		"top_symbols": listTopSymbols(list, amounts), "months": listShareMonths(days, amounts),
	}
	if label == "" {
		out["currency"] = j.currency(q)
	}
	if len(days) > 0 {
		out["first_day"], out["last_day"] = days[0].date, days[len(days)-1].date
	}
	out["green_days"], out["red_days"] = countColors(days)
	green, red := make([]bool, len(days)), make([]bool, len(days))
	for i, r := range dayResults(days) {
		green[i], red[i] = r.Sign() > 0, r.Sign() < 0
	}
	out["best_streak"], out["worst_streak"] = longest(green), longest(red)
	return out
}

// shareSummary returns the summary's public part.
func (j *Journal) shareSummary(q *Question, amounts bool) Object {
	fields := []string{
		"total_trades", "wins", "losses", "breakeven", "win_rate", "profit_factor", "payoff_ratio", "expectancy_r", "kelly_pct", "sqn",
	}
	if amounts {
		fields = append(fields, "net_pnl", "gross_profit", "gross_loss", "expectancy", "avg_win", "avg_loss",
			"largest_win", "largest_loss", "total_fees", "max_drawdown")
	}
	all, out := j.Summary(q), Object{}
	for _, field := range fields {
		out[field] = all[field]
	}
	return out
}

// listShareEquity returns the cumulative result at each day's end, or its shape.
func listShareEquity(days []dayGroup, zone *time.Location, amounts bool) List {
	var levels []*big.Rat
	level, farthest := new(big.Rat), new(big.Rat)
	for _, d := range days {
		level = add(level, d.net())
		levels = append(levels, level)
		farthest = maxOf(farthest, new(big.Rat).Abs(level))
	}
	out := List{}
	for i, d := range days {
		value := levels[i]
		if !amounts {
			value = roundTo(orZero(divide(value, farthest)), 4)
		}
		out = append(out, Object{"at": lastSecond(d.date, zone), "value": value})
	}
	return out
}

// lastSecond returns the latest instant when a zone's local time is 23:59:59 on a day. It
// tries every offset in use, in quarter hours.
func lastSecond(date string, zone *time.Location) time.Time {
	const layout = "2006-01-02 15:04:05"
	wall, _ := time.Parse(layout, date+" 23:59:59") // a date formatted by this package
	var latest time.Time
	for quarters := -14 * 4; quarters <= 14*4; quarters++ {
		at := wall.Add(time.Duration(quarters) * 15 * time.Minute)
		if at.In(zone).Format(layout) == wall.Format(layout) {
			latest = at
		}
	}
	return latest
}

func newShareGroup(list []*Trade, amounts bool) Object {
	all := newGroup(list)
	out := Object{"trades": all["trades"], "win_rate": all["win_rate"]}
	if amounts {
		out["pnl"] = all["net_pnl"]
	}
	return out
}

func listShareMonths(days []dayGroup, amounts bool) List {
	months := map[string][]*Trade{}
	for _, d := range days {
		months[d.date[:7]] = append(months[d.date[:7]], d.trades...)
	}
	out := List{}
	for _, month := range keysOf(months, strings.Compare) {
		out = append(out, newShareGroup(months[month], amounts).set("month", month))
	}
	return out
}

// listTopSymbols returns the five with most trades, then by name.
func listTopSymbols(list []*Trade, amounts bool) List {
	symbols := map[string][]*Trade{}
	for _, t := range list {
		symbols[t.Symbol] = append(symbols[t.Symbol], t)
	}
	count := func(symbol string) int { return len(listCounting(symbols[symbol])) }
	order := keysOf(symbols, func(a, b string) int { return cmp.Or(count(b)-count(a), strings.Compare(a, b)) })
	order = slices.DeleteFunc(order, func(symbol string) bool { return count(symbol) == 0 })
	out := List{}
	for _, symbol := range order[:min(5, len(order))] {
		out = append(out, newShareGroup(symbols[symbol], amounts).set("symbol", symbol))
	}
	return out
}
