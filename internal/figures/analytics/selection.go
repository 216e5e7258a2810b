package analytics

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// Filter selects trades by list conditions. An empty field accepts everything.
type Filter struct {
	Period journal.Period
	// Basis is the instant tested by the period and used for the day.
	Basis Basis
	tradefilter.Conditions
	// Lookups are the values conditions need besides columns.
	Lookups Lookups
	// Realized must be set if the columns have realized parts. The period then tests each
	// part's instant, whatever the basis, and a trade's parts count as one trade.
	Realized bool
	// Status selects trades by whether they are open; only realized parts can belong to
	// an open trade.
	Status Status
	// Invert selects the trades failing the conditions instead; the period and the status
	// still apply.
	Invert bool
	// None rejects all trades: the query is for open trades only, and
	// their results do not count.
	None bool
	// Tolerance decides which trades count as breakeven; it rejects none.
	Tolerance tradefilter.Tolerance
}

// isNarrowed reports whether the filter tests anything besides the period.
func (f *Filter) isNarrowed() bool {
	return f.None || f.Invert || f.Status != AnyStatus || !f.IsEmpty() || f.Lookups.Among != nil
}

// isComplete reports whether every trade closed before a passing trade passes too.
func (f *Filter) isComplete() bool {
	return !f.isNarrowed() && f.Period.From == nil && (f.Basis == ByClosing || f.Period.To == nil)
}

// Selection is the closed trades passing a filter, in closing order. It may be used for
// any number of figures.
type Selection struct {
	columns []*Columns
	filter  Filter
	// complete reports whether all account trades closed before a selected trade are
	// selected too.
	complete bool
	pages    []*page
	owner    []*Columns // by page
	picks    []pick
	basis    Basis
	// parts reports whether several rows may belong to one trade.
	parts bool
	// scale is the decimal scale for all amounts; unbounded reports whether they exceed
	// 128 bits at this scale.
	scale     int32
	unbounded bool
	// symbols has one code for each symbol across all accounts.
	symbols  dictionary
	renumber [][]int32
	// converted reports whether a page has converted amounts.
	converted bool
	// ownSums are the own results of merged parts, a slice of numbers; nil unless parts with
	// converted amounts were merged.
	ownSums any
}

// pick is a row in a page.
type pick struct{ source, row int32 }

// firstRun returns the picks up to the first from another page. There must be one.
func firstRun(picks []pick) []pick {
	for i, p := range picks {
		if p.source != picks[0].source {
			return picks[:i]
		}
	}
	return picks
}

// SelectTrades returns the trades passing a filter. The accounts must have the same
// currency, and each must occur once.
func SelectTrades(columns []*Columns, f Filter) *Selection {
	if f.Realized {
		f.Basis = ByClosing
	}
	s := &Selection{columns: columns, filter: f, complete: f.isComplete(), basis: f.Basis, parts: f.Realized}
	for _, c := range columns {
		for _, p := range c.pages {
			s.pages, s.owner = append(s.pages, p), append(s.owner, c)
			s.converted = s.converted || p.own != nil
		}
	}
	s.picks = s.pickRows(&f)
	s.numberSymbols()
	s.chooseScale()
	return s
}

// pickRows returns the rows passing a filter, in closing order.
func (s *Selection) pickRows(f *Filter) []pick {
	runs, source := make([][]pick, len(s.columns)), int32(0)
	for i, c := range s.columns {
		runs[i] = make([]pick, 0, c.maxSelected(f))
		for _, p := range c.pages {
			runs[i] = p.appendSelected(runs[i], source, f)
			source++
		}
	}
	return mergeRuns(runs, func(a, b pick) int { return s.compare(compareClosing, a, b) })
}

// numberSymbols assigns symbol codes across accounts, without the pages outside the
// period.
func (s *Selection) numberSymbols() {
	s.renumber = make([][]int32, len(s.pages))
	for i, p := range s.pages {
		if first, end := p.rowRange(&s.filter); first < end {
			s.renumber[i] = s.symbols.addValues(&p.symbol)
		}
	}
}

// compare compares two picks in either order.
func (s *Selection) compare(order func(x *page, i int32, y *page, j int32, accounts int) int, a, b pick) int {
	x, y := s.pages[a.source], s.pages[b.source]
	of, and := s.owner[a.source], s.owner[b.source]
	if of == and {
		return order(x, a.row, y, b.row, 0)
	}
	return cmp.Or(order(x, a.row, y, b.row, strings.Compare(of.name, and.name)), cmp.Compare(of.number, and.number))
}

