package ledger

import (
	"context"
	"errors"
	"fmt"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// InsertPreview is what InsertFills would do, told beforehand.
type InsertPreview struct {
	// Known tells for each fill whether it is stored already, Completed whether
	// it would complete or correct the stored one.
	Known, Completed []bool
	// Created and Changed count the trades that InsertResult would list, Open
	// those among them that would not be closed, and Merged the stored trades
	// that would become parts of others.
	Created, Changed, Open, Merged int
	// NetPnL is by how much the results of all closed trades together would
	// change.
	NetPnL decimal.Decimal
	// Cut reports that there was too much to look at: of this only Known and
	// Completed are to be relied on.
	Incomplete bool
}

// outlookRows is how many stored rows an outlook may read: somebody only asks.
const maxPreviewRows = 300_000

// PreviewInsert is [PreviewInsertChecked] for fills that nobody has checked yet.
func PreviewInsert(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []NewFill,
) (InsertPreview, error) {
	checked, err := checkAll(fills)
	if err != nil {
		return InsertPreview{}, err
	}
	return previewInsert(ctx, tx, owner, account, checked, maxPreviewRows)
}

// PreviewInsertChecked tells what [Service.InsertChecked] would do, as one reading step
// that takes no lock. The fills are spent all the same. It looks at what a write
// would look at: the trades in progress where the new fills come in, and what
// follows until all is as it was. An empty account stands for one that is still
// to be made.
func PreviewInsertChecked(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []CheckedFill,
) (InsertPreview, error) {
	return previewInsert(ctx, tx, owner, account, fills, maxPreviewRows)
}

func previewInsert(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []CheckedFill, rows int,
) (o InsertPreview, err error) {
	b := &book{tx: tx, owner: owner, streams: map[streamKey]*stream{}, nextSeq: 1, nextStream: 1}
	if account != "" {
		if b, err = readBook(ctx, tx, owner, account); err != nil {
			return InsertPreview{}, err
		}
	}
	arrivals, _, err := b.prepare(ctx, fills)
	if err != nil {
		return InsertPreview{}, err
	}
	if err := b.dedup(ctx, arrivals); err != nil {
		return InsertPreview{}, err
	}
	known, err := b.planKnown(ctx, arrivals, "preview")
	if err != nil {
		return InsertPreview{}, err
	}
	o.Known, o.Completed = make([]bool, len(arrivals)), make([]bool, len(arrivals))
	for i, a := range arrivals {
		o.Known[i], o.Completed[i] = a.known != nil, a.completed
	}
	b.mostRead = b.read + rows
	err = b.previewRegrouping(ctx, arrivals, known, &o)
	if errors.Is(err, errReadEnough) {
		return InsertPreview{Known: o.Known, Completed: o.Completed, Incomplete: true}, nil
	}
	return o, err
}

// errReadEnough ends a reading that has become too long.
var errReadEnough = errors.New("more was to be read than may be")

// previewInsert groups the new and the completed fills as insert does, and keeps
// nothing.
func (b *book) previewRegrouping(ctx context.Context, arrivals []*arrival, known *knownFills, o *InsertPreview) error {
	for i, a := range arrivals {
		if a.known == nil {
			a.id, a.seq, a.arrival = journal.ExecutionID(fmt.Sprint("new ", i)), b.nextSeq, b.arrivals+1
			b.nextSeq++
			b.arrivals++
		}
	}
	set, err := b.changesOf(ctx, arrivals, known, b.likelyStream)
	if err != nil {
		return err
	}
	for _, c := range set.order {
		r := newRegrouping(len(c.added))
		if err := b.regroup(ctx, c, r); err != nil {
			return err
		}
		b.count(r, o)
	}
	return nil
}

// likelyStream finds the stream of an instrument, or one that could be made.
func (b *book) likelyStream(ctx context.Context, key streamKey) (*stream, error) {
	found, err := b.findStream(ctx, key)
	if err != nil || found != nil {
		return found, err
	}
	s := &stream{number: b.account.number<<32 | b.nextStream, key: key, isNew: true}
	b.nextStream++
	b.streams[key] = s
	return s, nil
}

// count adds what a regrouping would do, by the rules of settle.
func (b *book) count(r *regrouping, o *InsertPreview) {
	merged := len(b.change.Merged)
	ids := b.identify(r)
	r.link(ids)
	o.Merged += len(b.change.Merged) - merged
	before := make(map[journal.TradeID]*tradeRow, len(r.old))
	for _, t := range r.old {
		before[t.id] = t
		o.NetPnL = o.NetPnL.Sub(t.NetPnL.Decimal)
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
		row, was := newTradeRow(ids[i], r.streams[i], trade, r.firstFill(i)), before[ids[i]]
		o.NetPnL = o.NetPnL.Add(trade.NetPnL.Decimal)
		switch {
		case was == nil:
			o.Created++
		case changed[row.id] || !row.same(was):
			o.Changed++
		default:
			continue
		}
		if row.open {
			o.Open++
		}
	}
}
