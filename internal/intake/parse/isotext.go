package parse

import "time"

// isoMoment reads a date and time in the most common form: 2026-01-05T09:31:05 with a T
// or a blank, perhaps with fractional seconds, and perhaps with Z or an offset such as
// -05:00 after it. ok is false for any other text, which is then read by the general
// rules, with the same result.
func isoMoment(text string) (day calendarDay, at timeText, ok bool) {
	const form = "dddd-dd-ddTdd:dd:dd"
	if len(text) < len(form) || len(text) > longestMoment {
		return calendarDay{}, timeText{}, false
	}
	for i := range len(form) {
		switch c := text[i]; form[i] {
		case 'd':
			ok = IsDigit(c)
		case 'T':
			ok = c == 'T' || c == ' '
		default:
			ok = c == form[i]
		}
		if !ok {
			return calendarDay{}, timeText{}, false
		}
	}
	day = calendarDay{year: number(text[:4]), month: number(text[5:7]), day: number(text[8:10])}
	hour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:19])
	if hour > 23 || minute > 59 || second > 59 || !day.isOrdinary() && !day.exists() {
		return calendarDay{}, timeText{}, false
	}
	rest := textScan{text[len(form):]}
	fraction, hasFraction := rest.fraction()
	if !isISOZone(rest.rest) {
		return calendarDay{}, timeText{}, false
	}
	since := time.Duration((hour*60+minute)*60+second)*time.Second + fraction
	return day, timeText{sinceMidnight: since, zone: rest.rest, hasFraction: hasFraction}, true
}

// isISOZone reports whether a text is empty, Z or an offset such as -05:00.
func isISOZone(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text == "Z"
	case len("-05:00"):
		return (text[0] == '+' || text[0] == '-') && startsWithDigits(text[1:], 2) && text[3] == ':' && startsWithDigits(text[4:], 2)
	}
	return false
}

// isOrdinary reports whether every month has the day, as most days are.
func (d calendarDay) isOrdinary() bool {
	return d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 28
}
