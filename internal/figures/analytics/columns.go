package analytics

import (
	"cmp"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Trade is a closed trade, a realized part, or an open trade in columns for ranking only.
type Trade struct {
	ID               journal.TradeID
	Symbol           string
	InstrumentType   string
	Side             Side
	OpenedAt         time.Time
	ClosedAt         time.Time
	Net, Gross, Fees decimal.Decimal // Fees are all costs: fees and commission
	// EntryNotional is the cost of the opening fills; its absolute value is the trade
	// size. Volume is the traded notional, entry and exit, and 0 if unknown, since it is
	// only added up.
	EntryNotional, Volume decimal.Decimal
	// InitialRisk is stated by the trader or computed from the stop.
	InitialRisk decimal.Null
	// MAE and MFE are the worst and the best excursion in money, without sign.
	MAE, MFE decimal.Null
	// Excursion is what the price did during the trade; nil if nothing is known.
	Excursion *TradeExcursion
	// Quantity to RMultiple are only for sorting lists; no figure is computed from them.
	Quantity, EntryPrice            decimal.Decimal
	ExitPrice, ReturnPct, RMultiple decimal.Null
	// PlannedR, ReviewedAt and HasStop are for trading rules only: the planned reward in
	// multiples of the planned risk, when the trade was reviewed (zero if it was not), and
	// whether a stop or an initial risk is stated.
	PlannedR   decimal.Null
	ReviewedAt time.Time
	HasStop    bool
	// Quality is the trader's own grade, 1 to 5; 0 means none.
	Quality uint8
	Setups  []journal.SetupID
	Tags    []journal.TagID
	// The following values are only for filters. Root is the future's root, the option's
	// underlying, or the symbol; OptionRight and Expiry are empty without an option.
	// EmotionalState is folded; see [textindex.Fold].
	// Symbols are all symbols of a trade with several, each between line ends.
	Root, OptionRight, Symbols       string
	Expiry                           journal.Day
	EmotionalState                   string
	Reviewed, HasNote, HasAttachment bool
	// Instrument, External and Arrival order trades with the same instants: symbol,
	// contract and lot as a text with the same order, the broker's id for the first fill,
	// and its arrival number, unique in the account.
	Instrument, External string
	Arrival              int64
	// Part marks a row with what the trade realized at one instant, which is then its
	// ClosedAt. Realized columns have a row for each; see [Filter.Realized].
	Part bool
	// Open marks a trade still open, or a part of such a trade. An open trade's ClosedAt
	// is its opening.
	Open bool
	// Removed marks a trade whose exits were all removals. It is in no count and no
	// average; its costs are in sums.
	Removed bool
}

// Columns are an account's closed trades. They never change: [Columns.WithChanges]
// returns new columns, so readers are not affected. They consist of pages in closing
// order. A change copies only the pages with changed trades, so its cost does not depend
// on the history's length.
type Columns struct {
	account journal.AccountID
	// name and number order trades across accounts; see [Columns.WithName].
	name   string
	number int64

	pages    []*page // none is empty
	pageRows int     // in a full page
}

// pageRows is the row count of a full page: large enough for years to fit into a few
// dozen pages, and small enough to copy a page within a request.
const pageRows = 4096

// BuildColumns returns an account's columns for its closed trades, given in any order.
// Each id must occur once; parts of one trade must differ in their instants.
func BuildColumns(account journal.AccountID, rows []Trade) *Columns {
	return buildColumns(account, rows, pageRows)
}

func buildColumns(account journal.AccountID, rows []Trade, pageRows int) *Columns {
	c := &Columns{account: account, pageRows: pageRows}
	for part := range slices.Chunk(sortByClosing(rows), pageRows) {
		c.pages = append(c.pages, newPage(account, part))
	}
	return c
}

// Since returns the columns from the page on with the first trade closed at an instant or
// later, in microseconds since 1970. It may have earlier trades, too.
func (c *Columns) Since(at int64) *Columns {
	first, _ := slices.BinarySearchFunc(c.pages, at, func(p *page, at int64) int { return cmp.Compare(p.closed[len(p.closed)-1], at) })
	rest := *c
	rest.pages = c.pages[first:]
	return &rest
}

// FindLastClosing returns when the last trade that passes a test closed before an instant, in
// microseconds since 1970. found is false if no trade did.
func (c *Columns) FindLastClosing(before int64, passes func(*Opening) bool) (at int64, found bool) {
	for _, p := range slices.Backward(c.pages) {
		for row, at := range slices.Backward(p.closed) {
			if at >= before {
				continue
			}
			if passes(&Opening{OpenedAt: p.opened[row], ClosedAt: at, page: p, row: int32(row)}) {
				return at, true
			}
		}
	}
	return 0, false
}

// ConcatColumns concatenates columns of one account. All trades in each must come before
// those in the next.
func ConcatColumns(account journal.AccountID, parts ...*Columns) *Columns {
	c := &Columns{account: account, pageRows: pageRows}
	for _, part := range parts {
		c.pages = append(c.pages, part.pages...)
	}
	return c
}

// WithName returns the same columns for an account with that name and number. Trades with
// the same instants and instrument are ordered by account name, and if everything else is
// equal by account number.
func (c *Columns) WithName(name string, number int64) *Columns {
	named := *c
	named.name, named.number = name, number
	return &named
}

// sortByClosing returns trades in closing order.
func sortByClosing(rows []Trade) []*Trade {
	sorted := make([]*Trade, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortFunc(sorted, compareTrades)
	return sorted
}

// Len returns the trade count.
func (c *Columns) Len() int {
	n := 0
	for _, p := range c.pages {
		n += p.len()
	}
	return n
}

// Bytes returns the memory used, for a cache limit.
func (c *Columns) Bytes() int {
	n := 0
	for _, p := range c.pages {
		n += p.bytes()
	}
	return n
}

// Closings returns the first and the last closing; ok is false without trades.
func (c *Columns) Closings() (first, last time.Time, ok bool) {
	if len(c.pages) == 0 {
		return first, last, false
	}
	end := c.pages[len(c.pages)-1]
	return time.UnixMicro(c.pages[0].closed[0]), time.UnixMicro(end.closed[end.len()-1]), true
}

// Trade returns a row as a Trade, for display and comparison; figures read the columns.
func (c *Columns) Trade(row int) Trade {
	for _, p := range c.pages {
		if row < p.len() {
			return p.trade(int32(row))
		}
		row -= p.len()
	}
	panic("analytics: row out of range")
}

// WithChanges returns new columns with the changed trades added, replacing all rows with
// the same ids, and without the removed ids. Unknown ids are ignored. The old columns do
// not change.
func (c *Columns) WithChanges(changed []Trade, removed []journal.TradeID) *Columns {
	ids := newIDSet(removed)
	for i := range changed {
		ids.add(changed[i].ID)
	}
	out := &Columns{account: c.account, name: c.name, number: c.number, pageRows: c.pageRows}
	fresh := sortByClosing(changed)
	for i, p := range c.pages {
		its := fresh
		if i < len(c.pages)-1 {
			its = fresh[:c.pages[i+1].countBefore(fresh)]
		}
		fresh = fresh[len(its):]
		if gone := p.ids.findRows(ids); len(gone) > 0 || len(its) > 0 {
			p = p.replaceRows(gone, newPage(c.account, its))
		}
		out.appendPage(p)
	}
	out.appendPage(newPage(c.account, fresh)) // c had no pages
	return out
}

// appendPage appends a page. It skips an empty page, splits a long page, and merges two
// short neighbors.
func (c *Columns) appendPage(p *page) {
	if n := len(c.pages); n > 0 && c.pages[n-1].len()+p.len() <= c.pageRows {
		if p.len() > 0 {
			c.pages[n-1] = c.pages[n-1].replaceRows(nil, p)
		}
		return
	}
	for first := int32(0); int(first) < p.len(); {
		end := int32(p.len())
		if int(end-first) > 2*c.pageRows {
			end = first + int32(c.pageRows)
		}
		part := p
		if first > 0 || int(end) < p.len() {
			part = p.copyRange(first, end)
		}
		c.pages = append(c.pages, part)
		first = end
	}
}
