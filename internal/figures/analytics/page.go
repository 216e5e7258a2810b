package analytics

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/google/uuid"

	"fillbook/internal/base/journal"
)

// page is a part of an account's closed trades, a slice for each field, in closing order.
// It never changes.
type page struct {
	account journal.AccountID
	ids     idColumn
	opened  []int64 // microseconds since 1970, as is closed
	closed  []int64
	// byOpening lists the rows in opening order.
	byOpening []int32
	external  texts
	arrival   []int64

	net, gross, fees, size, volume amounts
	// netSum returns the sum of net as a column with one row; see sumBefore.
	netSum func() *amounts
	// hasRemoved reports whether a row is a removed trade.
	hasRemoved     func() bool
	risk, mae, mfe optional
	// Columns for ranking, without figures.
	quantity, entryPrice            amounts
	exitPrice, returnPct, rMultiple optional
	// plannedR and reviewedAt, in microseconds since 1970, are for trading rules.
	plannedR, reviewedAt optional

	// excursion are the columns for [TradeExcursion.values]. Their scales do not matter
	// to other figures.
	excursion [excursionValues]optional

	side       []Side
	quality    []uint8
	state      []rowState
	symbol     dictionary
	instrument dictionary
	setups     dictionary // one trade's ids, joined
	tags       dictionary
	order      dictionary // symbol, contract and lot, to be compared
	contract   dictionary // root, right and expiry, joined
	emotion    dictionary

	// own is the page with the account's own amounts, and rates are those of its rows; both
	// are nil unless amounts are converted.
	own   *page
	rates *rowRates

	// unit is for each row the place of its unit in unitTable, from 1; 0 for a trade. Pages
	// without units have neither.
	unit      []int32
	unitTable *UnitTable
}

// newPage returns a page with trades, which must be in closing order.
func newPage(account journal.AccountID, sorted []*Trade) *page {
	c := newEmptyPage(account, len(sorted))
	for _, row := range sorted {
		c.push(row)
	}
	c.byOpening = make([]int32, len(sorted))
	for row := range c.byOpening {
		c.byOpening[row] = int32(row)
	}
	slices.SortFunc(c.byOpening, func(a, b int32) int { return compareOpening(c, a, c, b, 0) })
	return c
}

func newEmptyPage(account journal.AccountID, n int) *page {
	c := &page{
		account: account,
		opened:  make([]int64, 0, n), closed: make([]int64, 0, n), arrival: make([]int64, 0, n),
		side: make([]Side, 0, n), quality: make([]uint8, 0, n), state: make([]rowState, 0, n),
	}
	c.setLazyValues()
	c.ids.keys = make([]idKey, 0, n)
	for _, a := range append(c.amountColumns(), c.rankedAmounts()...) {
		a.narrow = make([]int64, 0, n)
	}
	for _, o := range append(c.optionalColumns(), c.rankedOptionals()...) {
		o.room = n
	}
	for _, d := range c.dictionaries() {
		d.codes = make([]int32, 0, n)
	}
	c.external.ends = make([]uint32, 0, n)
	return c
}

// setLazyValues sets the values that are computed from columns when they are needed.
func (c *page) setLazyValues() {
	c.netSum = sync.OnceValue(c.net.sum)
	c.hasRemoved = sync.OnceValue(func() bool {
		return slices.ContainsFunc(c.state, func(r rowState) bool { return r.has(removedState) })
	})
}

func (c *page) amountColumns() []*amounts {
	return []*amounts{&c.net, &c.gross, &c.fees, &c.size, &c.volume}
}

func (c *page) optionalColumns() []*optional { return []*optional{&c.risk, &c.mae, &c.mfe} }

// rankedAmounts and rankedOptionals are the columns only [RankTrades] and [Opening] read.
// Their scales do not matter to figures.
func (c *page) rankedAmounts() []*amounts { return []*amounts{&c.quantity, &c.entryPrice} }

func (c *page) rankedOptionals() []*optional {
	return []*optional{&c.exitPrice, &c.returnPct, &c.rMultiple, &c.plannedR, &c.reviewedAt}
}

func (c *page) dictionaries() []*dictionary {
	return []*dictionary{&c.symbol, &c.instrument, &c.setups, &c.tags, &c.order, &c.contract, &c.emotion}
}

