package rulecheck

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// ratioScale is how many decimals shares and ratios have.
const ratioScale = 12

const microsMinute = int64(time.Minute / time.Microsecond)

// results are the trades' results by place: shuffled or resized ones. Without a net result they
// are the real ones.
type results struct {
	net      []decimal.Decimal
	outcomes []int8 // 1 for a win, -1 for a loss
}

// walker evaluates one rule over trades in opening order.
type walker struct {
	rule   *rules.Rule
	facts  *Facts
	trades []analytics.Opening
	closes []int32
	// openDays are the days of opening if they are needed often, else nil.
	openDays []int64
	clock    analytics.DayClock
	windows  []rules.Window
	// counted has whether a trade makes state, once that is known: see isCounted.
	counted []countedState
	// checkDay reports whether a day is judged.
	checkDay   func(journal.Day) bool
	onDayBreak func(Break)
	// onPlace is called before anything is known of a trade's opening; it may be nil.
	onPlace func(i int)
	// onClose is called after the state has a trade's result; it may be nil.
	onClose func(i int, day int64, d *dayState)

	walkState
	results results
	removed []bool // nil unless the rule is enforced
	equity  map[journal.AccountID]*equity
	lastDay int64
	last    *dayState

	// value, limit and at belong to the last broken verdict.
	value, limit decimal.Null
	at           int64
}

// walkState is what a walk knows before a trade, the equity apart.
type walkState struct {
	place int // the trade's
	next  int // the next close whose result is not known
	days  map[int64]*dayState
	row   int   // losses in a row, over days
	rest  int64 // the last close after which cool_down rests
	open  openSet
}

func newWalkState() walkState { return walkState{days: map[int64]*dayState{}, rest: math.MinInt64} }

// clone returns a copy that shares nothing.
func (s *walkState) clone() walkState {
	out := *s
	out.days = make(map[int64]*dayState, len(s.days))
	for day, d := range s.days {
		state := *d
		out.days[day] = &state
	}
	out.open.closedEarly = maps.Clone(s.open.closedEarly)
	return out
}

// countedState is whether a trade makes state.
type countedState uint8

const (
	countedYes countedState = iota + 1
	countedNo
)

// dayState is what is known of a day.
type dayState struct {
	opened        int
	row, losses   int
	running, peak decimal.Decimal
	reached       bool            // the rule holds for the rest of the day
	worst         decimal.Decimal // the worst value so far
	broken        bool            // the day itself broke the rule
	judged        bool            // in the validity and on the weekdays
	level         int             // the highest level of the day's loss that was reported
	streak        bool            // a row of losses was reported
}

// equity is an account's running equity.
type equity struct {
	amount decimal.Decimal
	cash   []analytics.CashEvent // still to come
}

// openSet is the open trades' count and risk.
type openSet struct {
	next int // the next close
	// closedEarly are the trades that open and close at one instant and are not visited yet.
	closedEarly map[int32]bool
	count       int
	risk        decimal.Decimal
	unknown     int // trades without a risk
}

func newWalker(rule *rules.Rule, trades analytics.Openings, facts *Facts) *walker {
	w := &walker{
		rule: rule, facts: facts, trades: trades.Trades, closes: trades.Closes, clock: analytics.NewDayClock(rule.Location()),
		counted: make([]countedState, len(trades.Trades)), onDayBreak: func(Break) {},
	}
	if rule.Kind == rules.NoTrading {
		w.windows = rule.Params.Windows()
	}
	return w
}

// openDay returns a trade's day of opening.
func (w *walker) openDay(i int) int64 {
	if w.openDays != nil {
		return w.openDays[i]
	}
	return w.clock.Day(w.trades[i].OpenedAt)
}

// isCounted reports whether a trade makes state: those of the rule's accounts do, without
// positions held before.
func (w *walker) isCounted(i int) bool {
	if w.counted[i] == 0 {
		w.counted[i] = countedNo
		if t := &w.trades[i]; w.rule.HasAccount(t.Account()) && (w.facts.Began == nil || !t.IsIn(w.facts.Began)) {
			w.counted[i] = countedYes
		}
	}
	return w.counted[i] == countedYes
}

