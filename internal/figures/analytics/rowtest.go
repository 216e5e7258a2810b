package analytics

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
	"fillbook/internal/trading/tradefilter"
)

// Lookups are the values needed for conditions but missing in columns. They must be from
// the same snapshot as the columns.
type Lookups struct {
	// Mistakes are the tags marked as mistakes.
	Mistakes []journal.TagID
	// Words are what each search word finds.
	Words []WordLookup
	// Rules are the trades passing the rule conditions; nil without conditions.
	Rules *TradeIDs
	// RulesBroken and RulesKept are the trades passing the conditions on trading rules; nil
	// without conditions.
	RulesBroken, RulesKept *TradeIDs
	// RulesState identifies the trading rules and the trades behind these sets, which may be
	// of other accounts than the columns.
	RulesState string
	// Sequence are the trades passing the conditions on the day's sequence; nil without
	// conditions.
	Sequence *TradeIDs
	// Among are the only trades to pass; nil means all.
	Among *TradeIDs
	// Units returns which units pass, in place of the conditions on their rows; nil without
	// units.
	Units func(*UnitTable) []bool
}

// WordLookup is what a word finds besides symbols: tags with the word in their
// name, and trades with the word in their notes.
type WordLookup struct {
	Tags   []journal.TagID
	Trades *TradeIDs
}

// TradeIDs is a trade set. It never changes.
type TradeIDs struct{ ids *idSet }

// NewTradeIDs returns a trade set.
func NewTradeIDs(ids []journal.TradeID) *TradeIDs { return &TradeIDs{newIDSet(ids)} }

// Bytes returns the approximate memory used, for a cache limit.
func (t *TradeIDs) Bytes() int {
	const entry, otherEntry, head = 32, 80, 128
	return head + entry*len(t.ids.keys) + otherEntry*len(t.ids.others)
}

// UniteTradeIDs returns the union of sets.
func UniteTradeIDs(sets ...*TradeIDs) *TradeIDs {
	if len(sets) == 1 {
		return sets[0]
	}
	all := NewTradeIDs(nil)
	for _, set := range sets {
		maps.Copy(all.ids.keys, set.ids.keys)
		maps.Copy(all.ids.others, set.ids.others)
	}
	return all
}

// Has reports whether the set contains a trade.
func (t *TradeIDs) Has(id journal.TradeID) bool { return t.ids.has(id) }

// hasRow reports whether the set contains a row's trade.
func (t *TradeIDs) hasRow(c *idColumn, row int32) bool {
	key := c.keys[row]
	if key.isOther() {
		_, has := t.ids.others[c.at(row)]
		return has
	}
	_, has := t.ids.keys[key]
	return has
}

// SelectIDs returns the trades passing a filter, in no order.
func SelectIDs(columns []*Columns, f Filter) *TradeIDs {
	set := NewTradeIDs(nil)
	for _, c := range columns {
		for _, p := range c.pages {
			for _, pick := range p.appendSelected(nil, 0, &f) {
				set.ids.addRow(&p.ids, pick.row)
			}
		}
	}
	return set
}

// rowTests collects a page's tests. Tests on few distinct values come first, because they
// are faster.
type rowTests struct {
	page *page
	list []func(row int32) bool
}

func (t *rowTests) add(test func(row int32) bool) { t.list = append(t.list, test) }

// newRowTest returns a function testing a row against a filter, or nil if there is
// nothing to test besides the closing period.
func (c *page) newRowTest(f *Filter) func(row int32) bool { return c.newRowTests(f).joined() }

// newRowTests returns the tests for a filter besides the closing period.
func (c *page) newRowTests(f *Filter) *rowTests {
	c = c.original() // conditions test the own amounts
	scope, t := &rowTests{page: c}, &rowTests{page: c}
	scope.addScope(f)
	t.addTimes(f)
	t.addInstrument(f)
	t.addAnnotations(f)
	t.addResult(f)
	t.addExcursion(f)
	t.addLookups(f)
	if c.unitTable != nil && f.Lookups.Units != nil {
		t.testUnits(f.Lookups.Units(c.unitTable))
	}
	if f.Invert {
		passes := t.joined()
		scope.add(func(row int32) bool { return passes != nil && !passes(row) })
	} else {
		scope.list = append(scope.list, t.list...)
	}
	return scope
}

