package decimal

import lib "github.com/shopspring/decimal"

// lib gives the number to the library that computes without a limit.
func (d Decimal) lib() lib.Decimal {
	if d.wide != nil {
		return *d.wide
	}
	return lib.New(d.coef, -d.scale)
}

// ofLib takes a number back, into 64 bits if it fits.
func ofLib(v lib.Decimal) Decimal {
	if v.NumDigits() <= shortDigits {
		return Decimal{coef: v.CoefficientInt64(), scale: -v.Exponent()}
	}
	return Decimal{wide: &v}
}

// wideQuotient is DivRound for numbers of any size. e is not zero.
func wideQuotient(d, e Decimal, scale int32) Decimal {
	quotient, rest := d.lib().QuoRem(e.lib(), scale)
	if rest.IsZero() {
		return ofLib(quotient)
	}
	// The unit is what one step in the last decimal of the quotient is worth.
	unit := e.lib().Abs().Shift(-scale)
	half := rest.Abs().Add(rest.Abs()).Cmp(unit)
	if half < 0 || half == 0 && quotient.Coefficient().Bit(0) == 0 {
		return ofLib(quotient)
	}
	step := int64(d.Sign() * e.Sign())
	return ofLib(quotient.Add(lib.New(step, -scale)))
}
