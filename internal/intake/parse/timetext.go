package parse

import (
	"strings"
	"time"
)

// timeText is a time as written, with its zone.
type timeText struct {
	sinceMidnight time.Duration
	zone          string // empty for none
	noSeconds     bool   // hours and minutes alone
	hasFraction   bool   // with fractional seconds, even if they are 0
}

// hasZeroFraction reports whether the time has fractional seconds, which are 0.
func (t *timeText) hasZeroFraction() bool { return t.hasFraction && t.sinceMidnight%time.Second == 0 }

// skipSeparator skips what separates a date from a time: blanks and commas, a T,
// or a dash with blanks around it. A dash without them is a minus, and what
// follows it an offset.
func (s *textScan) skipSeparator() bool {
	ahead := textScan{s.rest}
	blanks := ahead.takeRun(" ,;")
	switch rest := ahead.rest; {
	case strings.HasPrefix(rest, "T") || strings.HasPrefix(rest, "t"):
		blanks, ahead.rest = 1, rest[1:]
	case blanks > 0 && strings.HasPrefix(rest, "- "):
		ahead.rest = strings.TrimLeft(rest[2:], " ")
	case blanks > 0 && strings.HasPrefix(rest, "at "):
		ahead.rest = strings.TrimLeft(rest[3:], " ")
	}
	if blanks == 0 || ahead.run() == 0 {
		return false
	}
	s.rest = ahead.rest
	return true
}

// timeOfDay takes a time with its fraction, its half of the day and its zone. It must
// reach to the end of the text.
func (s *textScan) timeOfDay() (timeText, bool) {
	at, ok := s.hands()
	if !ok {
		return timeText{}, false
	}
	if at.sinceMidnight, ok = s.halfOfDay(at.sinceMidnight); !ok {
		return timeText{}, false
	}
	at.zone, ok = s.zone()
	return at, ok
}

// hands takes hours, minutes and seconds: 9:30, 09:30:05.123 or 093005.
func (s *textScan) hands() (at timeText, ok bool) {
	var hour, minute, second int
	switch n := s.run(); n {
	case 1, 2:
		hour = number(s.digits(2))
		if s.takeOne(":") == 0 || s.run() != 2 {
			return timeText{}, false
		}
		minute = number(s.digits(2))
		at.noSeconds = true
		if s.takeOne(":") != 0 {
			at.noSeconds = false
			if s.run() != 2 {
				return timeText{}, false
			}
			second = number(s.digits(2))
		}
	case 5, 6:
		hour, minute, second = number(s.digits(n-4)), number(s.digits(2)), number(s.digits(2))
	default:
		return timeText{}, false
	}
	if hour > 23 || minute > 59 || second > 59 {
		return timeText{}, false
	}
	fraction, hasFraction := s.fraction()
	at.sinceMidnight = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second + fraction
	at.hasFraction = hasFraction
	return at, true
}

// fraction takes fractional seconds, cut to microseconds. It reports whether there are
// any.
func (s *textScan) fraction() (fraction time.Duration, found bool) {
	ahead := textScan{s.rest}
	if ahead.takeOne(".,") == 0 || ahead.run() == 0 {
		return 0, false
	}
	digits := ahead.digits(ahead.run())
	s.rest = ahead.rest
	const micros = 6
	digits = (digits + strings.Repeat("0", micros))[:micros]
	return time.Duration(number(digits)) * time.Microsecond, true
}

// halfOfDay takes AM or PM and applies it. Hours above 12 with a PM are met,
// and mean what they say.
func (s *textScan) halfOfDay(since time.Duration) (time.Duration, bool) {
	ahead := textScan{strings.TrimLeft(s.rest, " ")}
	half := ahead.takeOne("aApP") | 0x20 // in lower case
	dotted := ahead.takeRun(". ") > 0
	if half != 'a' && half != 'p' || ahead.takeOne("mM") == 0 || ahead.atLetter() {
		return since, true
	}
	if dotted {
		ahead.takeOne(".")
	}
	s.rest = ahead.rest
	const noon = 12 * time.Hour
	switch {
	case half == 'a' && since >= noon+time.Hour:
		return 0, false
	case half == 'a' && since >= noon:
		return since - noon, true
	case half == 'p' && since < time.Hour:
		return 0, false
	case half == 'p' && since < noon:
		return since + noon, true
	}
	return since, true
}

// zone reads the zone after a time: an offset, an abbreviation or a name,
// perhaps in brackets, perhaps with a remark in brackets after it.
func (s *textScan) zone() (string, bool) {
	rest := strings.Trim(s.rest, " ,")
	s.rest = ""
	if inner, ok := strings.CutPrefix(rest, "("); ok {
		name, closed := strings.CutSuffix(inner, ")")
		return name, closed && name != ""
	}
	if name, remark, ok := strings.Cut(rest, " ("); ok {
		return strings.TrimSpace(name), strings.HasSuffix(remark, ")")
	}
	return rest, true
}

// IsTimeOfDay reports whether a text is a time without a date, such as 09:31:05.
func IsTimeOfDay(text string) bool {
	if !strings.Contains(text, ":") || strings.Count(text, "-") > 1 {
		return false
	}
	s := &textScan{rest: PlainSigns(TrimCell(text))}
	if _, ok := s.leadingTime(); ok {
		return false
	}
	_, ok := s.timeOfDay()
	return ok
}

// leadingTime takes a time with a date after it, as in 09:31 2026-01-05. It takes nothing
// if no date follows.
func (s *textScan) leadingTime() (timeText, bool) {
	if n := s.run(); n == 0 || n > 2 || !strings.HasPrefix(s.rest[n:], ":") {
		return timeText{}, false
	}
	ahead := textScan{s.rest}
	at, ok := ahead.hands()
	if !ok {
		return timeText{}, false
	}
	if at.sinceMidnight, ok = ahead.halfOfDay(at.sinceMidnight); !ok || ahead.takeRun(" ,;") == 0 {
		return timeText{}, false
	}
	after := ahead
	if _, ok := after.date(); !ok {
		return timeText{}, false
	}
	s.rest = ahead.rest
	return at, true
}
