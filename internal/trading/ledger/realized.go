package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// RealizedTrade lists the realized parts in a trade closed in several steps, or in a
// partly closed one. Any other closed trade realized its whole result when it closed.
type RealizedTrade struct {
	ID journal.TradeID
	// Open is set while the trade is not flat.
	Open  bool
	Parts []matching.RealizedPart
}

// isPartial selects the trades that can have several parts, or one while open. A closed
// trade with two fills has one part, its closing.
// Trades that actions gave another symbol may have been paid cash, and those that one opened
// have no opening fill.
const isPartial = `(is_open = FALSE AND execution_count > 2 OR is_open = TRUE AND avg_exit IS NOT NULL
	OR execution_count > 0 AND (symbols IS NOT NULL OR first_seq = 0))`

// tradeSpan is the stream stretch with a trade's fills.
type tradeSpan struct {
	id          journal.TradeID
	stream      int64
	first, last matching.Position
	head        matching.Head
	open        bool
}

const partialSelect = tradeSpanSelect + ` AND ` + isPartial

func scanTradeSpan(row db.Scanner) (s tradeSpan, err error) {
	err = row.Scan(&s.id, &s.stream, &s.first.At, &s.first.Seq, &s.last.At, &s.last.Seq, zeroIfNull{&s.head.Consumed}, &s.open)
	return s, err
}

// EachRealizedTrade calls fn for an account's trades with realized parts, in no order. It
// reads every stream with such a trade.
func EachRealizedTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, fn func(RealizedTrade) error) error {
	spans, err := db.List(ctx, tx, scanTradeSpan, partialSelect+` AND account = $2 ORDER BY stream, opened_at, first_seq`, owner, account.number)
	if err != nil {
		return err
	}
	return eachOfStreams(ctx, tx, owner, &spanReader{spans: spans, fn: fn})
}

// maxSpanReads is how many trades are read one by one. Above it, whole streams
// are read, several at a time.
const maxSpanReads = 64

