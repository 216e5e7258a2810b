package analytics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
)

// Capital is the currency and the money in the selected trades' accounts.
type Capital struct {
	// Starting is the sum over the accounts' starting balances.
	Starting decimal.Decimal
	// Currency is the currency for all amounts.
	Currency string
	// Cash is all the accounts' cash, a list for each account.
	Cash [][]CashEvent
	// Exchange is set if amounts are converted into the currency. Trades and cash then have
	// converted amounts, and equity is valued with the rates of each day.
	Exchange *Exchange
}

// CompareCash orders cash events: by instant, deposits and withdrawals before
// results, then by amount. It ignores ids, which depend on when a row
// was stored.
func CompareCash(a, b CashEvent) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.rank(), b.rank()), a.Amount.Cmp(b.Amount))
}

// rank returns 0 for a flow and 1 for a result.
func (e *CashEvent) rank() int {
	if e.Flow {
		return 0
	}
	return 1
}

// cashColumn is the accounts' cash, in order, as a column. The starting capital is its
// first amount, so the scale fits it too.
type cashColumn struct {
	exchange *Exchange
	events   []CashEvent
	amounts  amounts
}

func newCashColumn(capital Capital) *cashColumn {
	runs := make([][]CashEvent, len(capital.Cash))
	for i, run := range capital.Cash {
		if !slices.IsSortedFunc(run, CompareCash) {
			run = slices.SortedStableFunc(slices.Values(run), CompareCash)
		}
		runs[i] = run
	}
	c := &cashColumn{events: mergeRuns(runs, CompareCash), exchange: capital.Exchange}
	c.amounts.push(capital.Starting)
	for i := range c.events {
		c.amounts.push(c.events[i].Amount)
	}
	return c
}

// withCash returns the selection with a scale that also fits the capital and the cash,
// and these as a column.
func (s *Selection) withCash(capital Capital) (*Selection, *cashColumn) {
	cash, with := newCashColumn(capital), *s
	with.chooseScale(&cash.amounts)
	return &with, cash
}

// readCash returns the starting capital and the event amounts.
func readCash[T number[T]](c *cashColumn, scale int32) (starting T, values []T) {
	picks := make([]pick, len(c.events)+1)
	for i := range picks {
		picks[i].row = int32(i)
	}
	values = make([]T, len(picks))
	starting.gather(values, []*amounts{&c.amounts}, picks, scale)
	return values[0], values[1:]
}

// timeline is everything that changes the accounts' equity, in order: their trades and
// all their cash. Summary, drawdowns and equity curve all use it, so their drawdowns
// agree.
type timeline[T number[T]] struct {
	s *Selection // the selected trades
	// whole is the account trades in the span that needs equity; all earlier results are
	// added up in prior.
	whole    *Selection
	net      []T // for whole
	prior    T
	cash     *cashColumn
	amounts  []T // for cash
	starting T
	from, to int64 // the window, in microseconds, both inclusive
}

// newTimeline returns a selection's timeline; net are its net results.
func newTimeline[T number[T]](s *Selection, net []T, cash *cashColumn) *timeline[T] {
	t := &timeline[T]{s: s, whole: s, net: net, cash: cash, from: math.MinInt64, to: math.MaxInt64}
	t.starting, t.amounts = readCash[T](cash, s.scale)
	if at := s.filter.Period.From; at != nil {
		t.from = ceilMicro(*at)
	}
	if at := s.filter.Period.To; at != nil {
		t.to = at.UnixMicro()
	}
	if !s.complete {
		first, last := t.span()
		if cash.exchange != nil {
			first = math.MinInt64 // balances need all earlier results
		}
		t.whole = s.withAllTrades(first, last)
		t.net = readColumn[T](t.whole, netOf)
		t.prior = sumBefore[T](s, first)
	}
	return t
}

