package parse

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/journal"
)

// Moment is when something happened.
type Moment struct {
	At       time.Time // UTC, to the microsecond
	DateOnly bool      // only the day is known; At is its first instant
	Zone     string    // the zone named by the source itself, empty if none
	// NoSeconds reports whether the time was written without seconds, ZeroFraction with
	// fractional seconds, which are 0, ZoneAssumed whether the source named no zone.
	NoSeconds, ZeroFraction, ZoneAssumed bool
}

// Clock reads the dates and times in one column, or in a pair of columns for date and
// time. It is stateful: the last value decides how a time is read that the clocks showed
// twice, see pick. Use one for each column.
type Clock struct {
	zone  Zone
	order DateOrder
	known map[string]Zone // zones named by values
	// named is the previous value's zone, and label its name there.
	named Zone
	label string

	last       time.Time // zero before the first
	ups, downs int
	usedMemory bool // see UsedMemory
}

// NewClock returns a clock for times in a zone unless they name another, and for dates
// with day and month in an order. Without DayFirst or MonthFirst, dates that need it are
// refused.
func NewClock(zone Zone, order DateOrder) *Clock {
	return &Clock{zone: zone, order: order, known: map[string]Zone{}}
}

// Fork returns a clock that reads other values like c, without the memory of earlier ones.
func (c *Clock) Fork() *Clock { return NewClock(c.zone, c.order) }

// UsedMemory reports whether earlier values decided how a time was read.
func (c *Clock) UsedMemory() bool { return c.usedMemory }

// Zone returns the zone for times without one.
func (c *Clock) Zone() string { return c.zone.String() }

// Moment reads a date and time in one text, or a date alone.
func (c *Clock) Moment(text string) (Moment, error) {
	if day, at, ok := isoMoment(text); ok {
		return c.place(day, &at)
	}
	day, at, err := c.split(text)
	if err != nil {
		return Moment{}, err
	}
	return c.place(day, at)
}

// DateAndTime reads a date and a time from two cells. The time may carry a zone. Where it
// is empty only the day is known; where it has its own date, the date cell is not needed.
// Midnight in the date cell is added by spreadsheets, and not a time.
func (c *Clock) DateAndTime(date, tod string) (Moment, error) {
	if Blank(tod) {
		return c.Moment(date)
	}
	day, within, err := c.split(date)
	if err != nil {
		return Moment{}, err
	}
	s := &textScan{rest: PlainSigns(TrimCell(tod))}
	at, ok := s.timeOfDay()
	if !ok {
		if since, serial := dayFraction(tod); serial {
			return c.place(day, &timeText{sinceMidnight: since})
		}
		if _, own, err := c.split(tod); err == nil && own != nil {
			return c.Moment(tod)
		}
		return Moment{}, fmt.Errorf("%q is not a time of day", Shorten(tod))
	}
	if within != nil && within.sinceMidnight != 0 && within.sinceMidnight != at.sinceMidnight {
		return Moment{}, fmt.Errorf("%q and %q are two different times", Shorten(date), Shorten(tod))
	}
	return c.place(day, &at)
}

// Day reads a calendar day, such as the one on which an option expires. A time
// after it is ignored.
func (c *Clock) Day(text string) (journal.Day, error) {
	day, _, err := c.split(text)
	if err != nil {
		return "", err
	}
	if err := withinYears(day.year); err != nil {
		return "", err
	}
	return journal.DayOf(day.midnight()), nil
}

// split reads a text as a calendar day and, unless it is nil, a time on it.
func (c *Clock) split(text string) (calendarDay, *timeText, error) {
	if len(text) > longestMoment {
		return calendarDay{}, nil, notADate(text)
	}
	if day, since, ok := serialDay(text); ok {
		if since == 0 {
			return day, nil, nil
		}
		return day, &timeText{sinceMidnight: since}, nil
	}
	if day, at, ok := epochTime(text); ok {
		return day, &at, nil
	}
	s := &textScan{rest: PlainSigns(TrimCell(text))}
	first, timeFirst := s.leadingTime()
	written, ok := s.date()
	if !ok {
		return calendarDay{}, nil, notADate(text)
	}
	s.skipWeekday()
	day, err := c.dayOf(written, text)
	if err == nil && timeFirst {
		first.zone, ok = s.zone()
		if !ok {
			return calendarDay{}, nil, notADate(text)
		}
		return day, &first, nil
	}
	if err != nil || strings.Trim(s.rest, " ,") == "" {
		return day, nil, err
	}
	if !written.glued && !s.skipSeparator() {
		return calendarDay{}, nil, notADate(text)
	}
	at, ok := s.timeOfDay()
	if !ok {
		return calendarDay{}, nil, notADate(text)
	}
	return day, &at, nil
}

