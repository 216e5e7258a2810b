package analytics

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// RankKey is a value to sort trade lists by.
type RankKey uint8

// The keys. Instants and the holding time are in microseconds.
const (
	RankByOpening RankKey = iota
	RankByListing         // a closed trade's closing, an open trade's opening
	RankByClosing
	RankBySymbol
	RankByNet
	RankByReturn
	RankByR
	RankByHoldingTime
	RankByQuantity
	RankByEntryPrice
	RankByExitPrice
	RankByCosts
	RankByRisk
	RankByQuality
)

// RankQuery selects trades and their order. Trades without a value come last in either
// direction. Equal trades are in closing order, or in opening order if that is the key,
// and reversed with Down.
type RankQuery struct {
	Filter Filter // without realized parts
	Key    RankKey
	Down   bool
	// Limit bounds the rows; 0 means all.
	Limit int
	// After excludes the rows up to and including a position.
	After *RankPosition
}

// RankPosition is a row's position in a ranking.
type RankPosition struct {
	Number decimal.Null // or the symbol
	Text   string
	// ComparePlace returns a negative number if a row with the same value comes before
	// the position in rising order.
	ComparePlace func(*RankedRow) int
}

// RankedRow is a ranked row with its value, which is a number or the symbol.
type RankedRow struct {
	Number decimal.Null
	Text   string

	columns *Columns
	page    *page
	row     int32
}

// ID returns the trade id.
func (r *RankedRow) ID() journal.TradeID { return r.page.ids.at(r.row) }

// ListedAt returns the closing instant, or the opening instant for an open trade. All
// instants are microseconds since 1970.
func (r *RankedRow) ListedAt() int64 { return r.page.closed[r.row] }

// OpenedAt returns the opening instant.
func (r *RankedRow) OpenedAt() int64 { return r.page.opened[r.row] }

// ClosedAt returns the closing instant, the greatest possible for an open trade.
func (r *RankedRow) ClosedAt() int64 {
	if r.page.state[r.row].isOpen() {
		return math.MaxInt64
	}
	return r.page.closed[r.row]
}

// Instrument returns the text that orders trades with the same instants.
func (r *RankedRow) Instrument() string { return r.page.order.at(r.row) }

// External returns the first fill's id at the broker.
func (r *RankedRow) External() string { return r.page.external.at(r.row) }

// Arrival returns the first fill's arrival number.
func (r *RankedRow) Arrival() int64 { return r.page.arrival[r.row] }

// Account returns the account's name and number; see [Columns.WithName].
func (r *RankedRow) Account() (name string, number int64) { return r.columns.name, r.columns.number }

// RankTrades returns trades in the query order, and how many pass its filter in all. An
// account's open trades have their own columns.
func RankTrades(columns []*Columns, q RankQuery) (rows []RankedRow, total int) {
	r := ranking{query: q}
	for i := range columns {
		pages := columns[i].pages
		for k := range pages {
			// New rows are mostly last in closing order, and first in falling time order:
			// scanning from that end keeps few rows to drop later.
			p := pages[k]
			if q.Down {
				p = pages[len(pages)-1-k]
			}
			total += r.addPage(columns[i], p)
		}
	}
	return r.finish(), total
}

// ranking collects the first rows in an order.
type ranking struct {
	query RankQuery
	rows  []RankedRow
	// last is a row after which nothing is needed; nil if none yet.
	last *RankedRow
}

// addPage adds a page's rows that may be among the first, and returns how many pass the
// filter.
func (r *ranking) addPage(c *Columns, p *page) (passed int) {
	first, end := p.rowRange(&r.query.Filter)
	if first == end {
		return 0
	}
	passes, value := p.newRowTest(&r.query.Filter), p.newValueReader(r.query.Key)
	at, step := int32(first), int32(1)
	if r.query.Down {
		at, step = int32(end-1), -1
	}
	row := RankedRow{columns: c, page: p}
	known := r.last
	isWorse := r.newWorseTest(p)
	for range end - first {
		if passes == nil || passes(at) {
			passed++
			if isWorse == nil || !isWorse(at) {
				row.row, row.Number = at, decimal.Null{}
				value(at, &row)
				r.add(&row)
			}
			if r.last != known {
				known, isWorse = r.last, r.newWorseTest(p)
			}
		}
		at += step
	}
	return passed
}

