package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/matching"
)

// Regrouping reads a stream's fills and stored trades side by side and mostly stops soon,
// so both are read in small chunks that double.
const (
	firstChunk = 16
	lastChunk  = 1024
)

// The cursors' queries, each for a stretch of one stream.
var (
	fillsAfter    = fillSelect + afterInStream
	comparedAfter = `SELECT ` + comparedColumns + ` FROM executions ` + afterInStream
	groupedAfter  = `SELECT ` + groupedColumns + ` FROM executions ` + afterInStream
	afterInStream = `
		WHERE user_id = $1 AND stream = $2 AND (executed_at, seq) > ($3, $4)
		ORDER BY executed_at, seq` + db.Limit(5)
	tradesAfter = tradeSelect + `
		WHERE user_id = $1 AND stream = $2 AND (opened_at, first_seq) > ($3, $4)
		ORDER BY opened_at, first_seq` + db.Limit(5)
	lastTradeBefore = tradeSelect + `
		WHERE user_id = $1 AND stream = $2 AND (opened_at, first_seq) < ($3, $4)
		ORDER BY opened_at DESC, first_seq DESC LIMIT 1`
	lastTrade = tradeSelect + `
		WHERE user_id = $1 AND stream = $2 ORDER BY opened_at DESC, first_seq DESC LIMIT 1`
)

// loadTail returns a stream's last stored trade, or nil. It ends with the stream's last
// fill, unless the stream has closings: most writes are after it and need not read more.
func (set *streamSet) loadTail(ctx context.Context, s *stream) (*tradeRow, error) {
	if s.isNew || s.tailLoaded {
		return s.tail, nil
	}
	found, err := db.List(ctx, set.tx, scanTradeRow, lastTrade, set.owner, s.number)
	if err != nil {
		return nil, err
	}
	s.tailLoaded = true
	if len(found) > 0 {
		s.tail = found[0]
	}
	return s.tail, nil
}

// fillSubset is which of a fill's columns a cursor reads.
type fillSubset struct {
	query string
	dest  func(*fill) []any
}

var (
	allColumns    = &fillSubset{fillsAfter, (*fill).scan}
	forComparison = &fillSubset{comparedAfter, (*fill).scanCompared}
	forGrouping   = &fillSubset{groupedAfter, (*fill).scanGrouped}
)

// fillCursor reads a stream's fills as they will be after the write: the stored ones
// without the removed ones, merged with the added ones.
type fillCursor struct {
	set     *streamSet
	ctx     context.Context
	changes *changes
	columns *fillSubset
	reader  *fillReader // nil before the first chunk

	buffered []*fill           // stored fills read and not returned yet
	after    matching.Position // the last that was read
	size     int               // next chunk
	end      bool              // nothing more is stored
	upcoming int               // index into changes.added
	err      error
}

// seek moves the cursor to the first fill at or after from.
func (c *fillCursor) seek(from matching.Position) {
	c.buffered, c.size = nil, firstChunk
	c.skip(from)
	c.upcoming, _ = slices.BinarySearchFunc(c.changes.added, from, func(f *fill, p matching.Position) int {
		return f.position().Compare(p)
	})
}

// skip skips the stored fills before from. With changes.whole it does not rely
// on the last trade to find the end, nor in a stream whose fills may belong to no trade.
func (c *fillCursor) skip(from matching.Position) {
	c.after, c.end = matching.Position{At: from.At, Seq: from.Seq - 1}, c.changes.stream.isNew
	if c.end || c.changes.whole || c.changes.stream.hasClosings {
		return
	}
	tail, err := c.set.loadTail(c.ctx, c.changes.stream)
	c.end, c.err = tail == nil || tail.Last.Compare(from) < 0, err
}

// peek returns the next fill without moving the cursor; nil at the end or after
// an error.
func (c *fillCursor) peek() *fill {
	for len(c.buffered) == 0 && !c.end && c.err == nil {
		c.read()
	}
	if c.err != nil {
		return nil
	}
	var fresh *fill
	if c.upcoming < len(c.changes.added) {
		fresh = c.changes.added[c.upcoming]
	}
	switch {
	case len(c.buffered) == 0:
		return fresh
	case fresh == nil || c.buffered[0].position().Compare(fresh.position()) < 0:
		return c.buffered[0]
	}
	return fresh
}

