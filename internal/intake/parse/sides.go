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
	for _, w := range [...]struct {
		words  map[string]bool
		side   matching.Side
		effect Effect
	}{
		{buying, matching.Buy, EffectUnknown},
		{selling, matching.Sell, EffectUnknown},
		{buyingToOpen, matching.Buy, Opening},
		{sellingToOpen, matching.Sell, Opening},
		{sellingToClose, matching.Sell, Closing},
		{buyingToClose, matching.Buy, Closing},
	} {
		if w.words[key] {
			return w.side, w.effect, true
		}
	}
	return "", EffectUnknown, false
}

// mostSideWords is the number of words in the longest side.
const mostSideWords = 4

// LeadingSide reads the side at the start of a longer text: "Sold Short 25 GOOG", "Kauf
// Xetra". The longest side counts; weakSideWords do not, and "Buy/Sell" is none. Japanese
// and Chinese have no blanks after a word.
func LeadingSide(text string) (side matching.Side, effect Effect, ok bool) {
	words := strings.Fields(sideKey(text))
	for n := min(len(words), mostSideWords); n > 0; n-- {
		key := strings.Join(words[:n], " ")
		if side, effect, ok = findSide(key); !ok || n < len(words) && isWeakSide(key) {
			continue
		}
		if n < len(words) {
			if next, _, isSide := findSide(words[n]); isSide && next != side && !isWeakSide(words[n]) {
				break
			}
		}
		return side, effect, true
	}
	if len(words) > 0 && words[0][0] >= utf8.RuneSelf {
		return leadingIdeographs([]rune(words[0]))
	}
	return "", EffectUnknown, false
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
	words := strings.FieldsFunc(strings.ToLower(TrimCell(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, " ")
}
