package ledger

import (
	"context"
	"iter"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/matching/oracle"
)

// changes are a write's changes to one stream's fills.
type changes struct {
	stream *stream
	// removedSeqs has the numbers of stored fills that are deleted, edited or moved to
	// another stream.
	removedSeqs map[int64]bool
	// removed are those fills as stored.
	removed []*fill
	// added are the new and the edited fills, in order.
	added []*fill
	// moments are further positions from which on trades may differ.
	moments []matching.Position
	// whole regroups the whole stream, without relying on the stored trades.
	whole bool
}

// remove removes a stored fill from the stream.
func (c *changes) remove(f *fill) {
	if c.removedSeqs == nil {
		c.removedSeqs = map[int64]bool{}
	}
	c.removedSeqs[f.seq] = true
	c.removed = append(c.removed, f)
}

// restore adds a fill whose row was inserted already.
func (c *changes) restore(f *fill) {
	if c.removedSeqs == nil {
		c.removedSeqs = map[int64]bool{}
	}
	c.removedSeqs[f.seq] = true // not to be read as well
	c.added = append(c.added, f)
}

// sort sorts the added fills, as the walk requires.
func (c *changes) sort() {
	slices.SortFunc(c.added, byPosition)
}

// touched returns all change positions, in order.
func (c *changes) touched() []matching.Position {
	list := slices.Clone(c.moments)
	for _, f := range c.removed {
		list = append(list, f.position())
	}
	for _, f := range c.added {
		list = append(list, f.position())
	}
	slices.SortFunc(list, matching.Position.Compare)
	return slices.Compact(list)
}

// regrouping is the result for one or several streams: the stored trades that were read,
// and the trades their fills form now.
type regrouping struct {
	old    []*tradeRow
	trades []matching.Trade
	// streams has the new trades' streams.
	streams []int64
	// fills are the new trades' fills, in walk order and by id.
	fills []*fill
	byID  map[string]*fill
	// removed are the fills that were deleted or replaced, as stored.
	removed []*fill
	// crossing maps a fill that closes the last new trade to the unchanged stored trade
	// it opens.
	crossing map[*fill]*tradeRow
	// continued are the stored trades read from a checkpoint on, by their start. The new
	// trade with the same start skips the fills before.
	continued map[matching.Position]*tradeRow
	// checkpoints belong to the new trades, and outdated the stretches whose stored ones
	// are deleted.
	checkpoints []storedCheckpoint
	outdated    []stretch
	// apart are the stored fills that belonged to no trade. reclosed are those that now
	// close another quantity, or at another price, and flagged the streams that have their
	// first fill that only closes.
	apart    map[*fill]bool
	reclosed []*fill
	flagged  []int64
	// identities assigns stored trade ids to the new ones.
	identities matching.Reconciliation
	// keys are the streams' instruments.
	keys map[int64]streamKey
	// deleted is the trade the user deletes, if any. No new trade takes its id, even if a
	// fill it shared remains.
	deleted journal.TradeID
	// anchors has what opened each stored trade in linked streams, and extra what the new
	// trades there have besides, by place. moved are the stored fills that are grouped in another
	// stream, and changedEvents the streams whose events changed.
	anchors map[string]string
	// second, if not nil, receives the linked streams' second computation.
	second        map[string]oracle.LinkedTrade
	extra         map[int]tradeExtra
	moved         []*fill
	changedEvents []*stream
	// hints are the trades before a change that is undone; see loadHints.
	hints    []tradeHint
	existing map[journal.TradeID]bool
	adopted  map[journal.TradeID]bool
	effects  *actionEffects // see streamSet
}

// newRegrouping returns a regrouping with capacity for that many new fills, assuming two
// fills per trade.
func newRegrouping(fills int) *regrouping {
	return &regrouping{
		trades: make([]matching.Trade, 0, fills/2+1), streams: make([]int64, 0, fills/2+1),
		fills: make([]*fill, 0, fills), byID: make(map[string]*fill, fills),
		crossing: map[*fill]*tradeRow{}, continued: map[matching.Position]*tradeRow{}, keys: map[int64]streamKey{},
	}
}

// regroup computes one stream's trades after its changes. It writes nothing.
func (set *streamSet) regroup(ctx context.Context, c *changes, into *regrouping) error {
	c.sort()
	into.flagClosings(c)
	into.keys[c.stream.number] = c.stream.key
	firstOld, firstFill := len(into.old), len(into.fills)
	r := &run{
		c: c, out: into,
		fills:  &fillCursor{set: set, ctx: ctx, changes: c, columns: forGrouping},
		trades: &tradeCursor{set: set, ctx: ctx, stream: c.stream},
	}
	r.touched = c.touched()
	if c.whole {
		r.touched = []matching.Position{{}}
	}
	for len(r.touched) > 0 {
		passed := len(into.old)
		if err := r.begin(); err != nil {
			return err
		}
		r.walk()
		if r.fills.err != nil {
			return r.fills.err
		}
		if r.trades.err != nil {
			return r.trades.err
		}
		r.collectOutdated(into.old[passed:])
	}
	into.removed = append(into.removed, c.removed...)
	into.linkStored(into.old[firstOld:], into.fills[firstFill:], c.removed)
	return nil
}

