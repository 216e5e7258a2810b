package analytics

import (
	"math"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// Local time lengths, in microseconds.
const (
	microsSecond = int64(time.Second / time.Microsecond)
	microsMinute = 60 * microsSecond
	microsHour   = 60 * microsMinute
	microsDay    = 24 * microsHour
)

// clock converts instants to local time in a zone. It caches the last offset and its
// span, so ordered instants cost an addition each; the zone is consulted once for every
// offset change.
type clock struct {
	zone                *time.Location
	from, until, offset int64
}

func newClock(zone *time.Location) *clock { return &clock{zone: zone} }

// local returns the local wall-clock time in microseconds since 1970, as if it
// were UTC.
func (c *clock) local(at int64) int64 {
	if at < c.from || at >= c.until {
		c.updateOffset(at)
	}
	return at + c.offset
}

// dayRange returns an instant's day and a range of instants around it on that day: from
// is inclusive, until exclusive.
func (c *clock) dayRange(at int64) (day, from, until int64) {
	day = dayNumber(c.local(at))
	start := day*microsDay - c.offset
	return day, max(start, c.from), min(start+microsDay, c.until)
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

// day returns the calendar day as days since 1970. Days with 23 and 25 hours need no
// special case, because only local time counts.
func (c *clock) day(at int64) int64 { return dayNumber(c.local(at)) }

// hour returns the local hour, 0 to 23. A repeated hour counts as one.
func (c *clock) hour(at int64) int {
	local := c.local(at)
	return int((local - dayNumber(local)*microsDay) / microsHour)
}

// weekday returns 0 for Sunday to 6 for Saturday.
func (c *clock) weekday(at int64) int { return weekdayOf(c.day(at)) }

// weekHour returns weekday and hour.
func (c *clock) weekHour(at int64) (weekday, hour int) {
	local := c.local(at)
	day := dayNumber(local)
	return weekdayOf(day), int((local - day*microsDay) / microsHour)
}

// weekdayOf returns a day's weekday. 1970 began with a Thursday.
func weekdayOf(day int64) int { return int(((day+4)%7 + 7) % 7) }

// dayNumber returns a local time's day, also before 1970.
func dayNumber(local int64) int64 {
	day := local / microsDay
	if local%microsDay < 0 {
		day--
	}
	return day
}

// dayName formats a day as YYYY-MM-DD.
func dayName(day int64) journal.Day {
	const seconds = 86400
	return journal.DayOf(time.Unix(day*seconds, 0).UTC())
}

// endOfDay returns 23:59:59 on a calendar day in a zone: the later one if clocks go back
// over midnight and it occurs twice.
func endOfDay(day journal.Day, zone *time.Location) time.Time {
	const beforeMidnight = 24*time.Hour - time.Second
	wall := day.Time().Add(beforeMidnight)
	y, m, d := wall.Date()
	latest := time.Date(y, m, d, 23, 59, 59, 0, zone).UTC()
	// The same local time occurs again with the offset after a clock change, which is at
	// most a day away.
	_, offset := wall.Add(24 * time.Hour).In(zone).Zone()
	again := wall.Add(-time.Duration(offset) * time.Second)
	if _, at := again.In(zone).Zone(); at == offset && again.After(latest) {
		return again
	}
	return latest
}

// sessions are the sessions in day order.
var sessions = [...]tradefilter.Session{tradefilter.Premarket, tradefilter.Regular, tradefilter.Afterhours, tradefilter.Overnight}

// sessionAt returns an instant's index in sessions. The clock must be New York's.
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

// newYorkClock returns New York's clock, which defines the sessions. The program embeds
// its zone.
func newYorkClock() *clock {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic("analytics: loading the time zone of New York: " + err.Error())
	}
	return newClock(zone)
}
