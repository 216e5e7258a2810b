package tradefilter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns a text in which letters that differ only in case are the same: each
// is replaced by the first one that Unicode folds together with it.
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

// isWordRune reports whether a character is part of a word.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// SplitWords returns the words of a text, folded. A word consists of letters and
// digits.
func SplitWords(text string) []string {
	return strings.FieldsFunc(Fold(text), func(r rune) bool { return !isWordRune(r) })
}

// HasWord reports whether a word of the text begins with the folded word.
func HasWord(text, word string) bool {
	inWord := false
	for at, r := range text {
		is := isWordRune(r)
		if is && !inWord && beginsWith(text[at:], word) {
			return true
		}
		inWord = is
	}
	return false
}

// LikePattern returns a pattern of LIKE that matches the lower case of every text
// with the folded word, and of some without it. Databases do not agree on the case
// of letters beyond ASCII, nor on that of I, and some of these fold together with K
// and S: all of them match anything.
func LikePattern(word string) string {
	var pattern strings.Builder
	pattern.WriteByte('%')
	for _, r := range word {
		switch {
		case r >= utf8.RuneSelf, r == 'I', r == 'K', r == 'S':
			pattern.WriteByte('%')
		default:
			pattern.WriteRune(unicode.ToLower(r))
		}
	}
	pattern.WriteByte('%')
	return pattern.String()
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
