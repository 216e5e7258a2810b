package files

import (
	"bytes"
	"errors"
	"time"
)

// moment is a time as a file writes it, in microseconds since 1970 by the file's clock,
// or UTC if the text has an offset.
type moment struct {
	micros int64
	offset int64 // from UTC, in microseconds
	isUTC  bool
	isUnix bool // a number since 1970
}

// toDay returns midnight UTC on the written date, if the time was midnight.
func (m moment) toDay() moment {
	if local := m.micros + m.offset; local%microsOfDay == 0 {
		return moment{micros: local, isUTC: true}
	}
	return m
}

var errTime = errors.New("not a time")

// dateOrder is whether dates ending with the year begin with the day or the month.
type dateOrder int

// The orders. The zero value means unknown.
const (
	dayFirst   dateOrder = iota + 1 // 31/12/2025
	monthFirst                      // 12/31/2025
)

// dateOrderError is the error for a row proving the day and month order, after rows read
// in the other order.
type dateOrderError struct{ order dateOrder }

func (dateOrderError) Error() string { return "the dates have another order of day and month" }

// timeParser parses a file's times. It keeps the last parsed date, because most rows have
// the date of the row before.
type timeParser struct {
	text []byte
	days int64

	// order is the day and month order. Until a date with a day after the 12th proves it,
	// isProven is false and it may be wrong; isUsed reports whether a date was read with
	// it.
	order            dateOrder
	isProven, isUsed bool
}

const (
	microsOfSecond = 1_000_000
	microsOfDay    = 86400 * microsOfSecond
)

// parse parses a date and a time. The time may be part of the date's text.
func (p *timeParser) parse(date, clock []byte) (moment, error) {
	if clock == nil {
		if m, ok := parseUnix(date); ok {
			return m, nil
		}
		date, clock = cutClock(date)
	}
	days, err := p.parseDate(date)
	if err != nil {
		return moment{}, err
	}
	m := moment{micros: days * microsOfDay}
	if len(clock) == 0 {
		return m, nil
	}
	of, offset, hasOffset, err := parseClock(clock)
	m.micros += of - offset
	m.offset, m.isUTC = offset, hasOffset
	return m, err
}

// parseUnix parses a time as a number since 1970; its number of digits decides whether
// it counts seconds, milliseconds, microseconds or nanoseconds.
func parseUnix(text []byte) (moment, bool) {
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' || len(text) > 19 {
			return moment{}, false
		}
		n = n*10 + int64(c-'0')
	}
	m := moment{isUTC: true, isUnix: true}
	switch len(text) {
	case 9, 10:
		m.micros = n * microsOfSecond
	case 13:
		m.micros = n * 1000
	case 16:
		m.micros = n
	case 19:
		m.micros = n / 1000
	default:
		return moment{}, false
	}
	return m, true
}

// cutClock cuts a text like 2025-01-31T09:30:00 into date and time.
func cutClock(text []byte) (date, clock []byte) {
	for i, c := range text {
		if (c == ' ' || c == 'T') && i >= 8 {
			return text[:i], bytes.TrimLeft(text[i+1:], " ")
		}
	}
	return text, nil
}

