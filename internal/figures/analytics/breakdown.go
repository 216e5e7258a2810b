package analytics

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
)

// Dimension is a property to group trades by.
type Dimension string

// The dimensions. Weekday, hour and session refer to the opening; month follows the
// selection's basis.
const (
	BySymbol     Dimension = "symbol"
	ByRoot       Dimension = "root"
	BySetup      Dimension = "setup"
	ByTag        Dimension = "tag"
	ByMistake    Dimension = "mistake"
	BySide       Dimension = "side"
	ByInstrument Dimension = "instrument"
	ByWeekday    Dimension = "weekday"
	ByHour       Dimension = "hour"
	ByMonth      Dimension = "month"
	BySession    Dimension = "session"
	ByHoldTime   Dimension = "hold_time"
	BySize       Dimension = "size"
	ByGrade      Dimension = "grade"
	ByAccount    Dimension = "account"
	// The following group by what the price did; see [TradeExcursion].
	ByMAE            Dimension = "mae_r"
	ByMFE            Dimension = "mfe_r"
	ByExitEfficiency Dimension = "exit_efficiency"
	ByATR            Dimension = "atr_pct"
	ByGap            Dimension = "gap_pct"
	ByRelativeVolume Dimension = "relative_volume"
	ByOpeningRange   Dimension = "opening_range"
	// ByTradingRule groups by the trading rules that a trade broke.
	ByTradingRule Dimension = "trading_rule"
)

// Dimensions returns all dimensions.
func Dimensions() []Dimension {
	return []Dimension{
		BySymbol, ByRoot, BySetup, ByTag, ByMistake, BySide, ByInstrument, ByWeekday, ByHour, ByMonth, BySession, ByHoldTime, BySize,
		ByGrade, ByAccount, ByMAE, ByMFE, ByExitEfficiency, ByATR, ByGap, ByRelativeVolume, ByOpeningRange, ByTradingRule,
	}
}

// IsTime reports whether a dimension groups by time. Realized results can be grouped
// by these only.
func (by Dimension) IsTime() bool {
	return by == ByWeekday || by == ByHour || by == ByMonth || by == BySession
}

// ParseDimension parses a dimension name.
func ParseDimension(field, text string) (Dimension, error) {
	by := Dimension(text)
	if !slices.Contains(Dimensions(), by) && !by.IsStrategy() {
		names := make([]string, 0, len(Dimensions()))
		for _, known := range append(Dimensions(), StrategyDimensions()...) {
			names = append(names, string(known))
		}
		return "", journal.InvalidField(field, "%s must be one of %s.", field, strings.Join(names, ", "))
	}
	return by, nil
}

// BreakdownQuery has the parameters for [BreakDown].
type BreakdownQuery struct {
	By   Dimension
	Zone *time.Location
	// Mistakes are the tags counted as mistakes.
	Mistakes []journal.TagID
	// KeyOf returns a trade's key for a dimension of strategies; trades with an empty key
	// are left out.
	KeyOf func(journal.TradeID) string
	// Broken are the trades that broke each trading rule, by its id.
	Broken []BrokenRule
	// Evidence adds intervals and probabilities, computed with the seed.
	Evidence bool
	Seed     uint64
}

// Row is the trades with the same key. Trades without a setup, tag or grade have the
// empty key.
type Row struct {
	Key          string          `json:"key"`
	Trades       int             `json:"trades"`
	Wins         int             `json:"wins"`
	Losses       int             `json:"losses"`
	Breakeven    int             `json:"breakeven"`
	WinRate      float64         `json:"win_rate"`
	NetPnL       decimal.Decimal `json:"net_pnl"`
	GrossPnL     decimal.Decimal `json:"gross_pnl"`
	Fees         decimal.Decimal `json:"fees"`
	Volume       decimal.Decimal `json:"volume"`
	AvgTrade     decimal.Decimal `json:"avg_trade"`
	ProfitFactor *float64        `json:"profit_factor"`
	AvgR         *float64        `json:"avg_r"`
	TradesWithR  int             `json:"trades_with_r"`
	// Evidence is null unless requested. PValue is how likely a row without any edge has
	// a result as extreme, corrected for the row count.
	Evidence    *Evidence `json:"evidence"`
	PValue      *float64  `json:"p_value"`
	Significant bool      `json:"significant"`
	// Rest is null unless evidence is requested, if the row has all trades, and for
	// realized results.
	Rest *Rest `json:"rest"`
	RowShare
	// BreakevenTolerance is the user's setting as stored; null by default.
	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance"`
}

