package statement

import (
	"strings"

	"fillbook/internal/base/decimal"
)

// RoundWorth returns the value per unit from a total, or nothing if the figures do not
// fit. Contracts have round values with three digits at most; anything else is a total
// with costs in it.
func RoundWorth(total, units decimal.Decimal) decimal.Null {
	if units.IsZero() {
		return decimal.Null{}
	}
	const smallest, digits = 6, 3
	for scale := range int32(smallest) {
		each := total.DivRound(units, scale)
		round := strings.Trim(strings.Replace(each.String(), ".", "", 1), "0")
		if each.Sign() > 0 && len(round) <= digits && each.Mul(units).Sub(total).Abs().Cmp(decimal.Must("0.01")) < 0 {
			return decimal.Of(each)
		}
	}
	return decimal.Null{}
}
