package america

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// quotientScale is how many decimals a price has that follows from an amount.
const quotientScale = 8

// perUnit returns the price per unit of an amount.
func perUnit(amount, units decimal.Decimal) decimal.Decimal {
	return amount.Abs().DivRound(units.Abs(), quotientScale)
}

// worth is what one unit of the fill's price is.
func worth(f *statement.Fill) decimal.Decimal {
	if f.Multiplier.Valid {
		return f.Multiplier.Decimal
	}
	usual, _ := instruments.DefaultMultiplier(f.Symbol, f.Type)
	return usual
}

// gross is what price and quantity alone move in cash.
func gross(f *statement.Fill) decimal.Decimal {
	n := f.Quantity.Mul(f.Price).Mul(worth(f))
	if f.Side == matching.Buy {
		return n.Neg()
	}
	return n
}

// asBond makes a fill one in a bond. Bonds are named by their CUSIP and priced
// in hundredths of their face value, which is their quantity; the amount is
// there to prove it.
func asBond(f *statement.Fill) {
	if !isCUSIP(f.Symbol) || !f.StatedCashFlow.Valid {
		return
	}
	hundredth := decimal.Must("0.01")
	amount := f.StatedCashFlow.Decimal.Abs()
	off := f.Quantity.Mul(f.Price).Mul(hundredth).Sub(amount).Abs()
	if off.Cmp(amount.Mul(decimal.Must("0.1"))) < 0 {
		f.Type, f.Multiplier = "bond", decimal.Of(hundredth)
	}
}

// isCUSIP reports whether a text is a CUSIP and not a ticker: nine characters that begin with a digit.
func isCUSIP(symbol string) bool {
	return len(symbol) == 9 && symbol[0] >= '0' && symbol[0] <= '9' &&
		strings.Trim(symbol, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// hiddenCosts finds the costs of a fill for which the file gives only a rounded
// price and the amount that moved.
//
// Where the amount is worse than the price, the difference are the costs.
// Where it is better, or nothing is charged as for buying shares, the price was
// rounded: the amount gives the one that was paid, if it comes out even. What
// is too much to be either is left alone; the check of amounts will tell.
func hiddenCosts(f *statement.Fill, free bool) {
	units := f.Quantity.Mul(worth(f))
	if !f.StatedCashFlow.Valid || units.IsZero() {
		return
	}
	amount := f.StatedCashFlow.Decimal
	costs := gross(f).Sub(amount)
	if costs.IsZero() || costs.Abs().Cmp(plausibleCosts(f, amount)) > 0 {
		return
	}
	if free || costs.Sign() < 0 {
		if price := perUnit(amount, units); price.Mul(units).Equal(amount.Abs()) {
			f.Price = price
			return
		}
	}
	f.Fees = costs
}

// plausibleCosts is the most that costs and rounding are taken to be: a
// hundredth of the amount, or ten cents a contract.
func plausibleCosts(f *statement.Fill, amount decimal.Decimal) decimal.Decimal {
	tenth := decimal.Must("0.1")
	most := decimal.Max(tenth, amount.Abs().Mul(decimal.Must("0.01")))
	if f.Right != "" {
		most = decimal.Max(most, f.Quantity.Mul(tenth))
	}
	return most
}
