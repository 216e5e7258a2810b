package decimal

import "math/big"

// AverageScale is the number of decimals in an average that does not terminate.
const AverageScale = 12

// DivAverage returns d / e by the rule for average prices and amounts: a terminating
// quotient is exact, rounded half to even only beyond MaxDecimals decimals; any other is
// rounded half to even to AverageScale decimals. It panics when e is zero, like DivRound.
func (d Decimal) DivAverage(e Decimal) Decimal {
	short := d.DivRound(e, AverageScale)
	if short.Mul(e).Equal(d) || !terminates(d, e) {
		return short
	}
	return d.DivRound(e, MaxDecimals)
}

// terminates reports whether d / e has finitely many decimals. Powers of ten move the
// point only, so it does if e's digits without the factors 2 and 5 divide d's.
func terminates(d, e Decimal) bool {
	if d.wide == nil && e.wide == nil {
		rest := e.coef
		for rest%2 == 0 {
			rest /= 2
		}
		for rest%5 == 0 {
			rest /= 5
		}
		return d.coef%rest == 0
	}
	dividend, rest := d.toLib(), e.toLib()
	divisor := rest.Coefficient()
	for _, factor := range []*big.Int{big.NewInt(2), big.NewInt(5)} {
		for quotient, left := new(big.Int), new(big.Int); ; divisor.Set(quotient) {
			if quotient.QuoRem(divisor, factor, left); left.Sign() != 0 {
				break
			}
		}
	}
	return new(big.Int).Rem(dividend.Coefficient(), divisor).Sign() == 0
}
