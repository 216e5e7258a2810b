// Package textindex finds words in texts. It defines words and when two words are the
// same, and has an index for the words in many texts.
//
// The package has no I/O. Both database engines find the same words, because neither is
// asked.
package textindex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns a text in which letters differing only in case are the same: each is
// replaced by the first one Unicode folds together with it.
func Fold(text string) string { return strings.Map(foldRune, text) }

func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}
	first := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		first = min(first, f)
	}
	return first
}

// runeKind is a character's role in words.
type runeKind int8

const (
	separator runeKind = iota // between words
	letter                    // part of a word
	mark                      // part of the preceding word
	ideograph                 // begins a word, which it is alone or with marks
)

// spaceless are the scripts written without spaces between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// kindOf returns the kind of a character beyond ASCII.
func kindOf(r rune) runeKind {
	const (
		firstSpaceless = '\u0e01' // Thai's first letter
		prolonged      = 'ー'      // in Hiragana and Katakana, and in neither table
	)
	switch {
	case unicode.IsMark(r):
		return mark
	case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return separator
	case r >= firstSpaceless && (unicode.In(r, spaceless...) || r == prolonged):
		return ideograph
	}
	return letter
}

// foldedASCII has the folded ASCII letters and digits, and 0 for other characters.
var foldedASCII = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			table[c] = byte(foldRune(rune(c)))
		}
	}
	return table
}()

// eachWord calls fn with the words in a text until it returns false. A word consists of
// letters and digits. In scripts without spaces each character is a word.
func eachWord(text string, fn func(word string) bool) {
	begin, last := 0, separator // last is the kind for the word starting at begin
	for at := 0; at < len(text); {
		kind, size := separator, 1
		if c := text[at]; c < utf8.RuneSelf {
			if foldedASCII[c] > 0 {
				kind = letter
			}
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(text[at:])
			kind = kindOf(r)
		}
		if kind == mark && last == separator {
			kind = letter
		}
		if kind != mark && (kind != last || kind == ideograph) {
			if last != separator && !fn(text[begin:at]) {
				return
			}
			begin, last = at, kind
		}
		at += size
	}
	if last != separator {
		fn(text[begin:])
	}
}

// SplitWords returns a text's words, folded.
func SplitWords(text string) (words []string) {
	eachWord(text, func(word string) bool {
		words = append(words, Fold(word))
		return true
	})
	return words
}

// HasWord reports whether a word in the text begins with the folded word.
func HasWord(text, word string) bool {
	found := false
	eachWord(text, func(candidate string) bool {
		found = beginsWith(candidate, word)
		return !found
	})
	return found
}

// beginsWith reports whether a text begins with a folded word.
func beginsWith(text, word string) bool {
	for _, want := range word {
		r, size := utf8.DecodeRuneInString(text)
		if size == 0 || foldRune(r) != want {
			return false
		}
		text = text[size:]
	}
	return true
}