func (c *page) push(t *Trade) {
	c.ids.push(t.ID)
	c.opened = append(c.opened, t.OpenedAt.UnixMicro())
	c.closed = append(c.closed, t.ClosedAt.UnixMicro())
	c.side = append(c.side, t.Side)
	c.quality = append(c.quality, t.Quality)
	c.state = append(c.state, newRowState(t))
	c.net.push(t.Net)
	c.gross.push(t.Gross)
	c.fees.push(t.Fees)
	c.size.push(t.EntryNotional.Abs())
	c.volume.push(t.Volume)
	c.risk.push(t.InitialRisk)
	c.mae.push(t.MAE)
	c.mfe.push(t.MFE)
	c.quantity.push(t.Quantity)
	c.entryPrice.push(t.EntryPrice)
	c.exitPrice.push(t.ExitPrice)
	c.returnPct.push(t.ReturnPct)
	c.rMultiple.push(t.RMultiple)
	c.plannedR.push(t.PlannedR)
	c.reviewedAt.push(toMicros(t.ReviewedAt))
	c.pushExcursion(t.Excursion)
	c.symbol.push(t.Symbol)
	c.instrument.push(t.InstrumentType)
	c.setups.push(joinIDs(t.Setups))
	c.tags.push(joinIDs(t.Tags))
	c.order.push(t.Instrument)
	c.contract.pushBytes(appendContract(make([]byte, 0, maxContract), t))
	c.emotion.push(t.EmotionalState)
	c.external.push(t.External)
	c.arrival = append(c.arrival, t.Arrival)
}

func (c *page) len() int { return len(c.closed) }

func (c *page) bytes() int {
	n := cap(c.ids.keys)*16 + (cap(c.opened)+cap(c.closed)+cap(c.arrival))*8 + c.external.bytes() + cap(c.byOpening)*4 +
		cap(c.side) + cap(c.quality) + cap(c.state)
	for _, text := range c.ids.others {
		n += len(text) + 16
	}
	for _, a := range append(c.amountColumns(), c.rankedAmounts()...) {
		n += a.bytes()
	}
	for _, o := range append(c.optionalColumns(), c.rankedOptionals()...) {
		n += o.bytes()
	}
	for i := range c.excursion {
		n += c.excursion[i].bytes()
	}
	for _, d := range c.dictionaries() {
		n += d.bytes()
	}
	return n
}

func (c *page) trade(r int32) Trade {
	contract, state := splitContract(c.contract.at(r)), c.state[r]
	return Trade{
		ID: c.ids.at(r), Symbol: c.symbol.at(r), InstrumentType: c.instrument.at(r), Side: c.side[r],
		OpenedAt: time.UnixMicro(c.opened[r]).UTC(), ClosedAt: time.UnixMicro(c.closed[r]).UTC(),
		Net: c.net.at(r), Gross: c.gross.at(r), Fees: c.fees.at(r), EntryNotional: c.size.at(r), Volume: c.volume.at(r),
		InitialRisk: c.risk.at(r), MAE: c.mae.at(r), MFE: c.mfe.at(r), Quality: c.quality[r],
		Quantity: c.quantity.at(r), EntryPrice: c.entryPrice.at(r), ExitPrice: c.exitPrice.at(r), ReturnPct: c.returnPct.at(r),
		RMultiple: c.rMultiple.at(r), Excursion: c.findExcursion(r), PlannedR: c.plannedR.at(r), ReviewedAt: fromMicros(c.reviewedAt.at(r)),
		HasStop: state.has(stopState),
		Setups:  splitIDs[journal.SetupID](c.setups.at(r)), Tags: splitIDs[journal.TagID](c.tags.at(r)),
		Instrument: c.order.at(r), External: c.external.at(r), Arrival: c.arrival[r],
		Part: state.isPart(), Open: state.isOpen(),
		Root: contract.root, OptionRight: contract.right, Symbols: contract.symbols, Expiry: contract.expiry, EmotionalState: c.emotion.at(r),
		Reviewed: state.has(reviewedState), HasNote: state.has(noteState), HasAttachment: state.has(attachmentState), Removed: state.has(removedState),
	}
}

// replaceRows returns a page without the rows gone, which must be in order, and with all
// fresh rows.
func (c *page) replaceRows(gone []int32, fresh *page) *page {
	out := newEmptyPage(c.account, c.len()-len(gone)+fresh.len())
	moved := out.mergeRows(c, gone, fresh)
	out.mergeOpenings(c, fresh, moved)
	return out
}

