package market

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dayKind is how a day differs from the same weekday.
type dayKind int

const (
	isUsual dayKind = iota
	isEarly
	isShort
	isClosed
)

// dayRule is a rule for days with other hours.
type dayRule struct {
	kind dayKind
	// close is the minute at which the market closes on an early day, hours are a short
	// day's.
	close int
	hours []interval
	days  dayPattern
}

// ruleOf returns a day's rule; the kind is isUsual if none. Among several the
// one with the fewest hours counts.
func (s *schedule) ruleOf(noon time.Time) (found dayRule) {
	for _, r := range s.days {
		isNarrower := r.kind > found.kind || r.kind == isEarly && found.kind == isEarly && r.close < found.close
		if isNarrower && r.days.matches(noon) {
			found = r
		}
	}
	return found
}

// dayPattern selects days; calendars.txt documents its notation.
type dayPattern struct {
	// first and last are the years in which it counts; last is 0 if none.
	first, last int
	// base returns the day in a year to which offset is added.
	base   func(year int) time.Time
	offset int
	// moves returns the other day on which a holiday is observed, and may be nil.
	moves func(time.Time) time.Time
}

func (p *dayPattern) matches(noon time.Time) bool {
	year, month, day := noon.Date()
	if year < p.first || p.last > 0 && year > p.last {
		return false
	}
	date := newDate(year, month, day)
	target := p.base(year).AddDate(0, 0, p.offset)
	return date.Equal(target) || p.moves != nil && date.Equal(p.moves(target))
}

func newDate(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// moves are the marks after a date, the longer ones first.
var moves = []struct {
	mark string
	move func(time.Time) time.Time
}{
	{">>", func(d time.Time) time.Time {
		if isWeekend(d) {
			return d.AddDate(0, 0, 2)
		}
		return d
	}},
	{">", func(d time.Time) time.Time {
		for isWeekend(d) {
			d = d.AddDate(0, 0, 1)
		}
		return d
	}},
	{"+", func(d time.Time) time.Time {
		if d.Weekday() == time.Sunday {
			return d.AddDate(0, 0, 1)
		}
		return d
	}},
	{"<", func(d time.Time) time.Time {
		for isWeekend(d) {
			d = d.AddDate(0, 0, -1)
		}
		return d
	}},
	{"~", func(d time.Time) time.Time {
		switch d.Weekday() {
		case time.Saturday:
			return d.AddDate(0, 0, -1)
		case time.Sunday:
			return d.AddDate(0, 0, 1)
		default:
			return d
		}
	}},
}

func isWeekend(d time.Time) bool {
	return d.Weekday() == time.Saturday || d.Weekday() == time.Sunday
}

// parsePattern parses a rule for days.
func parsePattern(text string) (p dayPattern, err error) {
	rule, years, hasYears := strings.Cut(text, "@")
	if hasYears {
		if p.first, p.last, err = parseYears(years); err != nil {
			return p, err
		}
	}
	for _, m := range moves {
		if rest, ok := strings.CutSuffix(rule, m.mark); ok {
			rule, p.moves = rest, m.move
			break
		}
	}
	if date, err := time.Parse(time.DateOnly, rule); err == nil {
		p.first, p.last = date.Year(), date.Year()
		p.base = func(int) time.Time { return date }
		return p, nil
	}
	if rule, p.offset, err = cutOffset(rule); err != nil {
		return p, err
	}
	if p.base, err = parseBase(rule); err != nil {
		return p, fmt.Errorf("%q: %w", text, err)
	}
	return p, nil
}

func parseYears(text string) (first, last int, err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		return 0, 0, fmt.Errorf("%q is not a range of years", text)
	}
	for _, part := range []struct {
		text string
		into *int
	}{{from, &first}, {to, &last}} {
		if part.text == "" {
			continue
		}
		if *part.into, err = strconv.Atoi(part.text); err != nil {
			return 0, 0, err
		}
	}
	return first, last, nil
}

// cutOffset cuts the number of days from easter-2 and thu4/11+1.
func cutOffset(rule string) (rest string, offset int, err error) {
	start := strings.IndexByte(rule, '/') + 1
	if start == 0 && !strings.HasPrefix(rule, "easter") {
		return rule, 0, nil
	}
	at := strings.IndexAny(rule[start:], "+-")
	if at < 0 {
		return rule, 0, nil
	}
	offset, err = strconv.Atoi(rule[start+at:])
	return rule[:start+at], offset, err
}

var weekdays = map[string]time.Weekday{
	"mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday, "thu": time.Thursday, "fri": time.Friday,
}

// parseBase parses a rule without years, mark and offset.
func parseBase(rule string) (func(year int) time.Time, error) {
	switch rule {
	case "easter":
		return easterOf, nil
	case "vernal":
		return func(year int) time.Time { return newDate(year, time.March, equinox(20.8431, year)) }, nil
	case "autumnal":
		return func(year int) time.Time { return newDate(year, time.September, equinox(23.2488, year)) }, nil
	}
	if weekday, known := weekdays[rule[:min(3, len(rule))]]; known {
		return parseWeekday(weekday, rule[3:])
	}
	date, err := parseMonthDay(rule)
	return func(year int) time.Time { return newDate(year, date.Month(), date.Day()) }, err
}

// parseWeekday parses what follows a weekday: 3/01, -1/05, <05-25 or >=06-19.
func parseWeekday(weekday time.Weekday, rest string) (func(year int) time.Time, error) {
	if text, ok := strings.CutPrefix(rest, "<"); ok {
		date, err := parseMonthDay(text)
		return func(year int) time.Time {
			return weekdayFrom(newDate(year, date.Month(), date.Day()-7), weekday)
		}, err
	}
	if text, ok := strings.CutPrefix(rest, ">="); ok {
		date, err := parseMonthDay(text)
		return func(year int) time.Time {
			return weekdayFrom(newDate(year, date.Month(), date.Day()), weekday)
		}, err
	}
	count, monthText, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(count)
	if err != nil {
		return nil, err
	}
	month, err := strconv.Atoi(monthText)
	if n < 0 {
		return func(year int) time.Time { return weekdayFrom(newDate(year, time.Month(month)+1, 1-7), weekday) }, err
	}
	return func(year int) time.Time { return weekdayFrom(newDate(year, time.Month(month), 7*n-6), weekday) }, err
}

func parseMonthDay(text string) (time.Time, error) { return time.Parse("2006-01-02", "2000-"+text) }

// weekdayFrom returns the first given weekday from a date on.
func weekdayFrom(date time.Time, weekday time.Weekday) time.Time {
	return date.AddDate(0, 0, int(7+weekday-date.Weekday())%7)
}

// equinox returns the day on which an equinox falls in Japan by the usual approximation,
// which holds from 1980 to 2099.
func equinox(in1980 float64, year int) int {
	years := year - 1980
	return int(in1980+0.242194*float64(years)) - int(floorDiv(int64(years), 4))
}

// easterOf returns Easter by the rule for the Gregorian calendar.
func easterOf(year int) time.Time {
	golden, century := year%19, year/100
	epact := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	epact -= epact / 28 * (1 - epact/28*(29/(epact+1))*((21-golden)/11))
	weekday := (year + year/4 + epact + 2 - century + century/4) % 7
	return newDate(year, time.March, 28+epact-weekday)
}
