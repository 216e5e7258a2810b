package market

import (
	"time"
)

// Calendar is when an instrument trades. The holidays are those of American exchanges.
// Bars of a time outside of it are still used.
type Calendar int

// The calendars.
const (
	// AroundTheClock never closes; its sessions are days of UTC. It is the calendar of
	// crypto and of instruments that are not known.
	AroundTheClock Calendar = iota
	// Forex is open from Sunday to Friday 17:00 in New York, except at Christmas and New
	// Year; a session ends at 17:00.
	Forex
	// CME is open from 18:00 to 17:00 in New York, Sunday to Friday, and to 13:00 on most
	// holidays.
	CME
	// USStocks is open from 9:30 to 16:00 in New York, Monday to Friday, except on holidays.
	// A session is a day there, because bars before and after those hours belong to it.
	USStocks
)

// newYork returns the zone of the exchanges.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic("market: the zone of New York is missing: " + err.Error())
	}
	return zone
}()

// SessionOf returns the session that contains the time, in seconds since 1970.
func (c Calendar) SessionOf(at int64) Range {
	if c == AroundTheClock {
		start := floorDiv(at, day) * day
		return Range{From: start, To: start + day}
	}
	session := c.sessionOfDay(dayOf(at))
	if at >= session.To {
		session = c.sessionOfDay(dayOf(at).AddDate(0, 0, 1))
	}
	return session
}

// dayOf returns noon of the day in New York, which no change of clocks can move to
// another day.
func dayOf(at int64) time.Time {
	y, m, d := time.Unix(at, 0).In(newYork).Date()
	return time.Date(y, m, d, 12, 0, 0, 0, newYork)
}

// sessionOfDay returns the session that is named after the day: it ends on it.
func (c Calendar) sessionOfDay(noon time.Time) Range {
	switch c {
	case Forex, CME:
		return Range{From: clockOf(noon.AddDate(0, 0, -1), 17, 0), To: clockOf(noon, 17, 0)}
	default:
		return Range{From: clockOf(noon, 0, 0), To: clockOf(noon.AddDate(0, 0, 1), 0, 0)}
	}
}

func clockOf(noon time.Time, hour, minute int) int64 {
	y, m, d := noon.Date()
	return time.Date(y, m, d, hour, minute, 0, 0, newYork).Unix()
}

// maxCalendarDays bounds the work of OpenRanges: fifty years.
const maxCalendarDays = 50 * 366

// OpenRanges returns when the market is open within the range, in order of time.
func (c Calendar) OpenRanges(within Range) []Range {
	if c == AroundTheClock {
		return []Range{within}
	}
	var open []Range
	noon := dayOf(within.From)
	for range maxCalendarDays {
		r := c.openHours(noon)
		if r.From >= within.To && noon.Unix() >= within.To {
			break
		}
		if r = (Range{From: max(r.From, within.From), To: min(r.To, within.To)}); r.From < r.To {
			open = append(open, r)
		}
		noon = noon.AddDate(0, 0, 1)
	}
	return open
}

// openHours returns when the session that is named after the day is open; it is empty
// on weekends and if the market is closed on the day.
func (c Calendar) openHours(noon time.Time) Range {
	if weekday := noon.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
		return Range{}
	}
	kind := holidayOf(noon)
	switch {
	case c == Forex && kind == allClosed && noon.Month()%12 <= time.January: // not on Good Friday
		return Range{}
	case c == Forex:
		return Range{From: clockOf(noon.AddDate(0, 0, -1), 17, 0), To: clockOf(noon, 17, 0)}
	case kind == allClosed, c == USStocks && kind == stocksClosed:
		return Range{}
	case c == CME:
		return Range{From: clockOf(noon.AddDate(0, 0, -1), 18, 0), To: clockOf(noon, closing(kind, 17), 0)}
	}
	return Range{From: clockOf(noon, 9, 30), To: clockOf(noon, closing(kind, 16), 0)}
}

// closing returns the hour of the close on a day.
func closing(kind holiday, usual int) int {
	if kind == noHoliday {
		return usual
	}
	return 13
}

// utcDate returns the start of a date in UTC.
func utcDate(y int, m time.Month, d int) int64 {
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()
}
