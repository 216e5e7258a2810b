package tabular

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
)

// number returns a numeric cell's text: a date or time if its style shows one, and
// otherwise the number as a spreadsheet would show it.
func (book *workbook) number(text, style string) string {
	text = plainNumber(text)
	if style == "" {
		return text
	}
	index, err := strconv.Atoi(style)
	if err != nil || index < 0 || index >= len(book.looks) {
		return text
	}
	if shown, ok := book.looks[index].show(text, book.epoch1904); ok {
		return shown
	}
	return text
}

// significant is how many digits spreadsheets show. They store a binary float, so the
// digits after those are noise.
const significant = 15

// plainNumber rounds a number with more digits to the intended ones, and writes one with
// an exponent without it. Whole numbers stay unchanged, since they may be ids written in
// full by other programs. So does everything else, and any number out of bounds.
func plainNumber(text string) string {
	digits, power, scientific := text, 0, false
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		var err error
		power, err = strconv.Atoi(text[at+1:])
		if err != nil || power > decimal.MaxExponent || power < -decimal.MaxExponent {
			return text
		}
		digits, scientific = text[:at], true
	}
	whole, fraction, broken := strings.Cut(strings.TrimPrefix(digits, "-"), ".")
	zeros := len(whole+fraction) - len(strings.TrimLeft(whole+fraction, "0"))
	noisy := broken && len(whole+fraction)-zeros > significant
	if !noisy && !scientific {
		return text
	}
	number, err := decimal.ParseExact(digits)
	if err != nil {
		return text
	}
	if noisy {
		number = number.Round(int32(max(0, significant+zeros-len(whole))))
	}
	return number.Mul(decimal.FromScaled(1, int32(-power))).String()
}

const (
	day      = 24 * 60 * 60 * 1000 // in milliseconds
	lastDay  = 2_958_465           // 31 December 9999
	leapTrap = 60                  // 29 February 1900, which never was
)

// show writes a serial number, which counts days, as date and time. Nothing in the number
// gets lost: a date with a time gets it even if the style hides it. Numbers outside the
// calendar are left alone.
func (shown look) show(number string, epoch1904 bool) (string, bool) {
	if shown == showsNumber {
		return "", false
	}
	serial, err := decimal.ParseExact(number)
	if err != nil || serial.Sign() < 0 || serial.Cmp(decimal.New(lastDay+1)) >= 0 {
		return "", false
	}
	moment, err := strconv.ParseInt(serial.Mul(decimal.New(day)).Round(0).String(), 10, 64)
	if err != nil {
		return "", false
	}
	days, clock := moment/day, moment%day
	switch {
	case shown&showsElapsed != 0 && shown&showsDate == 0:
		return formatClock(moment), true
	case days == 0 && shown&showsTime != 0 && (shown&showsDate == 0 || !epoch1904):
		return formatClock(clock), true
	case days == 0 && !epoch1904:
		return "", false
	}
	date := formatCalendarDay(days, epoch1904)
	if clock == 0 && shown&showsTime == 0 {
		return date, true
	}
	return date + " " + formatClock(clock), true
}

// formatCalendarDay returns a serial number's date. Spreadsheets count from 1 January
// 1900, with a leap day in that year that they inherited, or from 1904.
func formatCalendarDay(days int64, epoch1904 bool) string {
	start := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case epoch1904:
		start = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	case days <= leapTrap:
		start = start.AddDate(0, 0, 1)
	}
	return start.AddDate(0, 0, int(days)).Format(time.DateOnly)
}

// formatClock writes milliseconds since midnight, or a duration's.
func formatClock(ms int64) string {
	text := fmt.Sprintf("%02d:%02d:%02d", ms/3_600_000, ms/60_000%60, ms/1000%60)
	if ms%1000 != 0 {
		text += fmt.Sprintf(".%03d", ms%1000)
	}
	return text
}