// span returns the first and the last instant at which the accounts' equity matters: from
// the start of the first selected trade's UTC day to the last closing, and the window if
// cash results count.
func (t *timeline[T]) span() (first, last int64) {
	first, last = math.MaxInt64, math.MinInt64
	for i := range t.s.picks {
		first = min(first, t.s.basisInstant(i))
	}
	if n := len(t.s.picks); n > 0 {
		first = min(first, t.s.closed(0))
		first, last = dayNumber(first)*microsDay, t.s.closed(n-1)
	}
	if t.countsCash() {
		first, last = min(first, t.from), max(last, t.to)
	}
	return first, last
}

// countsCash reports whether results in cash count.
func (t *timeline[T]) countsCash() bool { return !t.s.filter.isNarrowed() }

// withAllTrades returns the selection with all account trades closed in a span, whose
// ends are inclusive.
func (s *Selection) withAllTrades(first, last int64) *Selection {
	var span Filter
	if first > math.MinInt64 {
		from := time.UnixMicro(first)
		span.Period.From = &from
	}
	if last < math.MaxInt64 {
		to := time.UnixMicro(last)
		span.Period.To = &to
	}
	whole := *s
	whole.picks = s.pickRows(&span)
	return &whole
}

// sumBefore adds up the net results of all account trades closed before an instant.
func sumBefore[T number[T]](s *Selection, before int64) (sum T) {
	for _, p := range s.pages {
		column, end := &p.net, p.countClosedBefore(before)
		if end == p.len() {
			column, end = p.netSum(), 1
		}
		sum = sum.add(sum.totalTo(int32(end), column, s.scale))
	}
	return sum
}

// countClosedBefore returns how many trades in the page closed before an instant.
func (c *page) countClosedBefore(at int64) int {
	n, _ := slices.BinarySearch(c.closed, at)
	return n
}

// event is a timeline step.
type event[T number[T]] struct {
	at     int64
	amount T
	// before is the whole accounts' equity right before a result; it is not valid for
	// flows before the span.
	before T
	flow   bool
	// inside reports whether the event is in the window.
	inside bool
	// trade is the index in the selection, or nowhere for cash.
	trade int

	// The following are set if amounts are converted: all balances right before, the
	// event's account, and the amount in its own currency.
	held    *balances
	account int
	own     decimal.Decimal
}

// equity returns the whole accounts' equity right before the event.
func (e *event[T]) equity(scale int32) float64 {
	if e.held != nil {
		return e.held.floatOn(dayNumber(e.at))
	}
	return e.before.float(scale)
}

// overdraws reports whether the result takes more than the whole equity.
func (e *event[T]) overdraws(scale int32) bool {
	if e.held != nil {
		return e.amount.float(scale)+e.equity(scale) < 0
	}
	return e.before.add(e.amount).sign() < 0
}

// walk calls visit for the flows, the selected results and, unless the filter is
// narrowed, the cash results. The event is valid during the call only.
func (t *timeline[T]) walk(visit func(e *event[T])) {
	e := event[T]{before: t.starting.add(t.prior)}
	countCash := t.countsCash()
	var accounts []int
	if t.cash.exchange != nil {
		e.held, accounts = newBalances(t.cash.exchange), t.whole.numberAccounts()
	}
	trade, selected, cash := 0, 0, 0
	for trade < len(t.net) || cash < len(t.amounts) {
		if t.isCashNext(cash, trade) {
			row := &t.cash.events[cash]
			e.at, e.amount, e.flow, e.trade = row.At.UnixMicro(), t.amounts[cash], row.Flow, nowhere
			e.inside = t.from <= e.at && e.at <= t.to
			e.account, e.own = row.Account, row.Own
			if row.Flow || countCash {
				visit(&e)
			}
			cash++
		} else {
			e.at, e.amount, e.flow = t.whole.closed(trade), t.net[trade], false
			if e.held != nil {
				p := t.whole.picks[trade]
				e.account, e.own = accounts[p.source], t.whole.pages[p.source].original().net.at(p.row)
			}
			if selected < len(t.s.picks) && t.s.picks[selected] == t.whole.picks[trade] {
				e.inside, e.trade = t.s.basis == ByOpening || e.at >= t.from, selected
				visit(&e)
				selected++
			}
			trade++
		}
		e.before = e.before.add(e.amount)
		if e.held != nil {
			e.held.add(e.account, e.own)
		}
	}
}