func notADate(text string) error {
	return fmt.Errorf("%q is not a date that can be read", Shorten(text))
}

// dayOf settles a date's order, and checks that the day exists. Points between the parts
// mean day first if no order is known.
func (c *Clock) dayOf(d dateText, text string) (calendarDay, error) {
	day := d.day
	if d.open {
		order := c.order
		if order != DayFirst && order != MonthFirst {
			order = d.numeric.proves()
		}
		if order == DateOrderUnknown && (d.numeric.sign == '.' || !d.numeric.matters()) {
			order = DayFirst
		}
		if order == DateOrderUnknown {
			return calendarDay{}, fmt.Errorf("%q can be read with the day or the month first", Shorten(text))
		}
		day = d.numeric.toDay(order)
	}
	if !day.exists() {
		return calendarDay{}, fmt.Errorf("%q is not a day of the calendar", Shorten(text))
	}
	return day, nil
}

// place finds the instant for a time on a day.
func (c *Clock) place(day calendarDay, at *timeText) (Moment, error) {
	if at == nil {
		return c.dayAlone(day)
	}
	zone, err := c.zoneOf(at.zone)
	if err != nil {
		return Moment{}, err
	}
	wall := day.midnight().Add(at.sinceMidnight)
	r := zone.read(wall)
	if r.gap {
		return Moment{}, fmt.Errorf("%s does not exist in %s: the clocks were put forward over it", wall.Format(time.DateTime), zone)
	}
	m := Moment{At: c.pick(r, zone, at.zone), NoSeconds: at.noSeconds, ZeroFraction: at.hasZeroFraction()}
	if at.zone != "" {
		m.Zone = zone.String()
	}
	if err := withinYears(m.At.Year()); err != nil {
		return Moment{}, err
	}
	c.remember(m.At)
	return m, nil
}

// dayAlone returns the moment for a date without a time.
func (c *Clock) dayAlone(day calendarDay) (Moment, error) {
	start, ok := c.zone.startOfDay(day.midnight())
	if !ok {
		return Moment{}, fmt.Errorf("%s does not exist in %s", journal.DayOf(day.midnight()), c.zone)
	}
	if err := withinYears(start.Year()); err != nil {
		return Moment{}, err
	}
	return Moment{At: start, DateOnly: true}, nil
}

// zoneOf returns the zone a value names, or the clock's own.
func (c *Clock) zoneOf(name string) (Zone, error) {
	switch name {
	case "":
		return c.zone, nil
	case c.label:
		return c.named, nil
	}
	zone, ok := c.known[name]
	if !ok {
		var err error
		if zone, err = LoadZone(name); err != nil {
			return Zone{}, err
		}
		const enough = 50
		if len(c.known) < enough {
			c.known[name] = zone
		}
	}
	c.named, c.label = zone, name
	return zone, nil
}

// pick chooses between the two instants for a time the clocks showed twice.
//
// An abbreviation decides it, as EDT comes before EST. Otherwise, in a file running
// upwards, the earlier instant is taken unless the moment before it is already later in
// the same overlap: then the clocks have been put back since, and it is the later one. A
// file running downwards mirrors this: the later one, unless the moment before is already
// earlier in the overlap.
func (c *Clock) pick(r reading, zone Zone, label string) time.Time {
	if r.earlier.Equal(r.later) {
		return r.earlier
	}
	for _, at := range []time.Time{r.earlier, r.later} {
		if name, _ := at.In(zone.location).Zone(); strings.EqualFold(name, label) {
			return at
		}
	}
	c.usedMemory = true
	size := r.later.Sub(r.earlier)
	start, end := r.change.Add(-size), r.change.Add(size)
	inside := !c.last.IsZero() && !c.last.Before(start) && c.last.Before(end)
	if c.descends(end) {
		if inside && c.last.Before(r.later) {
			return r.earlier
		}
		return r.later
	}
	if inside && c.last.After(r.earlier) {
		return r.later
	}
	return r.earlier
}

// descends reports whether the column runs from new to old. If the moments before do not
// show it, it does if the last one is after the end of the overlap.
func (c *Clock) descends(end time.Time) bool {
	if c.ups != c.downs {
		return c.downs > c.ups
	}
	return !c.last.IsZero() && !c.last.Before(end)
}

// remember keeps what the next moments are compared with.
func (c *Clock) remember(at time.Time) {
	if !c.last.IsZero() {
		switch at.Compare(c.last) {
		case 1:
			c.ups++
		case -1:
			c.downs++
		}
	}
	c.last = at
}

// The years in which a moment may lie; the journal keeps no others.
const (
	firstYear = 1970
	lastYear  = 2199
)

var errYears = errors.New("the date must lie between the years 1970 and 2199")

func withinYears(year int) error {
	if year < firstYear || year > lastYear {
		return errYears
	}
	return nil
}
