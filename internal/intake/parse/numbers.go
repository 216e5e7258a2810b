package parse

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
)

// Separator states which sign marks a column's decimals.
type Separator int

// The separators. Unsettled is for a column whose values prove nothing.
const (
	Unsettled Separator = iota
	Point
	Comma
)

// longestNumber is more than any number with its unit takes; what is longer is
// not looked at.
const longestNumber = 128

// Number reads a number the way brokers write them: with a currency or a unit before or
// after it, with the minus in front, after the currency sign, at the end or as
// parentheses, and with its thousands grouped by points, commas, apostrophes or blanks. A
// percentage is not a number: see [Percent].
//
// Without a settled separator a lone point marks decimals. A lone comma marks thousands
// where it can: before exactly three digits, and after one to three that do not start
// with a zero. An exponent settles it as well, because no program groups the digits in
// front of one.
//
// A multiplying unit, such as 1.5K, is refused: dropping it would be wrong by a thousand
// times. Decimals beyond the 18th, which exchanges and spreadsheets compute but no market
// trades, are rounded half to even.
func Number(text string, sep Separator) (decimal.Decimal, error) {
	if isPlain(text) && (sep != Comma || !strings.Contains(text, ".")) {
		if n, err := decimal.Parse(text); err == nil {
			return n, nil
		}
	}
	w, ok := scanWritten(text)
	switch {
	case !ok:
		return decimal.Zero, notANumber(text)
	case w.percent:
		return decimal.Zero, fmt.Errorf("%q is a percentage, not an amount", Shorten(text))
	}
	return w.number(text, sep)
}

// Percent reads a number with a percent sign: 3.33% is 3.33. It returns false for
// any other text.
func Percent(text string, sep Separator) (decimal.Decimal, bool) {
	if !strings.Contains(text, "%") {
		return decimal.Zero, false
	}
	w, ok := scanWritten(text)
	if !ok || !w.percent {
		return decimal.Zero, false
	}
	n, err := w.number(text, sep)
	return n, err == nil
}

// number returns the number's value with a separator.
func (w *written) number(text string, sep Separator) (decimal.Decimal, error) {
	literal, ok := w.literal(sep)
	if !ok {
		return decimal.Zero, notANumber(text)
	}
	n, err := decimal.Parse(literal)
	if err == nil {
		return n, nil
	}
	if n, ok := parseRounded(literal); ok {
		return n, nil
	}
	return decimal.Zero, fmt.Errorf("%q cannot be kept: %w", Shorten(text), err)
}

// isPlain reports whether a text is nothing but digits, a minus in front and a point
// among them, as most are: there is nothing to find out about it then.
func isPlain(text string) bool {
	points := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9' || c == '-' && i == 0:
		case c == '.':
			points++
		default:
			return false
		}
	}
	return points <= 1 && len(text) > 0
}

// parseRounded reads a number with more decimals than the journal keeps.
func parseRounded(literal string) (decimal.Decimal, bool) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(literal), "e")
	power := 0
	if scientific {
		var err error
		power, err = strconv.Atoi(exponent)
		if err != nil || power < -decimal.MaxExponent || power > decimal.MaxExponent {
			return decimal.Zero, false
		}
	}
	n, err := decimal.ParseExact(mantissa)
	if err != nil {
		return decimal.Zero, false
	}
	n = n.Mul(decimal.FromScaled(1, int32(-power))).Round(decimal.MaxDecimals)
	n, err = decimal.Parse(n.String())
	return n, err == nil
}

func notANumber(text string) error { return fmt.Errorf("%q is not a number", Shorten(text)) }

// SettleSeparator decides over a whole column's values which sign marks decimals. A value
// proves it by having both signs, by repeating one of them, or by digits around its only
// sign that no thousands grouping has. A column with proofs of both is Unsettled, like
// one without any: each value that proves something is still read the right way on its
// own.
func SettleSeparator(values iter.Seq[string]) Separator {
	settled := Unsettled
	for v := range values {
		proof := ProvenBy(v)
		if proof == Unsettled {
			continue
		}
		if settled != Unsettled && settled != proof {
			return Unsettled
		}
		settled = proof
	}
	return settled
}