// rowDraws is the number of draws per row. It is below evidenceDraws because there may be
// many rows.
const rowDraws = 400

// significance is the corrected probability below which a row is significant.
const significance = 1 - evidenceLevel

// BreakDown groups the selected trades. Dimensions with a natural order (hours, months,
// grades) keep it; other rows are sorted by net result, best first. Only rows with trades
// are listed; removed trades are not counted in them. A trade with several tags or setups counts in each row.
func BreakDown(s *Selection, q BreakdownQuery) []Row {
	return chooseArithmetic(s, breakDown[int128], breakDown[exact])(s, q)
}

// rowTally accumulates a row.
type rowTally[T number[T]] struct {
	tally[T]
	gross, fees, volume T
	rs                  float64
	withR               int
	days                []dayNet[T]
}

func breakDown[T number[T]](s *Selection, q BreakdownQuery) []Row {
	keys, rows := tallyRows[T](s, q)
	list, tallies := []Row{}, []*rowTally[T]{}
	all := rowTally[T]{tally: tallyAll[T](s)}
	for k := range rows {
		if rows[k].trades()+rows[k].removed() > 0 {
			row := rows[k].toRow(keys[k], s.scale)
			row.BreakevenTolerance = s.filter.Tolerance.Stored
			row.RowShare = newRowShare(&rows[k].tally, &all.tally, keys[k] != "" && (q.By == ByTag || q.By == ByMistake))
			list, tallies = append(list, row), append(tallies, &rows[k])
		}
	}
	if q.Evidence {
		if !s.parts {
			all.days = tallyNetDays[T](s, q.Zone)
		}
		addEvidence(list, tallies, &all, s.scale, q.Seed)
	}
	if !q.By.hasOwnOrder() {
		slices.SortFunc(list, func(a, b Row) int { return cmp.Or(b.NetPnL.Cmp(a.NetPnL), strings.Compare(a.Key, b.Key)) })
	}
	return list
}

// addEvidence adds intervals and probabilities to rows. Half of the rows are computed in
// another goroutine.
func addEvidence[T number[T]](list []Row, tallies []*rowTally[T], all *rowTally[T], scale int32, seed uint64) {
	days := len(all.days)
	for _, t := range tallies {
		days = max(days, len(t.days))
	}
	draws, restDraws := newDraws(rowDraws, days, seed), newDraws(rowDraws, days, seed+1)
	chances, restChances := make([]*float64, len(list)), make([]*float64, len(list))
	compute := func(first int) {
		for i := first; i < len(list); i += 2 {
			evidence, drawn, p := tallies[i].computeEvidence(scale, draws)
			list[i].Evidence, chances[i] = &evidence, p
			if len(all.days) > 0 && tallies[i].trades() > 0 && tallies[i].trades() < all.trades() {
				list[i].Rest, restChances[i] = compareWithRest(tallies[i], all, drawn, scale, draws, restDraws)
			}
		}
	}
	parallel.Run(func() { compute(0) }, func() { compute(1) })
	for i, p := range correctByHolm(chances) {
		list[i].PValue, list[i].Significant = p, p != nil && *p < significance
	}
	trades := func(i int) int { return list[i].Trades }
	isMirrored := func(i, k int) bool { return list[i].Rest.Difference.Equal(list[k].Rest.Difference.Neg()) }
	for i, p := range correctOnce(restChances, all.trades(), trades, isMirrored) {
		if list[i].Rest != nil {
			list[i].Rest.PValue = p
		}
	}
}

func tallyRows[T number[T]](s *Selection, q BreakdownQuery) (keys []string, rows []rowTally[T]) {
	g := s.groupTrades(q)
	if s.parts {
		return g.keys, tallyParts[T](s, q, g)
	}
	rows = make([]rowTally[T], len(g.keys))
	net, gross, fees, volume := readColumn[T](s, netOf), readColumn[T](s, grossOf), readColumn[T](s, feesOf), readColumn[T](s, volumeOf)
	rs, withR := computeMultiples(s, net)
	results := outcomes(s, net)
	c := newClock(q.Zone)
	next := 0
	for i := range s.picks {
		hasR := next < len(withR) && int(withR[next]) == i
		isCounted := results[i] != uncounted
		for _, k := range g.of(i) {
			t := &rows[k]
			t.addResult(net[i], results[i])
			t.gross, t.fees, t.volume = t.gross.add(gross[i]), t.fees.add(fees[i]), t.volume.add(volume[i])
			if hasR && isCounted {
				t.rs += rs[next]
				t.withR++
			}
			if q.Evidence && isCounted {
				t.addToDay(c.day(s.basisInstant(i)), net[i], results[i])
			}
		}
		if hasR {
			next++
		}
	}
	return g.keys, rows
}

