package statement

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// minorUnits are codes for hundredths in a currency.
var minorUnits = map[string]string{"GBX": "GBP", "GBp": "GBP", "ZAc": "ZAR", "ILA": "ILS"}

// isMinorUnit reports whether a price is in hundredths, such as pence, in the money's
// currency.
func isMinorUnit(price, money string) bool {
	whole, ok := minorUnits[price]
	if !ok {
		whole, ok = minorUnits[strings.ToUpper(price)]
		ok = ok && !strings.EqualFold(price, whole)
	}
	return ok && (money == "" || strings.EqualFold(money, whole))
}

// typeBond is the type for bonds, which are priced in percent.
const typeBond = "bond"

// hundredth converts pence and bond prices.
var hundredth = decimal.FromScaled(1, 2)

// settleRate converts the price to the amount's currency. The price stays as the file has
// it, and the multiplier converts it, unless the user's account is in the price currency
// and the layout converts the amounts then.
func (t *tradeRow) settleRate() {
	if !t.isForeign() {
		t.settleSameCurrency()
		return
	}
	rate := t.rateOf()
	if !rate.Valid {
		if t.money == "" {
			t.money = strings.ToUpper(t.priced)
		}
		return
	}
	if t.lr.layout.Currencies == CurrencyOfPrice && t.priced == t.lr.r.Hints.Currency {
		t.convert(rate.Decimal)
		return
	}
	t.Multiplier = rate
}

// convert puts costs and amount into the price currency.
func (t *tradeRow) convert(rate decimal.Decimal) {
	const moneyScale = 6
	t.converted = true
	t.Fees, t.Commission = t.Fees.DivRound(rate, moneyScale), t.Commission.DivRound(rate, moneyScale)
	if t.StatedCashFlow.Valid {
		t.StatedCashFlow = decimal.Of(t.StatedCashFlow.Decimal.DivRound(rate, moneyScale))
	}
}

// settleSameCurrency finds the multiplier if price and amount are in the same currency or
// in unknown ones: a bond's, which is priced in hundredths, and the one proved by the
// amount if the layout has a rate.
func (t *tradeRow) settleSameCurrency() {
	traded, gross := t.Quantity.Mul(t.Price).Abs(), t.grossAmount()
	if traded.IsZero() || gross.IsZero() || t.priceMissing {
		return
	}
	if t.lr.layout.Rate != "" {
		if rate := t.rateOf(); rate.Valid {
			t.Multiplier = rate
		}
		return
	}
	if !isCUSIP(t.Symbol) && !IsISIN(t.Symbol) {
		return
	}
	const twentieth = 20
	if traded.Mul(hundredth).Sub(gross).Abs().Mul(decimal.New(twentieth)).Cmp(gross) < 0 {
		t.Multiplier = decimal.Of(hundredth)
		if isCUSIP(t.Symbol) {
			t.Type = typeBond
		}
	}
}

// rateOf returns the value of one price unit in the amount's currency. The file's rate
// may be meant either way and needs a factor of a hundred for pence or option contracts;
// the amount decides which. If no candidate explains the amount, the rate is computed
// from it. There is no rate if the price is in the amount's currency.
func (t *tradeRow) rateOf() decimal.Null {
	if t.isForeign() && isMinorUnit(t.priced, t.money) {
		return decimal.Of(hundredth)
	}
	traded, gross := t.Quantity.Mul(t.Price).Abs(), t.grossAmount()
	if traded.IsZero() || gross.IsZero() {
		return decimal.Null{}
	}
	stated := t.w.statedRate(t.lr.layout.Rate)
	foreign := t.isForeign() && t.money != ""
	candidates := rateCandidates(stated)
	if !foreign && isNear(traded, gross) {
		return decimal.Null{}
	}
	if t.lr.layout.HiddenCosts != CostNone && !foreign {
		return nearestRate(candidates, traded, gross, t.Side)
	}
	for _, c := range candidates {
		if !isNear(traded.Mul(c), gross) {
			continue
		}
		if t.gross.Valid && foreign && traded.Mul(c).Sub(gross).Abs().Cmp(hundredth) > 0 {
			break // the file's own value counts, and its rate is rounded
		}
		return decimal.Of(c)
	}
	if !foreign && !t.isUnstated() {
		return decimal.Null{}
	}
	if rate := gross.DivRound(traded, rateScale); rate.Sign() > 0 {
		return decimal.Of(rate)
	}
	return decimal.Null{}
}

// isUnstated reports whether the file names neither currency.
func (t *tradeRow) isUnstated() bool { return t.priced == "" && t.money == "" }

