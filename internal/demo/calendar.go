package demo

import (
	"time"

	"fillbook/internal/base/journal"
)

// newYork is the markets' time zone. Package journal embeds the zones, so they exist on
// any machine.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic("demo: " + err.Error())
	}
	return zone
}()

// dayEnds is the hour UTC at which the journal's last day ends. All markets have
// closed by then, in summer and in winter.
const dayEnds = 22

// market describes the hours and costs for an instrument kind.
type market struct {
	Kind    string  // as fills name it
	Open    [2]int  // hour and minute in New York
	Bars    int     // per session
	Minutes int     // per bar
	Daily   bool    // also open on weekends and holidays
	Gap     float64 // the share of daily volatility while the market is closed
	// Commission and Fee are per unit; FeeShare is relative to the amount.
	Commission, MinCommission, Fee, FeeShare float64
}

// session is one market day.
type session struct {
	market
	day   journal.Day
	start time.Time
}

// sessions returns the sessions in a period.
func (m market) sessions(first, last journal.Day) (list []session) {
	for d := first; d <= last; d = d.AddDays(1) {
		if m.Daily || isTradingDay(d) {
			list = append(list, session{market: m, day: d, start: onDay(d, m.Open[0], m.Open[1])})
		}
	}
	return list
}

// width returns the bar length.
func (m market) width() time.Duration { return time.Duration(m.Minutes) * time.Minute }

// openingOf returns the instant at which a bar begins.
func (s session) openingOf(bar int) time.Time { return s.start.Add(time.Duration(bar) * s.width()) }

// bar returns the bar for a time in New York.
func (s session) bar(hour, minute int) int {
	at := onDay(s.day, hour, minute)
	return min(max(int(at.Sub(s.start)/s.width()), 0), s.Bars-1)
}

// onDay returns the instant for a time in New York.
func onDay(d journal.Day, hour, minute int) time.Time {
	y, m, date := d.Time().Date()
	return time.Date(y, m, date, hour, minute, 0, 0, newYork).UTC()
}

func isTradingDay(d journal.Day) bool {
	return d.Weekday() != 0 && d.Weekday() != 6 && !isHoliday(d)
}

// nextTradingDay returns the day itself or the first trading day after it.
func nextTradingDay(d journal.Day) journal.Day {
	for !isTradingDay(d) {
		d = d.AddDays(1)
	}
	return d
}

// isHoliday reports whether the stock exchanges are closed. Good Friday and replacements
// for holidays on weekends are left out.
func isHoliday(d journal.Day) bool {
	_, month, date := d.Time().Date()
	weekday, nth := time.Weekday(d.Weekday()), (date+6)/7
	switch month {
	case time.January:
		return date == 1 || weekday == time.Monday && nth == 3
	case time.February:
		return weekday == time.Monday && nth == 3
	case time.May:
		return weekday == time.Monday && date > 24
	case time.June:
		return date == 19
	case time.July:
		return date == 4
	case time.September:
		return weekday == time.Monday && nth == 1
	case time.November:
		return weekday == time.Thursday && nth == 4
	case time.December:
		return date == 25
	default:
		return false
	}
}
