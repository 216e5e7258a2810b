package ledger

import (
	"context"
	"iter"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// collectWrites assigns ids to the trades of a regrouping and collects the rows
// that differ from the stored ones, which are written in bulk at the end.
func (b *book) collectWrites(r *regrouping) {
	b.outdated = append(b.outdated, r.outdated...)
	b.checkpoints = append(b.checkpoints, r.checkpoints...)
	maps.Copy(b.instruments, r.keys)
	ids := b.assignIDs(r)
	r.linkFills(ids)
	changed := b.collectFills(r)
	b.collectEmptied(r)
	b.collectTrades(r, ids, changed)
}

// reconcile finds which new trades continue which stored ones.
func (r *regrouping) reconcile() {
	if before := r.storedIdentities(); len(before) > 0 {
		r.identities = matching.Reconcile(before, r.trades)
	}
}

// assignIDs returns the ids of the new trades: that of the stored trade that
// each continues, or a new one. It collects the stored trades that none
// continues.
func (b *book) assignIDs(r *regrouping) []journal.TradeID {
	ids := make([]journal.TradeID, len(r.trades))
	found := r.identities
	var fresh []int
	for i := range ids {
		if found.Kept != nil && found.Kept[i] != "" {
			ids[i] = journal.TradeID(found.Kept[i])
		} else {
			fresh = append(fresh, i)
		}
	}
	// Ids increase, and lists are in the order of closing: new trades are
	// appended to both.
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

// storedIdentities returns the stored trades with their previous fills.
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
		for _, id := range r.previousTrades(f) {
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

// previousTrades returns the trades that a fill was in: those that it is linked
// to. A repair prefers the trades at the fill's position and uses the links
// only if there is none.
func (r *regrouping) previousTrades(f *fill) []journal.TradeID {
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

// collectOrphans collects the orphaned trades with the keys of their fills.
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
		o.Trade = id // in a repair the trade may have no row
		b.change.Orphaned = append(b.change.Orphaned, o)
		b.change.Removed = append(b.change.Removed, id)
	}
}

// linkFills sets the new trades of every fill.
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

// collectFills collects new fills, edited fills and changed links. It returns
// the trades whose fills changed.
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
			b.arrived = append(b.arrived, f)
		case edited:
			b.edited = append(b.edited, f)
		case stored:
			b.relinked = append(b.relinked, f)
		}
	}
	return changed
}

// listArrived lists the new fills for follow, nil for none.
func (b *book) listArrived() iter.Seq[Arrival] {
	if len(b.arrived) == 0 {
		return nil
	}
	return func(yield func(Arrival) bool) {
		for _, f := range b.arrived {
			keys := f.keys(b.instruments[f.stream])
			for _, id := range f.next.list() {
				if !yield(Arrival{Trade: id, FillKeys: keys}) {
					return
				}
			}
		}
	}
}

// writeLinks updates the links of fills that are otherwise unchanged.
func (b *book) writeLinks(ctx context.Context) error {
	rows := make([][]any, len(b.relinked))
	for i, f := range b.relinked {
		rows[i] = []any{f.next.trade, f.next.flip, int64(b.owner), b.account.number, f.at, f.seq}
	}
	return b.tx.UpdateMany(ctx, "executions", []string{"trade_id", "flip_trade_id"},
		[]string{"user_id", "account", "executed_at", "seq"}, rows)
}

// collectTrades collects the rows of new and changed trades.
func (b *book) collectTrades(r *regrouping, ids []journal.TradeID, changed map[journal.TradeID]bool) {
	before := make(map[journal.TradeID]*tradeRow, len(r.old))
	for _, t := range r.old {
		before[t.id] = t
	}
	for i := range r.trades {
		row := newTradeRow(ids[i], r.streams[i], &r.trades[i], r.openingOf(i))
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

// openingOf returns the opening of a new trade.
func (r *regrouping) openingOf(trade int) opening {
	t := &r.trades[trade]
	if t.Skipped > 0 {
		return r.continued[t.First].opening
	}
	return r.byID[t.Parts[0].FillID].opening()
}

// collectEmptied collects the streams without trades.
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
