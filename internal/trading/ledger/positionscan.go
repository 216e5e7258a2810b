package ledger

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// PositionScan reads an account's positions from its fills in time order, which is the
// table's order: by instrument each fill would be looked up by itself, which takes
// several times as long.
//
// The parts may be read in different transactions. A position whose trade changes in
// between may be wrong, so the caller must read it again; see [TouchedSince].
type PositionScan struct {
	owner   journal.UserID
	account Account
	wants   func(Instrument) bool

	// streams are those whose positions are wanted; nil before the first part is read.
	streams map[int64]*scannedStream
	// batch has a place for each wanted instrument.
	batch []InstrumentPositions
	// lastFill and lastTrade are positions up to which fills and beginnings of trades were
	// read.
	lastFill, lastTrade matching.Position
	read                int // rows in this part

	row  scannedFill
	dest []any
	// memory keeps position fills, many at a time.
	memory []PositionFill
	// stated are this part's positions whose rate must be read.
	stated []scannedPlace
}

// scannedStream is a stream with the position open after the last fill.
type scannedStream struct {
	place    int // in the batch
	trade    uuidBytes
	held     decimal.Decimal
	fills    []PositionFill
	isStated bool
	// next is the trade that begins with the next fill, if its id is set. If it has a
	// head, the fill first closes the trade before with that quantity.
	next uuidBytes
	head decimal.Decimal
	// events are those that no fill has passed yet. start is when an event opened the
	// position.
	events []matching.Event
	start  int64
	// opened are the trades that events opened, which have no fill to begin with.
	opened []openedTrade
}

// scannedFill has the columns read from a fill or, with the trade's id, from the beginning
// of a trade.
type scannedFill struct {
	fill
	trade uuidBytes
}

// scannedPlace is a position's place in a batch.
type scannedPlace struct{ instrument, position int }

// NewPositionScan returns a scan of an account's positions in the instruments for which
// wants returns true.
func NewPositionScan(owner journal.UserID, account Account, wants func(Instrument) bool) *PositionScan {
	s := &PositionScan{owner: owner, account: account, wants: wants}
	s.lastFill.At, s.lastTrade.At = -1<<62, -1<<62
	f := &s.row
	s.dest = []any{
		&f.at, &f.seq, &f.stream,
		(*int64)(&f.facts),
		sideScanner{&f.side},
		&f.quantity, &f.price,
		oneIfNull{&f.multiplier},
		&f.stated,
		zeroIfNull{&f.unmatched},
		&f.trade,
	}
	return s
}

// positionScanSelect selects fills, and beginnings of trades before the fills that they
// begin with. A beginning has no facts, and its head as the stated result.
const positionScanSelect = `
	SELECT executed_at, seq, stream, facts, is_buy, quantity, price, multiplier, stated_pnl, unmatched, NULL
	FROM executions WHERE user_id = $1 AND account = $2 AND (executed_at, seq) > ($3, $4)
	UNION ALL SELECT opened_at, first_seq, stream, -1, is_long, '0', '0', NULL, head, NULL, id
	FROM trades WHERE user_id = $1 AND account = $2 AND opened_at >= $5 AND (opened_at, first_seq) > ($5, $6) AND first_seq > 0
	ORDER BY executed_at, seq, facts`

// Read reads some rows and returns the positions ending with them, by instrument. With
// the account's last fills it also returns the open positions, and more is false.
func (s *PositionScan) Read(ctx context.Context, tx *db.Tx, rows int) (batch []InstrumentPositions, more bool, err error) {
	if s.streams == nil {
		if err := s.loadStreams(ctx, tx); err != nil {
			return nil, false, err
		}
	}
	for i := range s.batch {
		s.batch[i].Positions = nil
	}
	s.memory, s.stated, s.read = nil, nil, 0
	if len(s.streams) > 0 {
		err = db.EachAhead(ctx, tx, s.addRow, positionScanSelect+db.Limit(7), s.owner, s.account.number,
			s.lastFill.At, s.lastFill.Seq, s.lastTrade.At, s.lastTrade.Seq, rows)
		if err != nil {
			return nil, false, err
		}
	}
	if more = s.read == rows; !more {
		for _, stream := range s.streams {
			s.beginOpened(stream, math.MaxInt64)
			if len(stream.fills) > 0 {
				stream.passEvents(math.MaxInt64)
				s.finish(stream, !stream.held.IsZero())
			}
		}
	}
	if err := s.readRates(ctx, tx); err != nil {
		return nil, false, err
	}
	for i := range s.batch {
		if len(s.batch[i].Positions) > 0 {
			sortPositions(s.batch[i].Positions)
			batch = append(batch, s.batch[i])
		}
	}
	return batch, more, nil
}

