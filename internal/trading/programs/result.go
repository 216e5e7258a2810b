package programs

import "fillbook/internal/base/decimal"

// A limit warns when a fifth of it or less is left.
var warningShare = decimal.FromScaled(2, 1)

// result returns the state after the last event.
func (e *evaluator) result() *Result {
	if e.hasEvent || e.state != "" {
		for i := range e.rules {
			if rs := &e.rules[i]; rs.Rule.Kind == MaxLoss && rs.Rule.Mode == TrailingEOD && e.state == "" {
				rs.nextFloor = decimal.Max(rs.nextFloor, rs.levelBelow(decimal.Max(rs.peak, e.balance)))
			}
		}
		e.recordDay()
	}
	out := &Result{
		State: Active, DecidedAt: e.ended, Breach: e.breach, Balance: e.balance, Floor: e.floor(false), Days: e.days, OpenBounded: e.bounded,
		Today: Today{Day: e.day, Net: e.net}, Rules: make([]RuleResult, len(e.rules)),
	}
	if e.state != "" {
		out.State = e.state
		out.TradesAfter = e.tradesAfter()
	}
	for i := range e.rules {
		out.Rules[i] = e.ruleResult(&e.rules[i])
		if r := &out.Rules[i]; r.Rule.Kind == DailyLoss && (!out.Today.Limit.Valid || r.Distance.Decimal.Cmp(out.Today.Left.Decimal) < 0) {
			out.Today.Limit, out.Today.Left = r.Limit, r.Distance
		}
	}
	return out
}

// tradesAfter counts the trades opened after the end that the evaluation knows.
func (e *evaluator) tradesAfter() int {
	n := e.settled.after
	for i := range e.facts.Trades {
		if t := &e.facts.Trades[i]; len(t.Fills) > 0 && t.Fills[0].At > e.ended && t.Fills[0].At <= e.facts.Until {
			n++
		}
	}
	return n
}

func (e *evaluator) ruleResult(rs *ruleState) RuleResult {
	r := RuleResult{Rule: rs.Rule, State: e.limitState(rs), Evidence: e.evidence(rs)}
	if rs.Rule.Kind.IsRequirement() {
		met, value, limit := e.requirement(rs)
		r.Met, r.Value, r.Limit = &met, value, limit
		if value.Valid && limit.Valid {
			r.Distance = decimal.Of(decimal.Max(limit.Decimal.Sub(value.Decimal), decimal.Zero))
			r.Used = shareOf(value.Decimal, limit.Decimal)
		}
		return r
	}
	r.Value, r.Limit, r.Distance = e.limitValues(rs)
	switch rs.Rule.Kind {
	case MaxLoss, DailyLoss:
		r.Used = shareOf(rs.amount.Sub(r.Distance.Decimal), rs.amount)
	default:
		if r.Limit.Valid {
			r.Used = shareOf(r.Value.Decimal, r.Limit.Decimal)
		}
	}
	if r.State == Breached {
		r.At, r.Trade = rs.at, rs.trade
	}
	return r
}

// shareOf returns a part as a share from 0 to 1 with four decimals; absent without a whole.
func shareOf(part, whole decimal.Decimal) decimal.Null {
	if whole.Sign() <= 0 {
		return decimal.Null{}
	}
	share := part.DivRound(whole, 4)
	return decimal.Of(decimal.Min(decimal.Max(share, decimal.Zero), decimal.New(1)))
}

// limitValues returns a limit's value, the limit itself and what is left.
func (e *evaluator) limitValues(rs *ruleState) (value, limit, left decimal.Null) {
	count := func(used decimal.Decimal, most int) (value, limit, left decimal.Null) {
		if rs.failed && rs.value.Valid {
			used = rs.value.Decimal
		}
		n := decimal.New(int64(most))
		return decimal.Of(used), decimal.Of(n), decimal.Of(n.Sub(used))
	}
	switch rs.Rule.Kind {
	case MaxLoss:
		return decimal.Of(e.balance), decimal.Of(rs.floor), decimal.Of(e.balance.Sub(rs.floor))
	case DailyLoss:
		return decimal.Of(e.net), decimal.Of(rs.amount), decimal.Of(rs.amount.Add(e.net))
	case MaxContracts, ScalingPlan:
		return count(e.contracts(rs.Rule), rs.limit)
	case MaxDays:
		return count(decimal.New(int64(e.usedDays(rs.Rule))), rs.Rule.N)
	case Inactivity:
		return count(decimal.New(int64(max(e.lastFillDay.DaysUntil(e.day)-1, 0))), rs.Rule.Days)
	default:
		return value, limit, left
	}
}

// limitState returns a rule's state after the last event.
func (e *evaluator) limitState(rs *ruleState) LimitState {
	switch {
	case rs.Rule.Kind.IsRequirement():
		return OK
	case rs.failed || rs.suspended || rs.hitToday:
		return Breached
	case e.isUnknown(rs):
		return Unknown
	case e.isNear(rs):
		return Warning
	}
	return OK
}

// isUnknown reports whether a limit may have been breached by open profit or loss.
func (e *evaluator) isUnknown(rs *ruleState) bool {
	switch rs.Rule.Kind {
	case MaxLoss:
		return rs.possible || rs.Rule.Mode == TrailingOpen && !e.bounded
	case DailyLoss:
		usesEquity := rs.Rule.Anchor == AnchorEquity || rs.Rule.Anchor == AnchorHigher
		return rs.possible || usesEquity && e.heldOver
	default:
		return false
	}
}

// isNear reports whether a fifth of a loss or less is left.
func (e *evaluator) isNear(rs *ruleState) bool {
	var left decimal.Decimal
	switch rs.Rule.Kind {
	case MaxLoss:
		left = e.balance.Sub(rs.floor)
	case DailyLoss:
		left = rs.amount.Add(e.net)
	default:
		return false
	}
	return left.Cmp(rs.amount.Mul(warningShare)) <= 0
}

// evidence returns what a rule's state is based on.
func (e *evaluator) evidence(rs *ruleState) Evidence {
	usesOpenProfit := rs.Rule.Kind == MaxLoss && rs.Rule.On != OnBalance || rs.Rule.Kind == DailyLoss && rs.Rule.Evaluation != DayEnd
	isOnClose := (rs.failed || rs.suspended || rs.hitToday) && !rs.byBars
	switch {
	case usesOpenProfit && e.bounded && !isOnClose:
		return Bounded
	case e.isUnknown(rs) && !isOnClose:
		return NotEvaluated
	}
	return Exact
}
