package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
	"fillbook/internal/trading/matching"
)

// InsertPreview is the result that [Service.InsertChecked] would have.
type InsertPreview struct {
	// Known reports for each fill whether it is already stored, Completed
	// whether it would complete or correct the stored one, Deleted whether it
	// would be left out because the user deleted it, and Withdrawn whether it
	// would be because the broker withdrew it.
	Known, Completed, Deleted, Withdrawn []bool
	// Created and Changed count the trades that InsertResult would list, Open those that
	// would be open, and Merged the stored trades that would be merged into others.
	Created, Changed, Open, Merged int
	// NetPnL is how much the closed trades' result changes, RealizedPnL how much the
	// result of all trades, open ones included.
	NetPnL, RealizedPnL decimal.Decimal
	// Unbought are the sales that close what is not held, by their source.
	Unbought []UnboughtSale
	// Incomplete reports that the preview stopped at its row limit; only Known,
	// Completed, Deleted and Withdrawn are then valid.
	Incomplete bool
}

// maxPreviewRows is how many stored rows a preview may read.
const maxPreviewRows = 300_000

// PreviewInsert checks fills and passes them to [PreviewInsertChecked].
func PreviewInsert(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []NewFill,
) (InsertPreview, error) {
	checked, err := checkFills(fills)
	if err != nil {
		return InsertPreview{}, err
	}
	return previewInsert(ctx, tx, owner, account, checked, InsertOptions{}, maxPreviewRows)
}

// PreviewInsertChecked returns the result that [Service.InsertChecked] would
// have. It is a step that only reads and takes no lock. It reads what the write
// would read: the trades in progress at the new fills, and the following ones
// until they equal the stored trades again. An empty account id means an
// account that does not exist yet. The caller must not use the fills afterwards.
func PreviewInsertChecked(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []CheckedFill, options InsertOptions,
) (InsertPreview, error) {
	return previewInsert(ctx, tx, owner, account, fills, options, maxPreviewRows)
}

func previewInsert(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []CheckedFill, options InsertOptions, rows int,
) (o InsertPreview, err error) {
	b := newBook(tx, owner, Account{})
	if account != "" {
		if b, err = readBook(ctx, tx, owner, account); err != nil {
			return InsertPreview{}, err
		}
	}
	arrivals, _, err := b.newArrivals(ctx, fills)
	if err != nil {
		return InsertPreview{}, err
	}
	all := arrivals
	if arrivals, err = b.selectArrivals(ctx, all, options); err != nil {
		return InsertPreview{}, err
	}
	known, err := b.planKnown(ctx, arrivals, importSource{batch: "preview", sender: options.Sender})
	if err != nil {
		return InsertPreview{}, err
	}
	o.Known, o.Completed = make([]bool, len(all)), make([]bool, len(all))
	o.Deleted, o.Withdrawn = make([]bool, len(all)), make([]bool, len(all))
	for i, a := range all {
		o.Known[i], o.Completed[i] = a.known != nil && !a.deleted, a.completed
		o.Deleted[i], o.Withdrawn[i] = a.deleted, a.withdrawn
	}
	b.maxRead = b.read + rows
	err = b.previewRegrouping(ctx, arrivals, known, &o)
	if errors.Is(err, errRowLimit) {
		return InsertPreview{Known: o.Known, Completed: o.Completed, Deleted: o.Deleted, Withdrawn: o.Withdrawn, Incomplete: true}, nil
	}
	o.Unbought = listUnbought(all)
	return o, err
}

// errRowLimit ends a preview that has read too many rows.
var errRowLimit = errors.New("row limit of the preview exceeded")

// previewRegrouping groups the new and the completed fills as insert does, and
// keeps nothing.
func (b *book) previewRegrouping(ctx context.Context, arrivals []*arrival, known *knownFills, o *InsertPreview) error {
	for _, a := range arrivals {
		if a.known == nil {
			a.seq, a.arrival = b.nextSeq, b.arrivals+1
			b.nextSeq++
			b.arrivals++
		}
	}
	set, err := collectChanges(ctx, arrivals, known, b.streamForPreview)
	if err != nil {
		return err
	}
	if err := b.loadActions(ctx); err != nil {
		return err
	}
	b.dry = true
	var appended [][]*fill
	var linked []*changes
	for place, c := range set.order {
		c.sort()
		if b.isLinked(c.stream) {
			for i, f := range c.added {
				if f.state == added {
					f.id = journal.ExecutionID(fmt.Sprint("new ", place, " ", i))
				}
			}
			linked = append(linked, c)
			continue
		}
		appends, err := b.isAppend(ctx, c)
		if err != nil {
			return err
		}
		if appends {
			appended = append(appended, c.added)
			continue
		}
		for i, f := range c.added {
			if f.state == added {
				f.id = journal.ExecutionID("new " + strconv.Itoa(i))
			}
		}
		r := newRegrouping(len(c.added))
		if err := b.regroup(ctx, c, r); err != nil {
			return err
		}
		b.addPreview(r, o)
	}
	if len(linked) > 0 {
		r := newRegrouping(0)
		if err := b.regroupLinked(ctx, linked, r); err != nil {
			return err
		}
		b.addPreview(r, o)
	}
	o.addAppended(appended)
	return nil
}

