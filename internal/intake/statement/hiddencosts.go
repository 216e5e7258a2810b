package statement

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// HiddenCosts returns the costs only a fill's stated cash flow shows: by how much the
// account is worse off than quantity, price and stated costs explain. A difference within
// the price's rounding is no cost, and neither is one above 25 and above 5 % of the
// traded value: the amount check warns about that.
func (f *Fill) HiddenCosts() decimal.Decimal {
	units := f.Quantity.Mul(f.effectiveMultiplier())
	gap := f.hiddenGap()
	if gap.Cmp(roundingOf(f.Price, units)) <= 0 || gap.Cmp(mostHiddenCosts(units.Mul(f.Price))) > 0 {
		return decimal.Zero
	}
	const cents = 2
	return gap.Round(cents)
}

// hiddenGap returns by how much the account is worse off than quantity, price and
// stated costs explain; 0 if the file does not state the cash flow.
func (f *Fill) hiddenGap() decimal.Decimal {
	if !f.StatedCashFlow.Valid {
		return decimal.Zero
	}
	expected := f.Quantity.Mul(f.effectiveMultiplier()).Mul(f.Price)
	if f.Side == matching.Buy {
		expected = expected.Neg()
	}
	return expected.Sub(f.Fees).Sub(f.Commission).Sub(f.StatedCashFlow.Decimal)
}

// mostHiddenCosts returns the largest difference that counts as costs: 25 or 5 % of the
// traded value, and never more than that value. Flat fees above 12 exceed 5 % in small
// trades.
func mostHiddenCosts(traded decimal.Decimal) decimal.Decimal {
	traded = traded.Abs()
	return decimal.Min(traded, decimal.Max(decimal.New(25), traded.Mul(decimal.Must("0.05"))))
}

// roundingOf is how far an amount may be from price times units because the
// price was rounded to its last decimal, or to cents, and the amount to cents.
func roundingOf(price, units decimal.Decimal) decimal.Decimal {
	const cents, five = 2, 5
	half := decimal.FromScaled(five, max(price.Scale(), cents)+1)
	return units.Abs().Mul(half).Add(decimal.Must("0.005"))
}
