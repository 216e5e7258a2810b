package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// Position is a trade as the fills that made it.
type Position struct {
	Trade journal.TradeID
	Open  bool
	// Rate converts amounts in its price currency to the account's currency.
	Rate  matching.Rate
	Fills []PositionFill
}

// PositionFill is a fill's part in a position.
type PositionFill struct {
	// At is the instant in microseconds since 1970. Width is how many microseconds
	// later the fill may have happened, because its source wrote the minute or the
	// day only.
	At, Width int64
	// Quantity is negative if sold. Quantity and price are in the position's newest units:
	// splits during it have converted them.
	Quantity, Price, Multiplier decimal.Decimal
}

// PositionWindow selects an instrument's positions held at some time between two
// instants, in microseconds since 1970.
type PositionWindow struct{ From, To int64 }

// positionsAtOnce is how many positions are in memory at a time.
const positionsAtOnce = 5000

// positionSpan is a trade whose fills are read.
type positionSpan struct {
	tradeSpan
	rate matching.Rate
}

const positionSelect = `
	SELECT id, stream, opened_at, first_seq, COALESCE(last_at, list_at), last_seq, head, is_open, rate_stated, rate_priced
	FROM trades WHERE user_id = $1`

func scanPositionSpan(row db.Scanner) (s positionSpan, err error) {
	err = row.Scan(&s.id, &s.stream, &s.first.At, &s.first.Seq, &s.last.At, &s.last.Seq, zeroIfNull{&s.head.Consumed}, &s.open,
		&s.rate.Stated, &s.rate.Priced)
	return s, err
}

// InstrumentPositions are one instrument's positions, in all its lots, ordered by
// opening.
type InstrumentPositions struct {
	Instrument Instrument
	// Number is the instrument's in a [PositionScan].
	Number    int
	Positions []Position
}

// ListInstruments returns an account's instruments, without their lots. It is a step.
func ListInstruments(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account) (list []Instrument, err error) {
	streams, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	known := map[streamKey]bool{}
	for _, s := range streams {
		if key := s.key.withoutLot(); !known[key] {
			known[key] = true
			list = append(list, key.toInstrument())
		}
	}
	return list, err
}

// EachPosition calls fn with an account's positions by instrument, ordered by opening and
// in batches. window returns which of an instrument's positions are wanted, or false for
// none. fn may run statements. It is a step. To read all an account's positions a
// [PositionScan] is faster.
func EachPosition(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, window func(Instrument) (PositionWindow, bool),
	fn func(InstrumentPositions) error,
) error {
	streams, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	if err != nil {
		return err
	}
	byInstrument := map[streamKey][]int64{}
	for number, s := range streams {
		key := s.key.withoutLot()
		byInstrument[key] = append(byInstrument[key], number)
	}
	for _, key := range slices.SortedFunc(maps.Keys(byInstrument), compareKeys) {
		w, wanted := window(key.toInstrument())
		if !wanted {
			continue
		}
		e := positionEmitter{ctx: ctx, tx: tx, owner: owner, batch: InstrumentPositions{Instrument: key.toInstrument()}, fn: fn}
		for _, number := range slices.Sorted(slices.Values(byInstrument[key])) {
			e.events = streams[number].events
			spans, err := db.List(ctx, tx, scanPositionSpan, positionSelect+`
				AND stream = $2 AND opened_at <= $3 AND (is_open = TRUE OR COALESCE(last_at, list_at) >= $4) ORDER BY opened_at, first_seq`,
				owner, number, w.To, w.From)
			if err != nil {
				return err
			}
			if err := e.add(spans); err != nil {
				return err
			}
		}
		if err := e.emit(); err != nil {
			return err
		}
	}
	return nil
}