// parseDate returns the days since 1970.
func (p *timeParser) parseDate(text []byte) (int64, error) {
	if len(text) > 0 && bytes.Equal(text, p.text) {
		return p.days, nil
	}
	year, month, day, ok, err := p.splitDate(text)
	if err != nil {
		return 0, err
	}
	if !ok || month < 1 || month > 12 || day < 1 || day > 31 || year < 1900 || year > 2200 {
		return 0, errTime
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if date.Day() != day {
		return 0, errTime
	}
	p.text, p.days = append(p.text[:0], text...), date.Unix()/86400
	return p.days, nil
}

// splitDate finds year, month and day in 20250131, 2025-01-31, 2025.1.31, 2025/1/31,
// 31.01.2025, 31/01/2025 and 01/31/2025. Its error is a dateOrderError.
func (p *timeParser) splitDate(text []byte) (year, month, day int, ok bool, err error) {
	if len(text) == 8 {
		if n, isNumber := atoi(text); isNumber {
			return n / 10000, n / 100 % 100, n % 100, true, nil
		}
	}
	parts, ok := splitNumbers(text)
	if !ok || parts[0] > 31 {
		return parts[0], parts[1], parts[2], ok, nil
	}
	if err := p.proveOrder(text, parts[0], parts[1]); err != nil {
		return 0, 0, 0, false, err
	}
	if p.order == monthFirst {
		return parts[2], parts[0], parts[1], true, nil
	}
	return parts[2], parts[1], parts[0], true, nil
}

// splitNumbers returns the three numbers in a date.
func splitNumbers(text []byte) (parts [3]int, ok bool) {
	rest := text
	for i := range parts {
		end := bytes.IndexAny(rest, "-./")
		if isLast := i == 2; (end < 0) != isLast {
			return parts, false
		}
		part := rest
		if end >= 0 {
			part, rest = rest[:end], rest[end+1:]
		}
		if parts[i], ok = atoi(part); !ok {
			return parts, false
		}
	}
	return parts, true
}

// proveOrder sets the day and month order from the first two numbers in a date, if one of
// them can't be a month. Without a proof dates with slashes begin with the month and
// others with the day. It returns a dateOrderError if earlier dates were read wrongly.
func (p *timeParser) proveOrder(text []byte, first, second int) error {
	if p.order == 0 {
		if p.order = dayFirst; bytes.IndexByte(text, '/') >= 0 {
			p.order = monthFirst
		}
	}
	if p.isProven || (first > 12) == (second > 12) {
		p.isUsed = true
		return nil
	}
	order := monthFirst
	if first > 12 {
		order = dayFirst
	}
	if p.isUsed && order != p.order {
		return dateOrderError{order}
	}
	p.order, p.isProven, p.isUsed = order, true, true
	return nil
}

func atoi(text []byte) (n int, ok bool) {
	if len(text) == 0 || len(text) > 9 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// parseClock parses 9:30, 09:30:00, 09:30:00.250, 093000, 093000250 and 093000 2500000,
// with or without an offset such as Z or +09:00, in microseconds.
func parseClock(text []byte) (of, offset int64, hasOffset bool, err error) {
	if text, offset, hasOffset, err = cutOffset(text); err != nil {
		return 0, 0, false, err
	}
	text, fraction := cutFraction(text)
	var h, m, s int
	var ok bool
	if bytes.IndexByte(text, ':') >= 0 {
		h, m, s, ok = splitClock(text)
	} else if n, isNumber := atoi(text); isNumber && (len(text) == 6 || len(text) == 4) {
		if ok = true; len(text) == 4 {
			n *= 100
		}
		h, m, s = n/10000, n/100%100, n%100
	}
	of, okFraction := parseFraction(fraction)
	if !ok || !okFraction || h > 24 || m > 59 || s > 59 || h == 24 && m+s > 0 {
		return 0, 0, false, errTime
	}
	return of + int64(h*3600+m*60+s)*microsOfSecond, offset, hasOffset, nil
}

// cutOffset cuts Z, +09:00 or -0500 from the end.
func cutOffset(text []byte) (rest []byte, offset int64, found bool, err error) {
	if rest, found = bytes.CutSuffix(text, []byte("Z")); found {
		return rest, 0, true, nil
	}
	i := bytes.LastIndexAny(text, "+-")
	if i < 0 {
		return text, 0, false, nil
	}
	digits := bytes.ReplaceAll(text[i+1:], []byte(":"), nil)
	n, ok := atoi(digits)
	if len(digits) == 2 {
		n *= 100
	}
	if !ok || len(digits) != 2 && len(digits) != 4 || n/100 > 14 || n%100 > 59 {
		return nil, 0, false, errTime
	}
	offset = int64(n/100*3600+n%100*60) * microsOfSecond
	if text[i] == '-' {
		offset = -offset
	}
	return text[:i], offset, true, nil
}

// cutFraction cuts fractional seconds from the end of a time.
func cutFraction(text []byte) (rest, fraction []byte) {
	if i := bytes.IndexAny(text, ". "); i >= 0 {
		return text[:i], text[i+1:]
	}
	if len(text) == 9 && bytes.IndexByte(text, ':') < 0 {
		return text[:6], text[6:]
	}
	return text, nil
}

func parseFraction(text []byte) (micros int64, ok bool) {
	if len(text) > 9 {
		return 0, false
	}
	unit := int64(microsOfSecond)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		unit /= 10
		micros += int64(c-'0') * unit
	}
	return micros, true
}

func splitClock(text []byte) (h, m, s int, ok bool) {
	hour, rest, _ := bytes.Cut(text, []byte(":"))
	minute, second, hasSecond := bytes.Cut(rest, []byte(":"))
	h, okHour := atoi(hour)
	m, okMinute := atoi(minute)
	okSecond := true
	if hasSecond {
		s, okSecond = atoi(second)
	}
	return h, m, s, okHour && okMinute && okSecond
}
