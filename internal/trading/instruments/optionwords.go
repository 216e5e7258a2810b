package instruments

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// parseWords parses an option in separate words, in the two orders that
// brokers use:
//
//	PUT IAG 02/21/25 6 IAMGOLD CORP        right, underlying, day, strike, rest
//	SPY 03/21/2025 500.00 C                underlying, day, then strike and
//	SOFI 8/4/2023 CALL $12.00              right in either order, no rest
func parseWords(text string) (Option, bool) {
	words := strings.Split(text, " ")
	if slices.Contains(optionClasses, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return Option{}, false
	}
	if words[0] == "CALL" || words[0] == "PUT" {
		right, _ := parseRight(words[0])
		root, expiry, rest, ok := parseHead(words[1:])
		if ok && len(rest) > 0 {
			if strike, ok := parsePlainStrike(rest[0]); ok {
				return newOption(root, right, strike, expiry)
			}
		}
	}
	root, expiry, rest, ok := parseHead(words)
	if !ok || len(rest) != 2 {
		return Option{}, false
	}
	strike, right, ok := parseStrikeAndRight(rest[0], rest[1])
	if !ok {
		return Option{}, false
	}
	return newOption(root, right, strike, expiry)
}

// optionClasses are the words that Angel One adds before the underlying.
var optionClasses = []string{"OPTCUR", "OPTCOM", "OPTFUT", "OPTIDX", "OPTSTK"}

func parseStrikeAndRight(a, b string) (decimal.Decimal, Right, bool) {
	if right, ok := parseRight(a); ok {
		strike, ok := parsePlainStrike(b)
		return strike, right, ok
	}
	right, okRight := parseRight(b)
	strike, okStrike := parsePlainStrike(a)
	return strike, right, okRight && okStrike
}

// parseHead parses the underlying and the day, and skips what some platforms
// add between and after them: thinkorswim's "100 (Weeklys)" and the hour that
// Webull adds.
func parseHead(words []string) (root string, expiry journal.Day, rest []string, ok bool) {
	if len(words) < 2 {
		return "", "", nil, false
	}
	root = strings.TrimLeft(words[0], "$^")
	rest = words[1:]
	if rest[0] == "100" {
		rest = rest[1:]
	}
	for len(rest) > 0 && strings.HasPrefix(rest[0], "(") && strings.HasSuffix(rest[0], ")") {
		rest = rest[1:]
	}
	expiry, rest, ok = parseDayWords(rest)
	if len(rest) > 2 && isClockTime(rest[0]) {
		rest = rest[2:] // 00:00:00 EDT
	}
	return root, expiry, rest, ok && isUnderlying(root)
}

func isClockTime(word string) bool {
	return strings.Count(word, ":") == 2 && strings.Trim(word, "0123456789:") == ""
}

// parseDayWords parses a day of one word or of three.
func parseDayWords(words []string) (journal.Day, []string, bool) {
	if len(words) > 0 {
		if found, ok := parseDayWord(words[0]); ok {
			return found, words[1:], true
		}
	}
	if len(words) < 3 {
		return "", nil, false
	}
	first, second, year := strings.TrimSuffix(words[0], ","), strings.TrimSuffix(words[1], ","), strings.TrimPrefix(words[2], "'")
	found, ok := newNamedDay(first, second, year) // 5 JUN 26
	if !ok {
		found, ok = newNamedDay(second, first, year) // JAN 19 2024
	}
	return found, words[3:], ok
}

// parseDayWord parses 1/19/24, 01/19/2024, 2024-01-19 and 19JAN24.
func parseDayWord(word string) (journal.Day, bool) {
	if parts := strings.Split(word, "/"); len(parts) == 3 {
		return newDay(parts[2], parts[0], parts[1])
	}
	if found, err := journal.ParseDay("day", word); err == nil {
		return found, true
	}
	at := strings.IndexFunc(word, func(r rune) bool { return r < '0' || r > '9' })
	if at < 1 || len(word) < at+5 {
		return "", false
	}
	return newNamedDay(word[:at], word[at:at+3], word[at+3:])
}

func newNamedDay(date, month, year string) (journal.Day, bool) {
	number := slices.Index(monthNames, month) + 1
	if number == 0 {
		return "", false
	}
	return newDay(year, string([]byte{'0' + byte(number/10), '0' + byte(number%10)}), date)
}

// isUnderlying reports whether a word can be a share's name, index or currency pair.
func isUnderlying(word string) bool {
	if len(word) > 20 || word == "" || !isCode(word[:1]) && !isDigits(word[:1]) {
		return false
	}
	return isCode(strings.Map(func(r rune) rune {
		if strings.ContainsRune(".&/-", r) {
			return -1
		}
		return r
	}, word))
}
