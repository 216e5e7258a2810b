package parse

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// longestMoment is longer than any date and time with a zone name; longer texts are not
// read.
const longestMoment = 120

// calendarDay is a day as it was written; it need not exist.
type calendarDay struct {
	year, month, day int
}

// midnight returns the day's start as if it were UTC.
func (d calendarDay) midnight() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// exists reports whether the calendar has the day.
func (d calendarDay) exists() bool {
	at := d.midnight()
	return d.month >= 1 && d.month <= 12 && at.Year() == d.year && int(at.Month()) == d.month && at.Day() == d.day
}

// dateText is a date as written. If the order of its parts is open, numeric is set and
// day is not.
type dateText struct {
	day     calendarDay
	numeric numericDate
	open    bool
	glued   bool // the time follows without anything between
}

// textScan reads a text from start to end. A method that does not find what it looks for
// takes nothing.
type textScan struct {
	rest string
}

// digits takes at most limit digits.
func (s *textScan) digits(limit int) string {
	n := 0
	for n < len(s.rest) && n < limit && IsDigit(s.rest[n]) {
		n++
	}
	run := s.rest[:n]
	s.rest = s.rest[n:]
	return run
}

// run counts the next digits.
func (s *textScan) run() int {
	n := 0
	for n < len(s.rest) && IsDigit(s.rest[n]) {
		n++
	}
	return n
}

