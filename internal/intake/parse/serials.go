package parse

import (
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
)

// Spreadsheets count days from 1899-12-30, with the time as a fraction.
var (
	serialText   = lazyregexp.New(`^([2-7]\d{4}|80000)(?:[.,](\d+))?$`)
	fractionText = lazyregexp.New(`^0?[.,](\d+)$`)
)

// serialDay reads a spreadsheet's number for a date, from 20000 to 80000, which
// are the years 1954 to 2119. Smaller and greater ones are more likely to be
// something else.
func serialDay(text string) (day calendarDay, since time.Duration, ok bool) {
	text = TrimCell(text)
	if !startsWithDigits(text, serialDigits) {
		return calendarDay{}, 0, false
	}
	parts := serialText().FindStringSubmatch(text)
	if parts == nil {
		return calendarDay{}, 0, false
	}
	at := time.Date(1899, time.December, 30+number(parts[1]), 0, 0, 0, 0, time.UTC).Add(partOfDay(parts[2]))
	midnight := at.Truncate(24 * time.Hour)
	return calendarDay{at.Year(), int(at.Month()), at.Day()}, at.Sub(midnight), true
}

// serialDigits is the number of digits before the point in a serial number.
const serialDigits = 5

// startsWithDigits reports whether a text begins with n digits.
func startsWithDigits(text string, n int) bool {
	if len(text) < n {
		return false
	}
	for i := range n {
		if !IsDigit(text[i]) {
			return false
		}
	}
	return true
}

// dayFraction reads a spreadsheet's number for a time.
func dayFraction(text string) (time.Duration, bool) {
	parts := fractionText().FindStringSubmatch(TrimCell(text))
	if parts == nil {
		return 0, false
	}
	since := partOfDay(parts[1])
	return since, since < 24*time.Hour
}

// partOfDay converts a day's decimals to a time, rounded to the millisecond, as
// spreadsheets show it: 0.396539351852 is 09:31:01 and not 1.3 µs later.
func partOfDay(decimals string) time.Duration {
	const kept = 11 // as many as fit an int64 below; one of the last is 0.9 µs
	decimals = (decimals + strings.Repeat("0", kept))[:kept]
	const whole = 100_000_000_000
	millis := (int64(number(decimals))*(24*60*60*1000) + whole/2) / whole
	return time.Duration(millis) * time.Millisecond
}

// epochText is a count from the start of 1970: seconds with 10 digits, milliseconds with
// 13, microseconds with 16 and nanoseconds with 19.
var epochText = lazyregexp.New(`^(\d{10})(?:[.,](\d{1,9})|(\d{3}|\d{6}|\d{9}))?$`)

// The seconds accepted by epochTime: from 2001 to 2033. Other numbers with ten digits are
// more likely to be something else, such as 2026010509.
const (
	firstEpoch = 1_000_000_000
	lastEpoch  = 2_000_000_000
)

// epochTime reads a count since 1970 in seconds or smaller units, which is in UTC, to the
// microsecond.
func epochTime(text string) (day calendarDay, at timeText, ok bool) {
	text = TrimCell(text)
	if !startsWithDigits(text, len("1700000000")) {
		return calendarDay{}, timeText{}, false
	}
	parts := epochText().FindStringSubmatch(text)
	if parts == nil {
		return calendarDay{}, timeText{}, false
	}
	seconds := number(parts[1])
	if seconds < firstEpoch || seconds >= lastEpoch {
		return calendarDay{}, timeText{}, false
	}
	const micros = 6
	written := parts[2] + parts[3]
	fraction := time.Duration(number((written + strings.Repeat("0", micros))[:micros])) * time.Microsecond
	start := time.Unix(int64(seconds), 0).UTC()
	midnight := start.Truncate(24 * time.Hour)
	at = timeText{sinceMidnight: start.Sub(midnight) + fraction, zone: "UTC", hasFraction: written != ""}
	return calendarDay{start.Year(), int(start.Month()), start.Day()}, at, true
}
