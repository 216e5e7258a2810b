package journal

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines without installed time zones

	"fillbook/internal/base/lazyregexp"
)

// Clock returns the current time. Programs use [SystemClock]; tests use their own.
type Clock func() time.Time

// SystemClock returns the current time in UTC, truncated to the stored microseconds.
func SystemClock() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Today returns the current calendar day in UTC.
func (c Clock) Today() Day { return DayOf(c()) }

// The year range. Every instant in it can be represented in both databases and in JSON.
const (
	minYear = 1970
	maxYear = 2199
)

// rfc3339 matches a date-time in upper case. time.Parse alone would also accept a comma
// before the fraction, single-digit hours and offsets longer than a day.
var rfc3339 = lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseInstant parses an RFC 3339 date-time with an offset and returns it in UTC,
// truncated to microseconds. RFC 3339 allows the letters T and Z in lower case. The error
// is an [Error] naming the field.
func ParseInstant(field, text string) (time.Time, error) {
	upper := strings.ToUpper(text)
	at, err := time.Parse(time.RFC3339Nano, upper)
	if err != nil || !rfc3339().MatchString(upper) {
		return time.Time{}, InvalidField(field, "%s must be a date and time with an offset, such as 2026-01-31T14:30:00Z.", field)
	}
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() < minYear || at.Year() > maxYear {
		return time.Time{}, InvalidField(field, "%s must lie between the years %d and %d.", field, minYear, maxYear)
	}
	return at, nil
}

// HasFraction reports whether a date-time accepted by [ParseInstant] was written with
// fractional seconds, even if they are 0.
func HasFraction(text string) bool { return strings.Contains(text, ".") }

// FormatInstant formats an instant as in all API responses: RFC 3339,
// UTC with Z, microseconds at most, no trailing zeros.
func FormatInstant(at time.Time) string {
	return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// ParseZone loads an IANA time zone by name. Local, the empty name and paths are
// rejected: figures must not depend on the server's location. So are the other files in a
// zone directory, which have lower-case names: localtime, posixrules, right/… with its
// leap seconds.
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

// Day is a valid calendar day, YYYY-MM-DD. As text it sorts in
// time order. The zero value means no day.
type Day string

// ParseDay parses a calendar day; 2026-02-30 is an error.
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

// DayOf returns an instant's calendar day in its zone.
func DayOf(at time.Time) Day { return Day(at.Format(time.DateOnly)) }

// Time returns the day's midnight UTC.
func (d Day) Time() time.Time {
	at, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return at
}

// AddDays returns the day n calendar days later.
func (d Day) AddDays(n int) Day { return DayOf(d.Time().AddDate(0, 0, n)) }

// Weekday returns 0 for Sunday to 6 for Saturday.
func (d Day) Weekday() int { return int(d.Time().Weekday()) }

// DaysUntil returns the number of calendar days from d to other; it is negative
// if other is earlier.
func (d Day) DaysUntil(other Day) int {
	return int(other.Time().Sub(d.Time()) / (24 * time.Hour))
}

// Month returns the month as YYYY-MM.
func (d Day) Month() string {
	if len(d) < 7 {
		return ""
	}
	return string(d[:7])
}

// Year returns the year.
func (d Day) Year() int {
	y, _ := strconv.Atoi(string(d[:min(4, len(d))]))
	return y
}