func (w *walker) isRemoved(i int) bool { return w.removed != nil && w.removed[i] }

// resultOf returns a trade's result and outcome.
func (w *walker) resultOf(i int) (net decimal.Decimal, outcome int8) {
	if w.results.net != nil {
		return w.results.net[i], w.results.outcomes[i]
	}
	net = w.trades[i].Net()
	return net, w.trades[i].OutcomeWith(net, w.facts.Tolerance)
}

// actual returns the trades' real results.
func (w *walker) actual() results {
	r := results{net: make([]decimal.Decimal, len(w.trades)), outcomes: make([]int8, len(w.trades))}
	for i := range w.trades {
		r.net[i] = w.trades[i].Net()
		r.outcomes[i] = w.trades[i].OutcomeWith(r.net[i], w.facts.Tolerance)
	}
	return r
}

// walk visits the trades with their verdicts. If the rule is enforced, a broken trade
// makes no state: no result, no count.
func (w *walker) walk(r results, enforce bool, visit func(i int, v Verdict)) {
	w.results, w.removed = r, nil
	if enforce {
		w.removed = make([]bool, len(w.trades))
	}
	w.walkFrom(newWalkState(), visit)
}

// walkFrom visits the trades from a state on.
func (w *walker) walkFrom(state walkState, visit func(i int, v Verdict)) {
	w.walkState, w.last = state, nil
	w.equity = map[journal.AccountID]*equity{}
	for account, c := range w.facts.Capital {
		w.equity[account] = &equity{c.Starting, c.Cash}
	}
	for ; w.place < len(w.trades); w.place++ {
		i := w.place
		if w.onPlace != nil {
			w.onPlace(i)
		}
		t := &w.trades[i]
		for ; w.next < len(w.closes) && w.trades[w.closes[w.next]].ClosedAt < t.OpenedAt; w.next++ {
			w.addClose(int(w.closes[w.next]))
		}
		if !w.isCounted(i) {
			visit(i, NotJudged)
			continue
		}
		w.closeOpen(t.OpenedAt)
		v := NotJudged
		if w.stateAt(w.openDay(i)).judged {
			v = w.test(i)
		}
		visit(i, v)
		if w.removed != nil && v == Broken {
			w.removed[i] = true
			continue
		}
		w.addOpening(i)
	}
	for ; w.next < len(w.closes); w.next++ {
		w.addClose(int(w.closes[w.next]))
	}
}

// forgetDays removes the days that cannot come again: what is opened or closed from now on
// is not before the last opening, but a clock may go back over midnight.
func (w *walker) forgetDays() {
	const back = 2
	if w.place > 0 {
		first := w.openDay(w.place-1) - back
		maps.DeleteFunc(w.days, func(day int64, _ *dayState) bool { return day < first })
		w.last = nil
	}
}

// stateAt returns a day's state. A clock going back over midnight returns to the day
// before, so all days keep theirs.
func (w *walker) stateAt(day int64) *dayState {
	if w.last != nil && day == w.lastDay {
		return w.last
	}
	w.lastDay, w.last = day, w.days[day]
	if w.last == nil {
		w.last = &dayState{judged: w.checkDay(analytics.DayName(day))}
		w.days[day] = w.last
	}
	return w.last
}

// addOpening adds a trade to the state after its own test.
func (w *walker) addOpening(i int) {
	w.stateAt(w.openDay(i)).opened++
	if w.open.closedEarly[int32(i)] {
		delete(w.open.closedEarly, int32(i))
		return
	}
	w.open.count++
	w.open.addRisk(w.trades[i].Risk(), 1)
}

func (o *openSet) addRisk(risk decimal.Null, sign int) {
	switch {
	case !risk.Valid:
		o.unknown += sign
	case sign > 0:
		o.risk = o.risk.Add(risk.Decimal)
	default:
		o.risk = o.risk.Sub(risk.Decimal)
	}
}

