package decimal

import (
	"errors"
	"strconv"
	"strings"
)

// The bounds for input and for stored numbers.
const (
	// MaxIntegerDigits is the maximum number of digits before the decimal point in Parse.
	MaxIntegerDigits = 15
	// MaxDecimals is the maximum number of digits after the decimal point in Parse.
	MaxDecimals = 18
	// MaxExponent is the greatest absolute exponent in Parse.
	MaxExponent = 30

	maxInputText    = 128
	maxStoredDigits = 400
)

// ErrSyntax is wrapped by the error for a text other than a JSON number.
var ErrSyntax = errors.New("decimal: not a number")

// ErrRange is wrapped by the error for a number with
// too many digits or a too great exponent.
var ErrRange = errors.New("decimal: number out of range")

// parseError is an error whose text may be shown to users; it never repeats
// the input, which can be long or malicious.
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

// Parse parses a number from input, in JSON syntax: an optional minus, digits without
// needless leading zeros, an optional fraction and an optional exponent. Everything else,
// such as "+1", ".5", "5.", "0x1", "1_000", "NaN" and spaces, is ErrSyntax.
//
// The exponent must be within ±MaxExponent, and the number must have at most
// MaxIntegerDigits before and MaxDecimals after the point, not counting trailing zeros;
// otherwise the error is ErrRange. The text length is checked first, so rejecting it is
// cheap.
func Parse(s string) (Decimal, error) {
	if d, ok := parseShort(s); ok {
		return d, nil
	}
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

// ParseExact parses a stored number: plain notation without an exponent, at most 400
// digits. This is enough for every product of two parsed numbers, and bounded, because a
// database file can be damaged or forged. Trailing zeros are accepted, because some
// engines add them.
func ParseExact(s string) (Decimal, error) {
	if d, ok := parseShort(s); ok {
		return d, nil
	}
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

// parseShort parses a number without an exponent and with at most 15 digits before the
// point and 18 in all, as nearly all have. ok is false for any other text, valid or not.
// The result is stored like the general parser's.
func parseShort(s string) (d Decimal, ok bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole := len(digits)
	if whole > shortDigits+1 {
		return Zero, false
	}
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
			d.coef = d.coef*10 + int64(c-'0')
		case c == '.' && whole == len(digits) && i < len(digits)-1:
			whole = i
		default:
			return Zero, false
		}
	}
	if whole == 0 || whole > MaxIntegerDigits || whole > 1 && digits[0] == '0' {
		return Zero, false
	}
	if d.coef == 0 {
		return Zero, true
	}
	if whole < len(digits) {
		d.scale = int32(len(digits) - whole - 1)
	}
	for d.scale > 0 && d.coef%10 == 0 {
		d.coef, d.scale = d.coef/10, d.scale-1
	}
	if negative {
		d.coef = -d.coef
	}
	return d, true
}

// literal has the parts of a number as written.
type literal struct {
	negative          bool
	integer, fraction string
	hasExponent       bool
	exponent          int
}

// parseLiteral splits s into its parts. The error describes why it is not a number.
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

// parseExponent parses the rest of a number after the letter e.
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

// cutDigits splits s after its leading ASCII digits.
func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// expand applies the exponent. It returns the significant digits, their scale (negative
// if the exponent adds trailing zeros) and the number of digits before the point. Written
// trailing zeros in the integer are kept, so common whole numbers have the scale 0.
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

// String returns d's canonical text: no exponent, at least one digit before the point, no
// trailing zeros, and no minus before zero.
func (d Decimal) String() string {
	var buf [48]byte
	return string(d.AppendTo(buf[:0]))
}

// GoString returns d as Go source, so %#v in tests and debuggers shows the number and not
// how it is stored.
func (d Decimal) GoString() string { return "decimal.Must(" + strconv.Quote(d.String()) + ")" }

// typicalLength is the text length for most numbers, to allocate once.
const typicalLength = 24

// AppendTo appends d's canonical text to b and returns the extended slice. Up to 18
// digits it allocates nothing besides b.
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
// end, padding with zeros on either side.
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