// listResults returns the results in the window that walk visits, and the equity right
// before each, faster than walk. Without equities, these are t's level and all earlier
// results.
func (t *timeline[T]) listResults() (results, equity []T) {
	if len(t.amounts) == 0 && len(t.s.picks) == len(t.net) {
		return t.net, nil
	}
	level, before := t.starting.add(t.prior), make([]T, len(t.net))
	room := len(t.s.picks) + len(t.amounts)
	results, equity = make([]T, 0, room), make([]T, 0, room)
	trade, selected := 0, t.s.picks
	addTrades := func(end int) {
		level = level.sumBeforeEach(before[trade:end], t.net[trade:end])
		for ; trade < end && len(selected) > 0; trade++ {
			if selected[0] == t.whole.picks[trade] {
				results, equity, selected = append(results, t.net[trade]), append(equity, before[trade]), selected[1:]
			}
		}
		trade = end
	}
	var closed []int64
	if len(t.amounts) > 0 {
		closed = t.whole.listClosings()
	}
	for i, amount := range t.amounts {
		event := &t.cash.events[i]
		at := event.At.UnixMicro()
		end, _ := slices.BinarySearch(closed, at) // on equal instants cash comes first
		addTrades(end)
		if !event.Flow && t.countsCash() && t.from <= at && at <= t.to {
			results, equity = append(results, amount), append(equity, level)
		}
		level = level.add(amount)
	}
	addTrades(len(t.net))
	return results, equity
}

// isCashNext reports whether the next cash event comes before the next trade;
// on equal instants it does.
func (t *timeline[T]) isCashNext(cash, trade int) bool {
	return cash < len(t.amounts) && (trade == len(t.net) || t.cash.events[cash].At.UnixMicro() <= t.whole.closed(trade))
}

// isCapitalKnown reports whether starting balances and deposits up to the first opening
// in the window are above zero.
func (t *timeline[T]) isCapitalKnown() bool {
	known := t.starting
	if known.sign() > 0 && t.cash.exchange == nil {
		return true
	}
	first := int64(math.MaxInt64)
	for i := range t.s.picks {
		if t.s.basis == ByOpening || t.s.closed(i) >= t.from {
			first = min(first, t.s.opened(i))
		}
	}
	if t.cash.exchange != nil {
		return t.isConvertedCapitalKnown(first)
	}
	for i, amount := range t.amounts {
		if event := &t.cash.events[i]; event.Flow && amount.sign() > 0 && event.At.UnixMicro() <= first {
			known = known.add(amount)
		}
	}
	return known.sign() > 0
}

// performance is a window's time-weighted index: each result multiplies it by 1 + result
// / equity right before, so deposits and withdrawals do not change it.
type performance struct {
	level, peak float64
	// fall is the present distance below the peak as a fraction of it, and deepest the
	// greatest so far.
	fall, deepest float64
	// known is false without capital, without results, and after a result on an equity
	// not above zero or on an index below zero.
	known, begun bool
	// overdrawn says that a result took more than the whole equity. The index is below zero
	// then, and gains would lower it.
	overdrawn bool
}

func newPerformance[T number[T]](t *timeline[T]) performance {
	return performance{level: 1, peak: 1, known: t.isCapitalKnown()}
}

// apply applies a result on an equity to the index. overdraws says that it takes more than
// the whole equity.
func (p *performance) apply(result, equity float64, overdraws bool) {
	p.begun = true
	if equity <= 0 || p.overdrawn {
		p.known = false
		return
	}
	p.overdrawn = overdraws
	p.level *= 1 + result/equity
	p.peak = max(p.peak, p.level)
	p.fall = 1 - p.level/p.peak
	p.deepest = max(p.deepest, p.fall)
}

// floatsAtOnce is how many numbers are converted to floats at a time: they fit into the
// processor's cache.
const floatsAtOnce = 512

