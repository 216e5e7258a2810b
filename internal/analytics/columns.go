package analytics

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// Trade is one closed trade, as a row.
type Trade struct {
	ID               journal.TradeID
	Symbol           string
	InstrumentType   string
	Side             Side
	OpenedAt         time.Time
	ClosedAt         time.Time
	Net, Gross, Fees decimal.Decimal // Fees are all costs: fees and commission
	// EntryNotional is what the opening fills cost; its absolute value is the
	// size of the trade. Volume is the traded notional, entry and exit.
	EntryNotional, Volume decimal.Decimal
	// InitialRisk is what the trader stated, or what follows from the stop.
	InitialRisk decimal.Null
	// MAE and MFE are the worst and the best excursion in money, without sign.
	MAE, MFE decimal.Null
	// Quality is the trader's own grade, 1 to 5; 0 means none.
	Quality uint8
	Setups  []journal.SetupID
	Tags    []journal.TagID
}

// Columns are the closed trades of one account, a slice for each field, in the
// order of closing (then of id). They never change: [Columns.With] makes new
// ones, so that a reader of the old ones is not disturbed.
type Columns struct {
	account journal.AccountID
	ids     idColumn
	opened  []int64 // microseconds since 1970, as is closed
	closed  []int64
	// byOpening lists the rows in the order of opening (then of id).
	byOpening []int32

	net, gross, fees, size, volume amounts
	risk, mae, mfe                 optional

	side       []Side
	quality    []uint8
	symbol     dictionary
	instrument dictionary
	setups     dictionary // the ids of one trade, joined
	tags       dictionary
}

