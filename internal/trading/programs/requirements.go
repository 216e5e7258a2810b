package programs

import "fillbook/internal/base/decimal"

// isPassed reports whether all requirements for passing are met. A program without one is
// never passed.
func (e *evaluator) isPassed() bool {
	required := false
	for i := range e.rules {
		rs := &e.rules[i]
		if !rs.Rule.Kind.IsRequirement() || rs.Rule.EffectOrDefault() != BlockPass {
			continue
		}
		required = true
		if met, _, _ := e.requirement(rs); !met {
			return false
		}
	}
	return required
}

// requirement returns whether a requirement is met, its value and what it needs.
func (e *evaluator) requirement(rs *ruleState) (met bool, value, limit decimal.Null) {
	number := func(n int) decimal.Null { return decimal.Of(decimal.New(int64(n))) }
	switch r := rs.Rule; r.Kind {
	case ProfitTarget:
		profit := e.balance.Sub(e.facts.Start)
		return profit.Cmp(rs.amount) >= 0 && len(e.held) == 0, decimal.Of(profit), decimal.Of(rs.amount)
	case Consistency:
		met, value = e.consistency(r.Fraction.Decimal, r.Test == TestBelow)
		return met, value, r.Fraction
	case MinDays:
		days := e.fillDays
		if r.Count == CountOpening {
			days = e.openingDays
		}
		return days >= r.N, number(days), number(r.N)
	case MinProfitDays:
		days := e.profitDays(rs)
		return days >= r.N, number(days), number(r.N)
	default:
		return e.payout(rs)
	}
}

// profitDays returns the days with enough profit since the last payout, today included.
func (e *evaluator) profitDays(rs *ruleState) int {
	minimum, _ := rs.dayProfit()
	if e.hasEvent && e.windowNet.Cmp(minimum) >= 0 {
		return rs.profitDays + 1
	}
	return rs.profitDays
}

// consistency returns whether the best day since the last payout is a small enough share
// of the profit, and that share; the share is absent without a profit.
func (e *evaluator) consistency(largest decimal.Decimal, below bool) (met bool, share decimal.Null) {
	total, best := e.total.Add(e.windowNet), decimal.Max(e.best, e.windowNet)
	if total.Sign() <= 0 {
		return false, decimal.Null{}
	}
	order := best.Cmp(largest.Mul(total))
	return order < 0 || order == 0 && !below, decimal.Of(best.DivRound(total, 8))
}

// payout returns whether a payout can be requested, and what can be taken.
func (e *evaluator) payout(rs *ruleState) (met bool, value, limit decimal.Null) {
	r := rs.Rule
	amount := decimal.Max(e.balance.Sub(e.facts.Start).Sub(r.Buffer.Decimal), decimal.Zero)
	if r.MaxAmount.Valid {
		amount = decimal.Min(amount, r.MaxAmount.Decimal)
	}
	met = amount.Sign() > 0 && amount.Cmp(r.MinAmount.Decimal) >= 0 && (r.MaxCount == 0 || e.payouts < r.MaxCount)
	if r.ProfitDays != nil {
		met = met && e.profitDays(rs) >= r.ProfitDays.N
	}
	if r.Consistency.Valid {
		steady, _ := e.consistency(r.Consistency.Decimal, false)
		met = met && steady
	}
	return met, decimal.Of(amount), r.MinAmount
}
