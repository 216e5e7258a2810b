package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fillbook/internal/trading/matching"
)

// Effect states whether a fill opens or closes a position, if a file states it.
type Effect int

// The effects.
const (
	EffectUnknown Effect = iota
	Opening
	Closing
)

// SideWord reads the word for a side and whether it opens or closes. Words are known or
// not; nothing is guessed from a part. Case does not matter, and signs between words
// count as blanks: BUY_TO_OPEN is "buy to open".
//
// "Long" and "Short" are the sides of opening fills. Brokers writing Short for a short
// sale write a plain Buy for buying back.
func SideWord(text string) (side matching.Side, effect Effect, ok bool) {
	return findSide(sideKey(text))
}

// findSide looks up a word in sideKey form.
func findSide(key string) (side matching.Side, effect Effect, ok bool) {
	m, ok := sideMeanings[key]
	return m.side, m.effect, ok
}

// mostSideWords is the number of words in the longest side.
const mostSideWords = 4

// LeadingSide reads the side at the start of a longer text: "Sold Short 25 GOOG", "Kauf
// Xetra". The longest side counts; weakSideWords do not, and "Buy/Sell" is no side.
// Japanese and Chinese have no blanks after a word.
func LeadingSide(text string) (side matching.Side, effect Effect, ok bool) {
	key := sideKey(text)
	if key == "" {
		return "", EffectUnknown, false
	}
	ends, words := wordEnds(key)
	for n := min(words, mostSideWords); n > 0; n-- {
		end := ends[n-1]
		if side, effect, ok = findSide(key[:end]); !ok || end < len(key) && isWeakSide(key[:end]) {
			continue
		}
		if end < len(key) {
			following := key[end+1 : ends[n]]
			if next, _, isSide := findSide(following); isSide && next != side && !isWeakSide(following) {
				break
			}
		}
		return side, effect, true
	}
	if key[0] >= utf8.RuneSelf {
		return leadingIdeographs([]rune(key[:ends[0]]))
	}
	return "", EffectUnknown, false
}

// wordEnds returns where the first words end in a text with one blank between words, and
// how many these are: at most one more than a side has.
func wordEnds(key string) (ends [mostSideWords + 1]int, words int) {
	for at := 0; at < len(key) && words < len(ends); words++ {
		end := len(key)
		if blank := strings.IndexByte(key[at:], ' '); blank >= 0 {
			end = at + blank
		}
		ends[words] = end
		at = end + 1
	}
	return ends, words
}

// leadingIdeographs reads the side at the start of a Japanese or Chinese word.
func leadingIdeographs(word []rune) (side matching.Side, effect Effect, ok bool) {
	const shortest = 2
	for n := len(word) - 1; n >= shortest; n-- {
		if side, effect, ok = findSide(string(word[:n])); ok && unicode.In(word[n-1], unicode.Han, unicode.Hiragana) {
			return side, effect, true
		}
	}
	return "", EffectUnknown, false
}

// isWeakSide reports whether a word is a side only if nothing follows it.
func isWeakSide(word string) bool { return weakSideWords[word] || len([]rune(word)) == 1 }

// sideKey returns a word as in the tables: lower case, and one blank between words.
func sideKey(text string) string {
	if len(text) > longestMoment {
		return ""
	}
	text = TrimCell(text)
	var key [longestMoment]byte
	n, inWord := 0, false
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return sideKeyOfAny(text)
		case !isAlphanumeric(c):
			inWord = false
			continue
		case !inWord && n > 0:
			key[n] = ' '
			n++
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		key[n], inWord = c, true
		n++
	}
	return string(key[:n])
}

// sideKeyOfAny is sideKey for text in any alphabet.
func sideKeyOfAny(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, " ")
}
