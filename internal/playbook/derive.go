package playbook

import "fillbook/internal/decimal"

// Figures are what a trade itself tells about R.
type Figures struct {
	Long       bool
	AvgEntry   decimal.Decimal
	QtyOpened  decimal.Decimal
	Multiplier decimal.Decimal
	NetPnL     decimal.Null // absent while the trade is open
}

// Derived are the figures that follow from a trade and its marks together.
type Derived struct {
	// InitialRisk is what the trader stated, or else what the stop implies.
	InitialRisk decimal.Null
	// InitialRiskDerived tells that it is the latter.
	InitialRiskDerived bool
	// RMultiple is the net result in units of the initial risk.
	RMultiple decimal.Null
	// PlannedR is the planned reward in units of the planned risk; below zero
	// where the target lies on the wrong side of the entry.
	PlannedR decimal.Null
}

// ratioScale is the number of decimals that ratios are rounded to, half to even;
// averages have as many.
const ratioScale = 12

// Derive computes what follows from a trade and its marks. Without a stated risk
// the initial risk is |average entry − stop| × opened quantity × multiplier; a
// stop at the entry risks nothing and gives no R. The planned R is the way from
// the entry to the target against the way to the stop or, without a stop, against
// the stated risk.
func Derive(f Figures, m Marks) Derived {
	size := f.QtyOpened.Mul(f.Multiplier)
	d := Derived{InitialRisk: m.InitialRisk}
	if risk := f.AvgEntry.Sub(m.StopPrice.Decimal).Abs().Mul(size); !d.InitialRisk.Valid && m.StopPrice.Valid && risk.Sign() > 0 {
		d.InitialRisk, d.InitialRiskDerived = decimal.Of(risk), true
	}
	if d.InitialRisk.Valid && f.NetPnL.Valid {
		d.RMultiple = ratio(f.NetPnL.Decimal, d.InitialRisk.Decimal)
	}
	if !m.TargetPrice.Valid {
		return d
	}
	reward := m.TargetPrice.Decimal.Sub(f.AvgEntry)
	if !f.Long {
		reward = reward.Neg()
	}
	if m.StopPrice.Valid {
		d.PlannedR = ratio(reward, f.AvgEntry.Sub(m.StopPrice.Decimal).Abs())
	} else if m.InitialRisk.Valid {
		d.PlannedR = ratio(reward.Mul(size), m.InitialRisk.Decimal)
	}
	return d
}

func ratio(a, b decimal.Decimal) decimal.Null {
	if b.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(a.DivRound(b, ratioScale))
}