// isAppend reports whether a stream's changes only add fills after its last trade, which
// is closed: then they form their own trades. The added fills must be sorted.
func (set *streamSet) isAppend(ctx context.Context, c *changes) (bool, error) {
	if len(c.removed) > 0 || len(c.added) == 0 || c.stream.hasClosings || len(c.stream.events) > 0 {
		return false, nil
	}
	tail, err := set.loadTail(ctx, c.stream)
	return tail == nil || tail.IsClosed() && tail.Last.Compare(c.added[0].position()) < 0, err
}

// addAppended adds the trades that some streams' new fills form by themselves. It groups
// the streams in two parts at the same time.
func (o *InsertPreview) addAppended(streams [][]*fill) {
	add := func(to *InsertPreview, first int) {
		for i := first; i < len(streams); i += 2 {
			markUnboughtAlone(streams[i])
			to.addTrades(streams[i])
		}
	}
	var other InsertPreview
	parallel.Run(func() { add(o, 0) }, func() { add(&other, 1) })
	o.Created, o.Open = o.Created+other.Created, o.Open+other.Open
	o.NetPnL, o.RealizedPnL = o.NetPnL.Add(other.NetPnL), o.RealizedPnL.Add(other.RealizedPnL)
}

// addTrades adds the trades that a stream's new fills form by themselves.
func (o *InsertPreview) addTrades(fills []*fill) {
	for t := range (matching.Grouping{OmitParts: true}).Walk(toMatchingFills(fills)) {
		o.Created++
		if !t.IsClosed() {
			o.Open++
		}
		o.NetPnL, o.RealizedPnL = o.NetPnL.Add(t.NetPnL.Decimal), o.RealizedPnL.Add(t.RealizedPnL)
	}
}

func toMatchingFills(fills []*fill) iter.Seq[matching.Fill] {
	return func(yield func(matching.Fill) bool) {
		for _, f := range fills {
			if !yield(f.toMatching()) {
				return
			}
		}
	}
}

// streamForPreview returns an instrument's stream, or a new one that is not stored.
func (set *streamSet) streamForPreview(ctx context.Context, key streamKey) (*stream, error) {
	found, err := set.findStream(ctx, key)
	if err != nil || found != nil {
		return found, err
	}
	s := &stream{number: -int64(len(set.byNumber)) - 1, key: key, isNew: true}
	if s.events, err = set.loadEvents(ctx, key); err != nil {
		return nil, err
	}
	set.add(s)
	return s, nil
}

// addPreview adds a regrouping's changes, as collectWrites does.
func (b *book) addPreview(r *regrouping, o *InsertPreview) {
	merged := len(b.change.Merged)
	r.markUnbought()
	r.reconcile()
	ids := b.assignIDs(r)
	r.linkFills(ids)
	o.Merged += len(b.change.Merged) - merged
	before := make(map[journal.TradeID]*tradeRow, len(r.old))
	for _, t := range r.old {
		before[t.id] = t
		o.NetPnL, o.RealizedPnL = o.NetPnL.Sub(t.NetPnL.Decimal), o.RealizedPnL.Sub(t.RealizedPnL)
	}
	changed := map[journal.TradeID]bool{}
	for _, f := range r.fills {
		if f.state != stored || f.next != f.links {
			for _, id := range f.next.list() {
				changed[id] = true
			}
		}
	}
	for i := range r.trades {
		trade := &r.trades[i]
		row, was := r.row(i, ids[i]), before[ids[i]]
		o.NetPnL, o.RealizedPnL = o.NetPnL.Add(trade.NetPnL.Decimal), o.RealizedPnL.Add(trade.RealizedPnL)
		switch {
		case was == nil:
			o.Created++
		case changed[row.id] || !row.equal(was):
			o.Changed++
		default:
			continue
		}
		if row.open {
			o.Open++
		}
	}
}