// Build makes the columns of an account from its closed trades, in any order.
// Each id must occur once.
func Build(account journal.AccountID, rows []Trade) *Columns {
	sorted := make([]*Trade, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortFunc(sorted, func(a, b *Trade) int {
		return cmp.Or(a.ClosedAt.Compare(b.ClosedAt), strings.Compare(string(a.ID), string(b.ID)))
	})
	c := empty(account, len(rows))
	for _, row := range sorted {
		c.push(row)
	}
	c.byOpening = make([]int32, len(rows))
	for row := range c.byOpening {
		c.byOpening[row] = int32(row)
	}
	slices.SortFunc(c.byOpening, func(a, b int32) int {
		return cmp.Or(cmp.Compare(c.opened[a], c.opened[b]), compareIDs(&c.ids, a, &c.ids, b))
	})
	return c
}

func empty(account journal.AccountID, n int) *Columns {
	c := &Columns{
		account: account,
		opened:  make([]int64, 0, n), closed: make([]int64, 0, n),
		side: make([]Side, 0, n), quality: make([]uint8, 0, n),
	}
	c.ids.keys = make([]idKey, 0, n)
	for _, a := range c.money() {
		a.narrow = make([]int64, 0, n)
	}
	for _, d := range c.words() {
		d.rows = make([]int32, 0, n)
	}
	return c
}

func (c *Columns) money() []*amounts {
	return []*amounts{&c.net, &c.gross, &c.fees, &c.size, &c.volume}
}

func (c *Columns) optionals() []*optional { return []*optional{&c.risk, &c.mae, &c.mfe} }

func (c *Columns) words() []*dictionary {
	return []*dictionary{&c.symbol, &c.instrument, &c.setups, &c.tags}
}

func (c *Columns) push(t *Trade) {
	c.ids.push(t.ID)
	c.opened = append(c.opened, t.OpenedAt.UnixMicro())
	c.closed = append(c.closed, t.ClosedAt.UnixMicro())
	c.side = append(c.side, t.Side)
	c.quality = append(c.quality, t.Quality)
	for i, d := range []decimal.Decimal{t.Net, t.Gross, t.Fees, t.EntryNotional.Abs(), t.Volume} {
		c.money()[i].push(d)
	}
	for i, d := range []decimal.Null{t.InitialRisk, t.MAE, t.MFE} {
		c.optionals()[i].push(d)
	}
	c.symbol.push(t.Symbol)
	c.instrument.push(t.InstrumentType)
	c.setups.push(join(t.Setups))
	c.tags.push(join(t.Tags))
}

// Len is the number of trades.
func (c *Columns) Len() int { return len(c.closed) }

// Account is the account whose trades they are.
func (c *Columns) Account() journal.AccountID { return c.account }

// Bytes is the memory that the columns take, to bound a cache by.
func (c *Columns) Bytes() int {
	n := cap(c.ids.keys)*16 + (cap(c.opened)+cap(c.closed))*8 + cap(c.byOpening)*4 + cap(c.side) + cap(c.quality)
	for _, text := range c.ids.others {
		n += len(text) + 16
	}
	for _, a := range c.money() {
		n += a.bytes()
	}
	for _, o := range c.optionals() {
		n += o.bytes()
	}
	for _, d := range c.words() {
		n += d.bytes()
	}
	return n
}

// Trade gives a row back, to show or to compare; figures read the columns.
func (c *Columns) Trade(row int) Trade {
	r := int32(row)
	return Trade{
		ID: c.ids.at(r), Symbol: c.symbol.at(r), InstrumentType: c.instrument.at(r), Side: c.side[r],
		OpenedAt: time.UnixMicro(c.opened[r]).UTC(), ClosedAt: time.UnixMicro(c.closed[r]).UTC(),
		Net: c.net.at(r), Gross: c.gross.at(r), Fees: c.fees.at(r), EntryNotional: c.size.at(r), Volume: c.volume.at(r),
		InitialRisk: c.risk.at(r), MAE: c.mae.at(r), MFE: c.mfe.at(r), Quality: c.quality[r],
		Setups: split[journal.SetupID](c.setups.at(r)), Tags: split[journal.TagID](c.tags.at(r)),
	}
}

// With gives new columns in which the changed trades replace those of the same
// id, or are added, and the removed ones are gone. An id that is unknown is
// nothing to remove. The old columns stay as they are.
func (c *Columns) With(changed []Trade, removed []journal.TradeID) *Columns {
	gone := make(map[journal.TradeID]struct{}, len(changed)+len(removed))
	for _, id := range removed {
		gone[id] = struct{}{}
	}
	for i := range changed {
		gone[changed[i].ID] = struct{}{}
	}
	fresh := Build(c.account, changed)
	kept := c.kept(gone)
	out := empty(c.account, len(kept)+fresh.Len())
	moved := out.merge(c, kept, fresh)
	out.mergeOpenings(c, fresh, moved)
	return out
}

// kept lists the rows whose ids are not gone.
func (c *Columns) kept(gone map[journal.TradeID]struct{}) []int32 {
	keys := c.ids.keysOf(gone)
	kept := make([]int32, 0, c.Len())
	for row, key := range c.ids.keys {
		if _, is := keys[key]; !is {
			kept = append(kept, int32(row))
		}
	}
	return kept
}

// moves tells where the rows of the two sources of a merge went.
type moves struct{ old, fresh []int32 }

const nowhere = -1

// merge fills empty columns with the kept rows of one and all rows of another,
// in order. Rows that stay side by side are copied together.
func (c *Columns) merge(old *Columns, kept []int32, fresh *Columns) moves {
	moved := moves{make([]int32, old.Len()), make([]int32, fresh.Len())}
	for i := range moved.old {
		moved.old[i] = nowhere
	}
	learned := make([][]int32, len(c.words()))
	for i, d := range c.words() {
		d.inherit(old.words()[i])
		learned[i] = d.learn(fresh.words()[i])
	}
	at, next := int32(0), int32(0)
	for i := 0; i < len(kept) || int(next) < fresh.Len(); {
		if i < len(kept) && (int(next) == fresh.Len() || old.before(kept[i], fresh, next)) {
			end := i + 1
			for end < len(kept) && kept[end] == kept[end-1]+1 && (int(next) == fresh.Len() || old.before(kept[end], fresh, next)) {
				end++
			}
			for _, row := range kept[i:end] {
				moved.old[row] = at
				at++
			}
			c.appendRange(old, make([][]int32, len(learned)), kept[i], kept[end-1]+1)
			i = end
			continue
		}
		moved.fresh[next] = at
		at++
		c.appendRange(fresh, learned, next, next+1)
		next++
	}
	return moved
}

// before tells whether a row comes before a row of other columns.
func (c *Columns) before(row int32, other *Columns, its int32) bool {
	if c.closed[row] != other.closed[its] {
		return c.closed[row] < other.closed[its]
	}
	return compareIDs(&c.ids, row, &other.ids, its) < 0
}

func (c *Columns) appendRange(from *Columns, learned [][]int32, first, end int32) {
	c.ids.appendRange(&from.ids, first, end)
	c.opened = append(c.opened, from.opened[first:end]...)
	c.closed = append(c.closed, from.closed[first:end]...)
	c.side = append(c.side, from.side[first:end]...)
	c.quality = append(c.quality, from.quality[first:end]...)
	for i, a := range c.money() {
		a.appendRange(from.money()[i], first, end)
	}
	for i, o := range c.optionals() {
		o.appendRange(from.optionals()[i], first, end)
	}
	for i, d := range c.words() {
		d.appendRange(from.words()[i], learned[i], first, end)
	}
}

// mergeOpenings makes the order of opening from that of the two sources.
func (c *Columns) mergeOpenings(old, fresh *Columns, moved moves) {
	c.byOpening = make([]int32, 0, c.Len())
	next := 0
	flush := func(until int32) {
		for ; next < len(fresh.byOpening); next++ {
			row := moved.fresh[fresh.byOpening[next]]
			if until != nowhere && c.compareOpenings(row, until) > 0 {
				return
			}
			c.byOpening = append(c.byOpening, row)
		}
	}
	for _, row := range old.byOpening {
		if place := moved.old[row]; place != nowhere {
			flush(place)
			c.byOpening = append(c.byOpening, place)
		}
	}
	flush(nowhere)
}

func (c *Columns) compareOpenings(a, b int32) int {
	return cmp.Or(cmp.Compare(c.opened[a], c.opened[b]), compareIDs(&c.ids, a, &c.ids, b))
}

// idColumn keeps ids in 16 bytes each. Ours are UUIDs; any other text is kept
// beside, and its key is the place there behind eight zero bytes.
type idColumn struct {
	keys   []idKey
	others []journal.TradeID
}

type idKey [16]byte

const otherID = 8

func (k idKey) other() bool { return [otherID]byte(k[:otherID]) == [otherID]byte{} }

func packed(id journal.TradeID) (idKey, bool) {
	parsed, err := uuid.Parse(string(id))
	key := idKey(parsed)
	return key, err == nil && !key.other() && parsed.String() == string(id)
}

func (c *idColumn) push(id journal.TradeID) {
	key, ok := packed(id)
	if !ok {
		key = otherKey(len(c.others))
		c.others = append(c.others, id)
	}
	c.keys = append(c.keys, key)
}

func otherKey(place int) (key idKey) {
	binary.BigEndian.PutUint64(key[otherID:], uint64(place))
	return key
}

func (c *idColumn) at(row int32) journal.TradeID {
	key := c.keys[row]
	if key.other() {
		return c.others[binary.BigEndian.Uint64(key[otherID:])]
	}
	return journal.TradeID(uuid.UUID(key).String())
}

// keysOf gives the keys under which some ids are kept here.
func (c *idColumn) keysOf(ids map[journal.TradeID]struct{}) map[idKey]struct{} {
	keys := make(map[idKey]struct{}, len(ids))
	for id := range ids {
		if key, ok := packed(id); ok {
			keys[key] = struct{}{}
		}
	}
	for place, id := range c.others {
		if _, is := ids[id]; is {
			keys[otherKey(place)] = struct{}{}
		}
	}
	return keys
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

// compareIDs compares ids as text; the bytes of two UUIDs sort like their text.
func compareIDs(a *idColumn, i int32, b *idColumn, j int32) int {
	if x, y := &a.keys[i], &b.keys[j]; !x.other() && !y.other() {
		return bytes.Compare(x[:], y[:])
	}
	return strings.Compare(string(a.at(i)), string(b.at(j)))
}
