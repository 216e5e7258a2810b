package programs

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// State is an enrollment's state.
type State string

// The states. Closed is set by the user only.
const (
	Active State = "active"
	Passed State = "passed"
	Failed State = "failed"
	Closed State = "closed"
)

// LimitState is the state of a limit.
type LimitState string

// The states of limits, from good to bad. Requirements are always OK.
const (
	OK       LimitState = "ok"
	Unknown  LimitState = "unknown"
	Warning  LimitState = "warning"
	Breached LimitState = "breached"
)

// Evidence is what a rule's state is based on.
type Evidence string

// The kinds of evidence.
const (
	Exact        Evidence = "exact"
	Bounded      Evidence = "bounded"
	NotEvaluated Evidence = "not_evaluated"
)

// Result is an evaluated enrollment.
type Result struct {
	State State
	// DecidedAt is when it was passed or failed, in microseconds; 0 while it is active.
	DecidedAt int64
	Breach    *Breach // nil unless it failed
	Balance   decimal.Decimal
	// Floor is the level that the balance must stay above; absent without max_loss.
	Floor decimal.Null
	Today Today
	Rules []RuleResult
	Days  []DayResult
	// OpenBounded reports that bars bound the open profit of every trade.
	OpenBounded bool
	// TradesAfter counts the trades opened after the enrollment was passed or failed.
	TradesAfter int
	// LastFill is the last fill that counts, in microseconds; 0 without one.
	LastFill int64
	// ValidUntil is the last instant at which the same facts have the same result.
	ValidUntil int64
}

// Today is the day of the last evaluated instant.
type Today struct {
	Day journal.Day
	Net decimal.Decimal
	// Limit is the loss that the day may have, Left what remains of it; absent without
	// daily_loss.
	Limit, Left decimal.Null
}

// RuleResult is an evaluated rule.
type RuleResult struct {
	Rule  *Rule
	State LimitState
	// Met is nil for limits.
	Met                    *bool
	Value, Limit, Distance decimal.Null
	// Used is the share of a limit that is used up, or of a requirement that is reached,
	// from 0 to 1.
	Used decimal.Null
	// At and Trade belong to a breach; At is 0 without one.
	At       int64
	Trade    journal.TradeID
	Evidence Evidence
}

// DayResult is a program day with an event.
type DayResult struct {
	Day     journal.Day
	Balance decimal.Decimal
	// Floor is the level tested at the day's end, FloorNext that of the next day.
	Floor, FloorNext decimal.Null
	// Net is the day's result without payouts.
	Net    decimal.Decimal
	Paid   decimal.Decimal
	Trades int // opened
	States map[Kind]LimitState
}

// Evaluate evaluates a program, which must be valid.
func Evaluate(p *Program, facts *Facts) *Result {
	out, _, _ := EvaluateFrom(p, facts, nil, nil)
	return out
}

// nextChange returns the first instant after the evaluated ones at which something happens:
// an event, a deadline or the end of the day.
func (e *evaluator) nextChange() int64 {
	f := e.facts
	next := e.clock.begin(e.clock.dayAt(f.Until).AddDays(1))
	at := func(instant int64) {
		if instant > f.Until {
			next = min(next, instant)
		}
	}
	for i := range f.Trades {
		for k := range f.Trades[i].Fills {
			at(f.Trades[i].Fills[k].At)
		}
	}
	for _, c := range f.Cash {
		at(c.At)
	}
	for _, p := range f.Payouts {
		at(p.At)
	}
	for _, d := range e.listDeadlines(f.Until+1, next) {
		at(d.at)
	}
	return next
}

func newEvaluator(p *Program, facts *Facts, clock dayClock) *evaluator {
	e := &evaluator{program: p, facts: facts, clock: clock, balance: facts.Start, held: map[int]decimal.Decimal{}}
	e.rules = make([]ruleState, len(p.Rules))
	for i := range p.Rules {
		e.rules[i] = newRuleState(&p.Rules[i], facts.Start)
	}
	return e
}

// isBounded reports whether every trade that counts has an excursion, and none is open at
// the last instant: its excursion would tell what happened later.
func (e *evaluator) isBounded() bool {
	f := e.facts
	if e.settled.isUnbounded {
		return false
	}
	counts := e.settled.counts
	for i := range f.Trades {
		if t := &f.Trades[i]; len(t.Fills) > 0 && t.Fills[0].At >= f.StartedAt && t.Fills[0].At <= f.Until {
			counts = true
			if t.Excursion == nil || t.isOpenAt(f.Until) {
				return false
			}
		}
	}
	return counts
}

// isOpenAt reports whether a position is left after an instant's fills.
func (t *Trade) isOpenAt(at int64) bool {
	held := decimal.Zero
	for i := range t.Fills {
		if t.Fills[i].At <= at {
			held = held.Add(t.Fills[i].Quantity)
		}
	}
	return held.Sign() != 0
}

