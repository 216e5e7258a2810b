package statement

import (
	"fillbook/internal/decimal"
	"fillbook/internal/matching"
)

// HiddenCosts returns the costs of a fill that only its stated cash flow shows:
// by how much the account is worse off than quantity, price and the stated costs
// explain. What the rounding of the price explains is not a cost, and neither is
// a difference above 25 and above 5 % of what was traded: the check of amounts
// warns about that one.
func (f *Fill) HiddenCosts() decimal.Decimal {
	if !f.StatedCashFlow.Valid {
		return decimal.Zero
	}
	units := f.Quantity.Mul(f.worth())
	traded := units.Mul(f.Price)
	expected := traded
	if f.Side == matching.Buy {
		expected = traded.Neg()
	}
	gap := expected.Sub(f.Fees).Sub(f.Commission).Sub(f.StatedCashFlow.Decimal)
	most := decimal.Max(decimal.New(25), traded.Abs().Mul(decimal.Must("0.05")))
	if gap.Cmp(roundingOf(f.Price, units)) <= 0 || gap.Cmp(most) > 0 || gap.Cmp(traded.Abs()) > 0 {
		return decimal.Zero
	}
	const cents = 2
	return gap.Round(cents)
}

// roundingOf is how far an amount may be from price times units because the
// price was rounded to its last decimal, or to cents, and the amount to cents.
func roundingOf(price, units decimal.Decimal) decimal.Decimal {
	const cents, five = 2, 5
	half := decimal.FromScaled(five, max(price.Scale(), cents)+1)
	return units.Abs().Mul(half).Add(decimal.Must("0.005"))
}
