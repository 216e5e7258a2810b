package analytics

import (
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// Opening is a trade as trading rules see it. Its values are read from the columns when
// they are needed.
type Opening struct {
	// OpenedAt and ClosedAt are microseconds since 1970. An open trade's ClosedAt is its
	// opening.
	OpenedAt, ClosedAt int64
	page               *page
	row                int32
}

// Openings are trades in opening order. Closes are the places of the closed ones, in
// closing order.
type Openings struct {
	Trades []Opening
	Closes []int32
}

// ListOpenings returns the trades passing a filter. The columns may be those for open
// trades, too.
func ListOpenings(columns []*Columns, f Filter) Openings {
	s := SelectTrades(columns, f)
	d := DaySequence{trades: s} // for its order
	order := mergeRuns(s.listOpeningRuns(), d.compareOpenings)
	out := Openings{Trades: make([]Opening, len(order)), Closes: make([]int32, 0, len(order))}
	places := make([]int32, len(order))
	for place, i := range order {
		p := s.picks[i]
		places[i] = int32(place)
		out.Trades[place] = Opening{OpenedAt: s.opened(int(i)), ClosedAt: s.closed(int(i)), page: s.pages[p.source], row: p.row}
	}
	for i, p := range s.picks {
		if !s.pages[p.source].state[p.row].isOpen() {
			out.Closes = append(out.Closes, places[i])
		}
	}
	return out
}

// Since returns the trades that are open, or closed at an instant or later, in microseconds
// since 1970.
func (o Openings) Since(at int64) Openings {
	var out Openings
	places := make([]int32, len(o.Trades))
	for i := range o.Trades {
		places[i] = -1
		if t := &o.Trades[i]; t.IsOpen() || t.ClosedAt >= at {
			places[i] = int32(len(out.Trades))
			out.Trades = append(out.Trades, *t)
		}
	}
	for _, i := range o.Closes {
		if place := places[i]; place >= 0 {
			out.Closes = append(out.Closes, place)
		}
	}
	return out
}

// CountSame returns how many trades at the beginning of both lists are the same, in the same
// order. A touched trade is not. Nor are those that were opened at the instant of the first
// difference.
func (o Openings) CountSame(old Openings, touched *TradeIDs) int {
	same, n := 0, min(len(o.Trades), len(old.Trades))
	for same < n && o.Trades[same].isSame(&old.Trades[same], touched) {
		same++
	}
	first := int64(math.MaxInt64)
	for _, list := range [][]Opening{o.Trades, old.Trades} {
		if same < len(list) {
			first = min(first, list[same].OpenedAt)
		}
	}
	return sort.Search(same, func(i int) bool { return o.Trades[i].OpenedAt >= first })
}

// isSame reports whether both are one trade that was not touched. A page never changes, and
// a touched trade comes into a new one.
func (o *Opening) isSame(old *Opening, touched *TradeIDs) bool {
	if o.page == old.page && o.row == old.row {
		return true
	}
	return o.OpenedAt == old.OpenedAt && o.page.ids.equalRows(o.row, &old.page.ids, old.row) && !o.IsIn(touched)
}

// ID returns the trade's id.
func (o *Opening) ID() journal.TradeID { return o.page.ids.at(o.row) }

// Account returns the trade's account.
func (o *Opening) Account() journal.AccountID { return o.page.account }

// IsOpen reports whether the trade is still open.
func (o *Opening) IsOpen() bool { return o.page.state[o.row].isOpen() }

// IsRemoved reports whether all exits were removals, so it was neither won nor lost.
func (o *Opening) IsRemoved() bool { return o.page.state[o.row].has(removedState) }

// HasStop reports whether a stop or an initial risk is stated.
func (o *Opening) HasStop() bool { return o.page.state[o.row].has(stopState) }

// IsIn reports whether a set contains the trade.
func (o *Opening) IsIn(set *TradeIDs) bool { return set.hasRow(&o.page.ids, o.row) }

// Net returns the net result.
func (o *Opening) Net() decimal.Decimal { return o.page.net.at(o.row) }

// Risk returns the initial risk.
func (o *Opening) Risk() decimal.Null { return o.page.risk.at(o.row) }

// R returns the result in multiples of the initial risk.
func (o *Opening) R() decimal.Null { return o.page.rMultiple.at(o.row) }

// PlannedR returns the planned reward in multiples of the planned risk.
func (o *Opening) PlannedR() decimal.Null { return o.page.plannedR.at(o.row) }

// ReviewedAt returns when the trade was reviewed, zero if it was not.
func (o *Opening) ReviewedAt() time.Time { return fromMicros(o.page.reviewedAt.at(o.row)) }

// Quantity returns the quantity opened, and Size the entry notional without sign.
func (o *Opening) Quantity() decimal.Decimal { return o.page.quantity.at(o.row) }

// Size returns the entry notional without sign.
func (o *Opening) Size() decimal.Decimal { return o.page.size.at(o.row) }

// Symbols returns the symbol and the root.
func (o *Opening) Symbols() (symbol, root string) {
	return o.page.symbol.at(o.row), splitContract(o.page.contract.at(o.row)).root
}

// Setups returns the trade's setups.
func (o *Opening) Setups() []journal.SetupID {
	return splitIDs[journal.SetupID](o.page.setups.at(o.row))
}

// Tags returns the trade's tags.
func (o *Opening) Tags() []journal.TagID { return splitIDs[journal.TagID](o.page.tags.at(o.row)) }

// Trade returns all values.
func (o *Opening) Trade() Trade { return o.page.trade(o.row) }

// OutcomeWith returns the outcome that the trade has with a net result: 1 for a win, -1
// for a loss, 0 for neither.
func (o *Opening) OutcomeWith(net decimal.Decimal, tolerance tradefilter.Tolerance) int8 {
	if o.IsRemoved() {
		return 0
	}
	switch tolerance.OutcomeOf(net, o.Risk()) {
	case tradefilter.Win:
		return 1
	case tradefilter.Loss:
		return -1
	case tradefilter.Breakeven:
	}
	return 0
}

// CollectIDs returns the set of the trades for which keep is true.
func (o *Openings) CollectIDs(keep func(i int) bool) *TradeIDs {
	set := NewTradeIDs(nil)
	for i := range o.Trades {
		if keep(i) {
			set.ids.addRow(&o.Trades[i].page.ids, o.Trades[i].row)
		}
	}
	return set
}

func toMicros(at time.Time) decimal.Null {
	if at.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(decimal.New(at.UnixMicro()))
}

func fromMicros(n decimal.Null) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	micros, _ := n.Decimal.ToScaled(0) // toMicros made it from an int64
	return time.UnixMicro(micros).UTC()
}

