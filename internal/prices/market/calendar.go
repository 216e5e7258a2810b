package market

import (
	"slices"
	"sync"
	"time"
)

// Calendar is when an instrument trades. Bars outside it are still used. It is
// comparable; the zero value is [AroundTheClock]. All but two come from calendars.txt.
type Calendar struct{ schedule *schedule }

// The calendars named in code. [FindCalendar] returns the others.
var (
	// AroundTheClock never closes; its sessions are UTC days. It is the crypto calendar.
	AroundTheClock = Calendar{}
	// NoCalendar is for instruments with unknown hours. Its sessions are UTC days, and a
	// series' bars show when it is open; see [Hours].
	NoCalendar = Calendar{&schedule{name: "none"}}
	// Forex is open from Sunday to Friday 17:00 in New York, except at Christmas and New
	// Year; a session ends at 17:00.
	Forex = mustFindCalendar("forex")
	// CME is open from 18:00 to 17:00 in New York, Sunday to Friday, and to 13:00 on most
	// holidays.
	CME = mustFindCalendar("cme")
	// USStocks is open from 9:30 to 16:00 in New York, Monday to Friday, except on holidays.
	// A session is a day there, because bars before and after those hours belong to it.
	USStocks = mustFindCalendar("us_stocks")
)

// schedule is a calendar from calendars.txt.
type schedule struct {
	name string
	// zone is the zone for all clock times.
	zone func() *time.Location
	// ends is the minute in the day at which a session ends.
	ends int
	// periods are the hours from a date on, in date order.
	periods []period
	// wide is when some bars are usual; empty means any time.
	wide []interval
	// isBroker reports whether hours differ between brokers.
	isBroker bool
	days     []dayRule
}

// period is the weekly hours from a date on.
type period struct {
	from    int64 // the date's start in UTC
	isDaily bool  // also at weekends
	hours   []interval
}

// interval is a part of a session in minutes from midnight on the day naming the session;
// it may begin on the day before, below 0.
type interval struct{ from, to int }

// String returns the calendar's name.
func (c Calendar) String() string {
	if c == AroundTheClock {
		return "around the clock"
	}
	return c.schedule.name
}

// hasDays reports whether sessions are UTC days.
func (c Calendar) hasDays() bool { return c == AroundTheClock || c == NoCalendar }

// session is a session in a calendar.
type session struct {
	Range
	// open is when the market is open; it is empty on weekends and holidays.
	open []Range
	// wide is when some bars are usual.
	wide []Range
	// holiday is the part of the session in which the market is closed because of a
	// holiday.
	holiday Range
}

// openSpan returns the time from the first opening to the last close. It is empty if the
// market is closed.
func (s *session) openSpan() Range {
	if len(s.open) == 0 {
		return Range{}
	}
	return Range{From: s.open[0].From, To: s.open[len(s.open)-1].To}
}

// SessionOf returns the session containing the time, in seconds since 1970.
func (c Calendar) SessionOf(at int64) Range { return c.findSession(at).Range }

func (c Calendar) findSession(at int64) session {
	if c.hasDays() {
		start := floorDiv(at, day) * day
		r := Range{From: start, To: start + day}
		return session{Range: r, open: []Range{r}, wide: []Range{r}}
	}
	s := c.schedule
	noon := s.dayOf(at)
	if at >= s.clock(noon, s.ends) {
		noon = noon.AddDate(0, 0, 1)
	}
	return s.sessionOfDay(noon)
}

// dayOf returns noon on the day in the zone, which no clock change can move to another
// day.
func (s *schedule) dayOf(at int64) time.Time {
	y, m, d := time.Unix(at, 0).In(s.zone()).Date()
	return time.Date(y, m, d, 12, 0, 0, 0, s.zone())
}

// clock returns when a clock in the zone shows a minute of the day.
func (s *schedule) clock(noon time.Time, minute int) int64 {
	y, m, d := noon.Date()
	return time.Date(y, m, d, 0, minute, 0, 0, s.zone()).Unix()
}

func (s *schedule) ranges(noon time.Time, list []interval) []Range {
	var found []Range
	for _, i := range list {
		found = append(found, Range{From: s.clock(noon, i.from), To: s.clock(noon, i.to)})
	}
	return found
}

// sessionOfDay returns the session named after a day: it ends on it.
func (s *schedule) sessionOfDay(noon time.Time) session {
	found := session{Range: Range{From: s.clock(noon, s.ends-minutesOfDay), To: s.clock(noon, s.ends)}}
	hours := s.hoursOf(noon)
	if hours == nil {
		return found
	}
	found.wide = []Range{found.Range}
	if s.wide != nil {
		found.wide = s.ranges(noon, s.wide)
	}
	switch rule := s.ruleOf(noon); rule.kind {
	case isClosed:
		found.holiday = found.Range
	case isShort:
		found.open = s.ranges(noon, rule.hours)
		found.holiday = Range{From: found.openSpan().To, To: found.To}
	case isEarly:
		found.holiday = Range{From: s.clock(noon, rule.close), To: found.To}
		for _, r := range s.ranges(noon, hours) {
			if r.To = min(r.To, found.holiday.From); r.From < r.To {
				found.open = append(found.open, r)
			}
		}
	case isUsual:
		found.open = s.ranges(noon, hours)
	}
	return found
}

// hoursOf returns a day's hours ignoring holidays, nil if there are none.
func (s *schedule) hoursOf(noon time.Time) []interval {
	y, m, d := noon.Date()
	date := utcDate(y, m, d)
	for _, p := range slices.Backward(s.periods) {
		if p.from > date {
			continue
		}
		if weekday := noon.Weekday(); !p.isDaily && (weekday == time.Saturday || weekday == time.Sunday) {
			return nil
		}
		return p.hours
	}
	return nil
}

// maxCalendarDays bounds the work in OpenRanges: fifty years.
const maxCalendarDays = 50 * 366

// OpenRanges returns when the market is open within the range, in time order.
func (c Calendar) OpenRanges(within Range) []Range {
	return NewSessions(c).openRanges(within)
}

// FitsDaysOfUTC reports whether each session lies inside one UTC day, so a bar for the
// day has all of its prices and no others.
func (c Calendar) FitsDaysOfUTC() bool {
	if c.hasDays() {
		return true
	}
	if c.schedule.ends != minutesOfDay {
		return false
	}
	for _, month := range []time.Month{time.January, time.July} { // clocks differ
		s := c.schedule.sessionOfDay(time.Date(2025, month, 15, 12, 0, 0, 0, c.schedule.zone()))
		span := s.openSpan()
		if floorDiv(span.From, day) != floorDiv(span.To-1, day) {
			return false
		}
	}
	return true
}

const minutesOfDay = 24 * 60

// utcDate returns a date's start in UTC.
func utcDate(y int, m time.Month, d int) int64 {
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()
}

// loadZone returns a function loading a zone at its first use.
func loadZone(name string) func() *time.Location {
	return sync.OnceValue(func() *time.Location {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic("market: loading a zone of calendars.txt: " + err.Error())
		}
		return zone
	})
}