// newWorseTest returns a function that reports whether a row's value comes after the last
// row's: most rows in a long history do, and comparing the page's whole numbers is faster
// than reading the row. It returns nil without such numbers.
func (r *ranking) newWorseTest(p *page) func(row int32) bool {
	if r.last == nil {
		return nil
	}
	down := r.query.Down
	if r.query.Key == RankBySymbol {
		return p.symbol.newTest(func(symbol string) bool {
			return r.direct(strings.Compare(symbol, r.last.Text)) > 0
		})
	}
	values, scale, present := p.rawValues(r.query.Key)
	if values == nil || !r.last.Number.Valid {
		return nil
	}
	limit, ok := scaledLimit(r.last.Number.Decimal, scale, down)
	if !ok {
		return nil
	}
	switch {
	case present != nil && down:
		return func(row int32) bool { return !present[row] || values[row] < limit }
	case present != nil:
		return func(row int32) bool { return !present[row] || values[row] > limit }
	case down:
		return func(row int32) bool { return values[row] < limit }
	}
	return func(row int32) bool { return values[row] > limit }
}

// scaledLimit returns the whole number at a scale nearest to d but not greater, or with
// up not less. It returns false if it does not fit into 64 bits.
func scaledLimit(d decimal.Decimal, scale int32, up bool) (int64, bool) {
	v, its, ok := fixedPoint(d)
	if !ok || scale-its >= int32(len(powers)) || its-scale >= int32(len(powers)) {
		return 0, false
	}
	if its <= scale {
		if v.length()+bitGrowth(scale-its) > amountBits {
			return 0, false
		}
		return v.scaleUp(scale - its).key()
	}
	key, ok := v.key()
	divisor := powers[its-scale]
	limit, rest := key/divisor, key%divisor
	switch {
	case up && rest > 0:
		limit++
	case !up && rest < 0:
		limit--
	}
	return limit, ok
}

// rawValues returns a key's values as whole numbers at a scale, and which rows have one;
// a nil list means all rows. It returns nil if they are not stored so. A page has open
// trades only, or none.
func (c *page) rawValues(key RankKey) (values []int64, scale int32, present []bool) {
	open := c.state[0].isOpen()
	ofOptional := func(o *optional) ([]int64, int32, []bool) { return o.values.narrow, o.values.scale, o.present }
	switch {
	case key == RankByOpening:
		return c.opened, 0, nil
	case key == RankByListing || key == RankByClosing && !open:
		return c.closed, 0, nil
	case key == RankByNet && !open:
		return c.net.narrow, c.net.scale, nil
	case key == RankByCosts:
		return c.fees.narrow, c.fees.scale, nil
	case key == RankByQuantity:
		return c.quantity.narrow, c.quantity.scale, nil
	case key == RankByEntryPrice:
		return c.entryPrice.narrow, c.entryPrice.scale, nil
	case key == RankByExitPrice:
		return ofOptional(&c.exitPrice)
	case key == RankByReturn:
		return ofOptional(&c.returnPct)
	case key == RankByR:
		return ofOptional(&c.rMultiple)
	case key == RankByRisk:
		return ofOptional(&c.risk)
	}
	return nil, 0, nil
}

func (r *ranking) add(row *RankedRow) {
	if r.last != nil && r.compare(row, r.last) >= 0 || r.query.After != nil && !r.isAfter(row) {
		return
	}
	r.rows = append(r.rows, *row)
	const spare = 16 // spare rows, so small pages do not sort at each row
	if limit := r.query.Limit; limit > 0 && len(r.rows) >= 2*limit+spare {
		slices.SortFunc(r.rows, func(a, b RankedRow) int { return r.compare(&a, &b) })
		r.rows = r.rows[:limit]
		last := r.rows[limit-1]
		r.last = &last
	}
}

// finish returns the rows in order.
func (r *ranking) finish() []RankedRow {
	slices.SortFunc(r.rows, func(a, b RankedRow) int { return r.compare(&a, &b) })
	if limit := r.query.Limit; limit > 0 && len(r.rows) > limit {
		return r.rows[:limit]
	}
	return r.rows
}

