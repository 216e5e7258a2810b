package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/matching"
)

// rateScale is how many decimals a rate has that follows from amounts.
const rateScale = 10

// isPence reports whether a price is in pence and the money in pounds.
func isPence(price, money string) bool {
	return (price == "GBp" || strings.EqualFold(price, "GBX")) && (money == "" || strings.EqualFold(money, "GBP"))
}

// worth is what one unit of a price is in the money of the account, for a trade
// that moved an amount of it before costs. The file's rate tells, which some
// write one way round and some the other; a hundred, pence or an option's
// shares may come on top. Where no rate explains the amount, the amount itself
// is the rate. It is nothing where the price is in the account's money.
func worth(quantity, price, amount decimal.Decimal, rate decimal.Null) decimal.Null {
	amount, traded := amount.Abs(), quantity.Mul(price).Abs()
	if amount.IsZero() || traded.IsZero() || near(traded, amount) {
		return decimal.Null{}
	}
	for _, candidate := range rates(rate) {
		if near(traded.Mul(candidate), amount) {
			return decimal.Of(candidate)
		}
	}
	return decimal.Of(amount.DivRound(traded, rateScale))
}

// rates lists what a unit of price may be worth by the file's rate.
func rates(rate decimal.Null) []decimal.Decimal {
	one, hundred, hundredth := decimal.New(1), decimal.New(100), decimal.Must("0.01")
	list := []decimal.Decimal{hundredth, hundred}
	if rate.Decimal.Sign() <= 0 || rate.Decimal.Equal(one) {
		return list
	}
	for _, r := range []decimal.Decimal{one.DivRound(rate.Decimal, rateScale), rate.Decimal} {
		if r.Sign() > 0 {
			list = append(list, r, r.Mul(hundredth), r.Mul(hundred))
		}
	}
	return list
}

// near reports whether two amounts are the same but for rounding: a cent, or half a
// hundredth.
func near(computed, stated decimal.Decimal) bool {
	allowed := decimal.Max(decimal.Must("0.01"), stated.Mul(decimal.Must("0.005")))
	return computed.Sub(stated).Abs().Cmp(allowed) <= 0
}

// signed returns an amount with the sign that it has in cash: buying costs.
func signed(amount decimal.Null, side matching.Side) decimal.Null {
	if !amount.Valid {
		return amount
	}
	if side == matching.Buy {
		return decimal.Of(amount.Decimal.Abs().Neg())
	}
	return decimal.Of(amount.Decimal.Abs())
}

// hiddenCosts are the costs of a deal for which the file gives only the amount
// after them: what the amount is worse than quantity and price. What is too
// much for costs is left alone; the check of amounts will tell.
func hiddenCosts(d *deal) decimal.Decimal {
	traded := d.quantity.Mul(d.price).Mul(d.worth.Or(decimal.New(1))).Abs()
	if d.side == matching.Buy {
		traded = traded.Neg()
	}
	costs := traded.Sub(d.amount.Decimal).Round(2)
	most := decimal.Max(decimal.New(15), traded.Abs().Mul(decimal.Must("0.05")))
	if !d.amount.Valid || costs.Sign() <= 0 || costs.Cmp(most) > 0 || costs.Cmp(traded.Abs()) >= 0 {
		return decimal.Zero
	}
	return costs
}

// sideOf reads the side from the sign of a quantity.
func sideOf(quantity decimal.Decimal) matching.Side {
	if quantity.Sign() < 0 {
		return matching.Sell
	}
	return matching.Buy
}