// run is a stream stretch grouped again: from a point before the first change where the
// position is known, to a point after it where the new trades equal the stored ones.
type run struct {
	c       *changes
	out     *regrouping
	fills   *fillCursor
	trades  *tradeCursor
	touched []matching.Position // changes no run has reached yet

	head    matching.Head        // where in its first fill the run starts
	from    *matching.Checkpoint // where in its first trade the run starts, or nil
	start   matching.Position    // the run's
	end     matching.Position    // where the reached stored trade starts
	last    *fill                // the fill the walk is at
	first   bool                 // the walk has not read a fill yet
	reached bool                 // the end was found
}

// begin finds the starting point for the first change: the last checkpoint or the start
// of the trade in progress there, or the change itself if the position is flat.
func (r *run) begin() error {
	p := r.touched[0]
	r.head, r.from, r.start, r.end, r.last, r.first, r.reached = matching.Head{}, nil, p, endOfStream, nil, true, false
	before, err := r.trades.tradeBefore(p)
	if err != nil {
		return err
	}
	if before != nil && (!before.IsClosed() || before.Last.Compare(p) >= 0) {
		return r.beginInside(before, p)
	}
	r.fills.seek(p)
	r.trades.seek(p)
	r.reached = r.reachesStored()
	return nil
}

// beginInside starts at a stored trade's last checkpoint before p, or at its first fill.
func (r *run) beginInside(t *tradeRow, p matching.Position) (err error) {
	r.trades.seek(t.First)
	if !r.c.whole {
		if r.from, err = r.fills.set.lastCheckpoint(r.fills.ctx, t, p); err != nil {
			return err
		}
	}
	left := int(t.count)
	if r.from == nil {
		r.start, r.head = t.First, t.Head
		r.fills.seek(t.First)
	} else {
		r.out.continued[t.First] = t
		r.start, left = r.from.Last(), left-r.from.Fills()
		r.fills.seek(matching.Position{At: r.start.At, Seq: r.start.Seq + 1})
	}
	// All its fills have to be read, and one more shows whether it is the last.
	r.fills.size = min(max(left+1, firstChunk), lastChunk)
	return nil
}

// walk groups fills until the stored trades are reached or the stream ends.
func (r *run) walk() {
	if r.reached {
		return
	}
	grouping := matching.Grouping{Head: r.head, From: r.from, Every: r.fills.set.interval, Report: r.collectCheckpoint, ReportClosing: r.out.recordClosure, Events: r.c.stream.events}
	for trade := range grouping.Walk(r.sequence()) {
		r.out.trades = append(r.out.trades, trade)
		r.out.streams = append(r.out.streams, r.c.stream.number)
		if trade.IsClosed() && r.reachesStored() {
			r.reached = true
			return
		}
	}
	if r.fills.err != nil {
		return
	}
	for t := r.trades.next(); t != nil; t = r.trades.next() {
		r.out.old = append(r.out.old, t)
	}
	r.touched = nil
}

// sequence returns the walk's fills and records them in the regrouping.
func (r *run) sequence() iter.Seq[matching.Fill] {
	return func(yield func(matching.Fill) bool) {
		for f := r.fills.next(); f != nil; f = r.fills.next() {
			r.first, r.last = false, f
			r.take(f)
			if !yield(f.toMatching()) {
				return
			}
		}
	}
}

// take records a fill in the regrouping.
func (r *run) take(f *fill) {
	r.out.fills = append(r.out.fills, f)
	r.out.byID[string(f.id)] = f
	switch {
	case !f.kind.OnlyCloses():
		f.unmatched = decimal.Zero // an edited fill may have had another kind
	case f.state == stored && f.belongsToNoTrade():
		if r.out.apart == nil {
			r.out.apart = map[*fill]bool{}
		}
		r.out.apart[f] = true
	}
}

// reachesStored reports whether the next trade begins exactly where a stored trade
// without changes does, so everything after it is as stored. It also collects the stored
// trades the run has passed.
func (r *run) reachesStored() bool {
	at, head, ok := r.nextStart()
	if !ok {
		return false
	}
	for t := r.trades.nextBefore(at); t != nil; t = r.trades.nextBefore(at) {
		r.out.old = append(r.out.old, t)
	}
	for len(r.touched) > 0 && r.touched[0].Compare(at) < 0 {
		r.touched = r.touched[1:]
	}
	same := r.trades.peek()
	if same == nil || same.First != at || !same.Head.Consumed.Equal(head.Consumed) || r.c.whole {
		return false
	}
	if len(r.touched) > 0 && (!same.IsClosed() || r.touched[0].Compare(same.Last) <= 0) {
		return false
	}
	if !head.Consumed.IsZero() {
		r.out.crossing[r.last] = same
	}
	r.end = at
	return true
}

// nextStart returns where the next trade begins while the position is flat:
// inside the last fill if it crossed zero, else at the next fill that can open one.
func (r *run) nextStart() (matching.Position, matching.Head, bool) {
	if n := len(r.out.trades); !r.first && n > 0 && !r.last.kind.OnlyCloses() {
		parts := r.out.trades[n-1].Parts
		if closed := parts[len(parts)-1].Quantity; closed.Cmp(r.last.quantity) < 0 {
			return r.last.position(), matching.Head{Consumed: closed}, true
		}
	}
	r.skipClosings()
	next := r.fills.peek()
	if next == nil {
		return matching.Position{}, matching.Head{}, false
	}
	return next.position(), matching.Head{}, true
}