// closeOpen removes the trades closed by an instant from the open ones. A trade may open
// and close at the instant, after this one in order.
func (w *walker) closeOpen(at int64) {
	o := &w.open
	for ; o.next < len(w.closes) && w.trades[w.closes[o.next]].ClosedAt <= at; o.next++ {
		i := w.closes[o.next]
		switch {
		case !w.isCounted(int(i)) || w.isRemoved(int(i)):
		case int(i) >= w.place:
			if o.closedEarly == nil {
				o.closedEarly = map[int32]bool{}
			}
			o.closedEarly[i] = true
		default:
			o.count--
			o.addRisk(w.trades[i].Risk(), -1)
		}
	}
}

// addClose adds a trade's result to the state.
func (w *walker) addClose(i int) {
	if !w.isCounted(i) || w.isRemoved(i) {
		return
	}
	t := &w.trades[i]
	day := w.clock.Day(t.ClosedAt)
	d := w.stateAt(day)
	net, outcome := w.resultOf(i)
	switch outcome {
	case -1:
		w.row++
		d.row++
		d.losses++
		if w.rule.Kind == rules.CoolDown && w.row >= w.rule.Params.N {
			w.rest = t.ClosedAt
		}
	case 1:
		w.row, d.row = 0, 0
	}
	d.running = d.running.Add(net)
	d.peak = decimal.Max(d.peak, d.running)
	if e := w.equity[t.Account()]; e != nil {
		e.amount = e.amount.Add(net)
	}
	w.latch(d)
	if w.onClose != nil {
		w.onClose(i, day, d)
	}
	limit := w.rule.Params.Amount.Decimal
	if w.rule.Kind == rules.MaxDailyLoss && d.judged && !d.broken && !w.facts.Mixed && d.running.Neg().Cmp(limit) > 0 {
		d.broken = true
		w.onDayBreak(Break{
			Place: int32(i), OfDay: true, day: day, at: t.ClosedAt, Value: decimal.Of(d.running.Neg()), Limit: decimal.Of(limit),
		})
	}
}

// latch records the worst value after a close, for the rules that hold for the rest of
// the day once they are reached.
func (w *walker) latch(d *dayState) {
	p := &w.rule.Params
	var value, limit decimal.Decimal
	switch w.rule.Kind {
	case rules.StopAfterLosses:
		value, limit = decimal.New(int64(d.row)), decimal.New(int64(p.N))
	case rules.MaxDailyLoss:
		value, limit = d.running.Neg(), p.Amount.Decimal
	case rules.StopAtProfit:
		value, limit = d.running, p.Amount.Decimal
	case rules.GiveBack:
		w.latchGiveBack(d)
		return
	default:
		return
	}
	d.worst = decimal.Max(d.worst, value)
	d.reached = d.reached || value.Cmp(limit) >= 0
}

// latchGiveBack compares without dividing, because a share may not terminate.
func (w *walker) latchGiveBack(d *dayState) {
	p := &w.rule.Params
	if d.peak.Sign() <= 0 || d.peak.Cmp(p.MinPeak.Decimal) < 0 {
		return
	}
	given := d.peak.Sub(d.running)
	d.worst = decimal.Max(d.worst, given.DivRound(d.peak, ratioScale))
	d.reached = d.reached || given.Cmp(p.Share.Decimal.Mul(d.peak)) >= 0
}

// breakIf returns the verdict of a test and keeps its numbers.
func (w *walker) breakIf(broken bool, i int, value, limit decimal.Null) Verdict {
	if !broken {
		return Kept
	}
	w.value, w.limit, w.at = value, limit, w.trades[i].OpenedAt
	return Broken
}

func countOf(n int) decimal.Null { return decimal.Of(decimal.New(int64(n))) }

