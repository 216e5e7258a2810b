package ledger

import (
	"iter"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// pending collects a write's rows, which are written in bulk at its end.
type pending struct {
	change TradeChanges
	// reordered are trades whose position in lists may have changed while their
	// fills and figures have not.
	reordered []journal.TradeID

	arrived, edited []*fill
	changedDetails  []*fill
	// changedIDs are fills whose external id has changed, but no value that
	// trades depend on.
	changedIDs []*fill
	newTrades  []*tradeRow
	// changedTrades keep their place in all indexes, movedTrades do not.
	changedTrades, movedTrades []*tradeRow
	// outdated are stream stretches whose stored checkpoints are deleted.
	outdated    []stretch
	checkpoints []storedCheckpoint
	// reclosed and flagged are for flushClosings.
	reclosed []*fill
	flagged  []int64
	// moved and changedEvents are for moveFills.
	moved         []*fill
	changedEvents []*stream

	emptied map[int64]bool // streams that lost their trades and may be empty
	// instruments belong to the regrouped streams.
	instruments map[int64]streamKey
}

func newPending(account journal.AccountID) pending {
	return pending{change: TradeChanges{Account: account}, emptied: map[int64]bool{}, instruments: map[int64]streamKey{}}
}

// collectWrites assigns ids to a regrouping's trades and collects the rows differing from
// the stored ones, which are written in bulk at the end.
func (p *pending) collectWrites(r *regrouping) {
	p.outdated = append(p.outdated, r.outdated...)
	p.checkpoints = append(p.checkpoints, r.checkpoints...)
	p.reclosed, p.flagged = append(p.reclosed, r.reclosed...), append(p.flagged, r.flagged...)
	p.moved, p.changedEvents = append(p.moved, r.moved...), append(p.changedEvents, r.changedEvents...)
	maps.Copy(p.instruments, r.keys)
	ids := p.assignIDs(r)
	if r.effects != nil {
		r.effects.recordAnchors(r, ids)
	}
	r.linkFills(ids)
	changed := p.collectFills(r)
	p.collectEmptied(r)
	p.collectTrades(r, ids, changed)
}

// reconcile finds which new trades continue which stored ones.
func (r *regrouping) reconcile() {
	for i, extra := range r.extra {
		r.trades[i].Anchor = extra.anchor
	}
	if r.effects != nil {
		r.setAnchors()
	}
	before := r.storedIdentities()
	if r.effects != nil {
		before = r.applyFormer(before)
	}
	if len(before) > 0 {
		r.identities = matching.Reconcile(before, r.trades)
	}
}

// assignIDs returns the new trades' ids: the id from the stored trade each continues, or
// a new one. It collects the stored trades that none continues.
func (p *pending) assignIDs(r *regrouping) []journal.TradeID {
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
	// Ids increase, and lists are ordered by closing: new trades are appended to both.
	slices.SortStableFunc(fresh, func(a, b int) int { return r.trades[a].Last.Compare(r.trades[b].Last) })
	for _, i := range fresh {
		ids[i] = journal.NewID[journal.TradeID]()
	}
	for _, m := range found.Merged {
		from := journal.TradeID(m.From)
		p.change.Merged = append(p.change.Merged, Merge{From: from, Into: ids[m.Into]})
		p.change.Removed = append(p.change.Removed, from)
	}
	p.collectOrphans(r, found.Orphans)
	if r.deleted != "" {
		p.change.Deleted = append(p.change.Deleted, r.deleted)
		p.change.Removed = append(p.change.Removed, r.deleted)
	}
	return ids
}

// storedIdentities returns the stored trades with their fills before the write.
func (r *regrouping) storedIdentities() []matching.Identity {
	index := make(map[journal.TradeID]int, len(r.old))
	list := make([]matching.Identity, 0, len(r.old))
	for _, t := range r.old {
		if t.id != r.deleted {
			index[t.id] = len(list)
			list = append(list, matching.Identity{ID: string(t.id), First: t.First, Anchor: r.anchors[string(t.id)]})
		}
	}
	addFill := func(f *fill) {
		for _, id := range f.links.list() {
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
	return r.applyHints(list)
}

// collectOrphans collects the orphaned trades with their fills' keys.
func (p *pending) collectOrphans(r *regrouping, orphans []string) {
	if len(orphans) == 0 {
		return
	}
	lost := make(map[journal.TradeID]Orphan, len(r.old))
	for _, t := range r.old {
		lost[t.id] = Orphan{Trade: t.id, Symbol: r.keys[t.stream].symbol, OpenedAt: db.FromMicros(t.First.At), WasOrphan: r.adopted[t.id]}
	}
	for _, f := range r.removed {
		for _, id := range f.links.list() {
			o := lost[id]
			if at := db.FromMicros(f.at); r.adopted[id] && (len(o.FillKeys) == 0 || at.Before(o.OpenedAt)) {
				o.OpenedAt = at // its other fills are of another trade again
			}
			o.FillKeys = append(o.FillKeys, f.keys(r.keys[f.stream])...)
			lost[id] = o
		}
	}
	for _, orphan := range orphans {
		id := journal.TradeID(orphan)
		p.change.Orphaned = append(p.change.Orphaned, lost[id])
		p.change.Removed = append(p.change.Removed, id)
	}
}

// collectFills collects new and edited fills. It returns the trades whose fills changed.
func (p *pending) collectFills(r *regrouping) (changed map[journal.TradeID]bool) {
	changed = map[journal.TradeID]bool{}
	for _, f := range r.fills {
		if f.state == stored && f.next == f.links {
			continue
		}
		for _, id := range f.next.list() {
			changed[id] = true
		}
		switch f.state {
		case added, restored:
			p.arrived = append(p.arrived, f)
		case edited:
			p.edited = append(p.edited, f)
		case stored:
		}
	}
	return changed
}

// listArrived lists the new fills for follow, nil for none.
func (p *pending) listArrived() iter.Seq[Arrival] {
	if len(p.arrived) == 0 {
		return nil
	}
	return func(yield func(Arrival) bool) {
		for _, f := range p.arrived {
			keys := f.keys(p.instruments[f.stream])
			for _, id := range f.next.list() {
				if !yield(Arrival{Trade: id, FillKeys: keys}) {
					return
				}
			}
		}
	}
}

// collectTrades collects new and changed trade rows.
func (p *pending) collectTrades(r *regrouping, ids []journal.TradeID, changed map[journal.TradeID]bool) {
	before := make(map[journal.TradeID]*tradeRow, len(r.old))
	for _, t := range r.old {
		before[t.id] = t
	}
	for i := range r.trades {
		row := r.row(i, ids[i])
		was := before[row.id]
		if !row.open && (was == nil || was.open) {
			p.change.Closed = append(p.change.Closed, row.id)
		}
		if was == nil {
			p.newTrades = append(p.newTrades, row)
			p.change.Created = append(p.change.Created, row.id)
			if r.identities.Kept != nil && r.identities.Kept[i] != "" {
				p.change.Restored = append(p.change.Restored, row.id)
			}
			continue
		}
		same := row.equal(was)
		if !same {
			if row.samePlace(was) {
				p.changedTrades = append(p.changedTrades, row)
			} else {
				p.movedTrades = append(p.movedTrades, row)
			}
		}
		if !same || changed[row.id] {
			p.change.Changed = append(p.change.Changed, row.id)
		}
	}
}

// row returns a new trade's row.
func (r *regrouping) row(trade int, id journal.TradeID) *tradeRow {
	row := newTradeRow(id, r.streams[trade], &r.trades[trade], r.openingOf(trade))
	row.shown, row.symbols = r.extra[trade].shown, r.extra[trade].symbols
	return row
}

// openingOf returns a new trade's opening. An event that opens one has none.
func (r *regrouping) openingOf(trade int) opening {
	t := &r.trades[trade]
	if len(t.Parts) == 0 && t.Skipped == 0 {
		return opening{}
	}
	if t.Skipped > 0 {
		return r.continued[t.First].opening
	}
	return r.byID[t.Parts[0].FillID].opening()
}

// collectEmptied collects the streams without trades.
func (p *pending) collectEmptied(r *regrouping) {
	if len(r.old)+len(r.removed) == 0 {
		return
	}
	left := map[int64]bool{}
	for _, number := range r.streams {
		left[number] = true
	}
	for _, t := range r.old {
		if !left[t.stream] {
			p.emptied[t.stream] = true
		}
	}
	for _, f := range r.removed { // it may have belonged to no trade
		if !left[f.stream] {
			p.emptied[f.stream] = true
		}
	}
}

// collectDetails collects a fill for updateDetails. Its figures and its
// position must be as stored.
func (p *pending) collectDetails(before, after *fill) {
	p.changedDetails = append(p.changedDetails, after)
	if before.externalID != after.externalID {
		p.changedIDs = append(p.changedIDs, after)
	}
}
