package excursions

import (
	"errors"
	"math"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

const micros = 1_000_000

// leastCoverage is the share of the holding time bars must cover, in percent.
const leastCoverage = 90

// maxBars is the most bars for one trade. Longer bars are used for more.
const maxBars = 2_000_000

// group is positions in one instrument, measured together.
type group struct {
	*meter
	priced   instruments.Priced
	calendar market.Calendar
	sessions *market.Sessions
	readers  map[journal.SeriesID]*seriesReader
	matches  map[month]readers
	// tradingDays caches isTradingDay.
	tradingDays map[market.Range]bool
	// daily are daily bars, loaded when needed.
	daily    market.Block
	hasDaily bool
	// onlyDaily is the history for an instrument with daily bars only.
	onlyDaily *market.History
	// end is where the last position needs bars, in seconds.
	end int64
}

// trade is a position to measure.
type trade struct {
	ledger.Position
	fills      []market.Fill
	multiplier decimal.Decimal
}

// measure calls fn with each position's result.
func (m *meter) measure(list ledger.InstrumentPositions, fn func(journal.TradeID, *Result)) error {
	return m.newGroup(list.Instrument).measureAll(list, fn)
}

// measureAll calls fn with each position's result, which is valid until fn returns.
func (g *group) measureAll(list ledger.InstrumentPositions, fn func(journal.TradeID, *Result)) error {
	if len(list.Positions) == 0 {
		return nil
	}
	for _, p := range list.Positions {
		g.end = max(g.end, p.Fills[len(p.Fills)-1].At/micros+3*secondsOfDay)
	}
	var t trade
	var result Result
	for _, p := range list.Positions {
		t.Position = p
		var err error
		if result, err = g.measure(&t); err != nil {
			return err
		}
		fn(p.Trade, &result)
	}
	last := g.sessions.Of(t.opened() / micros).From
	for _, r := range g.readers {
		r.release(last)
	}
	return nil
}

func (m *meter) newGroup(i ledger.Instrument) *group {
	calendar := bars.CalendarOf(i.Type, i.Symbol)
	return &group{
		meter: m, priced: toPriced(i), calendar: calendar, sessions: m.sessionsOf(calendar),
		readers: map[journal.SeriesID]*seriesReader{}, matches: map[month]readers{}, tradingDays: map[market.Range]bool{},
	}
}

// sessionsOf returns a calendar's sessions, which all instruments share.
func (m *meter) sessionsOf(calendar market.Calendar) *market.Sessions {
	if m.sessions[calendar] == nil {
		m.sessions[calendar] = market.NewSessions(calendar)
	}
	return m.sessions[calendar]
}

// loadDaily loads the daily bars with the best price kind.
func (g *group) loadDaily(own []*seriesReader) error {
	if g.hasDaily {
		return nil
	}
	var best *seriesReader
	for _, r := range own {
		if r.series.Secs == secondsOfDay && (best == nil || kindRank(r.series.PriceKind) < kindRank(best.series.PriceKind)) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	block, err := bars.Read(g.ctx, g.tx, g.owner, best.series, market.Range{From: best.series.First, To: best.series.Last + 1})
	g.daily, g.hasDaily, g.onlyDaily = block, true, market.NewHistory(market.NewHours(g.sessions, nil), block)
	return err
}

// kindRank orders price kinds: trade prices are best.
func kindRank(kind market.PriceKind) int {
	switch kind {
	case market.TradePrice:
		return 0
	case market.MidPrice:
		return 1
	case market.BidPrice, market.AskPrice, market.ReferencePrice:
	}
	return 2
}

// prepare sets a trade's fills for package market. It returns false if they have
// different multipliers.
func (t *trade) prepare() bool {
	t.multiplier = t.Fills[0].Multiplier
	t.fills = t.fills[:0]
	for i := range t.Fills {
		f := &t.Fills[i]
		if !f.Multiplier.Equal(t.multiplier) {
			return false
		}
		t.fills = append(t.fills, market.Fill{At: f.At, Width: f.Width, Quantity: f.Quantity, Price: f.Price})
	}
	return true
}

// isRateKnown reports whether amounts can be converted to the account currency.
func (t *trade) isRateKnown() bool {
	return !t.Rate.Stated.Valid || t.Rate.Stated.Decimal.Sign()*t.Rate.Priced.Decimal.Sign() > 0
}

// convert returns an amount in the account currency.
func (t *trade) convert(amount decimal.Decimal) decimal.Decimal {
	if !t.Rate.Stated.Valid {
		return amount
	}
	return t.Rate.Convert(amount).Decimal
}

func (t *trade) convertNull(n decimal.Null) decimal.Null {
	if n.Valid {
		n.Decimal = t.convert(n.Decimal)
	}
	return n
}

func (t *trade) convertBounds(b market.Bounds) market.Bounds {
	return market.Bounds{Low: t.convert(b.Low), High: t.convert(b.High)}
}

// opened and closed are a trade's first and last instant, in microseconds. An open
// trade's last fill does not end it.
func (t *trade) opened() int64 { return t.Fills[0].At }

func (t *trade) closed() int64 {
	last := t.Fills[len(t.Fills)-1]
	return last.At + last.Width
}

// choice is a series to measure a trade with.
type choice struct {
	*seriesReader
	// coverage is the covered share of the holding time, from 0 to 1.
	coverage decimal.Decimal
	// missing contains the holding time without bars, in seconds. isDoubtful reports
	// whether the market may have been closed in some of it.
	missing    market.Range
	isDoubtful bool
	// until is where the holding time ends, in microseconds.
	until int64
}

// measure returns a trade's result.
func (g *group) measure(t *trade) (Result, error) {
	isSame := t.prepare()
	if isSame {
		g.position.Reset(t.fills, t.multiplier)
	}
	own, similar, err := g.readersAt(t.opened())
	if err != nil {
		return Result{}, err
	}
	if err := g.loadDaily(own); err != nil {
		return Result{}, err
	}
	choices := g.choose(t, own)
	if isSame && (len(choices) == 0 || !choices[0].isEnough()) {
		fitting, err := g.chooseSimilar(t, similar)
		if err != nil {
			return Result{}, err
		}
		if len(fitting) > 0 {
			choices = fitting
		}
	}
	if len(choices) == 0 {
		return g.withoutBars(t), nil
	}
	context, err := choices[0].context(t)
	if err != nil {
		return Result{}, err
	}
	failed := Result{Coverage: choices[0].coverage, Missing: choices[0].missing, Context: context}
	switch {
	case !isSame:
		failed.Reason = DifferentMultipliers
	case !t.isRateKnown():
		failed.Reason = UnknownRate
	case choices[0].coverage.IsZero():
		failed.Reason = NoBars
	case !choices[0].isEnough() && choices[0].isDoubtful:
		failed.Reason = NoCalendar
	case !choices[0].isEnough():
		failed.Reason = NotEnoughBars
	}
	if failed.Reason != "" {
		return failed, nil
	}
	return best(t, choices, context)
}

// best measures a trade with several choices and returns the result with most fills
// inside their bar, then with the newest import.
func best(t *trade, choices []choice, context market.Context) (best Result, err error) {
	newest := int64(-1)
	for _, c := range choices {
		result, number, err := c.measure(t)
		if err != nil {
			return Result{}, err
		}
		result.Context = context
		isBetter := newest < 0 || result.FillsInside > best.FillsInside || result.FillsInside == best.FillsInside && number > newest
		if isBetter {
			best, newest = result, number
		}
	}
	return best, nil
}

// isEnough reports whether the bars cover enough holding time.
func (c choice) isEnough() bool { return c.coverage.Cmp(decimal.FromScaled(leastCoverage, 2)) >= 0 }

// chooseSimilar returns the best series from other contracts whose bars contain the
// trade's fills.
func (g *group) chooseSimilar(t *trade, similar []*seriesReader) ([]choice, error) {
	var fitting []*seriesReader
	for _, r := range similar {
		c, ok := r.toChoice(t)
		if !ok || !c.isEnough() {
			continue
		}
		window, err := r.load(t, c.until)
		if err != nil {
			return nil, err
		}
		if bars.FillsFit(window.Block, t.fills) {
			fitting = append(fitting, r)
		}
	}
	return g.choose(t, fitting), nil
}

// withoutBars returns the result for a trade without any series.
func (g *group) withoutBars(t *trade) Result {
	r := Result{Reason: NoBars}
	if g.onlyDaily != nil {
		r.Reason = DailyBarsOnly
		r.Context = g.onlyDaily.Context(t.opened(), t.Fills[0].Price, market.Block{Secs: secondsOfDay})
	}
	return r
}

// choose returns the best series for a trade: the shortest bars covering all of it, else
// those covering most of it and then the shortest, and among equals those with the best
// price kind. Several are returned if they are equal in all respects.
func (g *group) choose(t *trade, among []*seriesReader) (best []choice) {
	for _, r := range among {
		c, ok := r.toChoice(t)
		if !ok {
			continue
		}
		switch order := c.compare(best); {
		case order < 0:
			best = append(best[:0], c)
		case order == 0:
			best = append(best, c)
		}
	}
	return best
}

// compare is negative if c is better than the choices so far, which are equal.
func (c choice) compare(others []choice) int {
	if len(others) == 0 {
		return -1
	}
	o := others[0]
	if order := o.coverage.Cmp(c.coverage); order != 0 {
		return order
	}
	if c.series.Secs != o.series.Secs {
		return int(max(min(c.series.Secs-o.series.Secs, 1), -1))
	}
	return kindRank(c.series.PriceKind) - kindRank(o.series.PriceKind)
}

// toChoice returns the series as a choice for a trade, and false if it cannot be one:
// daily bars for a trade shorter than two days, or too many bars.
func (r *seriesReader) toChoice(t *trade) (choice, bool) {
	c := choice{seriesReader: r, until: t.closed()}
	if t.Open {
		c.until = max(c.until, r.coverage.End()*micros)
	}
	if r.series.Secs >= secondsOfDay && !r.group.canUseDays(t.opened(), c.until) {
		return choice{}, false
	}
	held := market.Range{From: t.opened() / micros, To: c.until/micros + 1}
	if (held.To-held.From)/r.series.Secs > maxBars {
		return choice{}, false
	}
	covered := r.hours.CoveredTime(t.opened(), c.until)
	c.coverage, c.missing, c.isDoubtful = toCoverage(covered.Covered, covered.Held), covered.Missing, covered.IsDoubtful
	if covered.Held == 0 { // opened and closed at one instant, or while the market was closed
		c.coverage = decimal.Zero
		if len(r.coverage.During(held)) > 0 {
			c.coverage = one
		}
	}
	return c, true
}

// canUseDays reports whether daily bars can be compared with fills: whether they are UTC
// days, or inside one, and at least one whole day is within the time.
func (g *group) canUseDays(from, to int64) bool {
	return g.calendar.FitsDaysOfUTC() && to/micros/secondsOfDay-from/micros/secondsOfDay >= 2
}

// toCoverage returns a share, rounded down so only a whole is 1.
func toCoverage(covered, all int64) decimal.Decimal {
	const scale, unit = 4, 10_000
	switch {
	case all == 0 || covered == 0:
		return decimal.Zero
	case covered >= all:
		return one
	}
	return decimal.FromScaled(int64(math.Floor(float64(covered)/float64(all)*unit)), scale)
}

// context returns what was known at the entry.
func (c choice) context(t *trade) (market.Context, error) {
	window, err := c.load(t, c.until)
	if err != nil {
		return market.Context{}, err
	}
	return c.history.Context(t.opened(), t.Fills[0].Price, window.Block), nil
}

// measure returns a trade's result with one series, and the number of the newest import
// behind its bars.
func (c choice) measure(t *trade) (r Result, number int64, err error) {
	window, err := c.load(t, c.until)
	if err != nil {
		return Result{}, 0, err
	}
	r = Result{Coverage: c.coverage, BarSecs: c.series.Secs, PriceKind: c.series.PriceKind}
	r.Source, number = c.source(t)
	position := &c.group.position
	found, err := position.MeasureExcursion(window)
	if errors.Is(err, market.ErrTooCoarse) {
		return Result{Coverage: c.coverage, Reason: TimesTooCoarse}, number, nil
	}
	if err != nil {
		return Result{}, 0, err
	}
	if found.FillsInside < found.FillsChecked && position.FindStrayFill(window.Block) >= 0 {
		return Result{Coverage: c.coverage, Reason: FillsOutsideBars}, number, nil
	}
	if at, found := c.findSplit(t, window); found {
		return Result{Coverage: c.coverage, Reason: MaybeSplit, Missing: at}, number, nil
	}
	r.IsOtherSide = t.isOtherSide(c.series.PriceKind)
	r.MAE, r.MFE = t.convertBounds(found.MAE), t.convertBounds(found.MFE)
	r.FillsChecked, r.FillsInside, r.FillsWithoutBar = int64(found.FillsChecked), int64(found.FillsInside), int64(found.FillsWithoutBar)
	if !t.Open {
		c.measureExit(t, window, &r)
	}
	return r, number, nil
}

// findSplit returns when the price jumped as in a split while a trade in shares, or in a
// derivative, was open. The bars then have other prices than the fills before.
func (c choice) findSplit(t *trade, window market.Window) (market.Range, bool) {
	if !hasShares(c.group.priced.Type) {
		return market.Range{}, false
	}
	return c.group.position.FindSplit(window, t.Open)
}

// isOtherSide reports whether bars have the quotes at which the position could not have
// been closed: a short position is closed at the ask, a long one at the bid.
func (t *trade) isOtherSide(kind market.PriceKind) bool {
	isShort := t.Fills[0].Quantity.Sign() < 0
	return isShort && kind == market.BidPrice || !isShort && kind == market.AskPrice
}

// source returns the layout and the number of the bars' newest import.
func (c choice) source(t *trade) (string, int64) {
	return c.seriesReader.coverage.Source(market.Range{From: t.opened() / micros, To: c.until/micros + 1})
}

// measureExit adds what follows from a closed trade's exit.
func (c choice) measureExit(t *trade, window market.Window, r *Result) {
	r.GrossAtExit = decimal.Of(t.convert(market.Result(t.fills, t.multiplier)))
	exit := t.Fills[len(t.Fills)-1].At / micros
	r.SessionEnd = c.hours.End(exit)
	if t.closed()/micros-exit >= 60 {
		return // only the exit day is known, so nothing is after it for certain
	}
	// The bars after the exit must be declared without a break, except for a few missing
	// at a session end.
	declared := exit
	for _, part := range c.seriesReader.coverage.During(market.Range{From: exit, To: r.SessionEnd}) {
		if part.From <= declared+c.series.Secs {
			declared = max(declared, part.To)
		}
	}
	const fewBars = 5
	isWhole := declared >= r.SessionEnd-fewBars*c.series.Secs
	if isWhole {
		best := t.convertBounds(c.group.position.BestExit(window, r.SessionEnd))
		r.BestExitLow, r.BestExitHigh = decimal.Of(best.Low), decimal.Of(best.High)
	}
	for i, minutes := range AfterExitMinutes {
		if at := exit + minutes*60; declared >= at {
			r.AfterExit[i] = t.convertNull(market.AfterExit(t.fills, t.multiplier, window.Block, at))
		}
	}
	if isWhole {
		r.AfterExit[len(AfterExitMinutes)] = t.convertNull(market.AfterExit(t.fills, t.multiplier, window.Block, r.SessionEnd))
	}
	isKnown := isWhole && r.IsWhole()
	r.Stop = c.measurePlanned(t, window, c.group.plan.Stop, r.SessionEnd, true, isKnown)
	r.Target = c.measurePlanned(t, window, c.group.plan.Target, r.SessionEnd, false, isKnown)
}

// measurePlanned returns what an order at a level would have brought until the session
// end. Only with all bars is it known that a level was not reached.
func (c choice) measurePlanned(t *trade, window market.Window, level decimal.Null, end int64, isStop, isWhole bool) market.PlannedExit {
	if !level.Valid {
		return market.PlannedExit{}
	}
	found := c.group.position.PlannedExit(window, level.Decimal, isStop, end)
	if found.Reached == market.NotReached && !isWhole {
		return market.PlannedExit{}
	}
	found.Result = t.convertBounds(found.Result)
	return found
}

// seriesReader reads a series' bars for positions in opening order. It holds some blocks,
// so neighboring positions read each block once.
type seriesReader struct {
	group    *group
	series   bars.Series
	coverage bars.Coverage
	hours    *market.Hours

	held    market.Range // what block has
	block   market.Block
	index   market.Index
	history *market.History
	// The history has bars up to added, as needed for positions opened from the session
	// at since on.
	since, added int64
}

// heldSpans is how many blocks are read at once at most, unless one trade needs more.
const heldSpans = 8

// load returns the bars around a trade: from the start of its opening session to the end
// of its closing session, or an hour later, in whole UTC days. The bars before are added
// to the history.
func (r *seriesReader) load(t *trade, until int64) (market.Window, error) {
	if r.history == nil {
		r.restart()
	}
	from, to := r.hours.Of(t.opened()/micros).From, max(r.hours.End(until/micros), until/micros+61*60)
	if from < r.since {
		r.restart()
	}
	need := market.Range{From: from - from%secondsOfDay - r.overhang(), To: to + secondsOfDay - to%secondsOfDay}
	if need.From < r.held.From || need.To > r.held.To {
		if err := r.hold(need); err != nil {
			return market.Window{}, err
		}
	}
	return market.Window{Block: r.block, Index: &r.index}.During(need), nil
}

// restart begins a new history.
func (r *seriesReader) restart() {
	r.history = market.NewHistory(r.hours, r.group.daily)
	r.held, r.since, r.added = market.Range{}, math.MinInt64, math.MinInt64
}

// overhang returns how many seconds before midnight a bar may open and end after it: the
// usual short bars do not.
func (r *seriesReader) overhang() int64 {
	const hour = 60 * 60
	if r.series.Secs < hour && secondsOfDay%r.series.Secs == 0 {
		return 0
	}
	return r.series.Secs
}

// hold reads a range's blocks and some later blocks.
func (r *seriesReader) hold(need market.Range) error {
	start := market.BlockStart(need.From, r.series.Secs)
	held := market.Range{From: start, To: max(need.To, min(r.group.end, start+heldSpans*market.BlockSpan(r.series.Secs)))}
	if err := r.addHistory(market.Range{From: max(r.added, need.From-market.LookBack), To: held.From}); err != nil {
		return err
	}
	if err := r.read(held); err != nil {
		return err
	}
	r.held, r.added = held, max(r.added, held.To)
	r.index.Reset(r.block)
	return nil
}

// release keeps the bars' memory for the next series, and the history needed for
// positions opened from a session on.
func (r *seriesReader) release(session int64) {
	if cap(r.block.Bars) > cap(r.group.memory) {
		r.group.memory = r.block.Bars[:0]
	}
	r.block, r.held = market.Block{}, market.Range{}
	if r.history != nil {
		r.history.Forget(session)
		r.since = max(r.since, session)
	}
}

// addHistory adds a range's bars to the history, some blocks at a time.
func (r *seriesReader) addHistory(within market.Range) error {
	step := heldSpans * market.BlockSpan(r.series.Secs)
	for from := market.BlockStart(within.From, r.series.Secs); from < within.To; from += step {
		if err := r.read(market.Range{From: from, To: min(from+step, within.To)}); err != nil {
			return err
		}
	}
	return nil
}

// read reads bars into the held memory, and adds them to the history.
func (r *seriesReader) read(within market.Range) error {
	if r.block.Bars == nil {
		r.block.Bars, r.group.memory = r.group.memory, nil
	}
	block, err := bars.ReadInto(r.group.ctx, r.group.tx, r.group.owner, r.series, within, r.block.Bars)
	if err != nil {
		return err
	}
	r.block, r.held = block, market.Range{}
	r.history.Add(block)
	return nil
}
