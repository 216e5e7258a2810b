package oracle

import (
	"math/big"
	"strings"
	"time"
)

// dayGroup is a day with its trades.
type dayGroup struct {
	date   string
	trades []*Trade
}

func (d dayGroup) net() *big.Rat { return sum(mapTrades(d.trades, net)) }

// count returns how many trades count.
func (d dayGroup) count() int { return len(listCounting(d.trades)) }

// countTraded returns how many days have a trade that counts.
func countTraded(days []dayGroup) (n int) {
	for _, d := range days {
		if d.count() > 0 {
			n++
		}
	}
	return n
}

// byDay groups trades by a zone's calendar, by one instant each.
func byDay(list []*Trade, instant func(*Trade) time.Time, zone *time.Location) []dayGroup {
	days := map[string][]*Trade{}
	for _, t := range list {
		date := instant(t).In(zone).Format(time.DateOnly)
		days[date] = append(days[date], t)
	}
	var out []dayGroup
	for _, date := range keysOf(days, strings.Compare) {
		out = append(out, dayGroup{date, mergeParts(days[date])})
	}
	return out
}

func dayResults(days []dayGroup) []*big.Rat {
	var out []*big.Rat
	for _, d := range days {
		out = append(out, d.net())
	}
	return out
}

// Daily predicts the days.
func (j *Journal) Daily(q *Question) List {
	out := List{}
	total := new(big.Rat)
	for _, d := range byDay(j.SelectTrades(q), q.basis, q.Zone) {
		total = add(total, d.net())
		wins, losses := len(filterTrades(d.trades, (*Trade).isWin)), len(filterTrades(d.trades, (*Trade).isLoss))
		out = append(out, Object{
			"date": d.date, "net_pnl": d.net(), "gross_pnl": sum(mapTrades(d.trades, func(t *Trade) *big.Rat { return t.Gross })),
			"fees":   sum(mapTrades(d.trades, func(t *Trade) *big.Rat { return t.Fees })),
			"volume": sum(mapTrades(d.trades, volume)),
			"trades": d.count(), "wins": wins, "losses": losses, "win_rate": float(orZero(share(wins, d.count()))), "cumulative_pnl": total,
		})
	}
	return out
}

// newGroup returns the counts and the result for some trades.
func newGroup(list []*Trade) Object {
	wins, count := len(filterTrades(list, (*Trade).isWin)), len(listCounting(list))
	return Object{
		"trades": count, "wins": wins, "win_rate": float(orZero(share(wins, count))), "net_pnl": sum(mapTrades(list, net)),
	}
}

// set adds a field and returns the object.
func (o Object) set(name string, value any) Object {
	o[name] = value
	return o
}

// Calendar predicts a year without notes, routines and reviews.
func (j *Journal) Calendar(q *Question, year int) Object {
	days, months, all := List{}, map[string][]dayGroup{}, []*Trade(nil)
	closed := j.countClosed(q)
	for _, d := range byDay(j.SelectTrades(q), q.basis, q.Zone) {
		if !strings.HasPrefix(d.date, whole(year).RatString()+"-") {
			continue
		}
		days = append(days, Object{
			"date": d.date, "net_pnl": d.net(), "trades": d.count(),
			"wins": len(filterTrades(d.trades, (*Trade).isWin)), "losses": len(filterTrades(d.trades, (*Trade).isLoss)),
			"unreviewed": closed[d.date], "notes": 0, "routine_done": 0, "routine_total": 0,
		})
		months[d.date[:7]] = append(months[d.date[:7]], d)
		all = append(all, d.trades...)
	}
	all = mergeParts(all)
	list := List{}
	for _, month := range keysOf(months, strings.Compare) {
		var trades []*Trade
		for _, d := range months[month] {
			trades = append(trades, d.trades...)
		}
		green, red := countColors(months[month])
		list = append(list, newGroup(mergeParts(trades)).set("month", month).set("green_days", green).set("red_days", red))
	}
	return Object{"year": year, "days": days, "months": list, "weeks": j.listWeeks(q, year), "total": newGroup(all), "breakeven_tolerance": j.Tolerance}
}

// countClosed counts each day's closed trades, which are unreviewed.
func (j *Journal) countClosed(q *Question) map[string]int {
	whole := *q
	whole.Realized, whole.ByOpening = false, q.ByOpening && !q.Realized
	out := map[string]int{}
	for _, d := range byDay(j.SelectTrades(&whole), whole.basis, q.Zone) {
		out[d.date] = len(d.trades)
	}
	return out
}

// listWeeks predicts the weeks from Monday with trades and a day in the year.
func (j *Journal) listWeeks(q *Question, year int) List {
	weeks := map[string][]dayGroup{}
	for _, d := range byDay(j.SelectTrades(q), q.basis, q.Zone) {
		monday, _ := time.Parse(time.DateOnly, d.date) // a date formatted by this package
		for monday.Weekday() != time.Monday {
			monday = monday.AddDate(0, 0, -1)
		}
		if monday.Year() == year || monday.AddDate(0, 0, 6).Year() == year {
			name := monday.Format(time.DateOnly)
			weeks[name] = append(weeks[name], d)
		}
	}
	list := List{}
	for _, start := range keysOf(weeks, strings.Compare) {
		var trades []*Trade
		for _, d := range weeks[start] {
			trades = append(trades, d.trades...)
		}
		trades = mergeParts(trades)
		monday, _ := time.Parse(time.DateOnly, start)
		list = append(list, newGroup(trades).set("start", start).set("end", monday.AddDate(0, 0, 6).Format(time.DateOnly)).
			set("losses", len(filterTrades(trades, (*Trade).isLoss))).set("days_traded", countTraded(weeks[start])))
	}
	return list
}

// countColors counts the days above and below zero.
func countColors(days []dayGroup) (green, red int) {
	for _, r := range dayResults(days) {
		switch r.Sign() {
		case 1:
			green++
		case -1:
			red++
		}
	}
	return green, red
}