// evaluator walks through an enrollment.
type evaluator struct {
	program *Program
	facts   *Facts
	clock   dayClock
	rules   []ruleState
	bounded bool
	brief   bool // only the state is needed, no days
	// deadlines are those of the flat_by rules, if they are known already.
	deadlines []event

	// resumedAt is the checkpoint's instant from which the evaluation goes on, and settled what
	// it needs of the trades before; see [Checkpoint].
	resumedAt int64
	settled   settledTrades
	marks     *markList // nil if no checkpoints are made

	balance decimal.Decimal
	state   State
	ended   int64
	breach  *Breach

	// The day.
	day        journal.Day
	net        decimal.Decimal
	paid       decimal.Decimal
	dayStart   decimal.Decimal // the balance at its beginning
	heldOver   bool            // a position was open at its beginning
	hasEvent   bool
	hasFill    bool
	hasOpening bool
	opened     int
	days       []DayResult

	// The phase.
	fillDays, openingDays, calendarDays int
	lastFillDay                         journal.Day
	payouts                             int

	// Since the last payout: finished days, and the present one.
	best, total, windowNet decimal.Decimal

	// Open positions, by index in Facts.Trades.
	held         map[int]decimal.Decimal
	full, micro  decimal.Decimal
	openedAlone  *aloneTrade
	lossHigh     decimal.Decimal // sums over the open trades
	profitHigh   decimal.Decimal
	lastClosedBy journal.TradeID
}

// aloneTrade is an open trade during which no other was open.
type aloneTrade struct {
	trade        int
	day          journal.Day
	balance, net decimal.Decimal // at its opening
}

// run walks through events in time order, beginning with a day of the table. Those of trades
// that were opened before the start do not count.
func (e *evaluator) run(events []event, table *dayTable, first int) {
	e.beginDay(table.days[first])
	e.lastFillDay, e.calendarDays = e.day, 1
	e.goOn(events, table, first+1)
}

// goOn walks through events, from the day before the next one of the table on.
func (e *evaluator) goOn(events []event, table *dayTable, next int) {
	if e.state != "" {
		return
	}
	step := func(until int64) {
		for e.state == "" && table.begin(next) <= until {
			e.endDay(table.begins[next], table.days[next])
			next++
		}
	}
	for i := range events {
		ev := &events[i]
		if ev.order == fillEvent && e.facts.Trades[ev.trade].Fills[0].At < e.facts.StartedAt {
			continue
		}
		e.markBefore(ev.at)
		if step(ev.at); e.state != "" {
			return
		}
		if e.apply(ev); e.state != "" {
			return
		}
	}
	step(e.facts.Until)
}

func (e *evaluator) apply(ev *event) {
	switch ev.order {
	case cashEvent:
		e.hasEvent = true
		e.addNet(ev.amount)
	case payoutEvent:
		e.hasEvent = true
		e.applyPayout(ev.amount)
	case fillEvent:
		e.hasEvent = true
		e.applyFill(ev)
	case flatEvent:
		e.testFlat(ev)
	}
}

// addNet adds a result to the balance and the day.
func (e *evaluator) addNet(amount decimal.Decimal) {
	e.balance, e.net, e.windowNet = e.balance.Add(amount), e.net.Add(amount), e.windowNet.Add(amount)
}

// applyPayout takes a payout from the balance and begins a new window for the rules that
// count since the last payout.
func (e *evaluator) applyPayout(gross decimal.Decimal) {
	e.balance, e.paid = e.balance.Sub(gross), e.paid.Add(gross)
	e.payouts++
	e.best, e.total, e.windowNet = decimal.Zero, decimal.Zero, decimal.Zero
	floor := FloorKeep
	for i := range e.rules {
		e.rules[i].profitDays = 0
		if r := e.rules[i].Rule; r.Kind == Payouts && r.Floor != "" {
			floor = r.Floor
		}
	}
	for i := range e.rules {
		e.rules[i].moveFloor(floor, gross, e.facts.Start)
	}
}

func (e *evaluator) applyFill(ev *event) {
	t := &e.facts.Trades[ev.trade]
	if !e.hasFill {
		e.hasFill = true
		e.fillDays++
		e.lastFillDay = e.day
	}
	if ev.fill.Quantity.Sign() > 0 {
		e.applyOpening(ev, t)
		return
	}
	e.hold(ev.trade, t, ev.fill.Quantity)
	e.addNet(ev.fill.Net)
	e.lastClosedBy = t.ID
	e.testClosing(ev.at, ev.trade, t)
	if e.state == "" && len(e.held) == 0 && e.program.canPass() && e.isPassed() {
		e.state, e.ended = Passed, ev.at
	}
}

func (e *evaluator) applyOpening(ev *event, t *Trade) {
	if _, open := e.held[ev.trade]; !open {
		e.beginTrade(ev, t)
	}
	e.hold(ev.trade, t, ev.fill.Quantity)
	e.testContracts(ev.at, t.ID)
	e.testPossible()
}

