package instruments

import (
	"strings"
	"time"
)

// Contract is what a futures symbol stands for.
type Contract struct {
	Root     Root
	Delivery Delivery
	// Explicit tells that the symbol itself says that it is a future: it
	// names a month, is marked as continuous, or has a prefix that only
	// futures have. A bare ES may be a share as well.
	Explicit bool
}

// Delivery is the month of a contract. The zero value is none: a continuous
// or bare symbol.
type Delivery struct {
	Month time.Month
	Year  int
	// OneDigit tells that the symbol gave only the last digit of the year,
	// which is what Year then holds.
	OneDigit bool
}

// monthCodes are the letters of the months, January first.
const monthCodes = "FGHJKMNQUVXZ"

var monthNames = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}

// ParseFuture reads a futures symbol in any notation that brokers are known to
// use. It answers only for roots that are known for certain.
//
// Ask only when the instrument is known to be a future, or look at Explicit:
// the package cannot tell the future ES from the share ES.
func ParseFuture(symbol string) (Contract, bool) {
	for _, r := range listReadings(symbol) {
		if root, ok := r.lookup(); ok {
			return Contract{Root: root, Delivery: r.delivery, Explicit: r.explicit}, true
		}
	}
	return Contract{}, false
}

// FindRoot gives the root that a futures symbol names, also one that the table
// does not know, so that a user can say what it is worth. A symbol that cannot
// be read as a future is its own root.
func FindRoot(symbol string) string {
	if contract, ok := ParseFuture(symbol); ok {
		return contract.Root.Symbol
	}
	if all := listReadings(symbol); len(all) > 0 {
		return all[0].root
	}
	return strings.ToUpper(strings.TrimSpace(symbol))
}

// reading is one way to understand a futures symbol.
type reading struct {
	root     string
	delivery Delivery
	explicit bool
	projectX bool // the root may be a name that only ProjectX uses
}

func (r reading) lookup() (Root, bool) {
	root := r.root
	if other, ok := contracts().projectX[root]; ok && r.projectX {
		root = other
	}
	return contracts().lookup(root)
}

// maxSymbol bounds what is looked at; no symbol of any broker is as long.
const maxSymbol = 64

// listReadings are the ways to understand a symbol, the most telling first.
func listReadings(symbol string) []reading {
	if len(symbol) > maxSymbol {
		return nil
	}
	text := strings.Join(strings.Fields(strings.ToUpper(symbol)), " ")
	text, mark := stripWrapping(text)
	var found []reading
	for _, r := range readBodies(text, mark.explicit) {
		r.explicit = mark.explicit || r.explicit
		r.projectX = mark.projectX
		found = append(found, r)
	}
	return found
}

// stripWrapping takes off what platforms put around a symbol, and tells what it says.
func stripWrapping(text string) (string, reading) {
	var mark reading
	text = strings.TrimPrefix(text, "CON.")
	if rest, ok := strings.CutPrefix(text, "F.US."); ok {
		text, mark.explicit, mark.projectX = rest, true, true
	}
	if left, right, ok := strings.Cut(text, ":"); ok {
		// /ESZ5:XCME has its exchange behind it, CME_MINI:MES1! before.
		text = right
		if strings.HasPrefix(left, "/") {
			text = left
		}
	}
	for _, prefix := range []string{"/", "@"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			text, mark.explicit = rest, true
		}
	}
	if rest, ok := strings.CutSuffix(text, "=F"); ok {
		text, mark.explicit = rest, true
	}
	return strings.TrimSuffix(text, "#"), mark
}

// readBodies reads a symbol without its wrapping. bare says that a root alone is
// enough even where the symbol has a dotted ending.
func readBodies(text string, bare bool) []reading {
	left, right, dotted := strings.Cut(text, ".")
	if !dotted || strings.Contains(left, " ") {
		return readBody(text)
	}
	if d, ok := parseCodeDelivery(right); ok && isCode(left) {
		return []reading{{root: left, delivery: d, explicit: true}} // EP.Z25
	}
	var found []reading
	for _, part := range []string{left, right} { // ESH5.CME, CM.MNQU6
		for _, r := range readBody(part) {
			if r.explicit || bare && part == left {
				found = append(found, r)
			}
		}
	}
	return found
}

// readBody reads root and delivery in one word, in two, or the root alone.
func readBody(text string) []reading {
	if at := strings.IndexAny(text, ` \-_`); at > 0 {
		root := text[:at]
		if d, ok := parseDelivery(strings.TrimSpace(text[at+1:])); ok && isCode(root) {
			return []reading{{root: root, delivery: d, explicit: true}}
		}
		return nil
	}
	if continuous, ok := strings.CutSuffix(text, "!"); ok {
		return readContinuous(continuous)
	}
	if !isCode(text) {
		return nil
	}
	var found []reading
	for _, length := range []int{2, 3, 5} { // Z4, Z24, Z2024
		found = appendSplit(found, text, len(text)-length, parseCodeDelivery)
	}
	for _, length := range []int{5, 7} { // DEC24, DEC2024
		found = appendSplit(found, text, len(text)-length, parseNamedDelivery)
	}
	return append(found, reading{root: text})
}

func appendSplit(found []reading, text string, at int, parse func(string) (Delivery, bool)) []reading {
	if at < 1 {
		return found
	}
	if d, ok := parse(text[at:]); ok {
		return append(found, reading{root: text[:at], delivery: d, explicit: true})
	}
	return found
}

// readContinuous reads ES1! without its mark. A root may itself end in a
// digit, so both splits are offered.
func readContinuous(text string) []reading {
	var found []reading
	for _, digits := range []int{1, 2} {
		at := len(text) - digits
		if at >= 1 && isDigits(text[at:]) && isCode(text[:at]) {
			found = append(found, reading{root: text[:at], explicit: true})
		}
	}
	return found
}

// isCode tells whether a text has only the characters of a root, and at least
// one letter.
func isCode(text string) bool {
	letters := false
	for _, c := range []byte(text) {
		switch {
		case c >= 'A' && c <= 'Z':
			letters = true
		case c < '0' || c > '9':
			return false
		}
	}
	return letters
}

func isDigits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}