// EachPositionByID calls fn with the given trades' positions by instrument, ordered by
// opening and in batches. Ids that are not the owner's trades are left out. fn may run
// statements. It is a step.
func EachPositionByID(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID, fn func(InstrumentPositions) error,
) error {
	list, err := db.ListIn(ctx, tx, ids, scanPositionSpan, positionSelect+` AND id IN $keys`, owner)
	if err != nil {
		return err
	}
	byStream := map[int64][]positionSpan{}
	for _, s := range list {
		byStream[s.stream] = append(byStream[s.stream], s)
	}
	byInstrument := map[streamKey]*positionEmitter{}
	for _, number := range slices.Sorted(maps.Keys(byStream)) {
		var key streamKey
		var events []matching.Event
		err := tx.QueryRow(ctx, `SELECT events, `+streamColumns+` FROM streams WHERE user_id = $1 AND number = $2`, owner, number).
			Scan(append([]any{eventsScanner{&events}}, key.scan()...)...)
		if err != nil {
			return err
		}
		key = key.withoutLot()
		e := byInstrument[key]
		if e == nil {
			e = &positionEmitter{ctx: ctx, tx: tx, owner: owner, batch: InstrumentPositions{Instrument: key.toInstrument()}, fn: fn}
			byInstrument[key] = e
		}
		e.events = events
		spans := byStream[number]
		slices.SortFunc(spans, func(a, b positionSpan) int { return a.first.Compare(b.first) })
		if err := e.add(spans); err != nil {
			return err
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(byInstrument), compareKeys) {
		if err := byInstrument[key].emit(); err != nil {
			return err
		}
	}
	return nil
}

// compareKeys orders instruments.
func compareKeys(a, b streamKey) int { return cmp.Compare(a.orderKey(), b.orderKey()) }

// withoutLot returns the key without the lot.
func (k streamKey) withoutLot() streamKey {
	k.lot, k.lineage = "", ""
	return k
}

// positionEmitter collects an instrument's positions and passes them on in batches.
type positionEmitter struct {
	ctx   context.Context // as long-lived as the call
	tx    *db.Tx
	owner journal.UserID
	batch InstrumentPositions
	fn    func(InstrumentPositions) error
	// events act on the stream whose trades are added.
	events []matching.Event
}

// add adds one stream's trades, which are in order.
func (e *positionEmitter) add(spans []positionSpan) error {
	for part := range slices.Chunk(spans, positionsAtOnce) {
		positions, err := readPositions(e.ctx, e.tx, e.owner, part, e.events)
		if err != nil {
			return err
		}
		e.batch.Positions = append(e.batch.Positions, positions...)
		if len(e.batch.Positions) < positionsAtOnce {
			continue
		}
		if err := e.emit(); err != nil {
			return err
		}
	}
	return nil
}

// emit passes on the positions so far.
func (e *positionEmitter) emit() error {
	if len(e.batch.Positions) == 0 {
		return nil
	}
	sortPositions(e.batch.Positions)
	err := e.fn(e.batch)
	e.batch.Positions = nil
	return err
}

// sortPositions sorts positions in several lots by their opening.
func sortPositions(list []Position) {
	byOpening := func(a, b Position) int { return cmp.Compare(a.Fills[0].At, b.Fills[0].At) }
	if !slices.IsSortedFunc(list, byOpening) {
		slices.SortStableFunc(list, byOpening)
	}
}

const positionFillSelect = `
	SELECT executed_at, seq, is_buy, quantity, price, multiplier, facts
	FROM executions WHERE user_id = $1 AND stream = $2 AND (executed_at, seq) >= ($3, $4) AND (executed_at, seq) <= ($5, $6)
		AND ` + inTrades + ` ORDER BY executed_at, seq`

// maxSpansApart is up to how many trades in a stream each one's fills are read alone.
const maxSpansApart = 64

// readPositions reads the fills for one stream's trades, which are in order.
func readPositions(ctx context.Context, tx *db.Tx, owner journal.UserID, spans []positionSpan, events []matching.Event) ([]Position, error) {
	w := positionReader{spans: spans, events: events, list: make([]Position, len(spans))}
	for i, s := range spans {
		w.list[i] = Position{Trade: s.id, Open: s.open, Rate: s.rate}
	}
	size := len(spans)
	if len(spans) <= maxSpansApart {
		size = 1
	}
	for part := range slices.Chunk(spans, max(size, 1)) {
		first, last := part[0].first, part[len(part)-1].last
		err := db.Each(ctx, tx, w.scan, positionFillSelect, owner, part[0].stream, first.At, first.Seq, last.At, last.Seq)
		if err != nil {
			return nil, err
		}
	}
	w.passDepartures(endOfStream)
	isLastOpen := w.next == len(spans)-1 && spans[w.next].open
	if w.next < len(spans) && !isLastOpen {
		return nil, fmt.Errorf("trade %s does not agree with its fills; run fillbook check", spans[w.next].id)
	}
	if isLastOpen {
		w.passEvents(math.MaxInt64)
	}
	return w.list, nil
}

// positionReader assigns fills in time order to one stream's trades.
type positionReader struct {
	spans []positionSpan
	list  []Position
	next  int // the trade whose fills are read
	held  decimal.Decimal
	// events are those that no fill has passed yet.
	events []matching.Event
}

func (w *positionReader) scan(row db.Scanner) error {
	var f fill
	err := row.Scan(&f.at, &f.seq, sideScanner{&f.side}, &f.quantity, &f.price, oneIfNull{&f.multiplier}, &f.facts)
	if err != nil {
		return err
	}
	place := f.position()
	w.passDepartures(place)
	for w.next < len(w.spans) {
		s := &w.spans[w.next]
		if place.Compare(s.first) < 0 || place.Compare(s.last) > 0 {
			return nil // from a trade that is not read
		}
		w.addFill(s, &f)
		if place != s.last || s.open {
			return nil
		}
		if !w.held.IsZero() {
			return fmt.Errorf("trade %s does not agree with its fills; run fillbook check", s.id)
		}
		w.next++ // the fill's rest may open the next trade
		if w.next == len(w.spans) || w.spans[w.next].first != place {
			return nil
		}
	}
	return nil
}

// passEvents applies the events up to an instant to the trade that is read.
func (w *positionReader) passEvents(at int64) {
	p := &w.list[w.next]
	if len(p.Fills) == 0 {
		w.held = decimal.Zero
	}
	w.events = passEvents(w.events, w.spans[w.next].first.At, at, &w.held, &p.Fills)
}

// passDepartures passes the trades that an event ended before a position.
func (w *positionReader) passDepartures(place matching.Position) {
	for w.next < len(w.spans) && !w.spans[w.next].open && w.spans[w.next].last.Seq == 0 && w.spans[w.next].last.Compare(place) < 0 {
		w.passEvents(w.spans[w.next].last.At)
		w.next++
	}
}

// addFill adds a fill's part in a trade.
func (w *positionReader) addFill(s *positionSpan, f *fill) {
	quantity := f.quantity
	p := &w.list[w.next]
	w.passEvents(f.at)
	if f.position() == s.first {
		// The first fill is read twice if it closed the trade before.
		quantity, w.held, p.Fills = quantity.Sub(s.head.Consumed), decimal.Zero, p.Fills[:0]
	}
	if f.side == matching.Sell {
		quantity = quantity.Neg()
	}
	if crosses := w.held.Sign()*quantity.Sign() < 0 && quantity.Abs().Cmp(w.held.Abs()) > 0; crosses {
		quantity = w.held.Neg()
	}
	w.held = w.held.Add(quantity)
	p.Fills = append(p.Fills, PositionFill{At: f.at, Width: f.width(), Quantity: quantity, Price: f.price, Multiplier: f.multiplier})
}

// RaiseRevision records that an account's trades changed in what other packages keep for
// them, and returns the account's new revision. The account must be locked, as by
// [LockAccount]. It is a step.
func RaiseRevision(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, ids []journal.TradeID) (int64, error) {
	if len(ids) > loggedTrades { // account copies are read again in any case
		return touch(ctx, tx, owner, account.ID, nil, true)
	}
	return touch(ctx, tx, owner, account.ID, ids, false)
}
