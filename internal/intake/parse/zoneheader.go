package parse

import (
	"slices"
	"strings"
	"unicode"

	"fillbook/internal/base/lazyregexp"
)

// timeWords are parts of names for date and time columns, in lower case. An abbreviation
// counts as a zone only next to one of them: "Profit (EST)" is an estimate.
var timeWords = []string{
	"time", "date", "stamp", "opened", "closed", "executed", "entered", "exited", "filled", "created", "placed",
	"zeit", "datum", "hora", "fecha", "heure", "ora", "data", "tijd", "tid", "時", "日",
}

var inBrackets = lazyregexp.New(`[(\[]([^()\[\]]*(?:\([^()]*\)[^()\[\]]*)?)[)\]]`)

// ZoneInHeader finds the zone in a column's name: in brackets, as in "Update Time (EDT)"
// and "Filled Time(UTC+02:00)", or as its first or last word, as in EntryDateUTC and
// opening_time_utc. LoadZone reads the result.
func ZoneInHeader(header string) (name string, ok bool) {
	header = PlainSigns(TrimCell(header))
	timely := timeColumn(header)
	for _, found := range inBrackets().FindAllStringSubmatch(header, -1) {
		inner := strings.TrimSpace(found[1])
		if zone, ok := FindStatedZone(inner); ok && (timely || IsUniversal(inner)) {
			return zone, true
		}
	}
	words := HeaderWords(header)
	if !timely || len(words) < 2 {
		return "", false
	}
	if zone, ok := FindStatedZone(words[len(words)-1]); ok {
		return zone, true
	}
	if IsUniversal(words[0]) {
		return FindStatedZone(words[0])
	}
	return "", false
}

// FindStatedZone returns the zone named by a word in a header. Abbreviations count in
// capitals only, "Ist" is a German word; single letters and bare numbers name no zone,
// though values may carry them.
func FindStatedZone(word string) (string, bool) {
	_, label := labels[word]
	if len(word) < 2 || !label && !IsUniversal(word) && !strings.Contains(word, "/") {
		return "", false
	}
	zone, err := LoadZone(word)
	if err != nil {
		return "", false
	}
	return zone.String(), true
}

// IsUniversal reports whether a word starts the way distances from UTC do.
func IsUniversal(word string) bool {
	upper := strings.ToUpper(word)
	return strings.HasPrefix(upper, "UTC") || strings.HasPrefix(upper, "GMT")
}

func timeColumn(header string) bool {
	lower := strings.ToLower(header)
	return slices.ContainsFunc(timeWords, func(w string) bool { return strings.Contains(lower, w) })
}

// HeaderWords cuts a column's name into its words, at blanks and other signs and where a
// small letter meets a capital one. Offsets stay whole.
func HeaderWords(header string) []string {
	var cut strings.Builder
	small := false
	for _, r := range header {
		if small && unicode.IsUpper(r) {
			cut.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		if r == '_' || r == '(' || r == ')' || r == '[' || r == ']' {
			r = ' '
		}
		cut.WriteRune(r)
	}
	return strings.Fields(cut.String())
}
