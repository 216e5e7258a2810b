package tabular

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeWide decodes UTF-16, with a byte order mark or without. An odd byte at
// the end, which editors leave, is dropped.
func decodeWide(raw string) (text, name string, ok bool) {
	switch {
	case strings.HasPrefix(raw, "\xff\xfe"):
		return decodeUTF16(raw[2:], 0), "UTF-16LE", true
	case strings.HasPrefix(raw, "\xfe\xff"):
		return decodeUTF16(raw[2:], 1), "UTF-16BE", true
	}
	first, second := nulShares(raw)
	switch {
	case second >= 30 && first <= 2:
		return decodeUTF16(raw, 0), "UTF-16LE", true
	case first >= 30 && second <= 2:
		return decodeUTF16(raw, 1), "UTF-16BE", true
	}
	return "", "", false
}

// nulShares returns how many byte pairs near the start, in percent, have NUL as their
// first, and as their second byte. In UTF-16 one of them is high, for digits, marks and
// blanks have a NUL byte in any language.
func nulShares(raw string) (first, second int) {
	const sample = 4 << 10
	pairs := min(len(raw), sample) / 2
	if pairs == 0 {
		return 0, 0
	}
	for i := range pairs {
		if raw[2*i] == 0 {
			first++
		}
		if raw[2*i+1] == 0 {
			second++
		}
	}
	return first * 100 / pairs, second * 100 / pairs
}

// decodeUTF16 decodes byte pairs; low is the index of the lesser one.
func decodeUTF16(raw string, low int) string {
	var out strings.Builder
	out.Grow(len(raw)/2 + utf8.UTFMax)
	unit := func(at int) rune { return rune(raw[at+low]) | rune(raw[at+1-low])<<8 }
	for at := 0; at+1 < len(raw); at += 2 {
		r := unit(at)
		if utf16.IsSurrogate(r) {
			var second rune
			if at+3 < len(raw) {
				second = unit(at + 2)
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				at += 2
			}
		}
		if r != 0 {
			out.WriteRune(r)
		}
	}
	return out.String()
}
