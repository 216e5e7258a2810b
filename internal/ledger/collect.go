package ledger

import (
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// collectWrites gives the trades of a regrouping their identities and finds out what
// is other than stored. It is kept for the end of the write, where it is
// written in bulk.
func (b *book) collectWrites(r *regrouping) {
	ids := b.assignIDs(r)
	r.linkFills(ids)
	changed := b.collectFills(r)
	b.collectEmptied(r)
	b.collectTrades(r, ids, changed)
}

// assignIDs decides which new trade is which stored one, gives the others an id
// of their own, and notes the stored ones that are not to be found again.
func (b *book) assignIDs(r *regrouping) []journal.TradeID {
	ids := make([]journal.TradeID, len(r.trades))
	before := r.storedIdentities()
	var found matching.Reconciliation
	if len(before) > 0 {
		found = matching.Reconcile(before, r.trades)
	}
	var fresh []int
	for i := range ids {
		if found.Kept != nil && found.Kept[i] != "" {
			ids[i] = journal.TradeID(found.Kept[i])
		} else {
			fresh = append(fresh, i)
		}
	}
	// Ids grow, and lists are in the order of closing: new trades are stored at
	// the end of both.
	slices.SortStableFunc(fresh, func(a, b int) int { return r.trades[a].Last.Compare(r.trades[b].Last) })
	for _, i := range fresh {
		ids[i] = journal.NewID[journal.TradeID]()
	}
	for _, m := range found.Merged {
		from := journal.TradeID(m.From)
		b.change.Merged = append(b.change.Merged, Merge{From: from, Into: ids[m.Into]})
		b.change.Removed = append(b.change.Removed, from)
	}
	b.collectOrphans(r, found.Orphans)
	if r.deleted != "" {
		b.change.Deleted = append(b.change.Deleted, r.deleted)
		b.change.Removed = append(b.change.Removed, r.deleted)
	}
	return ids
}

// storedIdentities gives the stored trades with the fills that they held before.
func (r *regrouping) storedIdentities() []matching.Identity {
	index := make(map[journal.TradeID]int, len(r.old))
	list := make([]matching.Identity, 0, len(r.old))
	addTrade := func(id journal.TradeID, first matching.Position) {
		index[id] = len(list)
		list = append(list, matching.Identity{ID: string(id), First: first})
	}
	for _, t := range r.old {
		if t.id != r.deleted {
			addTrade(t.id, t.First)
		}
	}
	addFill := func(f *fill) {
		for _, id := range r.found(f) {
			if _, known := index[id]; !known && r.repair && id != "" {
				addTrade(id, f.position())
			}
			if i, known := index[id]; known {
				list[i].Fills = append(list[i].Fills, string(f.id))
			}
		}
	}
	for _, f := range r.removed {
		addFill(f)
	}
	for _, f := range r.fills {
		if f.state == stored {
			addFill(f)
		}
	}
	return list
}

// previousTrades are the trades that a fill was in before: those it is linked to. A
// repair trusts the place of the fill more than its link, and the link where
// no trade is in that place any more.
func (r *regrouping) found(f *fill) []journal.TradeID {
	var found []journal.TradeID
	if r.repair {
		i, _ := slices.BinarySearchFunc(r.old, f.position(), func(t *tradeRow, p matching.Position) int { return t.Last.Compare(p) })
		for ; i < len(r.old) && r.old[i].First.Compare(f.position()) <= 0; i++ {
			found = append(found, r.old[i].id)
		}
	}
	if len(found) == 0 {
		return f.links.list()
	}
	return found
}

// collectOrphans keeps which trade an orphaned one was, and the names of the fills
// that it had.
func (b *book) collectOrphans(r *regrouping, orphans []string) {
	if len(orphans) == 0 {
		return
	}
	lost := make(map[journal.TradeID]Orphan, len(r.old))
	for _, t := range r.old {
		lost[t.id] = Orphan{Trade: t.id, Symbol: r.keys[t.stream].symbol, OpenedAt: db.FromMicros(t.First.At)}
	}
	for _, f := range r.removed {
		for _, id := range f.links.list() {
			o := lost[id]
			o.FillKeys = append(o.FillKeys, f.keys(r.keys[f.stream])...)
			lost[id] = o
		}
	}
	for _, orphan := range orphans {
		id := journal.TradeID(orphan)
		o := lost[id]
		o.Trade = id // a repair also knows trades by their fills alone
		b.change.Orphaned = append(b.change.Orphaned, o)
		b.change.Removed = append(b.change.Removed, id)
	}
}

// linkFills tells every fill which trades it is in now.
func (r *regrouping) linkFills(ids []journal.TradeID) {
	for i := range r.trades {
		for _, part := range r.trades[i].Parts {
			r.byID[part.FillID].next.add(ids[i])
		}
	}
	for f, t := range r.crossing {
		f.next.add(t.id)
	}
}

// collectFills keeps new and edited fills and changed links for the end of the
// write. It returns the trades that have other fills than before.
func (b *book) collectFills(r *regrouping) (changed map[journal.TradeID]bool) {
	changed = map[journal.TradeID]bool{}
	for _, f := range r.fills {
		if f.state == stored && f.next == f.links {
			continue
		}
		for _, id := range f.next.list() {
			changed[id] = true
		}
		switch f.state {
		case added:
			b.collectNewFill(f, r.keys[f.stream])
		case edited:
			b.edited = append(b.edited, f)
		case stored:
			b.relinked = append(b.relinked, f)
		}
	}
	return changed
}

// collectNewFill keeps a new fill for insertion and tells whoever follows of it.
func (b *book) collectNewFill(f *fill, instrument streamKey) {
	b.arrived = append(b.arrived, f)
	if b.follow == nil {
		return
	}
	keys := f.keys(instrument)
	for _, id := range f.next.list() {
		b.change.Arrived = append(b.change.Arrived, Arrival{Trade: id, FillKeys: keys})
	}
}

// writeLinks writes the changed links of fills that are otherwise as stored.
func (b *book) writeLinks(ctx context.Context) error {
	rows := make([][]any, len(b.relinked))
	for i, f := range b.relinked {
		rows[i] = []any{string(f.next.trade), nullIfEmpty(f.next.flip), string(b.owner), b.account.number, f.at, f.seq}
	}
	return b.tx.UpdateMany(ctx, "executions", []string{"trade_id", "flip_trade_id"},
		[]string{"user_id", "account", "executed_at", "seq"}, rows)
}

// collectTrades finds the rows of trades that are other than stored.
func (b *book) collectTrades(r *regrouping, ids []journal.TradeID, changed map[journal.TradeID]bool) {
	before := make(map[journal.TradeID]*tradeRow, len(r.old))
	for _, t := range r.old {
		before[t.id] = t
	}
	for i := range r.trades {
		row := newTradeRow(ids[i], r.streams[i], &r.trades[i], r.firstFill(i))
		was := before[row.id]
		if was == nil {
			b.newTrades = append(b.newTrades, row)
			b.change.Created = append(b.change.Created, row.id)
			continue
		}
		same := row.equal(was)
		if !same {
			b.changedTrades = append(b.changedTrades, row)
		}
		if !same || changed[row.id] {
			b.change.Changed = append(b.change.Changed, row.id)
		}
	}
}

// firstFill returns the fill that opens a new trade.
func (r *regrouping) firstFill(trade int) *fill { return r.byID[r.trades[trade].Parts[0].FillID] }

// collectEmptied remembers the streams in which no trade is left.
func (b *book) collectEmptied(r *regrouping) {
	if len(r.old) == 0 {
		return
	}
	left := map[int64]bool{}
	for _, number := range r.streams {
		left[number] = true
	}
	for _, t := range r.old {
		if !left[t.stream] {
			b.emptied[t.stream] = true
		}
	}
}
