package demo

import (
	"slices"
	"time"

	"fillbook/internal/journal"
)

// newYork is the clock of the American markets. Package journal embeds the
// zones, so that they are there on any machine.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic("demo: " + err.Error())
	}
	return zone
}()

// session is one day of a market: a number of bars from its start on.
type session struct {
	day   journal.Day
	start time.Time
	bars  int
	width time.Duration // of a bar
}

// at is the instant at which a bar begins.
func (s session) at(bar int) time.Time { return s.start.Add(time.Duration(bar) * s.width) }

// bar is the bar that a clock time in New York, on the session's own day, falls
// into.
func (s session) bar(hour, minute int) int {
	at := onDay(s.day, hour, minute, newYork)
	return min(max(int(at.Sub(s.start)/s.width), 0), s.bars-1)
}

// onDay is a clock time on a day in a zone, whatever summer time does.
func onDay(d journal.Day, hour, minute int, zone *time.Location) time.Time {
	y, m, date := d.Time().Date()
	return time.Date(y, m, date, hour, minute, 0, 0, zone).UTC()
}

// The lengths of a trading day in New York, in minutes.
const (
	fullDay = 390 // 09:30 to 16:00
	halfDay = 210 // 09:30 to 13:00
)

// stockSessions are the regular hours of the American stock exchanges.
func stockSessions(first, last journal.Day) (list []session) {
	for _, d := range tradingDays(first, last) {
		list = append(list, session{
			day: d, start: onDay(d, 9, 30, newYork), bars: minutesOpen(d), width: time.Minute,
		})
	}
	return list
}

// futureSessions are the days of the American futures exchanges, which begin
// on the evening before. The trader keeps the holidays of the stock market.
func futureSessions(first, last journal.Day) (list []session) {
	for _, d := range tradingDays(first, last) {
		s := session{day: d, start: onDay(d.AddDays(-1), 18, 0, newYork), bars: 23 * 60, width: time.Minute}
		if minutesOpen(d) == halfDay {
			s.bars = 19 * 60
		}
		list = append(list, s)
	}
	return list
}

// dayEnds is the hour UTC at which the story's last day ends: New York's
// futures have closed by then in summer and in winter.
const dayEnds = 22

// cryptoSessions are all days, in UTC.
func cryptoSessions(first, last journal.Day) (list []session) {
	for d := first; d <= last; d = d.AddDays(1) {
		s := session{day: d, start: d.Time(), bars: 24 * 12, width: 5 * time.Minute}
		if d == last {
			s.bars = dayEnds * 12
		}
		list = append(list, s)
	}
	return list
}

// tradingDays are the days on which the stock exchanges open.
func tradingDays(first, last journal.Day) (days []journal.Day) {
	for d := first; d <= last; d = d.AddDays(1) {
		if isTradingDay(d) {
			days = append(days, d)
		}
	}
	return days
}

func isTradingDay(d journal.Day) bool {
	return d.Weekday() != 0 && d.Weekday() != 6 && !isHoliday(d)
}

// nextTradingDay is the day itself or the first after it on which the
// exchanges open.
func nextTradingDay(d journal.Day) journal.Day {
	for !isTradingDay(d) {
		d = d.AddDays(1)
	}
	return d
}

// minutesOpen returns how long the stock exchanges are open on a trading day.
func minutesOpen(d journal.Day) int {
	_, month, date := d.Time().Date()
	beforeHoliday := month == time.July && date == 3 || month == time.December && date == 24
	afterThanksgiving := d.AddDays(-1) == nth(d.Year(), time.November, time.Thursday, 4)
	if beforeHoliday || afterThanksgiving {
		return halfDay
	}
	return fullDay
}

// isHoliday reports whether the New York Stock Exchange is closed all day.
func isHoliday(d journal.Day) bool {
	y := d.Year()
	return slices.Contains([]journal.Day{
		nth(y, time.January, time.Monday, 3),
		nth(y, time.February, time.Monday, 3),
		easter(y).AddDays(-2),
		nth(y, time.June, time.Monday, 1).AddDays(-7),
		observed(y, time.June, 19),
		observed(y, time.July, 4),
		nth(y, time.September, time.Monday, 1),
		nth(y, time.November, time.Thursday, 4),
		observed(y, time.December, 25),
		newYear(y),
	}, d)
}

func date(year int, month time.Month, day int) journal.Day {
	return journal.DayOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// nth is the how-manieth weekday of a month.
func nth(year int, month time.Month, weekday time.Weekday, n int) journal.Day {
	first := date(year, month, 1)
	ahead := (int(weekday) - first.Weekday() + 7) % 7
	return first.AddDays(ahead + 7*(n-1))
}

// observed is the day on which a holiday of a fixed date is kept: Friday for
// a Saturday, Monday for a Sunday.
func observed(year int, month time.Month, day int) journal.Day {
	d := date(year, month, day)
	switch d.Weekday() {
	case 6:
		return d.AddDays(-1)
	case 0:
		return d.AddDays(1)
	}
	return d
}

// newYear is kept on Monday for a Sunday, but never in the old year.
func newYear(year int) journal.Day {
	d := date(year, time.January, 1)
	if d.Weekday() == 0 {
		return d.AddDays(1)
	}
	return d
}

// easter is Easter Sunday by the Gregorian computus: the golden number and
// the century's corrections give the full moon, the Sunday follows it.
func easter(year int) journal.Day {
	golden := year % 19
	century, yearOf := year/100, year%100
	leaps, shift := century/4, (century+8)/25
	moon := (19*golden + century - leaps - (century-shift+1)/3 + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(yearOf/4) - moon - yearOf%4) % 7
	late := (golden + 11*moon + 22*weekday) / 451
	march := moon + weekday - 7*late + 114
	return date(year, time.Month(march/31), march%31+1)
}