// applyAll applies results on equities to the index, while it is known. See listResults.
func (t *timeline[T]) applyAll(p *performance, results, equity []T) {
	var a, b [floatsAtOnce]float64
	var before [floatsAtOnce]T
	level := t.starting.add(t.prior)
	for len(results) > 0 && p.known {
		n := min(floatsAtOnce, len(results))
		if equity != nil {
			copy(before[:], equity)
			equity = equity[n:]
		} else {
			level = level.sumBeforeEach(before[:n], results[:n])
		}
		level.floats(a[:n], results[:n], t.s.scale)
		level.floats(b[:n], before[:n], t.s.scale)
		for i := range n {
			p.apply(a[i], b[i], a[i]+b[i] <= 0 && before[i].add(results[i]).sign() < 0)
		}
		results = results[n:]
	}
}

// applyConverted applies the results in the window to the index, and returns them.
func (t *timeline[T]) applyConverted(p *performance) (results []T) {
	t.walk(func(e *event[T]) {
		if e.inside && !e.flow {
			results = append(results, e.amount)
			p.apply(e.amount.float(t.s.scale), e.equity(t.s.scale), e.overdraws(t.s.scale))
		}
	})
	return results
}

// drawdownPct returns the greatest fall in percent, nil if it is not known.
func (p *performance) drawdownPct() *float64 {
	if !p.known || !p.begun {
		return nil
	}
	value := percent * p.deepest
	return &value
}

// openingEquities returns the accounts' equity before the first event on each given UTC
// day, which must be in order. positive reports whether this equity is above zero on all
// these days and on every weekday between the first and the last. closings are the sums
// for the days on which account trades closed.
func (t *timeline[T]) openingEquities(days []int64, closings []daySum[T]) (equity []T, positive bool) {
	level, next, cash := t.starting.add(t.prior), 0, 0
	positive = true
	since := days[0] // the first day that may start at this level
	for len(equity) < len(days) {
		day, amount, ok := t.nextMove(closings, &next, &cash)
		until := days[len(days)-1]
		if ok {
			until = min(day, until)
		}
		if level.sign() <= 0 && hasWeekday(since, until) {
			positive = false
		}
		for len(equity) < len(days) && days[len(equity)] <= until {
			positive = positive && level.sign() > 0
			equity = append(equity, level)
		}
		since = max(since, until+1)
		level = level.add(amount)
	}
	return equity, positive
}

// nextMove returns the next day and amount by which equity changes: all trades closed on
// a day together, or one cash event. ok is false after the last.
func (t *timeline[T]) nextMove(closings []daySum[T], next, cash *int) (day int64, amount T, ok bool) {
	if *cash < len(t.amounts) {
		day = dayNumber(t.cash.events[*cash].At.UnixMicro())
		if *next == len(closings) || day <= closings[*next].day {
			amount = t.amounts[*cash]
			*cash++
			return day, amount, true
		}
	}
	if *next == len(closings) {
		return 0, amount, false
	}
	move := closings[*next]
	*next++
	return move.day, move.sum, true
}

// daySum is a day's net result.
type daySum[T number[T]] struct {
	day int64
	sum T
}

// daySums adds up a selection's net results by UTC day, in day order. The column has the
// instants.
func daySums[T number[T]](s *Selection, column func(*page) []int64, net []T) []daySum[T] {
	days, of := s.indexDays(newClock(time.UTC), column)
	sums, list := make([]T, len(days)), make([]daySum[T], len(days))
	var zero T
	zero.sumGroups(sums, of, net)
	for d, day := range days {
		list[d] = daySum[T]{day, sums[d]}
	}
	slices.SortFunc(list, func(a, b daySum[T]) int { return cmp.Compare(a.day, b.day) })
	return list
}

// hasWeekday reports whether any day from first to last is a weekday.
func hasWeekday(first, last int64) bool {
	for day := first; day <= min(last, first+2); day++ {
		if isWeekday(day) {
			return true
		}
	}
	return false
}

func isWeekday(day int64) bool {
	weekday := time.Weekday(weekdayOf(day))
	return weekday != time.Saturday && weekday != time.Sunday
}

// countWeekdays counts the weekdays from first to last.
func countWeekdays(first, last int64) int {
	weeks := (last - first + 1) / 7
	count := int(weeks) * 5
	for day := first + weeks*7; day <= last; day++ {
		if isWeekday(day) {
			count++
		}
	}
	return count
}
