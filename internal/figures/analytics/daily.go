package analytics

import (
	"cmp"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Day is the result on one calendar day.
type Day struct {
	Date     journal.Day     `json:"date"`
	NetPnL   decimal.Decimal `json:"net_pnl"`
	GrossPnL decimal.Decimal `json:"gross_pnl"`
	Fees     decimal.Decimal `json:"fees"`
	Trades   int             `json:"trades"`
	Wins     int             `json:"wins"`
	Losses   int             `json:"losses"`
	WinRate  float64         `json:"win_rate"`
	Volume   decimal.Decimal `json:"volume"`
	// CumulativePnL is the net result up to and including this day.
	CumulativePnL decimal.Decimal `json:"cumulative_pnl"`
	Currency      string          `json:"currency,omitempty" doc:"The currency of the amounts. Only with currency."`
}

// ListDays returns the days with trades, in order, by the zone's calendar.
func ListDays(s *Selection, zone *time.Location) []Day {
	return chooseArithmetic(s, listDays[int128], listDays[exact])(s, zone)
}

// dayNet accumulates a day's net results.
type dayNet[T number[T]] struct {
	tally[T]
	day int64
}

// dayTally accumulates a day.
type dayTally[T number[T]] struct {
	dayNet[T]
	gross, fees, volume T
}

func listDays[T number[T]](s *Selection, zone *time.Location) []Day {
	tallies := tallyDays[T](s, zone)
	list := make([]Day, len(tallies))
	var sum T
	for i := range tallies {
		t := &tallies[i]
		sum = sum.add(t.net())
		list[i] = Day{
			Date: dayName(t.day), NetPnL: t.net().decimal(s.scale), GrossPnL: t.gross.decimal(s.scale),
			Fees: t.fees.decimal(s.scale), Trades: t.trades(), Wins: t.wins(), Losses: t.losses(), WinRate: t.winRate(),
			Volume: t.volume.decimal(s.scale), CumulativePnL: sum.decimal(s.scale),
		}
	}
	return list
}

func tallyDays[T number[T]](s *Selection, zone *time.Location) []dayTally[T] {
	days, of := s.findDays(newClock(zone))
	gross, fees, volume := sumDays[T](s, grossOf, of, len(days)), sumDays[T](s, feesOf, of, len(days)), sumDays[T](s, volumeOf, of, len(days))
	trades, net, dayOf := mergeParts(s, readColumn[T](s, netOf), of)
	tallies := make([]dayTally[T], len(days))
	for d, t := range tallyGroups(len(days), dayOf, net, outcomes(trades, net)) {
		tallies[d] = dayTally[T]{dayNet: dayNet[T]{t, days[d]}, gross: gross[d], fees: fees[d], volume: volume[d]}
	}
	slices.SortFunc(tallies, func(a, b dayTally[T]) int { return cmp.Compare(a.day, b.day) })
	return tallies
}

// sumDays adds up a money column by day.
func sumDays[T number[T]](s *Selection, column func(*page) *amounts, of []int32, days int) []T {
	sums := make([]T, days)
	var zero T
	zero.sumGroups(sums, of, readColumn[T](s, column))
	return sums
}

// findDays returns the calendar days with trades and each trade's day; see indexDays.
func (s *Selection) findDays(c *clock) (days []int64, of []int32) {
	return s.indexDays(c, s.basisColumn())
}

// indexDays returns the days with an instant in a column and each trade's day, in order
// of first occurrence. This is calendar order, except when clocks go back over midnight.
func (s *Selection) indexDays(c *clock, column func(*page) []int64) (days []int64, of []int32) {
	index := newDayIndex(c)
	of = make([]int32, 0, len(s.picks))
	for picks := s.picks; len(picks) > 0; {
		run := firstRun(picks)
		instants := column(s.pages[run[0].source])
		for _, p := range run {
			of = append(of, index.find(instants[p.row]))
		}
		picks = picks[len(run):]
	}
	return index.days, of
}

// dayIndex numbers days in order of first occurrence. Neighboring instants on one day
// cost a comparison each.
type dayIndex struct {
	clock       *clock
	days        []int64
	places      map[int64]int32
	last        int32 // the last day's index
	from, until int64 // instants on the last day
}

func newDayIndex(c *clock) *dayIndex { return &dayIndex{clock: c, places: map[int64]int32{}} }

// find returns the index of an instant's day.
func (x *dayIndex) find(at int64) int32 {
	if at < x.from || at >= x.until {
		x.move(at)
	}
	return x.last
}

func (x *dayIndex) move(at int64) {
	var day int64
	var seen bool
	day, x.from, x.until = x.clock.dayRange(at)
	if x.last, seen = x.places[day]; !seen {
		x.last = int32(len(x.days))
		x.places[day] = x.last
		x.days = append(x.days, day)
	}
}

// CalendarQuery has the parameters for [BuildCalendar].
type CalendarQuery struct {
	Filter Filter
	Zone   *time.Location
	Year   int
	// WeekStart is the first weekday.
	WeekStart time.Weekday
}

// Year is one year's calendar. The caller adds notes and routines.
type Year struct {
	Year   int     `json:"year"`
	Days   []Cell  `json:"days"`
	Weeks  []Week  `json:"weeks"`
	Months []Month `json:"months"`
	Total  Group   `json:"total"`
}

// Cell is a calendar day with trades.
type Cell struct {
	Date   journal.Day     `json:"date"`
	NetPnL decimal.Decimal `json:"net_pnl"`
	Trades int             `json:"trades"`
	Wins   int             `json:"wins"`
	Losses int             `json:"losses"`
}

// Month is a month with trades.
type Month struct {
	Month string `json:"month"`
	Group
	// GreenDays and RedDays count the days above and below zero.
	GreenDays int `json:"green_days"`
	RedDays   int `json:"red_days"`
}

// ListCells returns the days with trades, in order, by the zone's calendar. It is faster
// than [ListDays].
func ListCells(s *Selection, zone *time.Location) []Cell {
	return chooseArithmetic(s, listCells[int128], listCells[exact])(s, zone)
}

func listCells[T number[T]](s *Selection, zone *time.Location) []Cell {
	days := tallyNetDays[T](s, zone)
	list := make([]Cell, len(days))
	for i := range days {
		t := &days[i]
		list[i] = Cell{Date: dayName(t.day), NetPnL: t.net().decimal(s.scale), Trades: t.trades(), Wins: t.wins(), Losses: t.losses()}
	}
	return list
}

// BuildCalendar returns a year's days, weeks and months with trades. It selects only the
// trades in the year's weeks, so its cost does not depend on other years.
func BuildCalendar(columns []*Columns, q CalendarQuery) Year {
	q.Filter.Period = q.clipPeriod()
	s := SelectTrades(columns, q.Filter)
	out := Year{Year: q.Year, Days: []Cell{}, Weeks: []Week{}, Months: []Month{}}
	for _, day := range ListCells(s, q.Zone) {
		out.addToWeek(day, q.WeekStart)
		if day.Date.Year() == q.Year {
			out.addToMonth(day)
		}
	}
	if s.parts {
		out.recountTrades(s, q.Zone, q.WeekStart)
	}
	return out
}

// clipPeriod returns the part of the filter's period in the weeks with a day in the year.
func (q *CalendarQuery) clipPeriod() journal.Period {
	const week = 7
	period := q.Filter.Period
	from := time.Date(q.Year, 1, 1, 0, 0, 0, 0, q.Zone).AddDate(0, 0, -week)
	if period.From == nil || period.From.Before(from) {
		period.From = &from
	}
	to := time.Date(q.Year+1, 1, 1, 0, 0, 0, 0, q.Zone).AddDate(0, 0, week)
	if period.To == nil || period.To.After(to) {
		period.To = &to
	}
	return period
}

// addToMonth adds a day in the year.
func (y *Year) addToMonth(day Cell) {
	y.Days = append(y.Days, day)
	month := day.Date.Month()
	if n := len(y.Months); n == 0 || y.Months[n-1].Month != month {
		y.Months = append(y.Months, Month{Month: month})
	}
	m := &y.Months[len(y.Months)-1]
	m.Group.addDay(day.Trades, day.Wins, day.NetPnL)
	y.Total.addDay(day.Trades, day.Wins, day.NetPnL)
	switch day.NetPnL.Sign() {
	case 1:
		m.GreenDays++
	case -1:
		m.RedDays++
	}
}

// addDay adds a day's trades to a group.
func (g *Group) addDay(trades, wins int, net decimal.Decimal) {
	g.Trades += trades
	g.Wins += wins
	g.NetPnL = g.NetPnL.Add(net)
	g.WinRate = fraction(g.Wins, g.Trades)
}
