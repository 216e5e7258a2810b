package instruments

import (
	"strings"
	"time"
)

// Contract is the contract of a futures symbol.
type Contract struct {
	Root     Root
	Delivery Delivery
	// Explicit reports whether the symbol can only be a future:
	// it has a month, is marked as continuous, or has a prefix of
	// futures. A plain ES may be a share as well.
	Explicit bool
}

// Delivery is a contract's month. The zero value means none: the symbol is continuous or
// only a root.
type Delivery struct {
	Month time.Month
	Year  int
	// OneDigit reports whether the symbol has only the last digit of the year,
	// which is then the value of Year.
	OneDigit bool
}

// monthCodes are the letters of the months, January first.
const monthCodes = "FGHJKMNQUVXZ"

var monthNames = []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}

// ParseFuture parses a futures symbol in any notation known from brokers. It finds only
// roots of the table.
//
// Call it only if the instrument is known to be a future, or check Explicit: the package
// cannot distinguish the future ES from the share ES.
func ParseFuture(symbol string) (Contract, bool) {
	for _, r := range listReadings(symbol) {
		if root, ok := r.lookup(); ok {
			return Contract{Root: root, Delivery: r.delivery, Explicit: r.explicit}, true
		}
	}
	return Contract{}, false
}

// FindRoot returns the root of a futures symbol, even if the table does not have it, so a
// user can set its multiplier. A symbol that is not a future is its own root.
func FindRoot(symbol string) string {
	if contract, ok := ParseFuture(symbol); ok {
		return contract.Root.Symbol
	}
	if all := listReadings(symbol); len(all) > 0 {
		return all[0].root
	}
	return strings.ToUpper(strings.TrimSpace(symbol))
}

// reading is one interpretation of a futures symbol.
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

// maxSymbol is the longest symbol that is parsed; no broker has longer ones.
const maxSymbol = 64

// listReadings returns a symbol's interpretations, the most specific first.
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

// stripWrapping removes the prefixes and suffixes that platforms add to a symbol,
// and returns what they mean.
func stripWrapping(text string) (string, reading) {
	var mark reading
	text = strings.TrimPrefix(text, "CON.")
	if rest, ok := strings.CutPrefix(text, "F.US."); ok {
		text, mark.explicit, mark.projectX = rest, true, true
	}
	if left, right, ok := strings.Cut(text, ":"); ok {
		// /ESZ5:XCME has its exchange at the end, CME_MINI:MES1! at the start.
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

// readBodies returns a symbol's readings without its wrapping. If bare is true, a root
// alone is enough even if the symbol has a dotted suffix.
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

// readBody returns the readings of root and delivery in one word or in two, or of
// the root alone.
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

// readContinuous returns the readings of ES1! without its mark. A root may end
// in a digit, so both splits are returned.
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

// isCode reports whether a text has only letters and digits, and at least
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

// IsMicro reports whether a symbol belongs to a micro contract.
func IsMicro(symbol string) bool {
	root, found := contracts().lookup(FindRoot(symbol))
	return found && strings.HasPrefix(root.Name, "Micro ")
}
