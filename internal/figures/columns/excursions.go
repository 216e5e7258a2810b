package columns

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/excursions"
)

// addExcursion adds what the price did during a trade to its row. Typed MAE and MFE
// replace those from bars. result is only read if it was found. e has no values yet.
func addExcursion(row *analytics.Trade, e *analytics.TradeExcursion, result *excursions.Result, found bool) {
	row.Excursion = e
	if found && result.IsAvailable() {
		e.MAELow, e.MAEHigh = decimal.Of(result.MAE.Low), decimal.Of(result.MAE.High)
		e.MFELow, e.MFEHigh = decimal.Of(result.MFE.Low), decimal.Of(result.MFE.High)
		e.ExitEfficiency, _ = result.ExitEfficiency()
		e.AfterExit = result.AfterExit
	}
	if row.MAE.Valid {
		e.MAELow, e.MAEHigh = row.MAE, row.MAE
	}
	if row.MFE.Valid {
		e.MFELow, e.MFEHigh = row.MFE, row.MFE
	}
	if found && result.IsAvailable() && !result.IsWhole() && (!row.MAE.Valid || !row.MFE.Valid) {
		e.Coverage = decimal.Of(result.Coverage)
	}
	row.MAE, row.MFE = roundAmount(e.MAELow), roundAmount(e.MFELow)
	if risk := row.InitialRisk; risk.Valid && risk.Decimal.Sign() > 0 {
		e.MAER, e.MAEHighR = divide(e.MAELow, risk.Decimal), divide(e.MAEHigh, risk.Decimal)
		e.MFER, e.MFEHighR = divide(e.MFELow, risk.Decimal), divide(e.MFEHigh, risk.Decimal)
	}
	if !found {
		return
	}
	context := &result.Context
	e.GapPct, e.RelativeVolume, e.OpeningRange = context.GapPct, context.RelativeVolume, context.OpeningRangePlace
	if price := row.EntryPrice; context.ATR.Valid && price.Sign() > 0 {
		e.ATRPct = divide(decimal.Of(context.ATR.Decimal.Mul(decimal.New(100))), price)
	}
}

// divide returns a ratio as columns have it.
func divide(n decimal.Null, by decimal.Decimal) decimal.Null {
	if !n.Valid {
		return n
	}
	return decimal.Of(n.Decimal.DivRound(by, analytics.ExcursionScale))
}

// amountScale is the most decimals for an amount to be added up: more come from currency
// rates only, and would make sums slow.
const amountScale = 12

func roundAmount(n decimal.Null) decimal.Null {
	if n.Valid && n.Decimal.Scale() > amountScale {
		n.Decimal = n.Decimal.Round(amountScale)
	}
	return n
}