// loadStreams reads the streams and selects those that are wanted.
func (s *PositionScan) loadStreams(ctx context.Context, tx *db.Tx) error {
	keys, err := loadStreamKeys(ctx, tx, s.owner, []Account{s.account})
	if err != nil {
		return err
	}
	s.streams = map[int64]*scannedStream{}
	places := map[streamKey]int{} // -1 if not wanted
	for number, listed := range keys {
		key := listed.key.withoutLot()
		place, known := places[key]
		if !known {
			place = -1
			if instrument := key.toInstrument(); s.wants(instrument) {
				place = len(s.batch)
				s.batch = append(s.batch, InstrumentPositions{Instrument: instrument, Number: place})
			}
			places[key] = place
		}
		if place >= 0 {
			s.streams[number] = &scannedStream{place: place, events: listed.events}
		}
	}
	return s.loadOpened(ctx, tx)
}

// openedTrade is a trade that an event opened.
type openedTrade struct {
	id     uuidBytes
	stream int64
	at     int64
}

// loadOpened reads the trades that events opened, if there are such events.
func (s *PositionScan) loadOpened(ctx context.Context, tx *db.Tx) error {
	hasArrivals := false
	for _, stream := range s.streams {
		hasArrivals = hasArrivals || slices.ContainsFunc(stream.events, func(e matching.Event) bool { return e.Kind == matching.EventArrival })
	}
	if !hasArrivals {
		return nil
	}
	list, err := db.List(ctx, tx, func(row db.Scanner) (o openedTrade, err error) {
		err = row.Scan(&o.id, &o.stream, &o.at)
		return o, err
	}, `SELECT id, stream, opened_at FROM trades WHERE user_id = $1 AND account = $2 AND first_seq = 0 ORDER BY opened_at`, s.owner, s.account.number)
	for _, o := range list {
		if stream := s.streams[o.stream]; stream != nil {
			stream.opened = append(stream.opened, o)
		}
	}
	return err
}

// beginOpened begins the positions that events opened up to an instant.
func (s *PositionScan) beginOpened(stream *scannedStream, at int64) {
	for ; len(stream.opened) > 0 && stream.opened[0].at <= at; stream.opened = stream.opened[1:] {
		o := stream.opened[0]
		s.passDeparture(stream, o.at-1)
		stream.begin(o.id)
		stream.start = o.at
		stream.passEvents(o.at)
	}
}

// addRow adds a fill to its stream's position, or sets the trade that begins with the
// stream's next fill.
func (s *PositionScan) addRow(row db.Scanner) error {
	if err := row.Scan(s.dest...); err != nil {
		return err
	}
	f := &s.row
	s.read++
	stream := s.streams[f.stream]
	s.lastFill, s.lastTrade = f.position(), f.position()
	if f.trade.isSet {
		s.lastFill.Seq-- // the fill is the next row
		if stream != nil {
			stream.next, stream.head = f.trade, f.stated.Or(decimal.Zero)
		}
		return nil
	}
	if stream != nil && !f.belongsToNoTrade() {
		s.addFill(stream, f)
	}
	return nil
}

// addFill adds a fill to its stream's position.
func (s *PositionScan) addFill(stream *scannedStream, f *scannedFill) {
	s.beginOpened(stream, f.at)
	s.passDeparture(stream, f.at)
	quantity, next := f.quantity.Sub(f.unmatched), stream.next
	closing := quantity
	crosses := next.isSet && !stream.head.IsZero()
	if crosses {
		closing = stream.head
	}
	if f.side == matching.Sell {
		quantity, closing = quantity.Neg(), closing.Neg()
	}
	if next.isSet && !crosses {
		stream.begin(next)
	}
	stream.next = uuidBytes{}
	if stream.trade.isSet { // else the trade changed since the part before was read
		stream.add(f, closing)
		if stream.held.IsZero() {
			s.finish(stream, false)
		}
	}
	if crosses {
		stream.begin(next)
		stream.add(f, quantity.Sub(closing))
	}
}

