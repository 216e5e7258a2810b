package analytics

import (
	"maps"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Unit is a set of trades that count as one.
type Unit struct {
	// ID is the strategy's.
	ID journal.StrategyID
	// Trades are its members; the first gives the unit's id.
	Trades []journal.TradeID
	// Symbol is the underlying.
	Symbol      string
	InitialRisk decimal.Null
	Quality     uint8
	Setups      []journal.SetupID
	Tags        []journal.TagID
}

// MergeUnits returns columns in which each unit is one row instead of its trades: a closed
// one if all its trades are closed, else an open one. Every figure of units is computed
// from these columns, by the same code as that of trades.
func MergeUnits(closed, open *Columns, units []Unit) (mergedClosed, mergedOpen *Columns) {
	known := closed.findMembers(units)
	maps.Copy(known, open.findMembers(units))
	var closedRows, openRows []Trade
	var gone []journal.TradeID
	for i := range units {
		row, some := units[i].merge(known)
		if !some {
			continue
		}
		gone = append(gone, units[i].Trades...)
		if row.Open {
			openRows = append(openRows, row)
		} else {
			closedRows = append(closedRows, row)
		}
	}
	return closed.WithChanges(closedRows, gone), open.WithChanges(openRows, gone)
}

// UnitTable has the rows of the units in columns that [MergeUnits] returned, and of their trades
// in the columns before.
type UnitTable struct {
	units   []Unit
	members []memberRows
}

// memberRows are the rows of a page that are trades of units. The source of each is its unit.
type memberRows struct {
	page *page
	rows []pick
}

// NewUnitTable returns the table for units and the columns with trades that they were merged
// from. It marks the rows of the merged columns, which nothing else may use yet.
func NewUnitTable(units []Unit, columns, merged []*Columns) *UnitTable {
	t := &UnitTable{units: units}
	members, first := newIDSet(nil), newIDSet(nil)
	unitOf := map[journal.TradeID]int32{}
	for i := range units {
		first.add(units[i].Trades[0])
		for _, id := range units[i].Trades {
			members.add(id)
			unitOf[id] = int32(i)
		}
	}
	for _, c := range columns {
		for _, p := range c.pages {
			rows := p.ids.findRows(members)
			if len(rows) == 0 {
				continue
			}
			list := make([]pick, len(rows))
			for i, row := range rows {
				list[i] = pick{unitOf[p.ids.at(row)], row}
			}
			t.members = append(t.members, memberRows{p, list})
		}
	}
	for _, c := range merged {
		for _, p := range c.pages {
			rows := p.ids.findRows(first)
			if len(rows) == 0 {
				continue // it may be shared with the columns before
			}
			p.unitTable, p.unit = t, make([]int32, p.len())
			for _, row := range rows {
				p.unit[row] = unitOf[p.ids.at(row)] + 1
			}
		}
	}
	return t
}

// Bytes returns the approximate memory used, with the marks of the merged rows.
func (t *UnitTable) Bytes() int {
	const member, unit, head = 8, 4, 128
	n := head + unit*len(t.units)
	for _, m := range t.members {
		n += member*len(m.rows) + unit*m.page.len()
	}
	return n
}

// Test reports for each unit whether one of its trades passes a filter, whatever its period.
// The unit's own setups, tags and grade are those of each of its trades, too. A condition on
// the sequence tests the unit itself: it must be in the filter's set by its first trade.
func (t *UnitTable) Test(f Filter) []bool {
	var sequence *TradeIDs
	if f.TestsSequence() {
		sequence = f.Lookups.Sequence
	}
	f = Filter{Conditions: f.WithoutSequence(), Lookups: f.Lookups, Tolerance: f.Tolerance}
	rest := f
	rest.Conditions = f.WithoutLabels()
	passing := make([]bool, len(t.units))
	for _, m := range t.members {
		picks := slices.Clone(m.rows)
		if f.TestsLabels() {
			labeled := slices.DeleteFunc(slices.Clone(picks), func(p pick) bool { return !t.units[p.source].hasLabels() })
			picks = slices.DeleteFunc(picks, func(p pick) bool { return t.units[p.source].hasLabels() })
			for _, p := range m.page.newRowTests(&rest).filter(labeled) {
				passing[p.source] = passing[p.source] || t.units[p.source].passesLabels(&f, m.page.trade(p.row))
			}
		}
		for _, p := range m.page.newRowTests(&f).filter(picks) {
			passing[p.source] = true
		}
	}
	for i := range passing {
		passing[i] = passing[i] && (sequence == nil || sequence.Has(t.units[i].Trades[0]))
	}
	return passing
}

// hasLabels reports whether the unit has setups, tags or a grade of its own.
func (u *Unit) hasLabels() bool { return len(u.Setups)+len(u.Tags) > 0 || u.Quality > 0 }

// passesLabels tests a trade with the unit's setups, tags and grade.
func (u *Unit) passesLabels(f *Filter, t Trade) bool {
	if u.Quality > 0 {
		t.Quality = u.Quality
	}
	tags := unite(t.Tags, u.Tags)
	return f.MatchesSetups(unite(t.Setups, u.Setups)) && f.MatchesTags(tags) && (len(f.Qualities) == 0 || slices.Contains(f.Qualities, int(t.Quality))) &&
		(!f.Mistake.Set || hasCommon(tags, f.Lookups.Mistakes) == f.Mistake.Value)
}

// findMembers returns the rows of the units' trades.
func (c *Columns) findMembers(units []Unit) map[journal.TradeID]Trade {
	var ids []journal.TradeID
	for i := range units {
		ids = append(ids, units[i].Trades...)
	}
	known := map[journal.TradeID]Trade{}
	for _, t := range c.listTrades(ids) {
		known[t.ID] = t
	}
	return known
}

// listTrades returns the rows with some ids.
func (c *Columns) listTrades(ids []journal.TradeID) (list []Trade) {
	set := newIDSet(ids)
	for _, p := range c.pages {
		for _, row := range p.ids.findRows(set) {
			list = append(list, p.trade(row))
		}
	}
	return list
}

// merge returns the unit's row, and whether any of its trades is known.
func (u *Unit) merge(known map[journal.TradeID]Trade) (row Trade, some bool) {
	for _, id := range u.Trades {
		t, found := known[id]
		if !found {
			continue
		}
		if !some {
			row, some = t, true
			continue
		}
		row.add(&t)
	}
	if !some {
		return row, false
	}
	row.ID, row.Symbol, row.InitialRisk = u.Trades[0], u.Symbol, u.InitialRisk
	row.MAE, row.MFE, row.Excursion = decimal.Null{}, decimal.Null{}, nil
	row.ExitPrice, row.ReturnPct, row.RMultiple = decimal.Null{}, decimal.Null{}, decimal.Null{}
	if u.Quality > 0 {
		row.Quality = u.Quality
	}
	row.Setups, row.Tags = unite(row.Setups, u.Setups), unite(row.Tags, u.Tags)
	if row.Open {
		row.ClosedAt = row.OpenedAt
	}
	return row, true
}

// add adds another trade of the unit.
func (t *Trade) add(other *Trade) {
	t.Net, t.Gross, t.Fees = t.Net.Add(other.Net), t.Gross.Add(other.Gross), t.Fees.Add(other.Fees)
	t.EntryNotional = t.EntryNotional.Abs().Add(other.EntryNotional.Abs())
	t.Volume, t.Quantity = t.Volume.Add(other.Volume), decimal.Max(t.Quantity, other.Quantity)
	if other.OpenedAt.Before(t.OpenedAt) {
		t.OpenedAt = other.OpenedAt
	}
	if other.ClosedAt.After(t.ClosedAt) {
		t.ClosedAt = other.ClosedAt
	}
	t.Open, t.Removed = t.Open || other.Open, t.Removed && other.Removed
	t.Quality = max(t.Quality, other.Quality)
	t.Setups, t.Tags = unite(t.Setups, other.Setups), unite(t.Tags, other.Tags)
	t.Reviewed, t.HasNote, t.HasAttachment = t.Reviewed && other.Reviewed, t.HasNote || other.HasNote, t.HasAttachment || other.HasAttachment
}

// unite returns a list with the members of another that it does not have.
func unite[T comparable](list, other []T) []T {
	united := slices.Clone(list)
	for _, id := range other {
		if !slices.Contains(united, id) {
			united = append(united, id)
		}
	}
	return united
}

// SumNet returns the net result of all selected trades.
func SumNet(s *Selection) decimal.Decimal {
	return chooseArithmetic(s, sumNet[int128], sumNet[exact])(s)
}

func sumNet[T number[T]](s *Selection) decimal.Decimal {
	return sumColumn[T](s, netOf).decimal(s.scale)
}

// AddIDs returns the set with further trades.
func (t *TradeIDs) AddIDs(ids []journal.TradeID) *TradeIDs {
	for _, id := range ids {
		t.ids.add(id)
	}
	return t
}

// The dimensions of strategies. Their keys come from [BreakdownQuery.KeyOf].
const (
	ByStrategyKind Dimension = "strategy_kind"
	ByDTE          Dimension = "dte_at_open"
	ByLegs         Dimension = "legs"
	ByEndedBy      Dimension = "ended_by"
	ByCreditDebit  Dimension = "credit_debit"
	ByDefinedRisk  Dimension = "defined_risk"
)

// StrategyDimensions returns the dimensions of strategies.
func StrategyDimensions() []Dimension {
	return []Dimension{ByStrategyKind, ByDTE, ByLegs, ByEndedBy, ByCreditDebit, ByDefinedRisk}
}

// IsStrategy reports whether a dimension's keys come from strategies.
func (by Dimension) IsStrategy() bool { return slices.Contains(StrategyDimensions(), by) }

// dteNames are the keys of [ByDTE], each with the most days of its bucket.
var dteNames = []struct {
	name string
	most int
}{{"0", 0}, {"1", 1}, {"2-7", 7}, {"8-21", 21}, {"22-45", 45}, {"46-90", 90}}

// NameDTE returns the key for a number of days to expiry.
func NameDTE(days int) string {
	for _, bucket := range dteNames {
		if days <= bucket.most {
			return bucket.name
		}
	}
	return "over-90"
}

// groupByKey groups by the keys of a function. Trades with an empty key are left out.
func (s *Selection) groupByKey(q BreakdownQuery) grouping {
	var keys []string
	if q.By == ByDTE {
		for _, bucket := range dteNames {
			keys = append(keys, bucket.name)
		}
		keys = append(keys, "over-90")
	}
	groups := make([][]int32, len(s.picks))
	for i := range s.picks {
		key := q.KeyOf(s.ID(i))
		if key == "" {
			continue
		}
		at := slices.Index(keys, key)
		if at < 0 {
			at, keys = len(keys), append(keys, key)
		}
		groups[i] = []int32{int32(at)}
	}
	return grouping{keys, func(i int) []int32 { return groups[i] }}
}