// testUnits tests rows of units by passing instead of by the tests so far.
func (t *rowTests) testUnits(passing []bool) {
	unit, passesTrade := t.page.unit, t.joined()
	t.list = []func(row int32) bool{func(row int32) bool {
		if place := unit[row]; place > 0 {
			return passing[place-1]
		}
		return passesTrade == nil || passesTrade(row)
	}}
}

// filter returns the picks passing all tests, and overwrites the list. It runs test by
// test and without branches on the results, which are not predictable.
func (t *rowTests) filter(picks []pick) []pick {
	for _, passes := range t.list {
		n := 0
		for _, p := range picks {
			picks[n] = p // overwritten by the next if it does not count
			if passes(p.row) {
				n++
			}
		}
		picks = picks[:n]
	}
	return picks
}

// joined returns a function that reports whether a row passes all tests, or nil if there
// are none.
func (t *rowTests) joined() func(row int32) bool {
	switch len(t.list) {
	case 0:
		return nil
	case 1:
		return t.list[0]
	}
	list := t.list // not what the caller sets later
	return func(row int32) bool {
		for _, passes := range list {
			if !passes(row) {
				return false
			}
		}
		return true
	}
}

// addScope tests the opening period and the status.
func (t *rowTests) addScope(f *Filter) {
	c := t.page
	if f.Basis == ByOpening && (f.Period.From != nil || f.Period.To != nil) {
		t.add(func(row int32) bool { return f.Period.Contains(time.UnixMicro(c.opened[row])) })
	}
	if f.Status != AnyStatus {
		t.add(func(row int32) bool { return c.state[row].isOpen() == (f.Status == OnlyOpen) })
	}
}

func (t *rowTests) addTimes(f *Filter) {
	c := t.page
	if len(f.Weekdays) > 0 || len(f.Hours) > 0 {
		t.addWeekHours(f)
	}
	if len(f.Sessions) > 0 {
		var pass [len(sessions)]bool
		for i, name := range sessions {
			pass[i] = slices.Contains(f.Sessions, name)
		}
		eastern := newYorkClock()
		t.add(func(row int32) bool { return pass[eastern.sessionAt(c.opened[row])] })
	}
}

// addWeekHours tests the opening's weekday and hour.
func (t *rowTests) addWeekHours(f *Filter) {
	var weekdays [7]bool
	for day := range weekdays {
		weekdays[day] = len(f.Weekdays) == 0 || slices.Contains(f.Weekdays, day)
	}
	var hours [24]bool
	for hour := range hours {
		hours[hour] = len(f.Hours) == 0 || slices.Contains(f.Hours, hour)
	}
	local, opened := newClock(filterZone(f)), t.page.opened
	t.add(func(row int32) bool {
		weekday, hour := local.weekHour(opened[row])
		return weekdays[weekday] && hours[hour]
	})
}