// begin begins a trade's position. Arrivals that passed before it belong to others.
func (s *scannedStream) begin(trade uuidBytes) {
	s.trade, s.held, s.fills, s.isStated, s.start = trade, decimal.Zero, s.fills[:0], false, math.MaxInt64
}

// passEvents applies the events up to an instant to the stream's position.
func (s *scannedStream) passEvents(at int64) {
	start := s.start
	if len(s.fills) > 0 {
		start = math.MinInt64
	}
	s.events = passEvents(s.events, start, at, &s.held, &s.fills)
}

// passDeparture applies the events up to an instant, and finishes the position that one of
// them ended.
func (s *PositionScan) passDeparture(stream *scannedStream, at int64) {
	held := len(stream.fills) > 0
	stream.passEvents(at)
	if held && stream.held.IsZero() && stream.trade.isSet {
		s.finish(stream, false)
	}
}

// add adds a fill's part in the position.
func (s *scannedStream) add(f *scannedFill, quantity decimal.Decimal) {
	s.held = s.held.Add(quantity)
	s.isStated = s.isStated || f.stated.Valid
	s.fills = append(s.fills, PositionFill{At: f.at, Width: f.width(), Quantity: quantity, Price: f.price, Multiplier: f.multiplier})
}

// finish adds a stream's position to the batch.
func (s *PositionScan) finish(stream *scannedStream, isOpen bool) {
	list := &s.batch[stream.place].Positions
	if stream.isStated {
		s.stated = append(s.stated, scannedPlace{instrument: stream.place, position: len(*list)})
	}
	*list = append(*list, Position{Trade: journal.TradeID(journal.UUIDText(stream.trade.id)), Open: isOpen, Fills: s.keep(stream.fills)})
	stream.begin(uuidBytes{})
}

// keep returns copied fills.
func (s *PositionScan) keep(fills []PositionFill) []PositionFill {
	const atOnce = 4096
	if cap(s.memory)-len(s.memory) < len(fills) {
		s.memory = make([]PositionFill, 0, max(atOnce, len(fills)))
	}
	first := len(s.memory)
	s.memory = append(s.memory, fills...)
	return s.memory[first:len(s.memory):len(s.memory)]
}

// readRates reads rates for positions whose source stated a result.
func (s *PositionScan) readRates(ctx context.Context, tx *db.Tx) error {
	for part := range slices.Chunk(s.stated, 500) {
		places := make(map[journal.TradeID]scannedPlace, len(part))
		ids := make([]journal.TradeID, len(part))
		for i, place := range part {
			ids[i] = s.batch[place.instrument].Positions[place.position].Trade
			places[ids[i]] = place
		}
		args := []any{s.owner}
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			var id journal.TradeID
			var rate matching.Rate
			if err := row.Scan(&id, &rate.Stated, &rate.Priced); err != nil {
				return err
			}
			place := places[id]
			s.batch[place.instrument].Positions[place.position].Rate = rate
			return nil
		}, `SELECT id, rate_stated, rate_priced FROM trades WHERE user_id = $1 AND id IN `+db.In(&args, ids), args...)
		if err != nil {
			return err
		}
	}
	return nil
}

// uuidBytes scans an id's stored form without making it a text.
type uuidBytes struct {
	id    [16]byte
	isSet bool
}

// Scan reads an id's stored form.
func (u *uuidBytes) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		u.isSet = false
		return nil
	case []byte:
		if len(v) == len(u.id) {
			u.id, u.isSet = [16]byte(v), true
			return nil
		}
		u.id, u.isSet = journal.ParseUUID(string(v))
	case string:
		u.id, u.isSet = journal.ParseUUID(v)
	}
	if !u.isSet {
		return fmt.Errorf("an id must be a UUID, not %T", value)
	}
	return nil
}