// compare returns a negative number if a comes before b.
func (r *ranking) compare(a, b *RankedRow) int {
	order, decided := r.compareValues(a, b.Number, b.Text)
	if decided {
		return order
	}
	return r.direct(r.comparePlaces(a, b))
}

// isAfter reports whether a row comes after the query's position.
func (r *ranking) isAfter(row *RankedRow) bool {
	after := r.query.After
	order, decided := r.compareValues(row, after.Number, after.Text)
	if !decided {
		order = r.direct(after.ComparePlace(row))
	}
	return order > 0
}

// compareValues compares a row's value with another. decided is false if they are equal.
func (r *ranking) compareValues(a *RankedRow, number decimal.Null, text string) (order int, decided bool) {
	switch {
	case r.query.Key == RankBySymbol:
		order = strings.Compare(a.Text, text)
	case a.Number.Valid && number.Valid:
		order = a.Number.Decimal.Cmp(number.Decimal)
	case a.Number.Valid:
		return -1, true
	case number.Valid:
		return 1, true
	}
	return r.direct(order), order != 0
}

// direct reverses an order if the ranking falls.
func (r *ranking) direct(order int) int {
	if r.query.Down {
		return -order
	}
	return order
}

// comparePlaces compares rows with equal values.
func (r *ranking) comparePlaces(a, b *RankedRow) int {
	accounts := strings.Compare(a.columns.name, b.columns.name)
	order := 0
	if r.query.Key == RankByOpening {
		order = cmp.Or(cmp.Compare(a.OpenedAt(), b.OpenedAt()), strings.Compare(a.Instrument(), b.Instrument()), accounts,
			cmp.Compare(a.ClosedAt(), b.ClosedAt()), compareFirstFills(a.page, a.row, b.page, b.row))
	} else {
		order = compareClosing(a.page, a.row, b.page, b.row, accounts)
	}
	return cmp.Or(order, cmp.Compare(a.columns.number, b.columns.number))
}

// newValueReader returns a function to set a row's value.
func (c *page) newValueReader(key RankKey) func(row int32, into *RankedRow) {
	number := func(of func(row int32) decimal.Decimal) func(int32, *RankedRow) {
		return func(row int32, into *RankedRow) { into.Number = decimal.Of(of(row)) }
	}
	optional := func(o *optional) func(int32, *RankedRow) {
		return func(row int32, into *RankedRow) { into.Number = o.at(row) }
	}
	closed := func(of func(row int32) decimal.Decimal) func(int32, *RankedRow) {
		return func(row int32, into *RankedRow) {
			if !c.state[row].isOpen() {
				into.Number = decimal.Of(of(row))
			}
		}
	}
	switch key {
	case RankByOpening:
		return number(func(row int32) decimal.Decimal { return decimal.New(c.opened[row]) })
	case RankByListing:
		return number(func(row int32) decimal.Decimal { return decimal.New(c.closed[row]) })
	case RankByClosing:
		return closed(func(row int32) decimal.Decimal { return decimal.New(c.closed[row]) })
	case RankByHoldingTime:
		return closed(func(row int32) decimal.Decimal { return decimal.New(c.closed[row] - c.opened[row]) })
	case RankByNet:
		return closed(c.net.at)
	case RankByCosts:
		return number(c.fees.at)
	case RankByQuantity:
		return number(c.quantity.at)
	case RankByEntryPrice:
		return number(c.entryPrice.at)
	case RankByExitPrice:
		return optional(&c.exitPrice)
	case RankByReturn:
		return optional(&c.returnPct)
	case RankByR:
		return optional(&c.rMultiple)
	case RankByRisk:
		return optional(&c.risk)
	case RankByQuality:
		return func(row int32, into *RankedRow) {
			if grade := c.quality[row]; grade > 0 {
				into.Number = decimal.Of(decimal.New(int64(grade)))
			}
		}
	case RankBySymbol:
	}
	return func(row int32, into *RankedRow) { into.Text = c.symbol.at(row) }
}