// next returns the next fill, or nil.
func (c *fillCursor) next() *fill {
	f := c.peek()
	switch {
	case f == nil:
	case len(c.buffered) > 0 && c.buffered[0] == f:
		c.buffered = c.buffered[1:]
	default:
		c.upcoming++
	}
	return f
}

// between returns the fills from one instant up to, and not including, another. Intervals
// of successive calls must be in order and must not overlap. Fills between two intervals
// are read only if they are few.
func (c *fillCursor) between(from, to int64) []*fill {
	passed := 0
	for len(c.buffered) > 0 && c.buffered[0].at < from {
		c.buffered = c.buffered[1:]
		passed++
	}
	if len(c.buffered) == 0 && c.after.At < from {
		if passed > c.size/4 {
			c.size = firstChunk
		}
		c.skip(matching.Position{At: from})
	}
	var here []*fill
	for f := c.peek(); f != nil && f.at < to; f = c.peek() {
		here = append(here, c.next())
	}
	return here
}

// read reads the next chunk without the removed fills.
func (c *fillCursor) read() {
	if c.reader == nil {
		c.reader = c.set.newFillReader(c.columns.dest)
	}
	chunk, err := db.List(c.ctx, c.set.tx, c.reader.read, c.columns.query,
		c.set.owner, c.changes.stream.number, c.after.At, c.after.Seq, c.size)
	if err != nil {
		c.err = err
		return
	}
	if c.set.read += len(chunk); c.set.maxRead > 0 && c.set.read > c.set.maxRead {
		c.err = errRowLimit
		return
	}
	c.end = len(chunk) < c.size
	c.size = min(2*c.size, lastChunk)
	if len(chunk) > 0 {
		c.after = chunk[len(chunk)-1].position()
	}
	c.buffered = slices.DeleteFunc(chunk, func(f *fill) bool { return c.changes.removedSeqs[f.seq] })
}

// tradeCursor reads a stream's stored trades in order.
type tradeCursor struct {
	set      *streamSet
	ctx      context.Context
	stream   *stream
	buffered []*tradeRow
	after    matching.Position
	size     int
	end      bool
	err      error
}

// seek moves the cursor to the first trade beginning at or after from.
func (c *tradeCursor) seek(from matching.Position) {
	c.buffered, c.size = nil, firstChunk
	c.after = matching.Position{At: from.At, Seq: from.Seq - 1}
	tail, err := c.set.loadTail(c.ctx, c.stream)
	c.end, c.err = tail == nil || tail.First.Compare(from) <= 0, err
	if tail != nil && tail.First == from {
		c.buffered = []*tradeRow{tail}
	}
}

// peek returns the next trade without moving the cursor; nil at the end.
func (c *tradeCursor) peek() *tradeRow {
	if len(c.buffered) == 0 && !c.end && c.err == nil {
		c.read()
	}
	if len(c.buffered) == 0 || c.err != nil {
		return nil
	}
	return c.buffered[0]
}

// next returns the next trade, or nil.
func (c *tradeCursor) next() *tradeRow {
	t := c.peek()
	if t != nil {
		c.buffered = c.buffered[1:]
	}
	return t
}

// nextBefore returns the next trade if it begins before p, else nil.
func (c *tradeCursor) nextBefore(p matching.Position) *tradeRow {
	if t := c.peek(); t == nil || t.First.Compare(p) >= 0 {
		return nil
	}
	return c.next()
}

func (c *tradeCursor) read() {
	chunk, err := db.List(c.ctx, c.set.tx, scanTradeRow, tradesAfter,
		c.set.owner, c.stream.number, c.after.At, c.after.Seq, c.size)
	if err != nil {
		c.err = err
		return
	}
	c.set.read += len(chunk)
	c.end = len(chunk) < c.size
	c.size = min(2*c.size, lastChunk)
	if len(chunk) > 0 {
		c.after = chunk[len(chunk)-1].First
	}
	c.buffered = chunk
}

// tradeBefore returns the last stored trade beginning before p, or nil.
func (c *tradeCursor) tradeBefore(p matching.Position) (*tradeRow, error) {
	tail, err := c.set.loadTail(c.ctx, c.stream)
	if err != nil || tail == nil || tail.First.Compare(p) < 0 {
		return tail, err
	}
	found, err := db.List(c.ctx, c.set.tx, scanTradeRow, lastTradeBefore,
		c.set.owner, c.stream.number, p.At, p.Seq)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
