package analytics

import (
	"cmp"
	"math"
	"slices"
)

// The detector rules.
const (
	revengeWindow     = 60 * microsMinute
	revengeSameSymbol = 15 * microsMinute
	revengeMemory     = 20 // previous trades, whose median size is the usual size
	confidentAfter    = 3  // wins in a row
)

// Expected rates come from shuffling the latest trades. The bounds are enough to separate
// a habit from chance and limit the cost for any history.
const (
	shuffles       = 20
	shuffledTrades = 500
	shuffledDays   = 50
	maxDealtTrades = 5000
)

// isOversized reports whether a size is at least 1.5 times the median, the mean of a and
// b. It is false if the median is 0.
func isOversized[T number[T]](size, a, b T) bool {
	sum := a.add(b)
	return sum.sign() > 0 && size.times(4).cmp(sum.times(3)) >= 0
}

// flagOversized reports which trades were oversized compared with the trades opened
// before them, at most the last twenty.
//
// The comparison does not need the median itself. A size is at least 1.5 times the median
// if more than half the sizes are at most two thirds as large, and is not if fewer than
// half are. If it is exactly half, the two sizes around the limit are the middle ones and
// must be compared.
func (h *history[T]) flagOversized() []bool {
	big := make([]bool, len(h.size))
	zero := h.order.twoThirdsKey(h.size, nowhere)
	var last [revengeMemory]int64 // a ring buffer
	zeros := 0
	for place, key := range h.order.keys {
		n := min(place, revengeMemory)
		limit := h.order.twoThirdsKey(h.size, place)
		below := 0
		for _, other := range last[:n] {
			if other <= limit {
				below++
			}
		}
		switch {
		case 2*zeros > n: // the median is zero
		case 2*below == n && n > 0:
			a, b := findAround(&last, place, n, limit)
			big[place] = isOversized(h.size[place], h.size[a], h.size[b])
		default:
			big[place] = 2*below > n
		}
		at := place % revengeMemory
		if n == revengeMemory && last[at] <= zero {
			zeros-- // the oldest is overwritten
		}
		last[at] = key
		if key <= zero {
			zeros++
		}
	}
	return big
}

// findAround returns the trades with the greatest key up to a limit and the smallest
// key above it, among the n before an index.
func findAround(last *[revengeMemory]int64, place, n int, limit int64) (a, b int) {
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for other := place - n; other < place; other++ {
		key := last[other%revengeMemory]
		if key <= limit && key >= low {
			low, a = key, other
		}
		if key > limit && key <= high {
			high, b = key, other
		}
	}
	return a, b
}

// sizeEntry is a trade with its size key.
type sizeEntry struct {
	key   int64
	place int32
}

var revengeReasons = []string{"", "same_symbol", "oversized", "same_symbol_oversized"}

func (h *history[T]) detectRevenge(d *Detector) {
	if h.hasTooFewTrades(d) {
		return
	}
	big := h.flagOversized()
	h.fillDetector(d, h.flagRevenge(h.results, big), revengeReasons)
	recent := h.recentHistory()
	d.ExpectedRate = simulateRate(recent, func(results []outcome) []uint8 {
		return recent.flagRevenge(results, big[len(big)-len(results):])
	})
}

// flagRevenge flags trades opened soon after a loss. It walks openings and closings
// together. Only the latest loss before an opening matters, so the state is one instant
// for all trades and one per symbol.
func (h *history[T]) flagRevenge(results []outcome, big []bool) []uint8 {
	const never = -1 << 62
	flags := make([]uint8, len(h.opened))
	last, lastOf := int64(never), make([]int64, len(h.s.symbols.values))
	for i := range lastOf {
		lastOf[i] = never
	}
	next := 0
	for place, at := range h.opened {
		for ; next < len(h.closings) && h.closed[h.closings[next]] < at; next++ {
			if closing := h.closings[next]; results[closing] == loss {
				last = h.closed[closing]
				lastOf[h.symbol[closing]] = last
			}
		}
		var same, soon, oversized uint8 // assignments compile without branches
		if at-lastOf[h.symbol[place]] <= revengeSameSymbol {
			same = 1
		}
		if at-last <= revengeWindow {
			soon = 2
		}
		if big[place] {
			oversized = 2
		}
		flags[place] = same | soon&oversized
	}
	return flags
}

