package savers

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// rateScale is to how many decimals computed rates and prices are kept, and
// moneyScale those of amounts in other money.
const (
	rateScale  = 12
	moneyScale = 6
)

// deal is what a row says about the money of a fill whose price may be in other
// money than its amount.
type deal struct {
	priced, home string          // the currencies of the price, and of amount and costs
	gross        decimal.Decimal // what was traded in home, without costs; 0 if not told
	rate         decimal.Null    // as the file states it, either way round
}

// settle makes the fill worth what it is in the account's money. The price stays
// as the file has it. Where it is in the account's own currency the costs are
// turned into that; otherwise the multiplier turns the price into the currency
// of the amounts, which is the one the broker keeps the account in.
func (d deal) settle(w *statement.Row, f *statement.Fill) {
	worth := d.worth(f)
	if d.priced == d.home {
		if percent := decimal.FromScaled(1, 2); near(worth, percent) {
			f.Multiplier = decimal.Of(percent) // a bond is priced in hundredths of what it pays back
		}
		foreign(w, f, d.home)
		return
	}
	if worth.Sign() <= 0 {
		foreign(w, f, d.priced)
		return
	}
	if d.priced == w.Reader().Hints.Currency {
		f.Fees = f.Fees.DivRound(worth, moneyScale)
		if f.StatedCashFlow.Valid {
			f.StatedCashFlow = decimal.Of(f.StatedCashFlow.Decimal.DivRound(worth, moneyScale))
		}
		return
	}
	foreign(w, f, d.home)
	f.Multiplier = decimal.Of(worth)
	note(f, "currency", d.priced)
}

// worth is what one of the price's currency is in the amounts'. The rate that
// the file states is exact but may be meant either way; the amounts, which are
// rounded, tell which.
func (d deal) worth(f *statement.Fill) decimal.Decimal {
	traded := f.Quantity.Mul(f.Price)
	if traded.IsZero() || d.gross.IsZero() {
		return decimal.Zero
	}
	told := d.gross.DivRound(traded, rateScale)
	if d.rate.Decimal.Sign() <= 0 {
		return told
	}
	rate, other := d.rate.Decimal, decimal.New(1).DivRound(d.rate.Decimal, rateScale)
	if told.Sub(other).Abs().Cmp(told.Sub(rate).Abs()) < 0 {
		rate = other
	}
	if !near(rate, told) {
		return told
	}
	return rate
}

// near tells that two numbers differ by less than a twentieth.
func near(a, b decimal.Decimal) bool {
	return a.Sub(b).Abs().Mul(decimal.New(20)).Cmp(b.Abs()) < 0
}

// foreign notes that the amounts of a fill are in other money than the account.
func foreign(w *statement.Row, f *statement.Fill, currency string) {
	r := w.Reader()
	r.Out.NoteCurrency(currency)
	if home := r.Hints.Currency; currency != "" && home != "" && currency != home {
		r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", currency, home)
		note(f, "currency", currency)
	}
}

// note keeps something beside the fill.
func note(f *statement.Fill, key, value string) {
	if value == "" {
		return
	}
	if f.Details == nil {
		f.Details = map[string]string{}
	}
	f.Details[key] = value
}

// flow is what a fill moved: its amount with the costs, below zero for a buy.
func flow(side matching.Side, amount, costs decimal.Decimal) decimal.Null {
	if side == matching.Buy {
		amount = amount.Neg()
	}
	return decimal.Of(amount.Sub(costs))
}

// hiddenCosts is what lies between the amount that moved and what was traded,
// for files that do not state costs. Nothing is inferred from a gap that
// rounding may explain, or that is too wide for costs.
func hiddenCosts(f *statement.Fill, amount decimal.Decimal) decimal.Decimal {
	traded := f.Quantity.Mul(f.Price)
	gap := amount.Sub(traded)
	if f.Side == matching.Sell {
		gap = gap.Neg()
	}
	// A price is exact to half of its last decimal, an amount to half a cent.
	rounding := f.Quantity.Mul(decimal.FromScaled(5, max(f.Price.Scale(), 2)+1)).Add(decimal.FromScaled(5, 3))
	widest := decimal.Min(traded, decimal.Max(decimal.New(25), traded.Mul(decimal.FromScaled(5, 2))))
	if gap.Cmp(rounding) <= 0 || gap.Cmp(widest) > 0 {
		return decimal.Zero
	}
	return gap.Round(2)
}