// addToDay adds a result to a day. Days are kept in order; nearly always the day is the
// last or a new last.
func (t *rowTally[T]) addToDay(day int64, net T, result outcome) {
	at := len(t.days) - 1
	if at < 0 || t.days[at].day < day {
		at++
		t.days = append(t.days, dayNet[T]{day: day})
	} else if t.days[at].day != day {
		var known bool
		at, known = slices.BinarySearchFunc(t.days, day, func(d dayNet[T], day int64) int { return cmp.Compare(d.day, day) })
		if !known {
			t.days = slices.Insert(t.days, at, dayNet[T]{day: day})
		}
	}
	t.days[at].addResult(net, result)
}

func (t *rowTally[T]) toRow(key string, scale int32) Row {
	return Row{
		Key: key, Trades: t.trades(), Wins: t.wins(), Losses: t.losses(), Breakeven: t.trades() - t.wins() - t.losses(),
		WinRate: t.winRate(), NetPnL: t.net().decimal(scale), GrossPnL: t.gross.decimal(scale), Fees: t.fees.decimal(scale),
		Volume: t.volume.decimal(scale), AvgTrade: mean(t.countedNet().decimal(scale), t.trades()), ProfitFactor: t.profitFactor(scale),
		AvgR: divide(t.rs, float64(t.withR)), TradesWithR: t.withR,
	}
}

// computeEvidence returns a row's intervals with the histories drawn for them, and how
// likely its result is by chance. A row with too few trades has no probability, so it does
// not count in the correction.
func (t *rowTally[T]) computeEvidence(scale int32, draws *draws) (Evidence, []drawnHistory[T], *float64) {
	e, drawn := drawEvidence(t.days, scale, draws)
	if !checkMinimums(t.trades(), len(t.days)).Enough {
		return e, drawn, nil
	}
	return e, drawn, pValue(meanError(t.days, scale))
}

// hasOwnOrder reports whether a dimension's keys have a natural order.
func (by Dimension) hasOwnOrder() bool {
	switch by {
	case ByWeekday, ByHour, ByMonth, BySession, ByHoldTime, BySize, ByGrade, ByDTE:
		return true
	default:
		_, isBucket := excursionBuckets[by]
		return isBucket
	}
}

// grouping is a list of groups with a function returning each trade's groups.
type grouping struct {
	keys []string
	of   func(i int) []int32
}

// newSingleGrouping returns a grouping in which each trade has one group.
func newSingleGrouping(keys []string, of func(i int) int) grouping {
	one := make([]int32, 1)
	return grouping{keys, func(i int) []int32 {
		one[0] = int32(of(i))
		return one
	}}
}

func (s *Selection) groupTrades(q BreakdownQuery) grouping {
	local := newClock(q.Zone)
	switch q.By {
	case BySide:
		return newSingleGrouping([]string{Long.String(), Short.String()}, func(i int) int {
			return int(s.pages[s.picks[i].source].side[s.picks[i].row])
		})
	case ByWeekday:
		return newSingleGrouping(numberNames(0, 6), func(i int) int { return local.weekday(s.opened(i)) })
	case ByHour:
		return newSingleGrouping(numberNames(0, 23), func(i int) int { return local.hour(s.opened(i)) })
	case BySession:
		eastern := newYorkClock()
		return newSingleGrouping(sessionNames(), func(i int) int { return eastern.sessionAt(s.opened(i)) })
	case ByHoldTime:
		return newSingleGrouping(holdNames(), func(i int) int { return holdBucket(s.closed(i) - s.opened(i)) })
	case BySize:
		return s.groupBySize()
	case ByGrade:
		return newSingleGrouping(append([]string{""}, numberNames(1, 5)...), func(i int) int {
			return min(5, int(s.pages[s.picks[i].source].quality[s.picks[i].row]))
		})
	case ByMonth:
		return s.groupByMonth(local)
	case ByTradingRule:
		return s.groupByTradingRule(q.Broken)
	default:
		if q.By.IsStrategy() {
			return s.groupByKey(q)
		}
		if _, isBucket := excursionBuckets[q.By]; isBucket {
			return s.groupByExcursion(q.By)
		}
		return s.groupByValue(q)
	}
}

