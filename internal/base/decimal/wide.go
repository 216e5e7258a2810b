package decimal

import lib "github.com/shopspring/decimal"

// toLib converts the number to the library type, which has no limit.
func (d Decimal) toLib() lib.Decimal {
	if d.wide != nil {
		return *d.wide
	}
	return lib.New(d.coef, -d.scale)
}

// fromLib converts a library number, to 64 bits if it fits.
func fromLib(v lib.Decimal) Decimal {
	if v.NumDigits() <= shortDigits {
		return Decimal{coef: v.CoefficientInt64(), scale: -v.Exponent()}
	}
	return Decimal{wide: &v}
}

// divideWide is DivRound for numbers in any size. e must not be zero.
func divideWide(d, e Decimal, scale int32) Decimal {
	quotient, rest := d.toLib().QuoRem(e.toLib(), scale)
	if rest.IsZero() {
		return fromLib(quotient)
	}
	// The unit is one step in the quotient's last decimal.
	unit := e.toLib().Abs().Shift(-scale)
	half := rest.Abs().Add(rest.Abs()).Cmp(unit)
	if half < 0 || half == 0 && quotient.Coefficient().Bit(0) == 0 {
		return fromLib(quotient)
	}
	step := int64(d.Sign() * e.Sign())
	return fromLib(quotient.Add(lib.New(step, -scale)))
}