// beginTrade counts a trade that opens.
func (e *evaluator) beginTrade(ev *event, t *Trade) {
	e.opened++
	if !e.hasOpening {
		e.hasOpening = true
		e.openingDays++
	}
	e.openedAlone = nil
	if len(e.held) == 0 {
		e.openedAlone = &aloneTrade{trade: ev.trade, day: e.day, balance: e.balance, net: e.net}
	}
	if t.Excursion != nil {
		e.lossHigh, e.profitHigh = e.lossHigh.Add(t.Excursion.LossHigh), e.profitHigh.Add(t.Excursion.ProfitHigh)
	}
}

// hold changes the open quantity of a trade.
func (e *evaluator) hold(index int, t *Trade, quantity decimal.Decimal) {
	held := e.held[index].Add(quantity)
	if held.Sign() > 0 {
		e.held[index] = held
	} else {
		delete(e.held, index)
		if t.Excursion != nil {
			e.lossHigh, e.profitHigh = e.lossHigh.Sub(t.Excursion.LossHigh), e.profitHigh.Sub(t.Excursion.ProfitHigh)
		}
	}
	switch t.Size {
	case FullContract:
		e.full = e.full.Add(quantity)
	case MicroContract:
		e.micro = e.micro.Add(quantity)
	case NoContract:
	}
}

func (e *evaluator) beginDay(day journal.Day) {
	e.day, e.net, e.paid, e.dayStart, e.heldOver = day, decimal.Zero, decimal.Zero, e.balance, len(e.held) > 0
	e.hasEvent, e.hasFill, e.hasOpening, e.opened, e.windowNet, e.lastClosedBy = false, false, false, 0, decimal.Zero, ""
	for i := range e.rules {
		e.rules[i].beginDay(e.balance, e.facts.Start)
	}
}

// endDay ends the day at a reset, and begins the next: rules that look at whole days are
// tested, floors rise.
func (e *evaluator) endDay(reset int64, next journal.Day) {
	e.testDayEnd(reset)
	if e.state != "" {
		return
	}
	for i := range e.rules {
		e.rules[i].raiseAtDayEnd(e.balance)
	}
	e.recordDay()
	e.total = e.total.Add(e.windowNet)
	e.best = decimal.Max(e.best, e.windowNet)
	for i := range e.rules {
		e.rules[i].endProfitDay(e.hasEvent, e.windowNet)
	}
	e.openedAlone = nil
	e.beginDay(next)
	e.calendarDays++
	e.testPossible()
}

// recordDay adds the day to the result, if something happened on it.
func (e *evaluator) recordDay() {
	if e.brief || !e.hasEvent && e.state == "" {
		return
	}
	d := DayResult{
		Day: e.day, Balance: e.balance, Net: e.net, Paid: e.paid, Trades: e.opened, Floor: e.floor(false), FloorNext: e.floor(true),
		States: make(map[Kind]LimitState, len(e.rules)),
	}
	for i := range e.rules {
		kind, state := e.rules[i].Rule.Kind, e.limitState(&e.rules[i])
		if rank(state) >= rank(d.States[kind]) {
			d.States[kind] = state
		}
	}
	e.days = append(e.days, d)
}

// rank orders states from good to bad.
func rank(s LimitState) int { return slices.Index([]LimitState{OK, Unknown, Warning, Breached}, s) }

// floor returns the highest floor: the one that is tested now, or the next day's.
func (e *evaluator) floor(next bool) (floor decimal.Null) {
	for i := range e.rules {
		rs := &e.rules[i]
		if rs.Rule.Kind != MaxLoss {
			continue
		}
		value := rs.floor
		if next {
			value = rs.nextFloor
		}
		if !floor.Valid || value.Cmp(floor.Decimal) > 0 {
			floor = decimal.Of(value)
		}
	}
	return floor
}

// contracts returns the open contracts as a rule counts them.
func (e *evaluator) contracts(r *Rule) decimal.Decimal {
	return e.full.Add(e.micro.Mul(r.Micro.Or(defaultMicro)))
}

// breachLimit records that a limit is breached at an instant.
func (e *evaluator) breachLimit(rs *ruleState, at int64, trade journal.TradeID, value decimal.Null) {
	if rs.suspended || rs.hitToday {
		return
	}
	breach := Breach{Kind: rs.Rule.Kind, At: at, Trade: trade}
	rs.at, rs.trade, rs.value = at, trade, value
	if slices.ContainsFunc(e.facts.SetAside, func(b Breach) bool { return b.Kind == breach.Kind && b.At == breach.At }) {
		rs.suspended = true
		return
	}
	switch rs.Rule.EffectOrDefault() {
	case Warn:
		rs.suspended = true
		return
	case Pause:
		rs.hitToday = true
		return
	case CountDays:
		rs.hitToday = true
		rs.hits++
		if rs.hits < rs.Rule.Count.Number() {
			return
		}
	case Fail, BlockPass, BlockPayout:
	}
	rs.failed = true
	if e.state == "" { // the first of several limits that one close breaches
		e.state, e.ended, e.breach = Failed, at, &breach
	}
}
