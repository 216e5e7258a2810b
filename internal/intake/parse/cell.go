package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestBlank is the length of the longest sign for a missing value.
const longestBlank = len("none") * 2

// Blank reports whether a cell has no value: it is empty, or holds one of the signs
// exports write for a missing value.
func Blank(text string) bool {
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		return false // most values are numbers, and this is called for every cell
	}
	text = TrimCell(text)
	if len(text) > longestBlank || text != "" && text[0] < utf8.RuneSelf && strings.IndexByte("-#nN", text[0]) < 0 {
		return false // no sign begins so
	}
	switch strings.ToLower(text) {
	case "", "-", "--", "---", "–", "—", "−", "n/a", "#n/a", "n.a.", "null", "none", "nil":
		return true
	}
	return false
}

// TrimCell removes what surrounds a cell's value: blanks of any sort, a byte order mark,
// and what spreadsheets put around a text to keep it one, ="5337" or a leading
// apostrophe.
func TrimCell(text string) string {
	if n := len(text); n > 0 && isAlphanumeric(text[0]) && isAlphanumeric(text[n-1]) {
		return text
	}
	text = strings.TrimFunc(text, isOutside)
	if inner, ok := strings.CutPrefix(text, `="`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	return strings.TrimFunc(strings.TrimPrefix(text, "'"), isOutside)
}

func isAlphanumeric(c byte) bool {
	return IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func isOutside(r rune) bool {
	return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || r == '\u200e' || r == '\u200f'
}

// PlainSigns replaces signs with several shapes by their plain one, so later code needs
// to know only one.
func PlainSigns(text string) string {
	if hasPlainSigns(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u2212', '\uff0d', '\ufe63', '\u2010', '\u2011', '\u2013':
			return '-'
		case '\u2018', '\u2019', '\u00b4', '`', '\u2032':
			return '\''
		case '\ufeff', '\u200b', '\u200e', '\u200f':
			return -1
		}
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
}

// hasPlainSigns reports quickly whether a text has nothing to replace, as most have.
func hasPlainSigns(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '`' {
			return false
		}
	}
	return true
}

// Shorten returns the start of a long text, for messages.
func Shorten(text string) string {
	const enough = 40
	if runes := []rune(text); len(runes) > enough {
		return string(runes[:enough]) + "…"
	}
	return text
}