func numberNames(from, to int) []string {
	var names []string
	for n := from; n <= to; n++ {
		names = append(names, strconv.Itoa(n))
	}
	return names
}

func sessionNames() []string {
	var names []string
	for _, name := range sessions {
		names = append(names, string(name))
	}
	return names
}

func holdNames() []string {
	var names []string
	for i := range holdBuckets {
		names = append(names, holdBuckets[i].name)
	}
	return names
}

// groupByTradingRule groups by the broken rules; trades that broke none have the empty key.
func (s *Selection) groupByTradingRule(broken []BrokenRule) grouping {
	keys := []string{""}
	for _, rule := range broken {
		keys = append(keys, rule.Rule)
	}
	groups := make([]int32, 0, len(keys))
	return grouping{keys, func(i int) []int32 {
		groups = groups[:0]
		p := s.picks[i]
		for k, rule := range broken {
			if rule.Trades.hasRow(&s.pages[p.source].ids, p.row) {
				groups = append(groups, int32(k)+1)
			}
		}
		if len(groups) == 0 {
			groups = append(groups, 0)
		}
		return groups
	}}
}

// groupByMonth groups by month, in calendar order.
func (s *Selection) groupByMonth(local *clock) grouping {
	days, of := s.findDays(local)
	months := make([]string, len(days))
	for d, day := range days {
		months[d] = dayName(day).Month()
	}
	keys := slices.Compact(slices.Sorted(slices.Values(months)))
	places := make([]int, len(days))
	for d, month := range months {
		places[d], _ = slices.BinarySearch(keys, month)
	}
	return newSingleGrouping(keys, func(i int) int { return places[of[i]] })
}

func sizeKeys[T number[T]](s *Selection) []int64 { return newSortKeys(readColumn[T](s, sizeOf)).keys }

// groupBySize groups by the trader's own size quartiles: a trade is in the first quarter
// whose greatest size, by nearest rank, it does not exceed.
func (s *Selection) groupBySize() grouping {
	keys := chooseArithmetic(s, sizeKeys[int128], sizeKeys[exact])(s)
	const quarters = 4
	var limits [quarters]int64
	if sorted := slices.Sorted(slices.Values(keys)); len(sorted) > 0 {
		for k := range limits {
			limits[k] = sorted[((k+1)*len(sorted)+quarters-1)/quarters-1]
		}
	}
	return newSingleGrouping([]string{"q1", "q2", "q3", "q4"}, func(i int) int {
		quarter := 0
		for keys[i] > limits[quarter] {
			quarter++
		}
		return quarter
	})
}

// groupByValue groups by dictionary strings, or by the ids in them.
func (s *Selection) groupByValue(q BreakdownQuery) grouping {
	var names dictionary
	groups := make([][][]int32, len(s.pages))
	for source, c := range s.pages {
		column, parts := c.dictionaryOf(q)
		if column == nil {
			groups[source] = [][]int32{{names.code(string(c.account))}}
			continue
		}
		for _, word := range column.values {
			var numbers []int32
			for _, part := range parts(word) {
				numbers = append(numbers, names.code(part))
			}
			groups[source] = append(groups[source], numbers)
		}
	}
	return grouping{names.values, func(i int) []int32 {
		p := s.picks[i]
		if column, _ := s.pages[p.source].dictionaryOf(q); column != nil {
			return groups[p.source][column.codes[p.row]]
		}
		return groups[p.source][0]
	}}
}

// dictionaryOf returns a dimension's column, nil for the account, and the function to
// split its strings into keys.
func (c *page) dictionaryOf(q BreakdownQuery) (column *dictionary, parts func(word string) []string) {
	whole := func(word string) []string { return []string{word} }
	ids := func(word string) []string { return orEmptyKey(splitIDs[string](word)) }
	switch q.By {
	case BySymbol:
		return &c.symbol, whole
	case ByRoot:
		return &c.contract, func(word string) []string { return []string{splitContract(word).root} }
	case ByInstrument:
		return &c.instrument, whole
	case BySetup:
		return &c.setups, ids
	case ByTag:
		return &c.tags, ids
	case ByMistake:
		return &c.tags, func(word string) []string {
			return orEmptyKey(slices.DeleteFunc(splitIDs[string](word), func(id string) bool {
				return !slices.Contains(q.Mistakes, journal.TagID(id))
			}))
		}
	default:
		return nil, whole
	}
}

// orEmptyKey returns keys, or the empty key if there are none.
func orEmptyKey(keys []string) []string {
	if len(keys) == 0 {
		return []string{""}
	}
	return keys
}
