package decimal

import (
	"errors"
	"strconv"
	"strings"
)

// The bounds of a number that comes from outside, and of one that we stored.
const (
	// MaxIntegerDigits is how many digits Parse allows before the decimal point.
	MaxIntegerDigits = 15
	// MaxDecimals is how many digits Parse allows after the decimal point.
	MaxDecimals = 18
	// MaxExponent bounds the exponent that Parse allows, in either direction.
	MaxExponent = 30

	maxInputText    = 128
	maxStoredDigits = 400
)

// ErrSyntax is what errors.Is finds in the error of a text that is not a number
// in the notation of JSON.
var ErrSyntax = errors.New("decimal: not a number")

// ErrRange is what errors.Is finds in the error of a number that is well written
// but has more digits, or a greater exponent, than the journal keeps.
var ErrRange = errors.New("decimal: number out of range")

// parseError is an error whose text may be shown to a person as it stands; it never
// repeats the input, which can be long or hostile.
type parseError struct {
	kind    error
	message string
}

func (r *parseError) Error() string { return r.message }
func (r *parseError) Unwrap() error { return r.kind }

var (
	errNotPlain = &parseError{ErrSyntax, "write the number with digits and a decimal point only, for example 1234.56 or -0.001"}
	errLong     = &parseError{ErrRange, "write the number with fewer characters"}
	errExponent = &parseError{ErrRange, "use an exponent between -30 and 30"}
	errInteger  = &parseError{ErrRange, "use at most 15 digits before the decimal point"}
	errDecimals = &parseError{ErrRange, "use at most 18 digits after the decimal point"}
	errStored   = &parseError{ErrRange, "a stored number may have at most 400 digits"}
)

// Parse reads a number that a client sent, in the grammar of JSON: an optional
// minus, digits without needless leading zeros, an optional fraction and an
// optional exponent. Everything else, such as "+1", ".5", "5.", "0x1", "1_000",
// "NaN" and blanks, is ErrSyntax.
//
// The exponent must lie within ±MaxExponent, and the number it stands for must
// have at most MaxIntegerDigits before and MaxDecimals after the point, zeros at
// the end of the fraction not counted; else the error is ErrRange. The length
// of the text is checked first, so a refusal costs next to nothing.
func Parse(s string) (Decimal, error) {
	if len(s) > maxInputText {
		return Zero, errLong
	}
	lit, err := parseLiteral(s)
	if err != nil {
		return Zero, err
	}
	digits, scale, whole := lit.expand()
	switch {
	case whole > MaxIntegerDigits:
		return Zero, errInteger
	case scale > MaxDecimals:
		return Zero, errDecimals
	}
	return fromDigits(lit.negative, digits, int32(scale)), nil
}

// ParseExact reads a number that the journal wrote itself: plain notation without
// an exponent, of at most 400 digits. It is wide enough for every product of
// numbers that Parse accepts, and still bounded, because a database file too can
// be damaged or forged. Zeros at the end of the fraction are accepted, as some
// engines add them.
func ParseExact(s string) (Decimal, error) {
	const signAndPoint = 2
	if len(s) > maxStoredDigits+signAndPoint {
		return Zero, errStored
	}
	lit, err := parseLiteral(s)
	switch {
	case err != nil:
		return Zero, err
	case lit.hasExponent:
		return Zero, errNotPlain
	case len(lit.integer)+len(lit.fraction) > maxStoredDigits:
		return Zero, errStored
	}
	digits, scale, _ := lit.expand()
	return fromDigits(lit.negative, digits, int32(scale)), nil
}

// literal is a number as written, cut into its parts.
type literal struct {
	negative          bool
	integer, fraction string
	hasExponent       bool
	exponent          int
}

// parseLiteral cuts s into its parts, or says why it is not a number.
func parseLiteral(s string) (literal, error) {
	var lit literal
	s, lit.negative = strings.CutPrefix(s, "-")
	lit.integer, s = cutDigits(s)
	if lit.integer == "" || len(lit.integer) > 1 && lit.integer[0] == '0' {
		return lit, errNotPlain
	}
	if rest, ok := strings.CutPrefix(s, "."); ok {
		if lit.fraction, s = cutDigits(rest); lit.fraction == "" {
			return lit, errNotPlain
		}
	}
	if s == "" {
		return lit, nil
	}
	if s[0] != 'e' && s[0] != 'E' {
		return lit, errNotPlain
	}
	lit.hasExponent = true
	var err error
	lit.exponent, err = parseExponent(s[1:])
	return lit, err
}

// parseExponent reads what follows the letter e, which must reach to the end.
func parseExponent(s string) (int, error) {
	s, negative := strings.CutPrefix(s, "-")
	if !negative {
		s = strings.TrimPrefix(s, "+")
	}
	digits, rest := cutDigits(s)
	if digits == "" || rest != "" {
		return 0, errNotPlain
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > MaxExponent {
		return 0, errExponent
	}
	if negative {
		n = -n
	}
	return n, nil
}

// cutDigits cuts s behind the ASCII digits it starts with.
func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// expand applies the exponent. It returns the significant digits, the scale they
// are to be read at (below zero when the exponent adds zeros at the end) and the
// number of digits before the point. Zeros that are written out at the end of
// the integer stay, so that common whole numbers share the scale 0.
func (lit literal) expand() (digits string, scale, whole int) {
	all := lit.integer + lit.fraction
	point := len(lit.integer) + lit.exponent
	end := len(strings.TrimRight(all, "0"))
	start := len(all) - len(strings.TrimLeft(all, "0"))
	if end == 0 {
		return "0", 0, 0
	}
	end = max(end, min(point, len(all)))
	return all[start:end], end - point, point - start
}

// String returns the canonical text of d: no exponent, at least one digit before
// the point, no zeros at the end of the fraction, and no minus before zero.
func (d Decimal) String() string {
	var buf [48]byte
	return string(d.AppendTo(buf[:0]))
}

// GoString returns d as Go source, so that %#v shows the number and not how it is
// stored: failing tests and debuggers are read by people.
func (d Decimal) GoString() string { return "decimal.Must(" + strconv.Quote(d.String()) + ")" }

// typicalLength is the room that the text of most numbers takes, so that it grows
// but once.
const typicalLength = 24

// AppendTo appends the canonical text of d to b and returns the longer slice.
// For numbers of up to 18 digits it allocates nothing beyond b, which is what
// streamed lists are written with.
func (d Decimal) AppendTo(b []byte) []byte {
	var buf [48]byte
	digits, scale := d.appendDigits(buf[:0])
	for scale > 0 && digits[len(digits)-1] == '0' && len(digits) > 1 {
		digits, scale = digits[:len(digits)-1], scale-1
	}
	if d.IsZero() {
		return append(b, '0')
	}
	if d.Sign() < 0 {
		b = append(b, '-')
	}
	return appendPoint(b, digits, int(scale))
}

// appendPoint appends the digits with the decimal point scale places from their
// end, filling up with zeros on whichever side is short of digits.
func appendPoint(b, digits []byte, scale int) []byte {
	if scale <= 0 {
		b = append(b, digits...)
		return appendZeros(b, -scale)
	}
	whole := len(digits) - scale
	if whole <= 0 {
		b = append(b, "0."...)
		b = appendZeros(b, -whole)
		return append(b, digits...)
	}
	b = append(b, digits[:whole]...)
	b = append(b, '.')
	return append(b, digits[whole:]...)
}

func appendZeros(b []byte, n int) []byte {
	for range n {
		b = append(b, '0')
	}
	return b
}
