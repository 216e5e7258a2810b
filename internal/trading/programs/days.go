package programs

import (
	"time"

	"fillbook/internal/base/journal"
)

// dayClock converts between instants and a program's days.
type dayClock struct {
	zone    *time.Location
	minutes int // the reset, after midnight
}

func newDayClock(d DayBounds) (dayClock, error) {
	zone, err := journal.ParseZone("day.zone", d.Zone)
	if err != nil {
		return dayClock{}, err
	}
	minutes, err := parseTime("day.reset", d.Reset)
	return dayClock{zone: zone, minutes: minutes}, err
}

// parseTime returns a time of day in minutes after midnight.
func parseTime(field, text string) (minutes int, err error) {
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, journal.InvalidField(field, "%s must be a time of day such as 17:00.", field)
	}
	return at.Hour()*60 + at.Minute(), nil
}

// begin returns the instant at which a day begins, in microseconds since 1970. A reset at
// 12:00 or later begins the next date.
func (c dayClock) begin(day journal.Day) int64 {
	if c.minutes >= 12*60 {
		day = day.AddDays(-1)
	}
	return wallInstant(day, c.minutes, c.zone)
}

// dayAt returns the day that contains an instant.
func (c dayClock) dayAt(at int64) journal.Day {
	day := journal.DayOf(time.UnixMicro(at).In(c.zone))
	for c.begin(day) > at {
		day = day.AddDays(-1)
	}
	for c.begin(day.AddDays(1)) <= at {
		day = day.AddDays(1)
	}
	return day
}

// DayRange returns the instants at which a program day begins and ends, in microseconds since
// 1970. The program must be valid.
func (p *Program) DayRange(day journal.Day) (begin, end int64) {
	clock, err := newDayClock(p.Day)
	if err != nil {
		panic("programs: " + err.Error()) // the program was not checked
	}
	return clock.begin(day), clock.begin(day.AddDays(1))
}

// dayTable has a program's days from a first one on. It grows as days are asked for.
type dayTable struct {
	clock  dayClock
	days   []journal.Day
	begins []int64
}

func newDayTable(clock dayClock, first journal.Day) *dayTable {
	return &dayTable{clock: clock, days: []journal.Day{first}, begins: []int64{clock.begin(first)}}
}

// extend adds days until there are n.
func (t *dayTable) extend(n int) {
	for len(t.days) < n {
		day := t.days[len(t.days)-1].AddDays(1)
		t.days, t.begins = append(t.days, day), append(t.begins, t.clock.begin(day))
	}
}

// begin returns the instant at which a day begins.
func (t *dayTable) begin(index int) int64 {
	t.extend(index + 1)
	return t.begins[index]
}

// wallInstant returns the instant at which a zone's clocks show a time of day. A time that
// the clocks skip is the first instant after the gap, one that comes twice the first.
func wallInstant(day journal.Day, minutes int, zone *time.Location) int64 {
	noon := day.Time()
	wall := func(offset int) time.Time {
		return noon.Add(time.Duration(minutes)*time.Minute - time.Duration(offset)*time.Second)
	}
	_, before := noon.Add(-36 * time.Hour).In(zone).Zone()
	_, after := noon.Add(60 * time.Hour).In(zone).Zone()
	early, late := wall(max(before, after)), wall(min(before, after))
	for _, at := range []time.Time{early, late} {
		local := at.In(zone)
		if journal.DayOf(local) == day && local.Hour()*60+local.Minute() == minutes {
			return at.UnixMicro()
		}
	}
	// The time is in a gap: the clocks change between both readings.
	_, end := early.In(zone).ZoneBounds()
	return end.UnixMicro()
}