// copyRange returns the rows from first to end as a new page.
func (c *page) copyRange(first, end int32) *page {
	out := newEmptyPage(c.account, int(end-first))
	alike := make([][]int32, len(c.dictionaries()))
	for i, d := range out.dictionaries() {
		d.copyValues(c.dictionaries()[i])
	}
	out.appendRange(c, alike, first, end)
	out.byOpening = make([]int32, 0, end-first)
	for _, row := range c.byOpening {
		if first <= row && row < end {
			out.byOpening = append(out.byOpening, row-first)
		}
	}
	return out
}

// countBefore returns how many sorted trades come before the page's first row.
func (c *page) countBefore(sorted []*Trade) int {
	first := c.trade(0)
	return sort.Search(len(sorted), func(i int) bool { return compareTrades(sorted[i], &first) >= 0 })
}

// moves maps the rows from both merge sources to result rows.
type moves struct{ old, fresh []int32 }

const nowhere = -1

// mergeRows fills an empty page with the old rows not gone and all fresh rows, in order.
// Neighboring rows are copied together, so the cost besides copying depends on the change
// only.
func (c *page) mergeRows(old *page, gone []int32, fresh *page) moves {
	moved := moves{make([]int32, old.len()), make([]int32, fresh.len())}
	learned := make([][]int32, len(c.dictionaries()))
	for i, d := range c.dictionaries() {
		d.copyValues(old.dictionaries()[i])
		learned[i] = d.addValues(fresh.dictionaries()[i])
	}
	alike := make([][]int32, len(learned)) // copied strings keep their codes
	at, row := int32(0), int32(0)
	upTo := func(end int32) {
		for row < end {
			stop := end
			if len(gone) > 0 && gone[0] < end {
				stop = gone[0]
			}
			c.appendRange(old, alike, row, stop)
			for ; row < stop; row++ {
				moved.old[row] = at
				at++
			}
			if row < end {
				moved.old[row], gone = nowhere, gone[1:]
				row++
			}
		}
	}
	for next := range int32(fresh.len()) {
		upTo(row + int32(sort.Search(old.len()-int(row), func(i int) bool { return !old.closesBefore(row+int32(i), fresh, next) })))
		c.appendRange(fresh, learned, next, next+1)
		moved.fresh[next] = at
		at++
	}
	upTo(int32(old.len()))
	return moved
}

// closesBefore reports whether a row closes before a row in another page.
func (c *page) closesBefore(row int32, other *page, its int32) bool {
	return compareClosing(c, row, other, its, 0) < 0
}

func (c *page) appendRange(from *page, learned [][]int32, first, end int32) {
	c.ids.appendRange(&from.ids, first, end)
	c.opened = append(c.opened, from.opened[first:end]...)
	c.closed = append(c.closed, from.closed[first:end]...)
	c.arrival = append(c.arrival, from.arrival[first:end]...)
	c.external.appendRange(&from.external, first, end)
	c.side = append(c.side, from.side[first:end]...)
	c.quality = append(c.quality, from.quality[first:end]...)
	c.state = append(c.state, from.state[first:end]...)
	for i, a := range c.amountColumns() {
		a.appendRange(from.amountColumns()[i], first, end)
	}
	for i, o := range c.optionalColumns() {
		o.appendRange(from.optionalColumns()[i], first, end)
	}
	for i, a := range c.rankedAmounts() {
		a.appendRange(from.rankedAmounts()[i], first, end)
	}
	for i, o := range c.rankedOptionals() {
		o.appendRange(from.rankedOptionals()[i], first, end)
	}
	for i := range c.excursion {
		c.excursion[i].appendRange(&from.excursion[i], first, end)
	}
	for i, d := range c.dictionaries() {
		d.appendRange(from.dictionaries()[i], learned[i], first, end)
	}
}

// mergeOpenings merges both sources' opening orders.
func (c *page) mergeOpenings(old, fresh *page, moved moves) {
	c.byOpening = make([]int32, 0, c.len())
	rest := old.byOpening
	upTo := func(end int) {
		for _, row := range rest[:end] {
			if place := moved.old[row]; place != nowhere {
				c.byOpening = append(c.byOpening, place)
			}
		}
		rest = rest[end:]
	}
	for _, its := range fresh.byOpening {
		upTo(sort.Search(len(rest), func(i int) bool { return !old.opensBefore(rest[i], fresh, its) }))
		c.byOpening = append(c.byOpening, moved.fresh[its])
	}
	upTo(len(rest))
}