func (h *history[T]) detectOverconfidence(d *Detector) {
	if h.hasTooFewTrades(d) {
		return
	}
	h.fillDetector(d, h.flagOverconfidence(h.results), []string{"", "oversized_after_wins"})
	recent := h.recentHistory()
	d.ExpectedRate = simulateRate(recent, recent.flagOverconfidence)
}

// flagOverconfidence flags trades oversized compared with the wins in the run at their
// opening.
func (h *history[T]) flagOverconfidence(results []outcome) []uint8 {
	flags := make([]uint8, len(h.opened))
	var run runningMedian
	next := 0
	for place, at := range h.opened {
		for ; next < len(h.closings) && h.closed[h.closings[next]] < at; next++ {
			closing := h.closings[next]
			if results[closing] == win {
				run.add(sizeEntry{h.order.keys[closing], closing})
			} else {
				run.clear()
			}
		}
		if run.len() >= confidentAfter {
			a, b := run.middleTrades()
			if isOversized(h.size[place], h.size[a], h.size[b]) {
				flags[place] = 1
			}
		}
	}
	return flags
}

// runningMedian maintains a growing set's median: the lower half in a heap with its
// greatest on top, the upper half in a heap with its smallest on top.
type runningMedian struct{ low, high heap }

func (m *runningMedian) len() int { return len(m.low) + len(m.high) }

func (m *runningMedian) clear() { m.low, m.high = m.low[:0], m.high[:0] }

func (m *runningMedian) add(e sizeEntry) {
	if len(m.low) == 0 || e.key <= -m.low[0].key {
		m.low.push(sizeEntry{-e.key, e.place})
	} else {
		m.high.push(e)
	}
	switch {
	case len(m.low) > len(m.high)+1:
		top := m.low.pop()
		m.high.push(sizeEntry{-top.key, top.place})
	case len(m.high) > len(m.low):
		top := m.high.pop()
		m.low.push(sizeEntry{-top.key, top.place})
	}
}

// middleTrades returns the two middle trades, which are the same for an odd number.
func (m *runningMedian) middleTrades() (a, b int32) {
	if len(m.low) > len(m.high) {
		return m.low[0].place, m.low[0].place
	}
	return m.low[0].place, m.high[0].place
}

// heap has its smallest key on top.
type heap []sizeEntry

func (h *heap) push(e sizeEntry) {
	list := append(*h, e)
	for i := len(list) - 1; i > 0; {
		parent := (i - 1) / 2
		if list[parent].key <= list[i].key {
			break
		}
		list[parent], list[i] = list[i], list[parent]
		i = parent
	}
	*h = list
}