// maxSelected returns how many trades can pass a filter at most.
func (c *Columns) maxSelected(f *Filter) int {
	n := 0
	for _, p := range c.pages {
		first, end := p.rowRange(f)
		n += end - first
	}
	return n
}

// chooseScale sets the scale to fit all column amounts, and the given amounts to be added
// to them.
func (s *Selection) chooseScale(all ...*amounts) {
	for _, c := range s.pages {
		all = c.appendAmounts(all)
		if c.own != nil {
			all = c.own.appendAmounts(all)
		}
	}
	for _, a := range all {
		s.scale = max(s.scale, a.scale)
	}
	for _, a := range all {
		s.unbounded = s.unbounded || !a.fits(s.scale)
	}
}

// appendAmounts appends the columns that figures add up.
func (c *page) appendAmounts(all []*amounts) []*amounts {
	all = append(all, c.amountColumns()...)
	for _, o := range c.optionalColumns() {
		all = append(all, &o.values)
	}
	return all
}

// appendSelected appends the rows passing the filter, in order.
func (c *page) appendSelected(picks []pick, source int32, f *Filter) []pick {
	first, end := c.rowRange(f)
	if first == end {
		return picks
	}
	begin := len(picks)
	for row := int32(first); int(row) < end; row++ {
		picks = append(picks, pick{source, row})
	}
	kept := c.newRowTests(f).filter(picks[begin:])
	return picks[:begin+len(kept)]
}

// rowRange returns the row range for a closing period, by binary search.
func (c *page) rowRange(f *Filter) (first, end int) {
	if f.None {
		return 0, 0
	}
	end = c.len()
	if f.Basis != ByClosing {
		return first, end
	}
	if from := f.Period.From; from != nil {
		first, _ = slices.BinarySearch(c.closed, ceilMicro(*from))
	}
	if to := f.Period.To; to != nil {
		end, _ = slices.BinarySearch(c.closed, to.UnixMicro()+1)
	}
	return first, max(first, end)
}

// ceilMicro returns the first microsecond not before an instant.
func ceilMicro(at time.Time) int64 {
	return at.Add(time.Microsecond - time.Nanosecond).UnixMicro()
}

// mergeRuns merges sorted runs into one, two at a time.
func mergeRuns[T any](runs [][]T, compare func(a, b T) int) []T {
	if len(runs) == 0 {
		return nil
	}
	for len(runs) > 1 {
		var longer [][]T
		for i := 0; i+1 < len(runs); i += 2 {
			longer = append(longer, mergePair(runs[i], runs[i+1], compare))
		}
		if len(runs)%2 == 1 {
			longer = append(longer, runs[len(runs)-1])
		}
		runs = longer
	}
	return runs[0]
}

