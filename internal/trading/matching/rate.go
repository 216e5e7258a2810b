package matching

import "fillbook/internal/base/decimal"

// Rate is the exchange rate from a trade's price currency to its account's, as the
// fraction Stated / Priced: the results the broker stated for closing fills, over the
// same fills' results by prices. If quantities are in lots, it includes the contract
// size.
//
// Both numbers are absent for a trade without a stated result: its rate is 1. Both are
// zero if the rate is unknown: the trade is open, a sum is zero, or their signs differ.
type Rate struct {
	Stated, Priced decimal.Null
}

// IsKnown reports whether amounts can be converted.
func (r Rate) IsKnown() bool { return !r.Stated.Valid || !r.Priced.Decimal.IsZero() }

// Convert returns an amount in the account's currency, by the rule for averages. It is
// absent if the rate is unknown.
func (r Rate) Convert(amount decimal.Decimal) decimal.Null {
	worth, divisor, known := r.Fraction(amount)
	if !known {
		return decimal.Null{}
	}
	return decimal.Of(worth.DivAverage(divisor))
}

// Ratio returns a / (b × rate) rounded half to even to scale decimals. It is
// absent if b is zero or the rate unknown.
func (r Rate) Ratio(a, b decimal.Decimal, scale int32) decimal.Null {
	worth, divisor, known := r.Fraction(b)
	if !known || worth.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(a.Mul(divisor).DivRound(worth, scale))
}

// Equal reports whether both are the same fraction, written alike.
func (r Rate) Equal(s Rate) bool { return r.Stated.Equal(s.Stated) && r.Priced.Equal(s.Priced) }

// Fraction returns amount × rate as a dividend and a divisor, to be rounded once at a
// computation's end. known is false if the rate is unknown.
func (r Rate) Fraction(amount decimal.Decimal) (dividend, divisor decimal.Decimal, known bool) {
	if !r.Stated.Valid {
		return amount, decimal.New(1), true
	}
	return amount.Mul(r.Stated.Decimal), r.Priced.Decimal, r.IsKnown()
}

// add adds a closing with a stated result.
func (r Rate) add(stated, priced decimal.Decimal) Rate {
	return Rate{Stated: decimal.Of(r.Stated.Decimal.Add(stated)), Priced: decimal.Of(r.Priced.Decimal.Add(priced))}
}

// finalRate returns a whole trade's rate: unknown unless it is above zero and the trade
// closed.
func (r Rate) finalRate(closed bool) Rate {
	if !r.Stated.Valid || closed && r.Stated.Decimal.Sign()*r.Priced.Decimal.Sign() > 0 {
		return r
	}
	return Rate{Stated: decimal.Of(decimal.Zero), Priced: decimal.Of(decimal.Zero)}
}