// RealizedTradesByID returns the trades with the given ids that have realized
// parts, in no order.
func RealizedTradesByID(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) (found []RealizedTrade, err error) {
	var spans []tradeSpan
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		list, err := db.List(ctx, tx, scanTradeSpan, partialSelect+` AND id IN `+db.In(&args, part), args...)
		if err != nil {
			return nil, err
		}
		spans = append(spans, list...)
	}
	collect := func(r RealizedTrade) error {
		found = append(found, r)
		return nil
	}
	if len(spans) > maxSpanReads {
		slices.SortFunc(spans, compareSpans)
		return found, eachOfStreams(ctx, tx, owner, &spanReader{spans: spans, fn: collect})
	}
	if len(spans) == 0 {
		return nil, nil
	}
	events, err := loadAllEvents(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	for i := range spans {
		one := &spanReader{events: events, fn: collect}
		if err := one.readSpan(ctx, tx, owner, &spans[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func compareSpans(a, b tradeSpan) int {
	return cmp.Or(cmp.Compare(a.stream, b.stream), a.first.Compare(b.first))
}

const partSelect = `
	SELECT stream, executed_at, seq, is_buy, quantity, price, fees, commission, multiplier, stated_pnl, kind
	FROM executions WHERE user_id = $1`

// scanPart reads partSelect. Grouping a single stream in order needs no ids.
func scanPart(row db.Scanner) (f fill, err error) {
	err = row.Scan(&f.stream, &f.at, &f.seq, sideScanner{&f.side}, &f.quantity, &f.price, zeroIfNull{&f.fees}, zeroIfNull{&f.commission},
		oneIfNull{&f.multiplier}, &f.stated, fillKindScanner{&f.fillKind})
	return f, err
}

// readSpan reads one trade's fills.
func (w *spanReader) readSpan(ctx context.Context, tx *db.Tx, owner journal.UserID, s *tradeSpan) error {
	w.spans = []tradeSpan{*s}
	err := db.Each(ctx, tx, w.scan, partSelect+` AND stream = $2 AND (executed_at, seq) >= ($3, $4) AND (executed_at, seq) <= ($5, $6)
		ORDER BY executed_at, seq`, owner, s.stream, s.first.At, s.first.Seq, s.last.At, s.last.Seq)
	if err != nil {
		return err
	}
	return w.end()
}

// eachOfStreams reads the streams for w's spans, which are in order, from the first
// span's fill to the last.
func eachOfStreams(ctx context.Context, tx *db.Tx, owner journal.UserID, w *spanReader) error {
	if len(w.spans) == 0 {
		return nil
	}
	var err error
	if w.events, err = loadAllEvents(ctx, tx, owner); err != nil {
		return err
	}
	var streams []int64
	var first, last int64
	for i, s := range w.spans {
		if i == 0 || s.stream != w.spans[i-1].stream {
			streams = append(streams, s.stream)
		}
		if i == 0 {
			first, last = s.first.At, s.last.At
		}
		first, last = min(first, s.first.At), max(last, s.last.At)
	}
	err = db.EachIn(ctx, tx, streams, w.scan,
		partSelect+` AND executed_at >= $2 AND executed_at <= $3 AND stream IN $keys ORDER BY stream, executed_at, seq`, owner, first, last)
	if err != nil {
		return err
	}
	return w.end()
}

// spanReader groups fills by stream and time, and selects its spans' trades. Grouping
// starts at each stream's first span.
type spanReader struct {
	spans []tradeSpan // those not found yet, in order
	fn    func(RealizedTrade) error
	// eachFill has a part for each closing fill; see [matching.Realizer].
	eachFill bool
	// openings has a part for each opening fill too.
	openings bool
	events   map[int64][]matching.Event // by stream

	stream int64
	group  *matching.Realizer // nil before the stream's first span
}

func (w *spanReader) scan(row db.Scanner) error {
	f, err := scanPart(row)
	if err != nil {
		return err
	}
	if f.stream != w.stream {
		if err := w.finishStreams(f.stream); err != nil {
			return err
		}
		w.stream = f.stream
	}
	if len(w.spans) == 0 || w.spans[0].stream != f.stream {
		w.group = nil // no span in the stream's rest
		return nil
	}
	if w.group == nil {
		first := w.spans[0].first
		if first != f.position() && (first.Seq > 0 || f.position().Compare(first) < 0) {
			return nil
		}
		w.begin()
	}
	return w.emit(w.group.Add(f.toMatching()))
}

// emit passes each trade to fn that is the next span's.
func (w *spanReader) emit(trades []matching.Realized) error {
	for _, t := range trades {
		if len(w.spans) == 0 {
			return nil
		}
		s := w.spans[0]
		if s.stream != w.stream || s.first != t.Trade.First || s.open == t.Trade.IsClosed() {
			continue
		}
		w.spans = w.spans[1:]
		if err := w.fn(RealizedTrade{ID: s.id, Open: s.open, Parts: t.Parts}); err != nil {
			return err
		}
	}
	return nil
}

// finishStream emits the trades that are open, or ended by events, at a stream's end.
func (w *spanReader) finishStream() error {
	if w.group == nil {
		return nil
	}
	err := w.emit(w.group.Finish())
	w.group = nil
	return err
}

// begin starts grouping at the next span.
func (w *spanReader) begin() {
	s := &w.spans[0]
	w.group = &matching.Realizer{Head: s.head, EachFill: w.eachFill, Openings: w.openings, Events: w.events[s.stream], Start: s.first}
}

// finishStreams emits the trades left in the streams before one. Those without fills were
// opened, and perhaps ended, by events alone.
func (w *spanReader) finishStreams(before int64) error {
	if err := w.finishStream(); err != nil {
		return err
	}
	for len(w.spans) > 0 && w.spans[0].stream < before {
		id := w.spans[0].id
		w.stream = w.spans[0].stream
		w.begin()
		if err := w.finishStream(); err != nil {
			return err
		}
		if len(w.spans) > 0 && w.spans[0].id == id {
			return fmt.Errorf("trade %s does not agree with its fills; run fillbook check", id)
		}
	}
	return nil
}

// end emits what is left, and returns an error if a trade was not found among its fills.
func (w *spanReader) end() error { return w.finishStreams(math.MaxInt64) }