// test returns the verdict on a trade at its opening.
func (w *walker) test(i int) Verdict {
	t, p, d := &w.trades[i], &w.rule.Params, w.stateAt(w.openDay(i))
	if w.facts.Mixed && w.rule.HasAmount() {
		return Unknown
	}
	switch w.rule.Kind {
	case rules.StopAfterLosses:
		return w.breakIf(d.reached, i, decimal.Of(d.worst), countOf(p.N))
	case rules.MaxDailyLoss, rules.StopAtProfit:
		return w.breakIf(d.reached, i, decimal.Of(d.worst), p.Amount)
	case rules.GiveBack:
		return w.breakIf(d.reached, i, decimal.Of(d.worst), p.Share)
	case rules.MaxLosses:
		return w.breakIf(d.losses >= p.N, i, countOf(d.losses), countOf(p.N))
	case rules.MaxTrades:
		return w.breakIf(d.opened >= p.N, i, countOf(d.opened+1), countOf(p.N))
	case rules.MaxOpen:
		return w.breakIf(w.open.count >= p.N, i, countOf(w.open.count+1), countOf(p.N))
	case rules.MaxOpenRisk:
		return w.testOpenRisk(i)
	case rules.CoolDown:
		return w.testCoolDown(i)
	case rules.NoTrading:
		minute := w.clock.Minute(t.OpenedAt)
		return w.breakIf(slices.ContainsFunc(w.windows, func(at rules.Window) bool { return at.Contains(minute) }), i, decimal.Null{}, decimal.Null{})
	case rules.MaxSize:
		return w.testSize(i)
	default:
		return w.testTrade(i)
	}
}

// testTrade tests what depends on the trade alone.
func (w *walker) testTrade(i int) Verdict {
	t, p := &w.trades[i], &w.rule.Params
	breakIf := func(broken bool) Verdict { return w.breakIf(broken, i, decimal.Null{}, decimal.Null{}) }
	switch w.rule.Kind { //nolint:exhaustive // see test
	case rules.OnlySetups:
		setups := t.Setups()
		if len(setups) == 0 {
			return Unknown
		}
		return breakIf(!haveCommon(setups, p.SetupIDs))
	case rules.OnlySymbols:
		return breakIf(!t.HasSymbol(p.Symbols))
	case rules.AvoidSetups:
		return breakIf(haveCommon(t.Setups(), p.SetupIDs))
	case rules.AvoidTags:
		return breakIf(haveCommon(t.Tags(), p.TagIDs))
	case rules.MinRewardRisk:
		planned := t.PlannedR()
		if !planned.Valid {
			return Unknown
		}
		return w.breakIf(planned.Decimal.Cmp(p.Ratio.Decimal) < 0, i, planned, p.Ratio)
	case rules.StopSet:
		return breakIf(!t.HasStop())
	case rules.NoAddingToLosers:
		return w.testAdding(i)
	case rules.ReviewBy:
		return w.testReview(i)
	}
	return Unknown
}

func (w *walker) testOpenRisk(i int) Verdict {
	sum, unknown := w.open.risk, w.open.unknown
	if risk := w.trades[i].Risk(); risk.Valid {
		sum = sum.Add(risk.Decimal)
	} else {
		unknown++
	}
	if sum.Cmp(w.rule.Params.Amount.Decimal) <= 0 && unknown > 0 {
		return Unknown
	}
	return w.breakIf(sum.Cmp(w.rule.Params.Amount.Decimal) > 0, i, decimal.Of(sum), w.rule.Params.Amount)
}

func (w *walker) testCoolDown(i int) Verdict {
	if w.rest == math.MinInt64 {
		return Kept
	}
	minutes := w.rule.Params.Minutes
	passed := decimal.New(w.trades[i].OpenedAt - w.rest)
	broken := passed.Cmp(minutes.Decimal.Mul(decimal.New(microsMinute))) < 0
	return w.breakIf(broken, i, decimal.Of(passed.DivRound(decimal.New(microsMinute), ratioScale)), minutes)
}