// ProvenBy returns the separator proved by one value.
func ProvenBy(value string) Separator {
	if isPlain(value) { // as most are
		switch point := strings.IndexByte(value, '.'); {
		case point < 0:
			return Unsettled
		case len(value)-point-1 != 3 && point > 0 && point < len(value)-1:
			return Point
		}
	}
	w, ok := scanWritten(value)
	if !ok {
		return Unsettled
	}
	if proof := w.proves(); proof != Unsettled && w.fits(proof) {
		return proof
	}
	return Unsettled
}

// written is a number as written in a cell, without its currency and unit: groups of
// digits with the signs between them.
type written struct {
	negative bool
	groups   []string // one more than marks; the first and last may be empty
	marks    []byte   // each of . , ' and blank
	exponent string   // with its letter; empty for none
	percent  bool
}

// proves returns the separator proved by the number itself, if it is well formed at all.
func (w *written) proves() Separator {
	points, commas := w.count('.'), w.count(',')
	switch {
	case points == 0 && commas == 0:
		return Unsettled
	case points > 0 && commas > 0:
		return separatorOf(w.marks[len(w.marks)-1])
	case points > 1:
		return Comma
	case commas > 1:
		return Point
	case w.mayGroupThousands():
		return Unsettled
	}
	return separatorOf(w.marks[len(w.marks)-1])
}

func separatorOf(mark byte) Separator {
	switch mark {
	case '.':
		return Point
	case ',':
		return Comma
	}
	return Unsettled
}

// mayGroupThousands reports whether the number's only sign may group thousands.
func (w *written) mayGroupThousands() bool {
	return len(w.marks) == 1 && w.exponent == "" && isGrouped(w.groups)
}

// count counts one of the signs.
func (w *written) count(mark byte) int {
	n := 0
	for _, m := range w.marks {
		if m == mark {
			n++
		}
	}
	return n
}

func (w *written) fits(sep Separator) bool {
	_, ok := w.literal(sep)
	return ok
}

// literal writes the number in decimal.Parse notation, and reports whether it is well
// formed with the separator.
func (w *written) literal(sep Separator) (string, bool) {
	if sep == Unsettled {
		sep = w.guess()
	}
	point := byte('.')
	if sep == Comma {
		point = ','
	}
	whole, fraction := w.groups, ""
	marks := w.marks
	if last := len(marks) - 1; last >= 0 && marks[last] == point {
		whole, fraction, marks = w.groups[:last+1], w.groups[last+1], marks[:last]
	}
	if !areAlike(marks, point) || len(marks) > 0 && !isGrouped(whole) {
		return "", false
	}
	return w.assemble(strings.Join(whole, ""), fraction), true
}

// guess returns the separator for a number in an unsettled column.
func (w *written) guess() Separator {
	if proof := w.proves(); proof != Unsettled {
		return proof
	}
	return Point // a lone comma in front of three digits, or a lone point
}

func (w *written) assemble(integer, fraction string) string {
	integer = strings.TrimLeft(integer, "0")
	if integer == "" {
		integer = "0"
	}
	if fraction != "" {
		integer += "." + fraction
	}
	if w.negative {
		integer = "-" + integer
	}
	return integer + w.exponent
}

// areAlike reports whether all grouping signs are the same, and not the point.
func areAlike(marks []byte, point byte) bool {
	for _, m := range marks {
		if m != marks[0] || m == point {
			return false
		}
	}
	return true
}

// isGrouped reports whether digits are grouped like thousands: by three, or by two in
// front of the last three, as in India. No program starts them with a 0.
func isGrouped(groups []string) bool {
	const western, indian = 3, 2
	last := len(groups) - 1
	first := len(groups[0])
	if first == 0 || first > western || groups[0][0] == '0' || len(groups[last]) != western {
		return false
	}
	if last < 2 {
		return true
	}
	size := len(groups[1])
	if size != western && (size != indian || first > indian) {
		return false
	}
	for _, g := range groups[1:last] {
		if len(g) != size {
			return false
		}
	}
	return true
}
