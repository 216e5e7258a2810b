package decimal

import (
	"cmp"
	"math"
	"math/bits"
)

// shortDigits is the number of digits an int64 can always hold.
const shortDigits = 18

// powers are the powers of ten within an int64.
var powers = func() (list [shortDigits + 1]uint64) {
	list[0] = 1
	for i := range shortDigits {
		list[i+1] = list[i] * 10
	}
	return list
}()

// powerOfTen returns ten to the power of n; ok is false if it is not in powers.
func powerOfTen(n int64) (p uint64, ok bool) {
	if n < 0 || n > shortDigits {
		return 0, false
	}
	return powers[n], true
}

// The functions below compute in 64 bits; ok is false if the result does not fit.

func addShort(d, e Decimal) (sum Decimal, ok bool) {
	if d.wide != nil || e.wide != nil {
		return Zero, false
	}
	if sum, ok = addScaled(d, e); ok {
		return sum, true
	}
	return addScaled(d.trimZeros(), e.trimZeros())
}

func addScaled(d, e Decimal) (sum Decimal, ok bool) {
	if d.scale < e.scale {
		d, e = e, d
	}
	if e, ok = e.rescale(d.scale); !ok {
		return Zero, false
	}
	coef := d.coef + e.coef
	overflown := (d.coef < 0) == (e.coef < 0) && (coef < 0) != (d.coef < 0)
	if overflown || coef == math.MinInt64 {
		return Zero, false
	}
	return Decimal{coef: coef, scale: d.scale}, true
}

// rescale returns the same number with more decimals.
func (d Decimal) rescale(scale int32) (same Decimal, ok bool) {
	if d.scale == scale {
		return d, true
	}
	p, ok := powerOfTen(int64(scale) - int64(d.scale))
	if !ok {
		return Zero, false
	}
	return multiplySigned(d.coef < 0, magnitude(d.coef), p, scale)
}

func multiplyShort(d, e Decimal) (product Decimal, ok bool) {
	if d.wide != nil || e.wide != nil {
		return Zero, false
	}
	return multiplySigned((d.coef < 0) != (e.coef < 0), magnitude(d.coef), magnitude(e.coef), d.scale+e.scale)
}

// multiplySigned multiplies two magnitudes and returns the product with a sign
// and a scale.
func multiplySigned(negative bool, a, b uint64, scale int32) (product Decimal, ok bool) {
	high, low := bits.Mul64(a, b)
	if high != 0 || low > math.MaxInt64 {
		return Zero, false
	}
	coef := int64(low)
	if negative {
		coef = -coef
	}
	return Decimal{coef: coef, scale: scale}, true
}

func magnitude(coef int64) uint64 { return uint64(max(coef, -coef)) }

// divideShort divides 128 bits by 64. e must not be zero.
func divideShort(d, e Decimal, scale int32) (quotient Decimal, ok bool) {
	if d.wide != nil || e.wide != nil {
		return Zero, false
	}
	high, low, divisor := uint64(0), magnitude(d.coef), magnitude(e.coef)
	shift := int64(scale) - int64(d.scale) + int64(e.scale)
	p, ok := powerOfTen(max(shift, -shift))
	if !ok {
		return Zero, false
	}
	if shift >= 0 {
		high, low = bits.Mul64(low, p)
	} else {
		var tooLarge uint64
		if tooLarge, divisor = bits.Mul64(divisor, p); tooLarge != 0 {
			return Zero, false
		}
	}
	if high >= divisor {
		return Zero, false
	}
	coef, rest := bits.Div64(high, low, divisor)
	if coef > math.MaxInt64 {
		return Zero, false
	}
	if rest > divisor-rest || rest == divisor-rest && coef%2 == 1 {
		coef++
	}
	quotient, ok = multiplySigned((d.coef < 0) != (e.coef < 0), coef, 1, scale)
	if rest == 0 {
		quotient = quotient.trimZeros()
	}
	return quotient, ok
}

// trimZeros removes trailing zeros after the point, so the next computation is more
// likely to fit.
func (d Decimal) trimZeros() Decimal {
	if d.coef == 0 {
		return Zero
	}
	for d.scale > 0 && d.coef%10 == 0 {
		d.coef, d.scale = d.coef/10, d.scale-1
	}
	return d
}

// Scaled is the inverse of FromScaled: it returns d as a whole number and the smallest
// possible number of decimals, which is not negative. Equal numbers have the same. ok is
// false if the whole number has more than 18 digits, or d more than 18 decimals.
func (d Decimal) Scaled() (coef int64, scale int32, ok bool) {
	if d.wide != nil {
		if d = fromLib(d.wide.Normalize()); d.wide != nil {
			return 0, 0, false
		}
	}
	if d.scale < 0 {
		if d, ok = d.rescale(0); !ok {
			return 0, 0, false
		}
	}
	d = d.trimZeros()
	return d.coef, d.scale, magnitude(d.coef) < powers[shortDigits] && d.scale <= shortDigits
}

func compareShort(d, e Decimal) (order int, ok bool) {
	switch {
	case d.wide != nil || e.wide != nil:
		return 0, false
	case d.Sign() != e.Sign():
		return cmp.Compare(d.Sign(), e.Sign()), true
	case d.scale == e.scale:
		return cmp.Compare(d.coef, e.coef), true
	case d.scale > e.scale:
		order, ok = compareShort(e, d)
		return -order, ok
	}
	p, ok := powerOfTen(int64(e.scale) - int64(d.scale))
	if high, low := bits.Mul64(magnitude(d.coef), p); high != 0 || low > magnitude(e.coef) {
		return d.Sign(), ok
	} else if low < magnitude(e.coef) {
		return -d.Sign(), ok
	}
	return 0, ok
}

// floatShort returns the nearest float if both parts of the fraction are exact floats, so
// the division is the only rounding.
func floatShort(d Decimal) (f float64, ok bool) {
	const floatDigits, exact = 18, 1 << 53
	if d.wide != nil || magnitude(d.coef) > exact || d.scale < 0 || d.scale > floatDigits {
		return 0, false
	}
	return float64(d.coef) / float64(powers[d.scale]), true
}
