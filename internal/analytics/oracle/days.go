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

func (d dayGroup) net() *big.Rat { return sum(each(d.trades, net)) }

// byDay puts trades on the calendar of a zone, by one of their instants.
func byDay(list []*Trade, instant func(*Trade) time.Time, zone *time.Location) []dayGroup {
	days := map[string][]*Trade{}
	for _, t := range list {
		date := instant(t).In(zone).Format(time.DateOnly)
		days[date] = append(days[date], t)
	}
	var out []dayGroup
	for _, date := range keysOf(days, strings.Compare) {
		out = append(out, dayGroup{date, merged(days[date])})
	}
	return out
}

func results(days []dayGroup) []*big.Rat {
	var out []*big.Rat
	for _, d := range days {
		out = append(out, d.net())
	}
	return out
}

// Daily foretells the days.
func (j *Journal) Daily(q *Question) List {
	out := List{}
	total := new(big.Rat)
	for _, d := range byDay(j.Selected(q), q.basis, q.Zone) {
		total = add(total, d.net())
		wins, losses := len(those(d.trades, (*Trade).won)), len(those(d.trades, (*Trade).lost))
		out = append(out, Object{
			"date": d.date, "net_pnl": d.net(), "gross_pnl": sum(each(d.trades, func(t *Trade) *big.Rat { return t.Gross })),
			"fees":   sum(each(d.trades, func(t *Trade) *big.Rat { return t.Fees })),
			"volume": sum(each(d.trades, volume)),
			"trades": len(d.trades), "wins": wins, "losses": losses, "win_rate": float(share(wins, len(d.trades))), "cumulative_pnl": total,
		})
	}
	return out
}

// group is how some trades came out, in short.
func group(list []*Trade) Object {
	wins := len(those(list, (*Trade).won))
	return Object{
		"trades": len(list), "wins": wins, "win_rate": float(orZero(share(wins, len(list)))), "net_pnl": sum(each(list, net)),
	}
}

// with gives an object with one more field.
func (o Object) with(name string, value any) Object {
	o[name] = value
	return o
}

// Calendar foretells a year without notes, routines and reviews.
func (j *Journal) Calendar(q *Question, year int) Object {
	days, months, all := List{}, map[string][]dayGroup{}, []*Trade(nil)
	closed := j.closedOn(q)
	for _, d := range byDay(j.Selected(q), q.basis, q.Zone) {
		if !strings.HasPrefix(d.date, whole(year).RatString()+"-") {
			continue
		}
		days = append(days, Object{
			"date": d.date, "net_pnl": d.net(), "trades": len(d.trades),
			"wins": len(those(d.trades, (*Trade).won)), "losses": len(those(d.trades, (*Trade).lost)),
			"unreviewed": closed[d.date], "notes": 0, "routine_done": 0, "routine_total": 0,
		})
		months[d.date[:7]] = append(months[d.date[:7]], d)
		all = append(all, d.trades...)
	}
	all = merged(all)
	list := List{}
	for _, month := range keysOf(months, strings.Compare) {
		var trades []*Trade
		for _, d := range months[month] {
			trades = append(trades, d.trades...)
		}
		green, red := colours(months[month])
		list = append(list, group(merged(trades)).with("month", month).with("green_days", green).with("red_days", red))
	}
	return Object{"year": year, "days": days, "months": list, "weeks": j.weeks(q, year), "total": group(all), "breakeven_tolerance": j.Tolerance}
}

// closedOn counts the closed trades of each day: those that wait for a review.
func (j *Journal) closedOn(q *Question) map[string]int {
	whole := *q
	whole.Realized, whole.ByOpening = false, q.ByOpening && !q.Realized
	out := map[string]int{}
	for _, d := range byDay(j.Selected(&whole), whole.basis, q.Zone) {
		out[d.date] = len(d.trades)
	}
	return out
}

// weeks foretells the weeks from Monday that have a day in a year and trades.
func (j *Journal) weeks(q *Question, year int) List {
	weeks := map[string][]dayGroup{}
	for _, d := range byDay(j.Selected(q), q.basis, q.Zone) {
		monday, _ := time.Parse(time.DateOnly, d.date) // it is our own text
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
		trades = merged(trades)
		monday, _ := time.Parse(time.DateOnly, start)
		list = append(list, group(trades).with("start", start).with("end", monday.AddDate(0, 0, 6).Format(time.DateOnly)).
			with("losses", len(those(trades, (*Trade).lost))).with("days_traded", len(weeks[start])))
	}
	return list
}

// colours counts the days above and below zero.
func colours(days []dayGroup) (green, red int) {
	for _, r := range results(days) {
		switch r.Sign() {
		case 1:
			green++
		case -1:
			red++
		}
	}
	return green, red
}