// steps returns a trade's entries.
func (w *walker) steps(t *analytics.Opening) []EntryStep {
	if w.facts.Entries != nil {
		if steps := w.facts.Entries(t.ID()); len(steps) > 0 {
			return steps
		}
	}
	return []EntryStep{{At: t.OpenedAt, Quantity: t.Quantity(), Notional: t.Size()}}
}

// sizeOf returns what max_size compares: the sizes of the steps, the limit, and whether
// both are known.
func (w *walker) sizeOf(i int) (sizes []decimal.Decimal, limit decimal.Decimal, known bool) {
	t, p := &w.trades[i], &w.rule.Params
	if p.Risk.Valid {
		risk := t.Risk()
		return []decimal.Decimal{risk.Decimal}, p.Risk.Decimal, risk.Valid
	}
	steps := w.steps(t)
	for k := range steps {
		size := steps[k].Notional
		if p.Quantity.Valid {
			size = steps[k].Quantity
		}
		sizes = append(sizes, size)
	}
	switch {
	case p.Quantity.Valid:
		return sizes, p.Quantity.Decimal, true
	case p.Notional.Valid:
		return sizes, p.Notional.Decimal, true
	}
	const hundred = 100
	capital := w.equityAt(t)
	return sizes, p.EquityPct.Decimal.Mul(capital).DivRound(decimal.New(hundred), 2*ratioScale), capital.Sign() > 0
}

// equityAt returns the account's equity right before an opening.
func (w *walker) equityAt(t *analytics.Opening) decimal.Decimal {
	e := w.equity[t.Account()]
	if e == nil {
		return decimal.Zero
	}
	for len(e.cash) > 0 && e.cash[0].At.UnixMicro() < t.OpenedAt {
		e.amount, e.cash = e.amount.Add(e.cash[0].Amount), e.cash[1:]
	}
	return e.amount
}

func (w *walker) testSize(i int) Verdict {
	sizes, limit, known := w.sizeOf(i)
	if !known {
		return Unknown
	}
	at := slices.IndexFunc(sizes, func(size decimal.Decimal) bool { return size.Cmp(limit) > 0 })
	if at < 0 {
		return Kept
	}
	t, p := &w.trades[i], &w.rule.Params
	value, stated := sizes[at], limit
	if p.EquityPct.Valid {
		value, stated = value.Mul(decimal.New(100)).DivRound(w.equityAt(t), ratioScale), p.EquityPct.Decimal
	}
	v := w.breakIf(true, i, decimal.Of(value), decimal.Of(stated))
	if !p.Risk.Valid {
		w.at = w.steps(t)[at].At
	}
	return v
}

func (w *walker) testAdding(i int) Verdict {
	for _, s := range w.steps(&w.trades[i]) {
		if s.AddsToLoser {
			v := w.breakIf(true, i, decimal.Of(s.Price), decimal.Of(s.Average))
			w.at = s.At
			return v
		}
	}
	return Kept
}

func (w *walker) testReview(i int) Verdict {
	t := &w.trades[i]
	if t.IsOpen() {
		return Unknown
	}
	const microsHour = 60 * microsMinute
	wait, _ := w.rule.Params.Hours.Decimal.Mul(decimal.New(microsHour)).Round(0).ToScaled(0) // at most a million hours
	deadline := time.UnixMicro(t.ClosedAt + wait).UTC()
	reviewed := t.ReviewedAt()
	switch {
	case !reviewed.IsZero() && !reviewed.After(deadline):
		return Kept
	case reviewed.IsZero() && !w.facts.Now.After(deadline):
		return Unknown
	}
	v := w.breakIf(true, i, decimal.Null{}, decimal.Null{})
	w.at = t.ClosedAt + wait
	return v
}

func haveCommon[T comparable](have, want []T) bool {
	return slices.ContainsFunc(have, func(id T) bool { return slices.Contains(want, id) })
}

// compareBreaks compares by instant, the day's break first.
func compareBreaks(a, b *Break) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(boolNumber(b.OfDay), boolNumber(a.OfDay)), cmp.Compare(a.Place, b.Place))
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}
