package analytics

import (
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// TradeExcursion is what the price did during a trade and what was known at its entry.
// Values are absent without bars. Typed MAE and MFE replace those from bars, with equal
// bounds.
type TradeExcursion struct {
	// MAELow to MFEHigh bound the position's worst and best result, in money without
	// sign.
	MAELow, MAEHigh, MFELow, MFEHigh decimal.Null
	// MAER to MFEHighR are the same in units of initial risk. Filters and breakdowns use
	// the lower bounds, which are certain.
	MAER, MAEHighR, MFER, MFEHighR decimal.Null
	// ExitEfficiency is the lower bound for (result + MAE) / (MFE + MAE).
	ExitEfficiency decimal.Null
	// ATRPct is the average true range in percent of the entry price, GapPct the session
	// gap in percent. OpeningRange is the place in the opening range.
	ATRPct, GapPct, RelativeVolume, OpeningRange decimal.Null
	// Coverage is the holding time share with bars, if bars are missing: then the upper
	// bounds only reflect the others.
	Coverage decimal.Null
	// AfterExit is what the last fill would have brought more, some minutes later and at
	// the session end; see [AfterExitMinutes].
	AfterExit [len(AfterExitMinutes) + 1]decimal.Null
}

// AfterExitMinutes are the minutes for [TradeExcursion.AfterExit].
var AfterExitMinutes = [...]int{5, 15, 30, 60}

// The places in a list with all values; see [TradeExcursion.values].
const (
	maeLowAt = iota
	maeHighAt
	mfeLowAt
	mfeHighAt
	maeRAt
	maeHighRAt
	mfeRAt
	mfeHighRAt
	exitEfficiencyAt
	atrPctAt
	gapPctAt
	relativeVolumeAt
	openingRangeAt
	coverageAt
	afterExitAt
	excursionValues = afterExitAt + len(AfterExitMinutes) + 1
)

// values lists all values, for columns.
func (e *TradeExcursion) values() []*decimal.Null {
	list := []*decimal.Null{
		&e.MAELow, &e.MAEHigh, &e.MFELow, &e.MFEHigh, &e.MAER, &e.MAEHighR, &e.MFER, &e.MFEHighR,
		&e.ExitEfficiency, &e.ATRPct, &e.GapPct, &e.RelativeVolume, &e.OpeningRange, &e.Coverage,
	}
	for i := range e.AfterExit {
		list = append(list, &e.AfterExit[i])
	}
	return list
}

// pushExcursion appends a row's values.
func (c *page) pushExcursion(e *TradeExcursion) {
	if e == nil {
		for i := range c.excursion {
			c.excursion[i].pushAbsent()
		}
		return
	}
	for i, n := range e.values() {
		c.excursion[i].push(*n)
	}
}

// excursionAt returns a row's values.
func (c *page) excursionAt(row int32) (e TradeExcursion) {
	for i, n := range e.values() {
		*n = c.excursion[i].at(row)
	}
	return e
}

// findExcursion returns a row's values, nil if all are absent.
func (c *page) findExcursion(row int32) *TradeExcursion {
	for i := range c.excursion {
		if c.excursion[i].has(row) {
			e := c.excursionAt(row)
			return &e
		}
	}
	return nil
}

// ExcursionScale is the number of decimals in [TradeExcursion] ratios. Breakdown buckets
// are filter ranges because of it.
const ExcursionScale = 6

// excursionBuckets are the dimensions by an excursion value: the column and the bucket
// limits. A value on a limit is in the bucket above.
var excursionBuckets = map[Dimension]struct {
	column int
	limits []string
}{
	ByMAE:            {maeRAt, []string{"0.25", "0.5", "0.75", "1"}},
	ByMFE:            {mfeRAt, []string{"0.5", "1", "2", "3"}},
	ByExitEfficiency: {exitEfficiencyAt, []string{"0.25", "0.5", "0.75"}},
	ByATR:            {atrPctAt, []string{"1", "2", "3", "5"}},
	ByGap:            {gapPctAt, []string{"-2", "-0.5", "0.5", "2"}},
	ByRelativeVolume: {relativeVolumeAt, []string{"0.5", "1", "1.5", "2", "3"}},
	ByOpeningRange:   {openingRangeAt, []string{"0", "0.5", "1"}},
}

// bucketNames returns the names for the buckets between limits, after the empty name for
// trades without a value.
func bucketNames(limits []string) []string {
	names := []string{"", "under_" + limits[0]}
	for i := range limits[1:] {
		names = append(names, limits[i]+"_"+limits[i+1])
	}
	return append(names, "over_"+limits[len(limits)-1])
}

// groupByExcursion groups by value buckets.
func (s *Selection) groupByExcursion(by Dimension) grouping {
	buckets := excursionBuckets[by]
	limits := make([]decimal.Decimal, len(buckets.limits))
	for i, text := range buckets.limits {
		limits[i] = decimal.Must(text)
	}
	return newSingleGrouping(bucketNames(buckets.limits), func(i int) int {
		value := s.excursionValue(i, buckets.column)
		if !value.Valid {
			return 0
		}
		place := 1
		for _, limit := range limits {
			if value.Decimal.Cmp(limit) >= 0 {
				place++
			}
		}
		return place
	})
}

// ExcursionRange returns the values in a dimension's bucket. The empty key has none.
func ExcursionRange(by Dimension, key string) (r tradefilter.Range, known bool) {
	limits := excursionBuckets[by].limits
	if len(limits) == 0 {
		return r, false
	}
	at := slices.Index(bucketNames(limits), key)
	if at < 1 {
		return r, false
	}
	if at > 1 {
		r.Min = decimal.Of(decimal.Must(limits[at-2]))
	}
	if at <= len(limits) {
		r.Max = decimal.Of(decimal.Must(limits[at-1]).Sub(decimal.FromScaled(1, ExcursionScale)))
	}
	return r, true
}

func (s *Selection) excursionValue(i, column int) decimal.Null {
	p := s.picks[i]
	return s.pages[p.source].excursion[column].at(p.row)
}

// ExcursionStats compares results with what the price did during the trades. Amounts are
// exact; shares and risk multiples are floats.
type ExcursionStats struct {
	Trades int `json:"trades"`
	// WithExcursion counts the trades with MAE and MFE, Exact those with equal bounds and
	// bars throughout the holding time, and WithR those that also have an initial risk.
	WithExcursion int `json:"with_excursion"`
	// WithPrices counts the trades with price bars; the others have typed values.
	WithPrices int `json:"with_prices" doc:"The trades of with_excursion that have price bars. The others have MAE and MFE that were typed or imported."`
	Exact      int `json:"exact"`
	WithR      int `json:"with_r"`
	// Winners and Losers compare them by outcome.
	Winners ExcursionGroup `json:"winners"`
	Losers  ExcursionGroup `json:"losers"`
	// Points are trades to plot, the newest at most MaxPoints.
	Points []ExcursionPoint `json:"points"`
	// Stops and Targets are what results would have been with a stop or a target at a
	// risk multiple, for the trades with R. Grid combines them.
	Baseline WhatIf     `json:"baseline"`
	Stops    []WhatIf   `json:"stops"`
	Targets  []WhatIf   `json:"targets"`
	Grid     [][]WhatIf `json:"grid"`
	// WentForBreakeven and WentForLoss count the trades with 1 R or more in profit that
	// ended as breakeven, and at a loss.
	WentForBreakeven CountBounds `json:"went_for_breakeven"`
	WentForLoss      CountBounds `json:"went_for_loss"`
	// AfterExit is what the last fill would have brought more, on average.
	AfterExit []AfterExitStats `json:"after_exit"`
}

// WithoutTradeIDs returns the statistics with points stripped of trade ids. It shares
// everything else with out.
func (out ExcursionStats) WithoutTradeIDs() ExcursionStats {
	out.Points = slices.Clone(out.Points)
	for i := range out.Points {
		out.Points[i].TradeID = ""
	}
	return out
}

// MaxPoints is the maximum point count in [ExcursionStats].
const MaxPoints = 2000

// ExcursionGroup is the average MAE and MFE.
type ExcursionGroup struct {
	Trades int          `json:"trades"`
	MAE    AmountBounds `json:"avg_mae"`
	MFE    AmountBounds `json:"avg_mfe"`
}

// AmountBounds bound an amount; both are absent without trades.
type AmountBounds struct {
	Low  decimal.Null `json:"low"`
	High decimal.Null `json:"high"`
}

// CountBounds count the trades certainly and possibly meant.
type CountBounds struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// ExcursionPoint is one trade.
type ExcursionPoint struct {
	TradeID  journal.TradeID `json:"trade_id" doc:"Empty for access tokens with scope analytics."`
	Symbol   string          `json:"symbol"`
	ClosedAt time.Time       `json:"closed_at"`
	NetPnL   decimal.Decimal `json:"net_pnl"`
	R        decimal.Null    `json:"r"`
	MAELow   decimal.Decimal `json:"mae_low"`
	MAEHigh  decimal.Decimal `json:"mae_high"`
	MFELow   decimal.Decimal `json:"mfe_low"`
	MFEHigh  decimal.Decimal `json:"mfe_high"`
	// MAER and MFER are the lower bounds in units of initial risk.
	MAER decimal.Null `json:"mae_r" doc:"mae_low in units of initial risk."`
	MFER decimal.Null `json:"mfe_r" doc:"mfe_low in units of initial risk."`
}

// WhatIf sums up results in risk units if every trade had been closed at a stop or a
// target. A trade that may or may not have come so far counts with its worse result in
// Low and its better result in High.
type WhatIf struct {
	// Stop and Target are in risk units; absent means none.
	Stop   *float64 `json:"stop"`
	Target *float64 `json:"target"`
	RBounds
	// Halves are the sums for the first and the second half in closing order: a stop that
	// helped in only one half fits the past.
	Halves [2]RBounds `json:"halves"`
	// WinnersStopped are winners closed by the stop, LosersStopped losers.
	WinnersStopped CountBounds `json:"winners_stopped"`
	LosersStopped  CountBounds `json:"losers_stopped"`
	// TargetsReached are trades closed by the target.
	TargetsReached CountBounds `json:"targets_reached"`
}

// RBounds bound a sum in risk units.
type RBounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// AfterExitStats is the mean gain missed after the last fill.
type AfterExitStats struct {
	// Minutes after the exit; absent for the session end.
	Minutes *int         `json:"minutes"`
	Trades  int          `json:"trades"`
	Mean    decimal.Null `json:"mean"`
	// Interval belongs to the mean, from draws of whole days.
	Interval MoneyInterval `json:"interval"`
}

// stopSteps and targetSteps are the risk multiples to try.
var (
	stopSteps   = []float64{0.25, 0.5, 0.75, 1, 1.5, 2}
	targetSteps = []float64{0.5, 1, 1.5, 2, 3, 4, 5}
)

// AnalyzeExcursions compares a selection's results with what the price did. Intervals use
// days in the zone.
func AnalyzeExcursions(s *Selection, zone *time.Location, seed uint64) ExcursionStats {
	s = s.withoutRemoved()
	net := readColumn[exact](s, netOf)
	results := outcomes(s, net)
	out := ExcursionStats{Trades: s.Len(), Points: []ExcursionPoint{}}
	var winners, losers excursionSums
	var withR []whatIfTrade
	for i := range s.picks {
		e := s.pages[s.picks[i].source].excursionAt(s.picks[i].row)
		if !e.MAELow.Valid || !e.MFELow.Valid {
			continue
		}
		out.WithExcursion++
		if e.ExitEfficiency.Valid {
			out.WithPrices++
		}
		if e.MAELow.Equal(e.MAEHigh) && e.MFELow.Equal(e.MFEHigh) && !e.Coverage.Valid {
			out.Exact++
		}
		switch results[i] {
		case win:
			winners.add(&e)
		case loss:
			losers.add(&e)
		case breakeven, uncounted:
		}
		out.Points = append(out.Points, newExcursionPoint(s, i, net[i].d, &e))
		if e.MAER.Valid {
			withR = append(withR, s.newWhatIfTrade(i, &e, results[i]))
		}
	}
	out.Points = out.Points[max(0, len(out.Points)-MaxPoints):]
	out.WithR, out.Winners, out.Losers = len(withR), winners.toGroup(), losers.toGroup()
	out.addWhatIfs(withR)
	for _, t := range withR {
		switch t.result {
		case breakeven:
			out.WentForBreakeven.count(t.mfe, 1)
		case loss:
			out.WentForLoss.count(t.mfe, 1)
		case win, uncounted:
		}
	}
	for k := range len(AfterExitMinutes) + 1 {
		out.AfterExit = append(out.AfterExit, s.averageAfterExit(k, zone, seed))
	}
	return out
}

func newExcursionPoint(s *Selection, i int, net decimal.Decimal, e *TradeExcursion) ExcursionPoint {
	p := s.picks[i]
	c := s.pages[p.source]
	return ExcursionPoint{
		TradeID: s.ID(i), Symbol: c.symbol.at(p.row), ClosedAt: time.UnixMicro(s.closed(i)).UTC(),
		NetPnL: net, R: c.rMultiple.at(p.row),
		MAELow: e.MAELow.Decimal, MAEHigh: e.MAEHigh.Decimal, MFELow: e.MFELow.Decimal, MFEHigh: e.MFEHigh.Decimal,
		MAER: e.MAER, MFER: e.MFER,
	}
}

// excursionSums adds up excursions.
type excursionSums struct {
	trades                           int
	maeLow, maeHigh, mfeLow, mfeHigh decimal.Decimal
}

func (s *excursionSums) add(e *TradeExcursion) {
	s.trades++
	s.maeLow, s.maeHigh = s.maeLow.Add(e.MAELow.Decimal), s.maeHigh.Add(e.MAEHigh.Decimal)
	s.mfeLow, s.mfeHigh = s.mfeLow.Add(e.MFELow.Decimal), s.mfeHigh.Add(e.MFEHigh.Decimal)
}

func (s *excursionSums) toGroup() ExcursionGroup {
	average := func(low, high decimal.Decimal) AmountBounds {
		if s.trades == 0 {
			return AmountBounds{}
		}
		return AmountBounds{Low: decimal.Of(mean(low, s.trades)), High: decimal.Of(mean(high, s.trades))}
	}
	return ExcursionGroup{Trades: s.trades, MAE: average(s.maeLow, s.maeHigh), MFE: average(s.mfeLow, s.mfeHigh)}
}

// whatIfTrade is a trade in risk units.
type whatIfTrade struct {
	net, costs float64
	mae, mfe   RBounds
	result     outcome
}

func (s *Selection) newWhatIfTrade(i int, e *TradeExcursion, result outcome) whatIfTrade {
	p := s.picks[i]
	c := s.pages[p.source]
	c = c.original() // multiples of the risk do not depend on the rate
	risk := c.risk.at(p.row).Decimal
	inR := func(d decimal.Decimal) float64 { return d.DivRound(risk, ExcursionScale).Float64() }
	t := whatIfTrade{
		net: inR(c.net.at(p.row)), costs: inR(c.fees.at(p.row)), result: result,
		mae: RBounds{e.MAER.Decimal.Float64(), e.MAEHighR.Decimal.Float64()},
		mfe: RBounds{e.MFER.Decimal.Float64(), e.MFEHighR.Decimal.Float64()},
	}
	if e.Coverage.Valid {
		// While bars are missing the price may have gone anywhere.
		t.mae.High, t.mfe.High = math.Inf(1), math.Inf(1)
	}
	return t
}

func (out *ExcursionStats) addWhatIfs(trades []whatIfTrade) {
	out.Baseline = tryExits(trades, nil, nil)
	for i := range stopSteps {
		out.Stops = append(out.Stops, tryExits(trades, &stopSteps[i], nil))
		row := make([]WhatIf, len(targetSteps))
		for k := range targetSteps {
			row[k] = tryExits(trades, &stopSteps[i], &targetSteps[k])
		}
		out.Grid = append(out.Grid, row)
	}
	for k := range targetSteps {
		out.Targets = append(out.Targets, tryExits(trades, nil, &targetSteps[k]))
	}
}

// tryExits adds up the results with a stop and a target.
func tryExits(trades []whatIfTrade, stop, target *float64) WhatIf {
	w := WhatIf{Stop: stop, Target: target}
	for i, t := range trades {
		bounds := t.tryExits(stop, target)
		half := 0
		if i >= (len(trades)+1)/2 {
			half = 1
		}
		w.Halves[half].Low += bounds.Low
		w.Halves[half].High += bounds.High
		if stop != nil && t.result == win {
			w.WinnersStopped.count(t.mae, *stop)
		}
		if stop != nil && t.result == loss {
			w.LosersStopped.count(t.mae, *stop)
		}
		if target != nil {
			w.TargetsReached.count(t.mfe, *target)
		}
	}
	w.Low, w.High = roundR(w.Halves[0].Low+w.Halves[1].Low), roundR(w.Halves[0].High+w.Halves[1].High)
	for i, half := range w.Halves {
		w.Halves[i] = RBounds{roundR(half.Low), roundR(half.High)}
	}
	return w
}

// roundR rounds a sum to its parts' decimals.
func roundR(r float64) float64 { return math.Round(r*1e6) / 1e6 }

// count counts a trade whose excursion may have reached a limit.
func (c *CountBounds) count(excursion RBounds, limit float64) {
	if excursion.Low >= limit {
		c.Low++
	}
	if excursion.High >= limit {
		c.High++
	}
}

// tryExits bounds the result with a stop and a target. If both were reached, their order
// is unknown.
func (t *whatIfTrade) tryExits(stop, target *float64) RBounds {
	var possible []float64
	isCertain := false // an exit certainly happened
	if stop != nil && t.mae.High >= *stop {
		possible = append(possible, -*stop-t.costs)
		isCertain = isCertain || t.mae.Low >= *stop
	}
	if target != nil && t.mfe.High >= *target {
		possible = append(possible, *target-t.costs)
		isCertain = isCertain || t.mfe.Low >= *target
	}
	if !isCertain {
		possible = append(possible, t.net)
	}
	return RBounds{slices.Min(possible), slices.Max(possible)}
}

// averageAfterExit returns the mean movement in a column after the exit.
func (s *Selection) averageAfterExit(k int, zone *time.Location, seed uint64) AfterExitStats {
	out := AfterExitStats{}
	if k < len(AfterExitMinutes) {
		out.Minutes = &AfterExitMinutes[k]
	}
	local := newClock(zone)
	var all rowTally[exact]
	for i := range s.picks {
		if value := s.excursionValue(i, afterExitAt+k); value.Valid {
			result := outcome(value.Decimal.Sign())
			all.addResult(exact{value.Decimal}, result)
			all.addToDay(local.day(s.closed(i)), exact{value.Decimal}, result)
		}
	}
	if out.Trades = all.trades(); out.Trades == 0 {
		return out
	}
	out.Mean = decimal.Of(mean(all.net().d, out.Trades))
	out.Interval = computeEvidence(all.days, s.scale, newDraws(rowDraws, len(all.days), seed)).Expectancy
	return out
}