// DayClock converts instants, in microseconds since 1970, to days in a zone.
type DayClock struct{ local *clock }

// NewDayClock returns a clock for a zone.
func NewDayClock(zone *time.Location) DayClock { return DayClock{newClock(zone)} }

// Day returns an instant's calendar day as days since 1970.
func (c DayClock) Day(at int64) int64 { return c.local.day(at) }

// Minute returns an instant's minute of the day.
func (c DayClock) Minute(at int64) int {
	local := c.local.local(at)
	return int((local - dayNumber(local)*microsDay) / microsMinute)
}

// DayName formats a day as YYYY-MM-DD.
func DayName(day int64) journal.Day { return dayName(day) }

// Generator is the generator behind every random figure: SplitMix64, which starts with a
// seed.
type Generator struct{ state splitMix64 }

// NewGenerator returns a generator.
func NewGenerator(seed uint64) *Generator { return &Generator{splitMix64(seed)} }

// Below returns a number from 0 to n − 1.
func (g *Generator) Below(n int) int { return g.state.intn(n) }

// Shuffle puts a list in random order.
func Shuffle[T any](g *Generator, list []T) { shuffle(&g.state, list) }

// DrawSums draws sums of as many blocks of values as there are blocks, and returns the
// bounds between which 95% of them lie. Neighboring values are merged into blocks as in
// [AssessEvidence]. It needs two values.
func DrawSums(values []decimal.Decimal, seed uint64) (low, high decimal.Decimal) {
	n := min(len(values), evidenceBlocks)
	blocks := make([]decimal.Decimal, n)
	for k := range blocks {
		blocks[k] = decimal.Sum(values[k*len(values)/n : (k+1)*len(values)/n]...)
	}
	return DrawBounds(seed, func(g *Generator) (sum decimal.Decimal) {
		for range blocks {
			sum = sum.Add(blocks[g.Below(n)])
		}
		return sum
	})
}

// DrawBounds draws as many values as [AssessEvidence], and returns the bounds between
// which 95% of them lie.
func DrawBounds(seed uint64, draw func(*Generator) decimal.Decimal) (low, high decimal.Decimal) {
	g, drawn := NewGenerator(seed), make([]decimal.Decimal, evidenceDraws)
	for i := range drawn {
		drawn[i] = draw(g)
	}
	slices.SortFunc(drawn, decimal.Decimal.Cmp)
	cut := int(float64(evidenceDraws) * (1 - evidenceLevel) / 2)
	return drawn[cut], drawn[evidenceDraws-1-cut]
}

// HasSymbol reports whether a list names the trade's symbol or root, in capitals.
func (o *Opening) HasSymbol(list []string) bool {
	symbol, root := o.Symbols()
	return slices.Contains(list, strings.ToUpper(symbol)) || root != "" && slices.Contains(list, strings.ToUpper(root))
}
