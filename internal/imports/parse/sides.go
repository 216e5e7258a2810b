package parse

import (
	"strings"
	"unicode"

	"fillbook/internal/matching"
)

// Effect states whether a fill opens or closes a position, if a file states it.
type Effect int

// The effects.
const (
	EffectUnknown Effect = iota
	Opening
	Closing
)

// SideWord reads the word for a side and what it says about opening or closing.
// Words are known or not; nothing is guessed from a part of one. Case does not
// matter, and signs between words count as blanks: BUY_TO_OPEN is "buy to open".
//
// "Long" and "Short" are the sides of opening fills. Brokers that write Short
// for a short sale write a plain Buy for buying back.
func SideWord(text string) (side matching.Side, effect Effect, ok bool) {
	key := sideKey(text)
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

// sideKey returns a word in the form of the tables: lower case, and one blank
// between words.
func sideKey(text string) string {
	if len(text) > longestMoment {
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(TrimCell(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, " ")
}