func (h *heap) pop() sizeEntry {
	list := *h
	top := list[0]
	list[0] = list[len(list)-1]
	list = list[:len(list)-1]
	for i := 0; 2*i+1 < len(list); {
		child := 2*i + 1
		if child+1 < len(list) && list[child+1].key < list[child].key {
			child++
		}
		if list[i].key <= list[child].key {
			break
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
	*h = list
	return top
}

// recentHistory returns the latest part for shuffling.
func (h *history[T]) recentHistory() *history[T] {
	first := max(0, len(h.opened)-shuffledTrades)
	out := &history[T]{
		s: h.s, q: h.q, opened: h.opened[first:], closed: h.closed[first:], symbol: h.symbol[first:],
		net: h.net[first:], size: h.size[first:], order: sortKeys[T]{h.order.keys[first:], h.order.byRank}, results: h.results[first:],
	}
	for _, place := range h.closings {
		if int(place) >= first {
			out.closings = append(out.closings, place-int32(first))
		}
	}
	return out
}

// simulateRate returns a detector's rate with shuffled results and everything else
// unchanged.
func simulateRate[T number[T]](h *history[T], detect func([]outcome) []uint8) *float64 {
	d := splitMix64(h.q.Seed)
	results := slices.Clone(h.results)
	flagged := 0
	for range shuffles {
		shuffle(&d, results)
		for _, flag := range detect(results) {
			if flag != 0 {
				flagged++
			}
		}
	}
	rate := fraction(flagged, shuffles*len(results))
	return &rate
}

// detectLossAversion flags losers held more than twice as long as the median winner, and
// winners that gave back at least half their best excursion.
func (h *history[T]) detectLossAversion(d *LossAversion) {
	held := h.holdTimes()
	limit := compareHoldTimes(d, h.results, held)
	gaveBack := h.measureExcursions(d)
	if h.hasTooFewTrades(&d.Detector) {
		return
	}
	flags := make([]uint8, len(held))
	count := 0
	for place, result := range h.results {
		var lost, long uint8
		if result == loss {
			lost = 1
		}
		if held[place] > limit {
			long = 1
		}
		flags[place] = lost & long
		count += int(lost & long)
	}
	for _, place := range gaveBack {
		flags[place] = 2
	}
	h.fillDetector(&d.Detector, flags, []string{"", "held_loser", "gave_back"})
	d.Rate = shareOfLosses(count, h.results)
	d.ExpectedRate = simulateHoldRate(h.recentHistory())
}

// holdTimes returns each trade's holding time.
func (h *history[T]) holdTimes() []int64 {
	held := make([]int64, len(h.opened))
	for i, at := range h.opened {
		held[i] = h.closed[i] - at
	}
	return held
}

// holdLimit returns the holding time above which a loser was held too long: twice the
// winners' median, and no limit without winners.
func holdLimit(winners []int64) int64 {
	if len(winners) == 0 {
		return math.MaxInt64
	}
	low, high := middleKeys(winners)
	return low + high
}

// filterByOutcome returns the values for one outcome.
func filterByOutcome(results []outcome, values []int64, of outcome) []int64 {
	list := make([]int64, len(values)+1)
	n := 0
	for i, result := range results {
		list[n] = values[i] // overwritten by the next if it does not count
		if result == of {
			n++
		}
	}
	return list[:n]
}

// shareOfLosses returns count divided by the number of losers, or nil without losers.
func shareOfLosses(count int, results []outcome) *float64 {
	losses := 0
	for _, result := range results {
		if result == loss {
			losses++
		}
	}
	return divide(float64(count), float64(losses))
}

// simulateHoldRate returns the share of losers held too long with shuffled holding times.
func simulateHoldRate[T number[T]](h *history[T]) *float64 {
	d := splitMix64(h.q.Seed)
	held := h.holdTimes()
	found := 0
	for range shuffles {
		shuffle(&d, held)
		limit := holdLimit(filterByOutcome(h.results, held, win))
		for place, result := range h.results {
			if result == loss && held[place] > limit {
				found++
			}
		}
	}
	rate := shareOfLosses(found, h.results)
	if rate != nil {
		*rate /= shuffles
	}
	return rate
}

// compareHoldTimes fills in the holding times for winners and losers, and returns the
// time above which a loser was held too long.
func compareHoldTimes(d *LossAversion, results []outcome, held []int64) (limit int64) {
	wins, losses := filterByOutcome(results, held, win), filterByOutcome(results, held, loss)
	d.AvgWinHoldSecs, d.MedianWinHoldSecs = meanAndMedian(wins)
	d.AvgLossHoldSecs, d.MedianLossHoldSecs = meanAndMedian(losses)
	if len(wins) > 0 && len(losses) > 0 {
		d.HoldRatio = divide(d.MedianLossHoldSecs, d.MedianWinHoldSecs)
	}
	return holdLimit(wins)
}

// meanAndMedian returns both in seconds. It reorders the list.
func meanAndMedian(micros []int64) (average, median float64) {
	if len(micros) == 0 {
		return 0, 0
	}
	var sum int128
	for _, v := range micros {
		sum = sum.add(newInt128(v))
	}
	low, high := middleKeys(micros)
	return meanSeconds(sum, len(micros)), meanSeconds(newInt128(low).add(newInt128(high)), 2)
}

// measureExcursions sums up what trades with a known best excursion gave back, and
// returns the winners that gave back at least half.
func (h *history[T]) measureExcursions(d *LossAversion) (gave []int32) {
	best, known := readOptionalColumn[T](h.s, mfeOf)
	if len(known) == 0 {
		return nil
	}
	with := *h.s
	with.picks = make([]pick, len(known))
	for k, place := range known {
		with.picks[k] = h.s.picks[place]
	}
	gross := readColumn[T](&with, grossOf)
	var possible, back T
	for k, place := range known {
		if best[k].sign() <= 0 {
			continue
		}
		d.TradesWithMFE++
		possible = possible.add(best[k])
		left := best[k].sub(gross[k])
		if gross[k].sign() < 0 {
			left = best[k] // a loss is not profit given back
		}
		if left.sign() > 0 {
			back = back.add(left)
			if h.results[place] == win && left.times(2).cmp(best[k]) >= 0 {
				gave = append(gave, place)
			}
		}
	}
	d.GivenBack = back.decimal(h.s.scale)
	d.Captured = ratio(possible.sub(back).decimal(h.s.scale), possible.decimal(h.s.scale))
	return gave
}

// detectOvertrading flags days with more openings than the median day plus twice the
// median absolute deviation.
func (h *history[T]) detectOvertrading(d *Overtrading) {
	days, of := h.findOpeningDays()
	counts := make([]int64, len(days))
	for _, day := range of {
		counts[day]++
	}
	d.Days = len(days)
	d.Usual, d.Limit = usualLimit(counts)
	if h.hasTooFewTrades(&d.Detector) {
		return
	}
	sums := make([]tally[T], len(days))
	for place, day := range of {
		sums[day].addResult(h.net[place], h.results[place])
	}
	d.Events = []Event{}
	var flagged tally[T]
	for day, count := range counts {
		if float64(count) > d.Limit {
			flagged = flagged.plus(&sums[day])
			d.Events = append(d.Events, Event{
				Date: dayName(days[day]), Reason: "many_trades", NetPnL: sums[day].net().decimal(h.s.scale), Trades: int(count),
			})
		}
	}
	slices.SortFunc(d.Events, func(a, b Event) int { return cmp.Compare(a.Date, b.Date) })
	h.setGroups(&d.Detector, flagged)
	d.EventCount = len(d.Events)
	d.Events = d.Events[max(0, d.EventCount-h.q.MaxEvents):]
	rate := fraction(d.EventCount, len(days))
	d.Rate, d.ExpectedRate = &rate, simulateDayRate(len(h.opened), len(days), h.q.Seed)
}

// findOpeningDays is Selection.findDays in opening order and by opening instants.
func (h *history[T]) findOpeningDays() (days []int64, of []int32) {
	index := newDayIndex(newClock(h.q.Zone))
	of = make([]int32, len(h.opened))
	for i, at := range h.opened {
		of[i] = index.find(at)
	}
	return index.days, of
}

// usualLimit returns the median count, and the median plus twice the median absolute
// deviation.
func usualLimit(counts []int64) (median, limit float64) {
	if len(counts) == 0 {
		return 0, 0
	}
	low, high := middleKeys(slices.Clone(counts))
	twice := low + high
	apart := make([]int64, len(counts))
	for i, count := range counts {
		apart[i] = max(2*count-twice, twice-2*count) // twice the distance
	}
	low, high = middleKeys(apart)
	return float64(twice) / 2, float64(twice)/2 + 2*float64(low+high)/4
}

// simulateDayRate returns the share of days above the limit with trades distributed over
// the trading days at random.
func simulateDayRate(trades, days int, seed uint64) *float64 {
	sample := min(days, shuffledDays)
	deal := min(trades*sample/days, maxDealtTrades)
	d := splitMix64(seed)
	found := 0
	counts := make([]int64, sample)
	for range shuffles {
		clear(counts)
		for range deal {
			counts[d.intn(sample)]++
		}
		_, limit := usualLimit(counts)
		for _, count := range counts {
			if float64(count) > limit {
				found++
			}
		}
	}
	rate := fraction(found, shuffles*sample)
	return &rate
}