func mergePair[T any](a, b []T, compare func(a, b T) int) []T {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]T, 0, len(a)+len(b))
	// Pages rarely overlap, so most of a comes before all of b.
	before := sort.Search(len(a), func(i int) bool { return compare(a[i], b[0]) > 0 })
	out, a = append(out, a[:before]...), a[before:]
	for len(a) > 0 && len(b) > 0 {
		if compare(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// hasRemoved reports whether an account has removed trades.
func (s *Selection) hasRemoved() bool {
	return slices.ContainsFunc(s.pages, func(p *page) bool { return p.hasRemoved() })
}

// isRemoved reports whether a selected trade is a removed one.
func (s *Selection) isRemoved(i int) bool {
	return s.pages[s.picks[i].source].state[s.picks[i].row].has(removedState)
}

// withoutRemoved returns the selection with the trades that count: without removed ones.
func (s *Selection) withoutRemoved() *Selection {
	if !s.hasRemoved() {
		return s
	}
	counted := *s
	counted.picks = make([]pick, 0, len(s.picks))
	for i, p := range s.picks {
		if !s.isRemoved(i) {
			counted.picks = append(counted.picks, p)
		}
	}
	counted.complete = s.complete && len(counted.picks) == len(s.picks)
	return &counted
}

// Len returns the number of selected trades.
func (s *Selection) Len() int { return len(s.picks) }

// ID returns a selected trade's id; trades are numbered in closing order.
func (s *Selection) ID(i int) journal.TradeID {
	p := s.picks[i]
	return s.pages[p.source].ids.at(p.row)
}

func (s *Selection) opened(i int) int64 {
	p := s.picks[i]
	return s.pages[p.source].opened[p.row]
}

func (s *Selection) closed(i int) int64 {
	p := s.picks[i]
	return s.pages[p.source].closed[p.row]
}

// basisInstant returns the instant that decides a trade's date.
func (s *Selection) basisInstant(i int) int64 {
	if s.basis == ByOpening {
		return s.opened(i)
	}
	return s.closed(i)
}

func (s *Selection) symbol(i int) int32 {
	p := s.picks[i]
	return s.renumber[p.source][s.pages[p.source].symbol.codes[p.row]]
}

// listClosings returns the closing instants.
func (s *Selection) listClosings() []int64 {
	list := make([]int64, 0, len(s.picks))
	for picks := s.picks; len(picks) > 0; {
		run := firstRun(picks)
		closed := s.pages[run[0].source].closed
		for _, p := range run {
			list = append(list, closed[p.row])
		}
		picks = picks[len(run):]
	}
	return list
}

// basisColumn returns the column with the instants that decide the trades' dates.
func (s *Selection) basisColumn() func(*page) []int64 {
	if s.basis == ByOpening {
		return openedOf
	}
	return closedOf
}

func openedOf(c *page) []int64 { return c.opened }
func closedOf(c *page) []int64 { return c.closed }

// readColumn reads a money column for all selected trades.
func readColumn[T number[T]](s *Selection, of func(*page) *amounts) []T {
	from := make([]*amounts, len(s.pages))
	for i, c := range s.pages {
		from[i] = of(c)
	}
	values := make([]T, len(s.picks))
	var zero T
	zero.gather(values, from, s.picks, s.scale)
	return values
}

// sumColumn adds up one column for all selected trades.
func sumColumn[T number[T]](s *Selection, of func(*page) *amounts) T {
	from := make([]*amounts, len(s.pages))
	for i, c := range s.pages {
		from[i] = of(c)
	}
	var zero T
	return zero.total(from, s.picks, s.scale)
}

func netOf(c *page) *amounts    { return &c.net }
func grossOf(c *page) *amounts  { return &c.gross }
func feesOf(c *page) *amounts   { return &c.fees }
func sizeOf(c *page) *amounts   { return &c.size }
func volumeOf(c *page) *amounts { return &c.volume }

// readOptionalColumn reads a column with absent values. It returns the values, and the
// trades with a value.
func readOptionalColumn[T number[T]](s *Selection, of func(*page) *optional) (values []T, present []int32) {
	from := make([]*amounts, len(s.pages))
	columns := make([]*optional, len(s.pages))
	some := false
	for i, c := range s.pages {
		columns[i] = of(c)
		from[i] = &columns[i].values
		some = some || columns[i].present != nil
	}
	if !some {
		return nil, nil
	}
	present = make([]int32, len(s.picks)+1)
	picks := make([]pick, len(s.picks)+1)
	n := 0
	for i, p := range s.picks {
		present[n], picks[n] = int32(i), p // overwritten by the next if it does not count
		if columns[p.source].has(p.row) {
			n++
		}
	}
	values = make([]T, n)
	var zero T
	zero.gather(values, from, picks[:n], s.scale)
	return values, present[:n]
}

// riskOf returns the initial risk, in the account's own currency: it is only compared with
// results of the same trade.
func riskOf(c *page) *optional { return &c.original().risk }
func mfeOf(c *page) *optional  { return &c.mfe }

// sortByOpening returns the selected trades in opening order. If most account trades are
// selected, it merges the page orders; a small selection is sorted.
func (s *Selection) sortByOpening() []int32 {
	compare := func(a, b int32) int {
		return s.compare(compareOpening, s.picks[a], s.picks[b])
	}
	all := 0
	for _, c := range s.pages {
		all += c.len()
	}
	const sortBelow = 16 // sort if less than this fraction is selected
	if len(s.picks)*sortBelow < all {
		order := make([]int32, len(s.picks))
		for i := range order {
			order[i] = int32(i)
		}
		slices.SortFunc(order, compare)
		return order
	}
	return mergeRuns(s.listOpeningRuns(), compare)
}

// listOpeningRuns returns each page's selected trades in opening order.
func (s *Selection) listOpeningRuns() [][]int32 {
	place := make([][]int32, len(s.pages))
	runs := make([][]int32, len(s.pages))
	for source, c := range s.pages {
		place[source] = make([]int32, c.len())
	}
	for i, p := range s.picks {
		place[p.source][p.row] = int32(i) + 1
	}
	for source, c := range s.pages {
		runs[source] = make([]int32, 0, c.len())
		for _, row := range c.byOpening {
			if i := place[source][row]; i > 0 {
				runs[source] = append(runs[source], i-1)
			}
		}
	}
	return runs
}
