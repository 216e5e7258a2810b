package playbook

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// Figures are what a trade itself tells about R. Risk goes by notionals, never by
// a rounded average price.
type Figures struct {
	Long          bool
	EntryNotional decimal.Decimal
	// EntrySize is quantity × multiplier summed over the opening fills.
	EntrySize decimal.Decimal
	// Rate converts notionals to the account's currency.
	Rate   matching.Rate
	NetPnL decimal.Null // absent while the trade is open
	// QtyOpened and QtyRemaining are the whole position's size and the open part's.
	// Without them there is no RiskToStop.
	QtyOpened, QtyRemaining decimal.Decimal
}

// Derived are the figures following from a trade and its annotations together.
type Derived struct {
	// InitialRisk is what the trader stated, or else what the stop implies.
	InitialRisk decimal.Null
	// InitialRiskDerived reports that it is the latter.
	InitialRiskDerived bool
	// RMultiple is the net result in multiples of the initial risk.
	RMultiple decimal.Null
	// PlannedR is the planned reward in multiples of the planned risk; below zero where
	// the target lies on the entry's wrong side.
	PlannedR decimal.Null
	// RiskToStop is what the open part loses between the average entry and the stop;
	// 0 if the stop is at the entry or beyond it. A closed trade has none.
	RiskToStop decimal.Null
	// StopOnWrongSide reports that the stop lies above a long trade's entry, or below a
	// short one's: no risk follows from it.
	StopOnWrongSide bool
}

// ratioScale is how many decimals ratios are rounded to, half to even.
const ratioScale = 12

// Derive computes what follows from a trade and its annotations. Without a stated risk
// the initial risk is the loss at the stop: quantity × multiplier × (price − stop) summed
// over the opening fills, with the direction's sign, converted to the account's currency.
// A stop at the entry or beyond it gives none, and so does an unknown rate. The planned R
// is the way from the entry to the target against the way to the stop or, without a stop,
// against the stated risk.
func Derive(f Figures, m Annotations) Derived {
	distance := f.lossAt(m.StopPrice.Decimal)
	hasStop := m.StopPrice.Valid && distance.Sign() > 0
	d := Derived{InitialRisk: m.InitialRisk, StopOnWrongSide: m.StopPrice.Valid && distance.Sign() < 0}
	switch {
	case m.InitialRisk.Valid && f.NetPnL.Valid:
		d.RMultiple = ratio(f.NetPnL.Decimal, m.InitialRisk.Decimal)
	case !m.InitialRisk.Valid && hasStop:
		d.InitialRisk = f.Rate.Convert(distance)
		d.InitialRiskDerived = d.InitialRisk.Valid
		if f.NetPnL.Valid {
			d.RMultiple = f.Rate.Ratio(f.NetPnL.Decimal, distance, ratioScale)
		}
	}
	if m.StopPrice.Valid && f.QtyRemaining.Sign() > 0 {
		d.RiskToStop = f.riskToStop(distance)
	}
	if !m.TargetPrice.Valid {
		return d
	}
	reward := f.lossAt(m.TargetPrice.Decimal).Neg()
	if hasStop {
		d.PlannedR = ratio(reward, distance)
	} else if worth, divisor, known := f.Rate.Fraction(reward); known && m.InitialRisk.Valid && !m.StopPrice.Valid {
		d.PlannedR = ratio(worth, divisor.Mul(m.InitialRisk.Decimal))
	}
	return d
}

// Warnings returns what the trader should know about the annotations, as
// sentences.
func (d Derived) Warnings() []string {
	if !d.StopOnWrongSide {
		return nil
	}
	return []string{"The stop is on the wrong side of the average entry, so no risk follows from it. Check stop_price."}
}

// lossAt returns what the whole position loses between its entry and a price, in the
// prices' currency.
func (f Figures) lossAt(price decimal.Decimal) decimal.Decimal {
	loss := f.EntryNotional.Sub(price.Mul(f.EntrySize))
	if f.Long {
		return loss
	}
	return loss.Neg()
}

// riskToStop returns the open part's share in the whole position's loss.
func (f Figures) riskToStop(loss decimal.Decimal) decimal.Null {
	loss = decimal.Max(loss, decimal.Decimal{})
	return f.Rate.Convert(loss.Mul(f.QtyRemaining).DivRound(f.QtyOpened, ratioScale))
}

func ratio(a, b decimal.Decimal) decimal.Null {
	if b.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(a.DivRound(b, ratioScale))
}
