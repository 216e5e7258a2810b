package programs

import (
	"math"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// ruleState is a rule during an evaluation.
type ruleState struct {
	Rule   *Rule
	amount decimal.Decimal // the loss, target or day's profit in money

	// max_loss: the floor, the one of the next day, the peak behind it, and the level at
	// which it stops. upperPeak is the highest peak that bars allow.
	floor, nextFloor decimal.Decimal
	peak, upperPeak  decimal.Decimal
	lock             decimal.Null

	// daily_loss: the days on which it was hit. A hit counts once a day.
	hits     int
	hitToday bool

	// profitDays counts finished days with enough profit since the last payout.
	profitDays int
	limit      int // contracts allowed today

	// suspended is set between a breach that was set aside and the first test that is not
	// in breach.
	suspended bool
	failed    bool
	// possible reports that bars do not exclude a breach.
	possible bool
	byBars   bool
	at       int64
	trade    journal.TradeID
	value    decimal.Null // at the breach
}

func newRuleState(r *Rule, start decimal.Decimal) ruleState {
	rs := ruleState{Rule: r}
	switch r.Kind {
	case MaxLoss, ProfitTarget, MinProfitDays, DailyLoss:
		rs.amount = r.amountOf(start)
	default:
	}
	if r.Kind == MaxLoss {
		rs.peak, rs.upperPeak = start, start
		if r.Lock != nil {
			rs.lock = decimal.Of(start.Add(r.Lock.Offset))
		}
		rs.floor = rs.levelBelow(start)
		rs.nextFloor = rs.floor
	}
	return rs
}

// levelBelow returns the floor that belongs to a peak.
func (rs *ruleState) levelBelow(peak decimal.Decimal) decimal.Decimal {
	level := peak.Sub(rs.amount)
	if rs.lock.Valid {
		return decimal.Min(level, rs.lock.Decimal)
	}
	return level
}

// raise raises the peak to a balance, and with it the floor, which never falls.
func (rs *ruleState) raise(balance decimal.Decimal) {
	rs.peak = decimal.Max(rs.peak, balance)
	rs.upperPeak = decimal.Max(rs.upperPeak, balance)
	rs.nextFloor = decimal.Max(rs.nextFloor, rs.levelBelow(rs.peak))
	if rs.Rule.Mode != TrailingEOD {
		rs.floor = rs.nextFloor
	}
}

// raiseAtDayEnd raises a floor that follows the balances at the ends of days.
func (rs *ruleState) raiseAtDayEnd(balance decimal.Decimal) {
	if rs.Rule.Kind == MaxLoss && rs.Rule.Mode == TrailingEOD {
		rs.raise(balance)
	}
}

// moveFloor is the effect of a payout on the floor.
func (rs *ruleState) moveFloor(effect string, gross, start decimal.Decimal) {
	if rs.Rule.Kind != MaxLoss {
		return
	}
	switch effect {
	case FloorToInitial:
		rs.floor, rs.nextFloor = decimal.Max(rs.floor, start), decimal.Max(rs.nextFloor, start)
		rs.lock = decimal.Of(start)
	case FloorByAmount:
		rs.floor, rs.nextFloor = rs.floor.Sub(gross), rs.nextFloor.Sub(gross)
		rs.peak, rs.upperPeak = rs.peak.Sub(gross), rs.upperPeak.Sub(gross)
		if rs.lock.Valid {
			rs.lock.Decimal = rs.lock.Decimal.Sub(gross)
		}
	}
}

// beginDay sets what a rule derives from the balance at the beginning of a day.
func (rs *ruleState) beginDay(balance, start decimal.Decimal) {
	switch rs.Rule.Kind {
	case MaxLoss:
		rs.floor = rs.nextFloor
	case DailyLoss:
		rs.suspended, rs.hitToday, rs.possible, rs.byBars = false, false, false, false
		if rs.Rule.Basis == BasisAnchor {
			rs.amount = rs.Rule.amountOf(balance)
		}
	case ScalingPlan:
		rs.limit = rs.Rule.N
		for _, step := range rs.Rule.Steps {
			if balance.Sub(start).Cmp(step.Above) > 0 {
				rs.limit = step.N
			}
		}
	case MaxContracts:
		rs.limit = rs.Rule.N
	default:
	}
}

// endProfitDay counts a finished day with enough profit.
func (rs *ruleState) endProfitDay(hasEvent bool, net decimal.Decimal) {
	if minimum, counts := rs.dayProfit(); counts && hasEvent && net.Cmp(minimum) >= 0 {
		rs.profitDays++
	}
}

// dayProfit returns the profit from which on a day counts.
func (rs *ruleState) dayProfit() (minimum decimal.Decimal, counts bool) {
	switch {
	case rs.Rule.Kind == MinProfitDays:
		return rs.amount, true
	case rs.Rule.Kind == Payouts && rs.Rule.ProfitDays != nil:
		return rs.Rule.ProfitDays.Amount, true
	}
	return decimal.Zero, false
}

// testClosing tests the limits after a closing fill.
func (e *evaluator) testClosing(at int64, index int, t *Trade) {
	alone := e.openedAlone != nil && e.openedAlone.trade == index && e.openedAlone.day == e.day && e.bounded && len(e.held) == 0
	for i := range e.rules {
		rs := &e.rules[i]
		switch rs.Rule.Kind {
		case MaxLoss:
			e.testMaxLoss(rs, at, t, alone)
		case DailyLoss:
			if rs.Rule.Evaluation != DayEnd {
				e.testDailyLoss(rs, at, t, alone)
			}
		default:
		}
	}
	if e.state != "" {
		return
	}
	e.testContracts(at, t.ID)
	e.testPossible()
	if len(e.held) == 0 {
		e.openedAlone = nil
	}
}

// testMaxLoss tests the balance, and the open loss that bars prove.
func (e *evaluator) testMaxLoss(rs *ruleState, at int64, t *Trade, alone bool) {
	if alone && rs.Rule.On != OnBalance {
		if worst := e.openedAlone.balance.Sub(t.Excursion.LossLow); rs.Rule.isBreachedAt(worst, rs.floor) && !rs.suspended {
			rs.byBars = true
			e.breachLimit(rs, at, t.ID, decimal.Of(worst))
		}
		if rs.Rule.Mode == TrailingOpen {
			rs.raise(e.openedAlone.balance.Add(t.Excursion.ProfitLow))
		}
	}
	if rs.failed {
		return
	}
	switch {
	case rs.Rule.isBreachedAt(e.balance, rs.floor):
		e.breachLimit(rs, at, t.ID, decimal.Of(e.balance))
	default:
		rs.suspended = false
	}
	if rs.Rule.Mode == TrailingClosed || rs.Rule.Mode == TrailingOpen {
		rs.raise(e.balance)
	}
}

// testDailyLoss tests the day's result, and the open loss that bars prove.
func (e *evaluator) testDailyLoss(rs *ruleState, at int64, t *Trade, alone bool) {
	if alone {
		if worst := e.openedAlone.net.Sub(t.Excursion.LossLow); rs.Rule.isBreachedAt(worst, rs.amount.Neg()) && !rs.suspended && !rs.hitToday {
			rs.byBars = true
			e.breachLimit(rs, at, t.ID, decimal.Of(worst))
		}
	}
	if !rs.failed && rs.Rule.isBreachedAt(e.net, rs.amount.Neg()) {
		e.breachLimit(rs, at, t.ID, decimal.Of(e.net))
	}
}

// testContracts tests the open contracts after a fill.
func (e *evaluator) testContracts(at int64, trade journal.TradeID) {
	for i := range e.rules {
		rs := &e.rules[i]
		if rs.Rule.Kind != MaxContracts && rs.Rule.Kind != ScalingPlan || e.state != "" {
			continue
		}
		if open := e.contracts(rs.Rule); open.Cmp(decimal.New(int64(rs.limit))) > 0 {
			e.breachLimit(rs, at, trade, decimal.Of(open))
		} else if rs.Rule.EffectOrDefault() != Warn {
			rs.suspended = false
		}
	}
}

// testPossible marks the limits on equity that the open trades may have breached, by the
// largest loss that their bars allow.
func (e *evaluator) testPossible() {
	if !e.bounded || len(e.held) == 0 {
		return
	}
	for i := range e.rules {
		rs := &e.rules[i]
		switch {
		case rs.Rule.Kind == MaxLoss && rs.Rule.On != OnBalance:
			if rs.Rule.Mode == TrailingOpen {
				rs.upperPeak = decimal.Max(rs.upperPeak, e.balance.Add(e.profitHigh))
			}
			upper := decimal.Max(rs.floor, rs.levelBelow(rs.upperPeak))
			if rs.Rule.Mode != TrailingOpen {
				upper = rs.floor
			}
			rs.possible = rs.possible || rs.Rule.isBreachedAt(e.balance.Sub(e.lossHigh), upper)
		case rs.Rule.Kind == DailyLoss && rs.Rule.Evaluation != DayEnd:
			rs.possible = rs.possible || rs.Rule.isBreachedAt(e.net.Sub(e.lossHigh), rs.amount.Neg())
		}
	}
}

// testFlat tests that no position is open.
func (e *evaluator) testFlat(ev *event) {
	rs := &e.rules[ev.rule]
	if len(e.held) == 0 {
		if rs.Rule.EffectOrDefault() != Warn {
			rs.suspended = false
		}
		return
	}
	oldest := math.MaxInt
	for index := range e.held {
		oldest = min(oldest, index)
	}
	rs.suspended = rs.suspended && rs.Rule.EffectOrDefault() == Warn // each deadline is a test of its own
	e.hasEvent = true
	e.breachLimit(rs, ev.at, e.facts.Trades[oldest].ID, decimal.Null{})
}

// testDayEnd tests what depends on whole days, at the reset that ends one.
func (e *evaluator) testDayEnd(reset int64) {
	for i := range e.rules {
		rs := &e.rules[i]
		switch rs.Rule.Kind {
		case DailyLoss:
			if rs.Rule.Evaluation == DayEnd && rs.Rule.isBreachedAt(e.net, rs.amount.Neg()) {
				e.breachLimit(rs, reset, e.lastClosedBy, decimal.Of(e.net))
			}
		case MaxDays:
			if used := e.usedDays(rs.Rule); used >= rs.Rule.N {
				e.breachLimit(rs, reset, "", decimal.Of(decimal.New(int64(used))))
			}
		case Inactivity:
			if idle := e.lastFillDay.DaysUntil(e.day); idle >= rs.Rule.Days {
				e.breachLimit(rs, reset, "", decimal.Of(decimal.New(int64(idle))))
			} else if rs.Rule.EffectOrDefault() != Warn {
				rs.suspended = false
			}
		default:
		}
		if e.state != "" {
			e.hasEvent = true
			return
		}
	}
}

// usedDays returns the days that count for max_days, the present one included.
func (e *evaluator) usedDays(r *Rule) int {
	if r.Unit == UnitTrading {
		return e.fillDays
	}
	return e.calendarDays
}
