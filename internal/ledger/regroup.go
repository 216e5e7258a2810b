package ledger

import (
	"context"
	"iter"
	"slices"

	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// changes are what a write does to the fills of one stream.
type changes struct {
	stream *stream
	// goes are the arrival numbers of stored fills that are no longer in the
	// stream as they are stored: deleted, edited or moved elsewhere.
	goes map[int64]bool
	// gone are those fills, as they are stored.
	gone []*fill
	// added are fills as they will be, new or edited, in order.
	added []*fill
	// whole asks for the regrouping of everything, changed or not, by somebody
	// who does not trust what is stored.
	whole bool
}

// remove takes a stored fill out of the stream.
func (c *changes) remove(f *fill) {
	if c.goes == nil {
		c.goes = map[int64]bool{}
	}
	c.goes[f.seq] = true
	c.gone = append(c.gone, f)
}

// sort puts the added fills in order, as the walk needs them.
func (c *changes) sort() {
	slices.SortFunc(c.added, byPosition)
}

// touched lists the positions at which something is other than stored.
func (c *changes) touched() []matching.Position {
	var list []matching.Position
	for _, f := range c.gone {
		list = append(list, f.position())
	}
	for _, f := range c.added {
		list = append(list, f.position())
	}
	slices.SortFunc(list, matching.Position.Compare)
	return slices.Compact(list)
}

// regrouping is the outcome for one or several streams: which stored trades
// were looked at, and which trades their fills make now.
type regrouping struct {
	old    []*tradeRow
	trades []matching.Trade
	// streams tells the stream of each new trade.
	streams []int64
	// fills are those of the new trades in the order of the walk; byID finds
	// them.
	fills []*fill
	byID  map[string]*fill
	// gone are fills that were removed or replaced, as they were stored.
	gone []*fill
	// beyond tells of a fill that closes the last of the new trades and opens
	// a stored trade that stays as it is.
	beyond map[*fill]*tradeRow
	// keys name the instruments of the streams.
	keys map[int64]streamKey
	// deleted is the trade that the user asked to delete, if any: no trade
	// goes on under its id, though a fill that it shared may live on.
	deleted journal.TradeID
	// repair tells that links and trades may contradict each other.
	repair bool
}

// newRegrouping expects so many new fills, most of which make trades in pairs.
func newRegrouping(fills int) *regrouping {
	return &regrouping{
		trades: make([]matching.Trade, 0, fills/2+1), streams: make([]int64, 0, fills/2+1),
		fills: make([]*fill, 0, fills), byID: make(map[string]*fill, fills),
		beyond: map[*fill]*tradeRow{}, keys: map[int64]streamKey{},
	}
}

// regroup works out what the changes of one stream make of its trades. Nothing
// is written yet.
func (b *book) regroup(ctx context.Context, c *changes, into *regrouping) error {
	c.sort()
	into.keys[c.stream.number] = c.stream.key
	into.repair = c.whole
	r := &run{
		c: c, out: into,
		fills:  &fillCursor{b: b, ctx: ctx, changes: c},
		trades: &tradeCursor{b: b, ctx: ctx, stream: c.stream},
	}
	r.touched = c.touched()
	if c.whole {
		r.touched = []matching.Position{{}}
	}
	for len(r.touched) > 0 {
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
	}
	into.gone = append(into.gone, c.gone...)
	return nil
}

// run is one stretch of a stream that is grouped anew: from a point before the
// first change where the position is known, to a point behind it where the new
// trades meet the stored ones.
type run struct {
	c       *changes
	out     *regrouping
	fills   *fillCursor
	trades  *tradeCursor
	touched []matching.Position // changes that no run has passed yet

	head  matching.Head // where in its first fill the run starts
	last  *fill         // the fill that the walk is at
	first bool          // the walk has not taken a fill yet
	met   bool          // the end was found
}

// begin finds the starting point for the first change. The trade that is in
// progress there is grouped from its own beginning, which is unchanged; where
// none is, the position is flat and the change itself is the beginning.
func (r *run) begin() error {
	p := r.touched[0]
	r.head, r.last, r.first, r.met = matching.Head{}, nil, true, false
	before, err := r.trades.tradeBefore(p)
	if err != nil {
		return err
	}
	if before != nil && (!before.IsClosed() || before.Last.Compare(p) >= 0) {
		p, r.head = before.First, before.Head
		r.fills.seek(p)
		r.trades.seek(p)
		return nil
	}
	r.fills.seek(p)
	r.trades.seek(p)
	r.met = r.meets()
	return nil
}

// walk groups fills until the stored trades are met or the stream ends.
func (r *run) walk() {
	if r.met {
		return
	}
	for trade := range matching.Walk(r.sequence(), r.head) {
		r.out.trades = append(r.out.trades, trade)
		r.out.streams = append(r.out.streams, r.c.stream.number)
		if trade.IsClosed() && r.meets() {
			r.met = true
			return
		}
	}
	if r.fills.err != nil {
		return
	}
	for t := r.trades.take(); t != nil; t = r.trades.take() {
		r.out.old = append(r.out.old, t)
	}
	r.touched = nil
}

// sequence hands the fills to the walk and remembers them.
func (r *run) sequence() iter.Seq[matching.Fill] {
	return func(yield func(matching.Fill) bool) {
		for f := r.fills.take(); f != nil; f = r.fills.take() {
			if r.first && !r.head.Consumed.IsZero() {
				// The part before the head belongs to a trade that stays.
				f.next.trade = f.links.trade
			}
			r.first, r.last = false, f
			r.out.fills = append(r.out.fills, f)
			r.out.byID[string(f.id)] = f
			if !yield(f.matching()) {
				return
			}
		}
	}
}

// meets tells whether the next trade would begin exactly where a stored one
// does, with nothing changed in it: then all that follows is as it is stored.
// It also notes the stored trades that the run has passed.
func (r *run) meets() bool {
	at, head, ok := r.nextStart()
	if !ok {
		return false
	}
	for t := r.trades.takeBefore(at); t != nil; t = r.trades.takeBefore(at) {
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
		r.out.beyond[r.last] = same
	}
	return true
}

// nextStart is where the next trade begins while the position is flat: inside
// the last fill if that crossed zero, else with the fill after it.
func (r *run) nextStart() (matching.Position, matching.Head, bool) {
	if n := len(r.out.trades); !r.first && n > 0 {
		parts := r.out.trades[n-1].Parts
		if closed := parts[len(parts)-1].Quantity; closed.Cmp(r.last.quantity) < 0 {
			return r.last.position(), matching.Head{Consumed: closed}, true
		}
	}
	next := r.fills.peek()
	if next == nil {
		return matching.Position{}, matching.Head{}, false
	}
	return next.position(), matching.Head{}, true
}