// opensBefore reports whether a row was opened before a row in another page.
func (c *page) opensBefore(row int32, other *page, its int32) bool {
	return compareOpening(c, row, other, its, 0) < 0
}

// idColumn stores ids in 16 bytes each. The program's own ids are UUIDs; any other text
// is in others, and its key is its index there after eight zero bytes.
type idColumn struct {
	keys   []idKey
	others []journal.TradeID
}

type idKey [16]byte

const otherID = 8

func (k idKey) isOther() bool { return [otherID]byte(k[:otherID]) == [otherID]byte{} }

// packID returns a UUID's bytes if it is in its usual form. Other ids have none.
func packID(id journal.TradeID) (key idKey, ok bool) {
	const length = 36
	if len(id) != length {
		return key, false
	}
	n := 0
	for at := 0; at < length; at += 2 {
		if at == 8 || at == 13 || at == 18 || at == 23 {
			if id[at] != '-' {
				return key, false
			}
			at++
		}
		high, low := hexDigits[id[at]], hexDigits[id[at+1]]
		if high|low > 0xf {
			return key, false
		}
		key[n] = high<<4 | low
		n++
	}
	return key, !key.isOther()
}

// hexDigits has the values for lower-case hexadecimal digits, and 0xff for others.
var hexDigits = func() (table [256]byte) {
	for c := range table {
		table[c] = 0xff
	}
	for value, c := range []byte("0123456789abcdef") {
		table[c] = byte(value) // it is less than 16
	}
	return table
}()

func (c *idColumn) push(id journal.TradeID) {
	key, ok := packID(id)
	if !ok {
		key = newOtherKey(len(c.others))
		c.others = append(c.others, id)
	}
	c.keys = append(c.keys, key)
}

func newOtherKey(place int) (key idKey) {
	binary.BigEndian.PutUint64(key[otherID:], uint64(place))
	return key
}

func (c *idColumn) at(row int32) journal.TradeID {
	key := c.keys[row]
	if key.isOther() {
		return c.others[binary.BigEndian.Uint64(key[otherID:])]
	}
	return journal.TradeID(uuid.UUID(key).String())
}

// idSet is an id set to find in pages.
type idSet struct {
	keys   map[idKey]struct{}
	others map[journal.TradeID]struct{}
}

func newIDSet(ids []journal.TradeID) *idSet {
	s := &idSet{make(map[idKey]struct{}, len(ids)), map[journal.TradeID]struct{}{}}
	for _, id := range ids {
		s.add(id)
	}
	return s
}

func (s *idSet) add(id journal.TradeID) {
	if key, ok := packID(id); ok {
		s.keys[key] = struct{}{}
	} else {
		s.others[id] = struct{}{}
	}
}

// addRow adds a row's id.
func (s *idSet) addRow(c *idColumn, row int32) {
	if key := c.keys[row]; !key.isOther() {
		s.keys[key] = struct{}{}
	} else {
		s.add(c.at(row))
	}
}

func (s *idSet) has(id journal.TradeID) bool {
	if key, ok := packID(id); ok {
		_, is := s.keys[key]
		return is
	}
	_, is := s.others[id]
	return is
}

// findRows returns the rows for some ids, in order. A write changes few trades, and
// comparing with few keys is faster than a map lookup for each row.
func (c *idColumn) findRows(ids *idSet) []int32 {
	const few = 8
	var rows []int32
	if len(ids.keys) > few {
		for row, key := range c.keys {
			if _, is := ids.keys[key]; is {
				rows = append(rows, int32(row))
			}
		}
	} else {
		for key := range ids.keys {
			for row := range c.keys {
				if c.keys[row] == key {
					rows = append(rows, int32(row))
				}
			}
		}
	}
	if len(ids.others) > 0 && len(c.others) > 0 {
		for row, key := range c.keys {
			if _, is := ids.others[c.at(int32(row))]; is && key.isOther() {
				rows = append(rows, int32(row))
			}
		}
	}
	slices.Sort(rows)
	return rows
}

func (c *idColumn) appendRange(from *idColumn, first, end int32) {
	if len(from.others) == 0 {
		c.keys = append(c.keys, from.keys[first:end]...)
		return
	}
	for row := first; row < end; row++ {
		c.push(from.at(row))
	}
}

// equalRows reports whether a row has the id of a row in another column.
func (c *idColumn) equalRows(row int32, other *idColumn, its int32) bool {
	if key := c.keys[row]; !key.isOther() {
		return key == other.keys[its]
	}
	return c.at(row) == other.at(its)
}
