package analytics

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Trade is one closed trade or a realized part of one, or in columns of open
// trades, which are only ranked, an open trade.
type Trade struct {
	ID               journal.TradeID
	Symbol           string
	InstrumentType   string
	Side             Side
	OpenedAt         time.Time
	ClosedAt         time.Time
	Net, Gross, Fees decimal.Decimal // Fees are all costs: fees and commission
	// EntryNotional is what the opening fills cost; its absolute value is the
	// size of the trade. Volume is the traded notional, entry and exit, and 0
	// if it is unknown, since it is only added up.
	EntryNotional, Volume decimal.Decimal
	// InitialRisk is stated by the trader or computed from the stop.
	InitialRisk decimal.Null
	// MAE and MFE are the worst and the best excursion in money, without sign.
	MAE, MFE decimal.Null
	// Excursion is what the price did during the trade.
	Excursion TradeExcursion
	// Quantity to RMultiple are values that lists are sorted by; no figure is
	// computed from them.
	Quantity, EntryPrice            decimal.Decimal
	ExitPrice, ReturnPct, RMultiple decimal.Null
	// Quality is the trader's own grade, 1 to 5; 0 means none.
	Quality uint8
	Setups  []journal.SetupID
	Tags    []journal.TagID
	// The following values are only filtered by. Root is the root of the future,
	// the underlying of the option, or the symbol; OptionRight and Expiry are empty
	// without an option. EmotionalState is folded; see [textindex.Fold].
	Root, OptionRight                string
	Expiry                           journal.Day
	EmotionalState                   string
	Reviewed, HasNote, HasAttachment bool
	// Instrument, External and Arrival order trades of the same instants: symbol,
	// contract and lot as a text that compares as they do, the first fill's id at
	// the broker, and the number of that fill in the order of arrival, which no
	// other trade of the account has.
	Instrument, External string
	Arrival              int64
	// Part marks a row that is what the trade realized at one instant, which is
	// then its ClosedAt. Columns of realized results have a row for each; see
	// [Filter.Realized].
	Part bool
	// Open marks a trade that is not flat yet, or a part of one. The ClosedAt of an
	// open trade is its opening.
	Open bool
}

// Columns are the closed trades of one account. They never change:
// [Columns.WithChanges] returns new ones, so that readers of the old ones are
// not affected. They consist of pages in the order of closing. A change copies only the
// pages with changed trades, so its cost does not depend on the length of the history.
type Columns struct {
	account journal.AccountID
	// name and number order trades of several accounts; see [Columns.WithName].
	name   string
	number int64

	pages    []*page // none is empty
	pageRows int     // in a full page
}

// pageRows is the number of rows in a full page. It is large enough that a
// history of years has a few dozen pages, and small enough to copy a page within
// a request.
const pageRows = 4096

// BuildColumns returns the columns of an account for its closed trades, in any order.
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

// ConcatColumns concatenates columns of one account. Every trade of each
// must come before every trade of the next.
func ConcatColumns(account journal.AccountID, parts ...*Columns) *Columns {
	c := &Columns{account: account, pageRows: pageRows}
	for _, part := range parts {
		c.pages = append(c.pages, part.pages...)
	}
	return c
}

// WithName returns the same columns for an account of that name and number.
// Trades of the same instants and instrument are ordered by the names of their
// accounts, and if everything else is equal by their numbers.
func (c *Columns) WithName(name string, number int64) *Columns {
	named := *c
	named.name, named.number = name, number
	return &named
}

// sortByClosing returns trades in the order of closing.
func sortByClosing(rows []Trade) []*Trade {
	sorted := make([]*Trade, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortFunc(sorted, compareTrades)
	return sorted
}

// Len returns the number of trades.
func (c *Columns) Len() int {
	n := 0
	for _, p := range c.pages {
		n += p.len()
	}
	return n
}

// Bytes returns the memory that the columns take, for the limit of a cache.
func (c *Columns) Bytes() int {
	n := 0
	for _, p := range c.pages {
		n += p.bytes()
	}
	return n
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

// WithChanges returns new columns in which the changed trades replace all rows of
// the same id, or are added, and the removed ones are missing. Unknown
// ids are ignored. The old columns do not change.
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

// appendPage appends a page. It skips an empty page, splits one that is too long,
// and merges it with the previous page if both are short.
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