// statedRate returns the file's rate, if it can be read.
func (w *cells) statedRate(col Col) decimal.Null {
	n := w.peek(col)
	return decimal.Null{Decimal: n, Valid: n.Sign() > 0}
}

// rateCandidates lists the possible values of a price unit by the file's rate.
func rateCandidates(stated decimal.Null) []decimal.Decimal {
	one, hundred := decimal.New(1), decimal.New(100)
	var list []decimal.Decimal
	if stated.Valid && !stated.Decimal.Equal(one) {
		for _, r := range []decimal.Decimal{one.DivRound(stated.Decimal, rateScale), stated.Decimal} {
			if r.Sign() > 0 {
				list = append(list, r, r.Mul(hundredth), r.Mul(hundred))
			}
		}
	}
	return append(list, hundredth, hundred)
}

// isNear reports whether two amounts are the same but for rounding: a cent, or half a
// percent.
func isNear(computed, stated decimal.Decimal) bool {
	allowed := decimal.Max(hundredth, stated.Mul(decimal.Must("0.005")))
	return computed.Sub(stated).Abs().Cmp(allowed) <= 0
}

// nearestRate returns the candidate that best explains an amount with costs in it, if the
// rest may be costs. There is no rate if the best is 1.
func nearestRate(candidates []decimal.Decimal, traded, gross decimal.Decimal, side matching.Side) decimal.Null {
	one := decimal.New(1)
	off := func(c decimal.Decimal) decimal.Decimal { return traded.Mul(c).Sub(gross).Abs() }
	best := one
	for _, c := range candidates {
		if off(c).Cmp(off(best)) < 0 {
			best = c
		}
	}
	worth := traded.Mul(best)
	gap := gross.Sub(worth)
	if side == matching.Sell {
		gap = gap.Neg()
	}
	if best.Equal(one) || gap.Abs().Cmp(mostHiddenCosts(worth)) > 0 {
		return decimal.Null{}
	}
	return decimal.Of(best)
}

// bookHiddenCosts books costs only the amount shows.
func (t *tradeRow) bookHiddenCosts() {
	switch t.lr.layout.HiddenCosts {
	case CostCommission:
		t.Commission = t.Commission.Add(t.HiddenCosts())
	case CostFees:
		t.Fees = t.Fees.Add(t.HiddenCosts())
	case CostNone:
	}
}

// BookExactCosts books the difference between the amount and exact prices as fees. An
// amount better than the price, or any difference in a free purchase, shows a rounded
// price: it is corrected if the exact one terminates.
func (f *Fill) BookExactCosts(free bool) {
	units := f.Quantity.Mul(f.effectiveMultiplier())
	gap := f.hiddenGap()
	// Below zero, differences within the amount check's tolerance are rounding.
	rounding := decimal.Max(roundingOf(f.Price, units), allowance(f.StatedCashFlow.Decimal))
	if gap.IsZero() || units.IsZero() || gap.Cmp(mostHiddenCosts(units.Mul(f.Price))) > 0 || gap.Neg().Cmp(rounding) > 0 {
		return
	}
	if free || gap.Sign() < 0 {
		if price := f.StatedCashFlow.Decimal.Abs().DivRound(units, priceScale); price.Mul(units).Equal(f.StatedCashFlow.Decimal.Abs()) {
			f.Price = price
			return
		}
	}
	f.Fees = f.Fees.Add(gap)
}

// addCostsToResults makes stated sale results those before costs. The file's result is
// after the costs of the sale and its purchases, which the fills have too, so it would
// count them twice. If purchases are missing from the file, their costs are unknown, and
// prices decide instead.
func (s *Statement) addCostsToResults() {
	fills := sortedByTime(s.Fills)
	type position struct{ held, costs decimal.Decimal }
	const costScale = 6
	open := map[string]position{}
	for _, f := range fills {
		p := open[f.Symbol]
		if f.Side == matching.Buy {
			open[f.Symbol] = position{p.held.Add(f.Quantity), p.costs.Add(f.Fees).Add(f.Commission)}
			continue
		}
		if p.held.Cmp(f.Quantity) < 0 {
			f.StatedPnL = decimal.Null{}
			open[f.Symbol] = position{}
			continue
		}
		var paid decimal.Decimal
		paid, p.costs = p.costs.Split(f.Quantity, p.held, costScale)
		p.held = p.held.Sub(f.Quantity)
		open[f.Symbol] = p
		if f.StatedPnL.Valid {
			f.StatedPnL = decimal.Of(f.StatedPnL.Decimal.Add(f.Fees).Add(f.Commission).Add(paid))
		}
	}
}
