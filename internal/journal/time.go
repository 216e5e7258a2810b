package journal

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones work on machines that have none installed
)

// Clock tells the time. Programs use [SystemClock]; tests use their own.
type Clock func() time.Time

// SystemClock is the wall clock in UTC, cut to the microseconds we store.
func SystemClock() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Today is the clock's calendar day in UTC.
func (c Clock) Today() Day { return DayOf(c()) }

// The years in which an instant may lie. The bounds keep every instant
// representable on both databases and in JSON.
const (
	minYear = 1970
	maxYear = 2199
)

// rfc3339 matches the upper-cased form of a date-time. time.Parse alone would
// also accept a comma before the fraction, hours of one digit and offsets of
// more than a day.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseInstant parses an RFC 3339 date-time with an offset and returns it in
// UTC, truncated to microseconds. RFC 3339 allows the letters T and Z in lower
// case. The error is an [Error] that names the field.
func ParseInstant(field, text string) (time.Time, error) {
	upper := strings.ToUpper(text)
	at, err := time.Parse(time.RFC3339Nano, upper)
	if err != nil || !rfc3339.MatchString(upper) {
		return time.Time{}, InvalidField(field, "%s must be a date and time with an offset, such as 2026-01-31T14:30:00Z.", field)
	}
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() < minYear || at.Year() > maxYear {
		return time.Time{}, InvalidField(field, "%s must lie between the years %d and %d.", field, minYear, maxYear)
	}
	return at, nil
}

// FormatInstant writes an instant the way every answer carries it: RFC 3339,
// UTC with Z, microseconds at most, no trailing zeros.
func FormatInstant(at time.Time) string {
	return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// ParseZone loads an IANA time zone by name. Local, the empty name and
// paths are refused: a figure must not depend on where the server stands. So
// is what a machine's zone directory holds beside the zones, all of it in
// lower case: localtime, posixrules, right/… with its leap seconds.
func ParseZone(field, name string) (*time.Location, error) {
	if name == "" || name == "Local" || name[0] < 'A' || name[0] > 'Z' {
		return nil, InvalidField(field, "%s must be a time zone name such as Europe/Berlin.", field)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, InvalidField(field, "%s must be a time zone name such as Europe/Berlin.", field)
	}
	return zone, nil
}

// Day is a calendar day, YYYY-MM-DD, that really exists. As text it sorts
// in time order. The zero value is no day.
type Day string

// ParseDay reads a calendar day; 2026-02-30 is refused, not moved.
func ParseDay(field, text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) {
		return "", InvalidField(field, "%s must be a calendar day such as 2026-01-31.", field)
	}
	if at.Year() < minYear || at.Year() > maxYear {
		return "", InvalidField(field, "%s must lie between the years %d and %d.", field, minYear, maxYear)
	}
	return Day(text), nil
}

// DayOf is the calendar day of an instant in the zone that it carries.
func DayOf(at time.Time) Day { return Day(at.Format(time.DateOnly)) }

// Time is midnight UTC of the day.
func (d Day) Time() time.Time {
	at, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return at
}

// AddDays moves by whole calendar days.
func (d Day) AddDays(n int) Day { return DayOf(d.Time().AddDate(0, 0, n)) }

// Weekday is 0 for Sunday to 6 for Saturday.
func (d Day) Weekday() int { return int(d.Time().Weekday()) }

// DaysUntil counts the calendar days from d to other; it is negative when
// other comes first.
func (d Day) DaysUntil(other Day) int {
	return int(other.Time().Sub(d.Time()) / (24 * time.Hour))
}

// Month is the day's YYYY-MM.
func (d Day) Month() string {
	if len(d) < 7 {
		return ""
	}
	return string(d[:7])
}

// Year is the day's year.
func (d Day) Year() int {
	y, _ := strconv.Atoi(string(d[:min(4, len(d))]))
	return y
}
