package analytics

import (
	"math"
	"time"

	"fillbook/internal/journal"
)

// The lengths of local time, in microseconds.
const (
	microsSecond = int64(time.Second / time.Microsecond)
	microsMinute = 60 * microsSecond
	microsHour   = 60 * microsMinute
	microsDay    = 24 * microsHour
)

// clock tells local time in a zone. It remembers the span in which the offset it
// last used is valid, so instants that come in order cost an addition each; the
// zone is asked once for every change of its clocks.
type clock struct {
	zone                *time.Location
	from, until, offset int64
}

func newClock(zone *time.Location) *clock { return &clock{zone: zone} }

// local gives the microseconds on the wall, as if the wall were in UTC.
func (c *clock) local(at int64) int64 {
	if at < c.from || at >= c.until {
		c.updateOffset(at)
	}
	return at + c.offset
}

func (c *clock) updateOffset(at int64) {
	t := time.UnixMicro(at).In(c.zone)
	_, seconds := t.Zone()
	start, end := t.ZoneBounds()
	c.offset, c.from, c.until = int64(seconds)*microsSecond, math.MinInt64, math.MaxInt64
	if !start.IsZero() {
		c.from = start.UnixMicro()
	}
	if !end.IsZero() {
		c.until = end.UnixMicro()
	}
}

// day gives the calendar day as days since 1970. Days of 23 and 25 hours are
// days like any other, because only the wall is asked.
func (c *clock) day(at int64) int64 { return dayNumber(c.local(at)) }

// hour is the hour on the wall, 0 to 23. An hour that the clocks repeat is one.
func (c *clock) hour(at int64) int {
	local := c.local(at)
	return int((local - dayNumber(local)*microsDay) / microsHour)
}

// weekday is 0 for Sunday to 6 for Saturday.
func (c *clock) weekday(at int64) int { return weekdayOf(c.day(at)) }

// weekHour gives both at once.
func (c *clock) weekHour(at int64) (weekday, hour int) {
	local := c.local(at)
	day := dayNumber(local)
	return weekdayOf(day), int((local - day*microsDay) / microsHour)
}

// weekdayOf: 1970 began with a Thursday.
func weekdayOf(day int64) int { return int(((day+4)%7 + 7) % 7) }

// dayNumber gives the day of a moment on the wall, also before 1970.
func dayNumber(local int64) int64 {
	day := local / microsDay
	if local%microsDay < 0 {
		day--
	}
	return day
}

// dayName writes a day as YYYY-MM-DD.
func dayName(day int64) journal.Day {
	const seconds = 86400
	return journal.DayOf(time.Unix(day*seconds, 0).UTC())
}

// endOfDay returns 23:59:59 of a calendar day on the wall of a zone: the second
// one where clocks go back over midnight and it comes twice.
func endOfDay(day journal.Day, zone *time.Location) time.Time {
	const beforeMidnight = 24*time.Hour - time.Second
	wall := day.Time().Add(beforeMidnight)
	y, m, d := wall.Date()
	latest := time.Date(y, m, d, 23, 59, 59, 0, zone).UTC()
	// The wall shows the same time again with the offset after a change of clocks,
	// which lies at most a day away.
	_, offset := wall.Add(24 * time.Hour).In(zone).Zone()
	again := wall.Add(-time.Duration(offset) * time.Second)
	if _, at := again.In(zone).Zone(); at == offset && again.After(latest) {
		return again
	}
	return latest
}

// Session is a part of the US-equity trading day, on the clock of New York.
type Session string

// The sessions. Weekends have the same clock as other days.
const (
	Premarket  Session = "premarket"
	Regular    Session = "rth"
	Afterhours Session = "afterhours"
	Overnight  Session = "overnight"
)

// sessions lists them in the order of the day.
var sessions = [...]Session{Premarket, Regular, Afterhours, Overnight}

// sessionAt gives the place in sessions of an instant, on a clock of New York.
func (c *clock) sessionAt(at int64) int {
	local := c.local(at)
	minute := (local - dayNumber(local)*microsDay) / microsMinute
	const opens, bell, closes, ends = 4 * 60, 9*60 + 30, 16 * 60, 20 * 60
	switch {
	case minute < opens || minute >= ends:
		return 3
	case minute < bell:
		return 0
	case minute < closes:
		return 1
	}
	return 2
}

// newYorkClock is the clock that sessions go by. Its zone comes with the program.
func newYorkClock() *clock {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic("analytics: the time zone of New York is missing: " + err.Error())
	}
	return newClock(zone)
}
