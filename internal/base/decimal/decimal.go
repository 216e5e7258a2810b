// Package decimal implements the journal's exact numbers: prices, quantities, costs and
// profit. A Decimal is never converted through a binary float, so 0.1 + 0.2 is 0.3 and a
// position bought in three parts closes at exactly zero.
//
// There are two parsers. Parse is for user and broker input: it accepts the JSON number
// grammar within fixed bounds and rejects the rest before any arithmetic, so the parsing
// cost is proportional to the input length. ParseExact is for stored numbers, which may
// be wider because products have more digits than their factors.
//
// There is one output format, the canonical text, without an exponent and without
// unneeded digits. JSON and SQL both use it.
//
// Addition, subtraction and multiplication are exact. Division is the only operation that
// rounds, so it always takes the number of decimals and rounds half to even; Split
// divides an amount in two parts adding up to the whole.
//
// Nearly all numbers in a journal have fewer than nineteen digits: these are stored in 64
// bits and allocate nothing (short.go). Other numbers are computed by
// github.com/shopspring/decimal without a limit (wide.go), with the same results.
package decimal

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	lib "github.com/shopspring/decimal"
)

// Decimal is an exact decimal number. The zero value is 0. A Decimal is immutable and may
// be copied and shared between goroutines freely.
//
// Equal Decimals may be stored differently (1.5 and 1.50), so the type does not support
// the == operator: use Equal or Cmp.
type Decimal struct {
	_ [0]func()
	// wide is the number when it needs more than 64 bits; else it is nil, and the number
	// is coef divided by ten to the power of scale. coef is never the smallest int64, so
	// it can always be negated.
	wide  *lib.Decimal
	coef  int64
	scale int32
}

// Zero is the number 0, the zero Decimal.
var Zero Decimal

// New returns the whole number n.
func New(n int64) Decimal { return FromScaled(n, 0) }

// FromScaled returns coef divided by ten to the power of scale: FromScaled(125, 2)
// is 1.25. It converts fixed-point columns and constants to Decimals.
func FromScaled(coef int64, scale int32) Decimal {
	if coef == math.MinInt64 {
		return fromLib(lib.New(coef, -scale))
	}
	return Decimal{coef: coef, scale: scale}
}

// ToScaled returns d times ten to the power of scale, as [FromScaled] takes it: 125 for
// 1.25 and a scale of 2. ok is false if the result is not a whole number or does not fit
// into 64 bits.
func (d Decimal) ToScaled(scale int32) (coef int64, ok bool) {
	if d.wide == nil {
		if same, fits := d.trimZeros().rescale(scale); fits {
			return same.coef, true
		}
	}
	whole := d.toLib().Shift(scale)
	if !whole.IsInteger() || !whole.BigInt().IsInt64() {
		return 0, false
	}
	return whole.BigInt().Int64(), true
}

// Must parses s like ParseExact and panics if it fails. It is meant for constants and
// tests, not for input.
func Must(s string) Decimal {
	d, err := ParseExact(s)
	if err != nil {
		panic(fmt.Sprintf("decimal.Must(%q): %v", s, err))
	}
	return d
}

// Add returns d + e, exactly. If either is zero, as at the start of a sum, it returns the
// other unchanged.
func (d Decimal) Add(e Decimal) Decimal {
	switch {
	case e.IsZero():
		return d
	case d.IsZero():
		return e
	}
	if sum, ok := addShort(d, e); ok {
		return sum
	}
	return fromLib(d.toLib().Add(e.toLib()))
}

// Sub returns d - e, exactly.
func (d Decimal) Sub(e Decimal) Decimal { return d.Add(e.Neg()) }

// Mul returns d × e, exactly: the result has as many decimals as both together.
func (d Decimal) Mul(e Decimal) Decimal {
	if product, ok := multiplyShort(d, e); ok {
		return product
	}
	return fromLib(d.toLib().Mul(e.toLib()))
}

// Neg returns -d.
func (d Decimal) Neg() Decimal {
	if d.wide != nil {
		return fromLib(d.wide.Neg())
	}
	d.coef = -d.coef
	return d
}

// Abs returns d without its sign.
func (d Decimal) Abs() Decimal {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d
}

