package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// rateScale is to how many decimals computed rates and prices are kept.
const rateScale = 12

// deal is what a row says about the money of a fill whose price may be in other
// money than its amount.
type deal struct {
	priced string          // the currency of the price; GBX is a hundredth of GBP
	home   string          // the currency of amount and costs
	gross  decimal.Decimal // what was traded in home, without costs; 0 if not told
	rate   decimal.Null    // as the file states it, either way round
}

// settle makes the fill worth what it is in the account's money. The price stays
// as the file has it. Where it is in the account's own currency the costs are
// turned into that; otherwise the multiplier turns the price into the currency
// of the amounts, which is the one the broker keeps the account in.
func (d deal) settle(w *statement.Row, f *statement.Fill) {
	account := w.Reader().Hints.Currency
	d.priced, d.home = pence(d.priced), strings.ToUpper(d.home)
	if d.priced == "" || d.priced == d.home {
		foreign(w, f, d.home)
		return
	}
	worth := d.worth(f)
	if worth.Sign() <= 0 {
		foreign(w, f, d.priced)
		return
	}
	if d.priced == account {
		f.Fees, f.Commission = f.Fees.DivRound(worth, rateScale), f.Commission.DivRound(worth, rateScale)
		if f.StatedCashFlow.Valid {
			f.StatedCashFlow = decimal.Of(f.StatedCashFlow.Decimal.DivRound(worth, rateScale))
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
	if d.priced == "GBX" && d.home == "GBP" {
		return decimal.FromScaled(1, 2)
	}
	traded := f.Quantity.Abs().Mul(f.Price)
	if traded.IsZero() {
		return decimal.Zero
	}
	told := d.gross.Abs().DivRound(traded, rateScale)
	if d.rate.Decimal.Sign() <= 0 {
		return told
	}
	one, other := d.rate.Decimal, decimal.New(1).DivRound(d.rate.Decimal, rateScale)
	if told.IsZero() {
		return one
	}
	if told.Sub(other).Abs().Cmp(told.Sub(one).Abs()) < 0 {
		one = other
	}
	if !near(one, told) {
		return told
	}
	return one
}

// near tells that two numbers differ by less than a twentieth.
func near(a, b decimal.Decimal) bool {
	return a.Sub(b).Abs().Mul(decimal.New(20)).Cmp(b.Abs()) < 0
}

// pence gives hundredths of a pound one name.
func pence(currency string) string {
	if currency == "GBp" || strings.EqualFold(currency, "GBX") {
		return "GBX"
	}
	return strings.ToUpper(currency)
}

// foreign notes that the amounts of a fill are in other money than the account.
func foreign(w *statement.Row, f *statement.Fill, currency string) {
	r := w.Reader()
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

// flow is an amount with the sign that the side gives it: what is bought costs.
func flow(side matching.Side, amount decimal.Decimal) decimal.Null {
	if side == matching.Buy {
		return decimal.Of(amount.Abs().Neg())
	}
	return decimal.Of(amount.Abs())
}

// hiddenCosts is what lies between the amount that moved and what was traded,
// for files that do not state costs. Nothing is inferred from a gap that
// rounding may explain, or that is too wide for costs.
func hiddenCosts(f *statement.Fill, amount, worth decimal.Decimal) decimal.Decimal {
	traded := f.Quantity.Abs().Mul(f.Price).Mul(worth)
	gap := amount.Abs().Sub(traded)
	if f.Side == matching.Sell {
		gap = gap.Neg()
	}
	rounding := f.Quantity.Abs().Mul(worth).Mul(halfOf(f.Price)).Add(decimal.FromScaled(5, 3))
	widest := decimal.Max(decimal.New(25), traded.Mul(decimal.FromScaled(5, 2)))
	if gap.Cmp(rounding) <= 0 || gap.Cmp(widest) > 0 || gap.Cmp(traded) > 0 {
		return decimal.Zero
	}
	return gap.Round(2)
}

// halfOf is half of the last decimal of a price, of which two are the least.
func halfOf(price decimal.Decimal) decimal.Decimal {
	return decimal.FromScaled(5, max(price.Scale(), 2)+1)
}

// oneEach clears ids that several fills share: such an id is that of an order,
// and would make all but one of its fills look like repeats.
func oneEach(r *statement.Reader) {
	seen := map[string]int{}
	for _, f := range r.Out.Fills {
		seen[f.ID]++
	}
	for _, f := range r.Out.Fills {
		if seen[f.ID] > 1 {
			f.ID = ""
		}
	}
}