// word takes the next letters.
func (s *textScan) word() string {
	n := strings.IndexFunc(s.rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if n < 0 {
		n = len(s.rest)
	}
	word := s.rest[:n]
	s.rest = s.rest[n:]
	return strings.ToLower(word)
}

func (s *textScan) atLetter() bool {
	r, _ := utf8.DecodeRuneInString(s.rest)
	return unicode.IsLetter(r)
}

// takeRun takes a run of the given signs and counts them.
func (s *textScan) takeRun(signs string) int {
	before := len(s.rest)
	s.rest = strings.TrimLeft(s.rest, signs)
	return before - len(s.rest)
}

// takeOne takes one of the given signs; it returns 0 if none comes next.
func (s *textScan) takeOne(signs string) byte {
	if s.rest == "" || strings.IndexByte(signs, s.rest[0]) < 0 {
		return 0
	}
	sign := s.rest[0]
	s.rest = s.rest[1:]
	return sign
}

// leadingNumericDate finds a date with an open order at the start of a text, or after the
// time with which the text starts.
func leadingNumericDate(text string) (numericDate, bool) {
	const mostDigits = 2 // in the first part; years come first in all other dates
	if len(text) > longestMoment || startsWithDigits(text, mostDigits+1) {
		return numericDate{}, false
	}
	s := &textScan{rest: PlainSigns(TrimCell(text))}
	s.leadingTime()
	d, ok := s.date()
	return d.numeric, ok && d.open
}

// date takes a date. The year may come first or last; the month may be a name.
func (s *textScan) date() (dateText, bool) {
	s.weekday()
	if s.atLetter() {
		return s.monthNameFirst()
	}
	switch n := s.run(); n {
	case 8, 14:
		d := calendarDay{number(s.digits(4)), number(s.digits(2)), number(s.digits(2))}
		return dateText{day: d, glued: n == 14}, true
	case 4:
		return s.yearFirst()
	case 1, 2:
		return s.smallFirst()
	}
	return dateText{}, false
}

// weekday takes a weekday name, which adds nothing.
func (s *textScan) weekday() {
	ahead := textScan{s.rest}
	if weekdays[ahead.word()] && ahead.takeRun(" .,") > 0 {
		s.rest = ahead.rest
	}
}

// skipWeekday takes a weekday name after the date.
func (s *textScan) skipWeekday() {
	ahead := textScan{s.rest}
	ahead.takeRun(" ,(")
	if weekdays[ahead.word()] {
		ahead.takeRun(".,)")
		s.rest = ahead.rest
	}
}

// monthNameFirst takes "Feb 12, 2026", and the time attached to it.
func (s *textScan) monthNameFirst() (dateText, bool) {
	month := months[s.word()]
	if month == 0 || s.takeRun(" .-/,") == 0 || s.run() > 2 {
		return dateText{}, false
	}
	day := s.digits(2)
	s.ordinal()
	if day == "" || s.takeRun(" .-/,") == 0 {
		return dateText{}, false
	}
	year, glued, ok := s.yearLast()
	return dateText{day: calendarDay{year, month, number(day)}, glued: glued}, ok
}

// ordinal takes the ending in 1st, 2nd, 3rd and 4th.
func (s *textScan) ordinal() {
	ahead := textScan{s.rest}
	switch ahead.word() {
	case "st", "nd", "rd", "th":
		s.rest = ahead.rest
	}
}

// yearFirst takes 2026-01-05, 2026.1.5, 2026年1月5日 and "2026 January 5".
func (s *textScan) yearFirst() (dateText, bool) {
	d := calendarDay{year: number(s.digits(4))}
	if strings.HasPrefix(s.rest, "年") {
		return s.eastAsianDate(d.year)
	}
	sign := s.takeOne("-/. ")
	switch {
	case sign == 0:
		return dateText{}, false
	case s.atLetter():
		if d.month = months[s.word()]; d.month == 0 || s.takeRun(" .-/,") == 0 {
			return dateText{}, false
		}
	case sign == ' ':
		return dateText{}, false
	default:
		d.month = number(s.digits(2))
		if s.takeOne(string(sign)) == 0 {
			return dateText{}, false
		}
	}
	if n := s.run(); n == 0 || n > 2 {
		return dateText{}, false
	}
	d.day = number(s.digits(2))
	return dateText{day: d}, true
}

// eastAsianDate takes month and day in 2026年1月5日 after the year.
func (s *textScan) eastAsianDate(year int) (dateText, bool) {
	d := calendarDay{year: year}
	for _, part := range []struct {
		after, before string
		value         *int
	}{{"年", "月", &d.month}, {"月", "日", &d.day}} {
		s.rest = strings.TrimPrefix(s.rest, part.after)
		digits := s.digits(2)
		if digits == "" || !strings.HasPrefix(s.rest, part.before) {
			return dateText{}, false
		}
		*part.value = number(digits)
	}
	s.rest = strings.TrimPrefix(s.rest, "日")
	return dateText{day: d, glued: s.run() > 0}, true
}

// smallFirst takes 3/4/2026, 16-Sep-25, "17 JUL 26" and 17JUL26.
func (s *textScan) smallFirst() (dateText, bool) {
	first := number(s.digits(2))
	ahead := textScan{s.rest}
	ahead.takeRun(" .-/")
	if ahead.atLetter() {
		s.rest = ahead.rest
		return s.monthNameSecond(first)
	}
	sign := s.takeOne("-/.")
	n := s.run()
	if sign == 0 || n == 0 || n > 2 {
		return dateText{}, false
	}
	d := numericDate{first: first, second: number(s.digits(2)), sign: sign}
	if s.takeOne(string(sign)) == 0 {
		return dateText{}, false
	}
	n = s.run()
	if n != 2 && n != 4 {
		return dateText{}, false
	}
	d.year = fullYear(s.digits(n))
	return dateText{numeric: d, open: true}, true
}

// monthNameSecond continues after the day.
func (s *textScan) monthNameSecond(day int) (dateText, bool) {
	s.ordinal()
	s.takeRun(" ")
	s.filler()
	month := months[s.word()]
	s.takeRun(" .-/,")
	s.filler()
	year, glued, ok := s.yearLast()
	return dateText{day: calendarDay{year, month, day}, glued: glued}, ok && month != 0
}

// filler takes the "de" in "5 de enero de 2026".
func (s *textScan) filler() {
	if rest, ok := strings.CutPrefix(s.rest, "de "); ok {
		s.rest = rest
	}
}

// yearLast takes a two-digit or four-digit year. One program writes the time directly
// after it, as in 202607:11 PM.
func (s *textScan) yearLast() (year int, glued, ok bool) {
	switch n := s.run(); n {
	case 2, 4:
		return fullYear(s.digits(n)), false, true
	case 5, 6:
		if strings.HasPrefix(s.rest[n:], ":") {
			return fullYear(s.digits(4)), true, true
		}
	}
	return 0, false, false
}

// fullYear puts two-digit years into the decades from 1970 to 2069.
func fullYear(digits string) int {
	const pivot = 70
	year := number(digits)
	switch {
	case len(digits) != 2:
		return year
	case year >= pivot:
		return 1900 + year
	}
	return 2000 + year
}

// number returns the value of at most a dozen digits.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}