// DivRound returns d / e, rounded half to even to the given number of decimals. The
// rounding happens once, on the exact quotient, so a quotient with at most scale decimals
// is exact. It panics if e is zero; the caller must check IsZero first.
func (d Decimal) DivRound(e Decimal, scale int32) Decimal {
	if e.IsZero() {
		panic("decimal: division of " + d.String() + " by zero")
	}
	if quotient, ok := divideShort(d, e, scale); ok {
		return quotient
	}
	return divideWide(d, e, scale)
}

// Round returns d rounded half to even to the given number of decimals.
func (d Decimal) Round(scale int32) Decimal {
	if d.storedScale() <= scale {
		return d
	}
	return d.DivRound(New(1), scale)
}

// Split divides d in the proportion part to whole: a is d × part / whole, rounded half to
// even to scale decimals, and b is the rest, so a + b is exactly d. It splits a fill's
// costs between two trades without a rounding error. It panics if whole is zero.
func (d Decimal) Split(part, whole Decimal, scale int32) (a, b Decimal) {
	a = d.Mul(part).DivRound(whole, scale)
	return a, d.Sub(a)
}

// Cmp returns -1, 0 or +1 as d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int {
	if order, ok := compareShort(d, e); ok {
		return order
	}
	return d.toLib().Cmp(e.toLib())
}

// Equal reports whether d and e are the same number. Package go-cmp uses it too.
func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

// Sign returns -1, 0 or +1 as d is negative, zero or positive.
func (d Decimal) Sign() int {
	switch {
	case d.wide != nil:
		return d.wide.Sign()
	case d.coef < 0:
		return -1
	case d.coef > 0:
		return 1
	}
	return 0
}

// IsZero reports whether d is 0.
func (d Decimal) IsZero() bool { return d.Sign() == 0 }

// Scale returns how many decimals it takes to write d: 2 for 1.50 - 0.25, and 0
// for any whole number.
func (d Decimal) Scale() int32 {
	if d.wide != nil {
		return max(0, -d.wide.Normalize().Exponent())
	}
	return max(0, d.trimZeros().scale)
}

// IsShort reports quickly whether d has at most so many digits before and after
// the decimal point. A long number may not be short although it has no more.
func (d Decimal) IsShort(integer, decimals int32) bool {
	if d.wide != nil || d.scale < 0 || d.scale > decimals {
		return false
	}
	limit, ok := powerOfTen(int64(min(integer, shortDigits)))
	return ok && magnitude(d.coef) < limit
}

// storedScale returns the number of stored decimals.
func (d Decimal) storedScale() int32 {
	if d.wide != nil {
		return -d.wide.Exponent()
	}
	return d.scale
}

// Float64 returns the float nearest to d. It is for ratios, deviations and drawing only:
// no amount or quantity may be computed from it.
func (d Decimal) Float64() float64 {
	if f, ok := floatShort(d); ok {
		return f
	}
	return d.toLib().InexactFloat64()
}

// Rat returns d as a fraction owned by the caller.
func (d Decimal) Rat() *big.Rat { return d.toLib().Rat() }

// Sum returns the exact sum of its arguments, which is 0 without arguments.
func Sum(values ...Decimal) Decimal {
	var total Decimal
	for _, v := range values {
		total = total.Add(v)
	}
	return total
}

// Min returns the smaller of a and b.
func Min(a, b Decimal) Decimal {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

// Max returns the greater of a and b.
func Max(a, b Decimal) Decimal {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

// fromDigits returns the number with the decimal digits and the point scale places from
// the right. The caller must check the digits.
func fromDigits(negative bool, digits string, scale int32) Decimal {
	if len(digits) > shortDigits {
		coef, _ := new(big.Int).SetString(digits, 10)
		if negative {
			coef.Neg(coef)
		}
		return fromLib(lib.NewFromBigInt(coef, -scale))
	}
	coef, _ := strconv.ParseInt(digits, 10, 64)
	if negative {
		coef = -coef
	}
	return Decimal{coef: coef, scale: scale}
}

// appendDigits is the inverse of fromDigits: it appends the digits of |d| to b
// and returns them with their scale.
func (d Decimal) appendDigits(b []byte) (digits []byte, scale int32) {
	if d.wide != nil {
		coef := d.wide.Coefficient()
		return coef.Abs(coef).Append(b, 10), -d.wide.Exponent()
	}
	return strconv.AppendInt(b, max(d.coef, -d.coef), 10), d.scale
}