func filterZone(f *Filter) *time.Location {
	if f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

// contract is the contract values to filter by, and the symbols of a trade with several.
type contract struct {
	root, right string
	expiry      journal.Day
	symbols     string
}

// maxContract is more than the contract values of most trades need.
const maxContract = 64

// appendContract appends a trade's contract values as one text.
func appendContract(b []byte, t *Trade) []byte {
	b = append(append(append(append(append(b, t.Root...), separator...), t.OptionRight...), separator...), t.Expiry...)
	if t.Symbols != "" {
		b = append(append(b, separator...), t.Symbols...)
	}
	return b
}

func splitContract(word string) (c contract) {
	const fewest, most = 3, 4
	parts := strings.Split(word, separator)
	if len(parts) >= fewest { // not in test columns
		c = contract{root: parts[0], right: parts[1], expiry: journal.Day(parts[2])}
	}
	if len(parts) == most {
		c.symbols = parts[3]
	}
	return c
}

// hasSymbol reports whether one of the several symbols is in a list.
func (c contract) hasSymbol(list []string) bool {
	return c.symbols != "" && slices.ContainsFunc(list, func(symbol string) bool { return strings.Contains(c.symbols, "\n"+symbol+"\n") })
}

func (t *rowTests) addInstrument(f *Filter) {
	c := t.page
	if f.Side != "" {
		side := Short
		if f.Side == tradefilter.Long {
			side = Long
		}
		t.add(func(row int32) bool { return c.side[row] == side })
	}
	if len(f.Symbols) > 0 {
		now := c.symbol.newTest(func(word string) bool { return slices.Contains(f.Symbols, word) })
		before := c.contract.newTest(func(word string) bool { return splitContract(word).hasSymbol(f.Symbols) })
		t.add(func(row int32) bool { return now(row) || before(row) })
	}
	if len(f.InstrumentTypes) > 0 {
		t.add(c.instrument.newTest(func(word string) bool { return slices.Contains(f.InstrumentTypes, word) }))
	}
	if len(f.Roots) > 0 || len(f.OptionRights) > 0 {
		t.add(c.contract.newTest(func(word string) bool {
			contract := splitContract(word)
			return (len(f.Roots) == 0 || slices.Contains(f.Roots, contract.root) || contract.hasSymbol(f.Roots)) &&
				(len(f.OptionRights) == 0 || slices.Contains(f.OptionRights, contract.right))
		}))
	}
	if f.DTE.IsSet() {
		t.addExpiry(f)
	}
}

// addExpiry tests the days from the opening to the expiry.
func (t *rowTests) addExpiry(f *Filter) {
	c := t.page
	const none = math.MinInt64
	expiries := make([]int64, len(c.contract.values))
	for n, word := range c.contract.values {
		expiries[n] = none
		if expiry := splitContract(word).expiry; expiry != "" {
			expiries[n] = dayNumber(expiry.Time().UnixMicro())
		}
	}
	least, most := wholeBounds(f.DTE, 0)
	local := newClock(filterZone(f))
	t.add(func(row int32) bool {
		expiry := expiries[c.contract.codes[row]]
		if expiry == none {
			return false
		}
		days := expiry - local.day(c.opened[row])
		return least <= days && days <= most
	})
}

// wholeBounds returns the least and the greatest whole number v for which
// v / 10^scale is in a range.
func wholeBounds(r tradefilter.Range, scale int32) (least, most int64) {
	least, most = math.MinInt64, math.MaxInt64
	if r.Min.Valid {
		limit, ok := scaledLimit(roundTo(r.Min.Decimal, scale, true), scale, true)
		switch {
		case ok:
			least = limit
		case r.Min.Decimal.Sign() > 0: // above all 64-bit numbers
			return math.MaxInt64, math.MinInt64
		}
	}
	if r.Max.Valid {
		limit, ok := scaledLimit(roundTo(r.Max.Decimal, scale, false), scale, false)
		switch {
		case ok:
			most = limit
		case r.Max.Decimal.Sign() < 0: // below all 64-bit numbers
			return math.MaxInt64, math.MinInt64
		}
	}
	return least, most
}

// roundTo rounds d up or down to some decimals.
func roundTo(d decimal.Decimal, scale int32, up bool) decimal.Decimal {
	rounded := d.Round(scale)
	switch order := rounded.Cmp(d); {
	case up && order < 0:
		return rounded.Add(decimal.FromScaled(1, scale))
	case !up && order > 0:
		return rounded.Sub(decimal.FromScaled(1, scale))
	}
	return rounded
}

func (t *rowTests) addAnnotations(f *Filter) {
	c := t.page
	for _, flag := range []struct {
		want  journal.Opt[bool]
		state rowState
	}{{f.Reviewed, reviewedState}, {f.HasNote, noteState}, {f.HasAttachment, attachmentState}} {
		if flag.want.Set {
			t.add(func(row int32) bool { return c.state[row].has(flag.state) == flag.want.Value })
		}
	}
	if len(f.Qualities) > 0 {
		t.add(func(row int32) bool { return slices.Contains(f.Qualities, int(c.quality[row])) })
	}
	if len(f.EmotionalStates) > 0 {
		t.add(c.emotion.newTest(func(word string) bool { return slices.Contains(f.EmotionalStates, word) }))
	}
	if f.TestsSetups() {
		t.add(c.setups.newTest(func(word string) bool { return f.MatchesSetups(splitIDs[journal.SetupID](word)) }))
	}
	if f.TestsTags() {
		t.add(c.tags.newTest(func(word string) bool { return f.MatchesTags(splitIDs[journal.TagID](word)) }))
	}
	if f.Mistake.Set {
		t.add(c.tags.newTest(func(word string) bool {
			return hasCommon(splitIDs[journal.TagID](word), f.Lookups.Mistakes) == f.Mistake.Value
		}))
	}
}

// addResult tests what only closed trades have.
func (t *rowTests) addResult(f *Filter) {
	c := t.page
	if f.TestsResult() && slices.ContainsFunc(c.state, rowState.isOpen) {
		t.add(func(row int32) bool { return !c.state[row].isOpen() })
	}
	if f.Hold.IsSet() {
		const micros = 6
		least, most := wholeBounds(f.Hold, micros)
		t.add(func(row int32) bool {
			held := c.closed[row] - c.opened[row]
			return least <= held && held <= most
		})
	}
	if f.PnL.IsSet() {
		t.add(c.net.newRangeTest(f.PnL))
	}
	if f.R.IsSet() {
		inRange := c.rMultiple.values.newRangeTest(f.R)
		t.add(func(row int32) bool { return c.rMultiple.has(row) && inRange(row) })
	}
	if f.HasR.Set {
		t.add(func(row int32) bool { return c.rMultiple.has(row) == f.HasR.Value })
	}
	if len(f.Outcomes) > 0 {
		t.addOutcome(f)
	}
}

// addExcursion tests what the price did during the trade.
func (t *rowTests) addExcursion(f *Filter) {
	c := t.page
	for _, test := range []struct {
		within tradefilter.Range
		column int
	}{
		{f.MAER, maeRAt},
		{f.MFER, mfeRAt},
		{f.ExitEfficiency, exitEfficiencyAt},
		{f.ATRPct, atrPctAt},
		{f.GapPct, gapPctAt},
		{f.RelativeVolume, relativeVolumeAt},
		{f.OpeningRange, openingRangeAt},
	} {
		if test.within.IsSet() {
			column := &c.excursion[test.column]
			inRange := column.values.newRangeTest(test.within)
			t.add(func(row int32) bool { return column.has(row) && inRange(row) })
		}
	}
	if f.HasExcursion.Set {
		t.add(func(row int32) bool {
			return (c.excursion[maeLowAt].has(row) && c.excursion[mfeLowAt].has(row)) == f.HasExcursion.Value
		})
	}
}

// newRangeTest returns a function testing a row's number.
func (a *amounts) newRangeTest(r tradefilter.Range) func(row int32) bool {
	if a.narrow == nil {
		return func(row int32) bool { return r.Contains(a.at(row)) }
	}
	least, most := wholeBounds(r, a.scale)
	return func(row int32) bool { return least <= a.narrow[row] && a.narrow[row] <= most }
}

// addOutcome tests the net result's sign, with results within the tolerance as breakeven.
func (t *rowTests) addOutcome(f *Filter) {
	var pass [outcomeCount]bool // a removed trade passes none
	for name, result := range map[tradefilter.Outcome]outcome{tradefilter.Loss: loss, tradefilter.Breakeven: breakeven, tradefilter.Win: win} {
		pass[result-loss] = slices.Contains(f.Outcomes, name)
	}
	outcomeAt := t.page.newOutcomeReader(f.Tolerance)
	t.add(func(row int32) bool { return pass[outcomeAt(row)-loss] })
}

// newOutcomeReader returns a function that reads a closed trade's outcome.
func (c *page) newOutcomeReader(tolerance tradefilter.Tolerance) func(row int32) outcome {
	read := c.original().newResultReader(tolerance)
	if !c.hasRemoved() {
		return read
	}
	return func(row int32) outcome {
		if c.state[row].has(removedState) {
			return uncounted
		}
		return read(row)
	}
}

// newResultReader is newOutcomeReader for trades that count.
func (c *page) newResultReader(tolerance tradefilter.Tolerance) func(row int32) outcome {
	sign := func(row int32) outcome { return outcome(c.net.at(row).Sign()) }
	if net := c.net.narrow; net != nil {
		sign = func(row int32) outcome { return outcome(cmp.Compare(net[row], 0)) }
	}
	switch {
	case tolerance.IsZero():
		return sign
	case !tolerance.InR:
		isWithin := c.net.newRangeTest(tradefilter.Range{Min: decimal.Of(tolerance.Amount.Neg()), Max: decimal.Of(tolerance.Amount)})
		return func(row int32) outcome {
			if isWithin(row) {
				return breakeven
			}
			return sign(row)
		}
	}
	return func(row int32) outcome {
		if risk := c.risk.at(row); risk.Valid && risk.Decimal.Sign() > 0 && c.net.at(row).Abs().Cmp(risk.Decimal.Mul(tolerance.R)) <= 0 {
			return breakeven
		}
		return sign(row)
	}
}

func (t *rowTests) addLookups(f *Filter) {
	c := t.page
	if len(f.Trades) > 0 {
		chosen := NewTradeIDs(f.Trades)
		t.add(func(row int32) bool { return chosen.hasRow(&c.ids, row) })
	}
	if f.TestsRules() {
		t.add(func(row int32) bool { return f.Lookups.Rules.hasRow(&c.ids, row) })
	}
	for _, set := range []*TradeIDs{f.Lookups.RulesBroken, f.Lookups.RulesKept} {
		if set != nil {
			t.add(func(row int32) bool { return set.hasRow(&c.ids, row) })
		}
	}
	if f.TestsSequence() {
		t.add(func(row int32) bool { return f.Lookups.Sequence.hasRow(&c.ids, row) })
	}
	if among := f.Lookups.Among; among != nil {
		t.add(func(row int32) bool { return among.hasRow(&c.ids, row) })
	}
	for i, word := range f.Words {
		found := &f.Lookups.Words[i]
		inSymbol := c.symbol.newTest(func(symbol string) bool { return textindex.HasWord(symbol, word) })
		inSymbols := c.contract.newTest(func(joined string) bool { return textindex.HasWord(splitContract(joined).symbols, word) })
		inTags := c.tags.newTest(func(tags string) bool { return hasCommon(splitIDs[journal.TagID](tags), found.Tags) })
		t.add(func(row int32) bool {
			return inSymbol(row) || inSymbols(row) || inTags(row) || found.Trades.hasRow(&c.ids, row)
		})
	}
}

// newTest tests each string once, and returns a function testing rows by their string's
// code.
func (d *dictionary) newTest(passes func(word string) bool) func(row int32) bool {
	pass := make([]bool, len(d.values))
	for n, word := range d.values {
		pass[n] = passes(word)
	}
	return func(row int32) bool { return pass[d.codes[row]] }
}

func hasCommon[T comparable](have, want []T) bool {
	return slices.ContainsFunc(have, func(id T) bool { return slices.Contains(want, id) })
}

// Text identifies the lookups besides a revision's trades: the tags by their kinds and
// names.
func (l *Lookups) Text() string {
	var text strings.Builder
	fmt.Fprint(&text, l.Mistakes)
	for i := range l.Words {
		fmt.Fprint(&text, l.Words[i].Tags)
	}
	text.WriteString(l.RulesState)
	return text.String()
}
