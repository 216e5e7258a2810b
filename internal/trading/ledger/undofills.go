package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// fillUndoer undoes changes to fills, all at once: trades are grouped again only when all
// fills are as before, so no annotations move in between.
type fillUndoer struct{ *Service }

// isPartOfImport reports whether fills changed by an import or its reversal, whose undo
// changes stored fills back. Fills that it withdrew come back one by one.
func isPartOfImport(u *history.Undoing) bool {
	return slices.ContainsFunc(u.Change.Objects, func(o history.Object) bool { return o.Type == "import" })
}

// byAccount returns the objects of each account, ordered by account.
func byAccount(objects []history.Object) (accounts []journal.AccountID, of map[journal.AccountID][]history.Object) {
	of = map[journal.AccountID][]history.Object{}
	for _, o := range objects {
		if of[o.Account] == nil {
			accounts = append(accounts, o.Account)
		}
		of[o.Account] = append(of[o.Account], o)
	}
	slices.Sort(accounts)
	return accounts, of
}

// isWhole reports whether an account comes or goes as a whole.
func isWhole(u *history.Undoing, account journal.AccountID) bool {
	key := history.Key{Type: "account", ID: string(account)}
	return u.HasAction(key, history.Created) || u.HasAction(key, history.Deleted)
}

// withoutWhole leaves out fills of accounts that come or go as a whole.
func withoutWhole(u *history.Undoing, objects []history.Object) []history.Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o history.Object) bool { return isWhole(u, o.Account) })
}

// Check implements [history.Undoer].
func (s fillUndoer) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	accounts, of := byAccount(withoutWhole(u, objects))
	for _, account := range accounts {
		b, err := s.openBook(ctx, u.Tx, u.Owner, account)
		if journal.IsKind(err, journal.KindNotFound) {
			u.AddConflict(history.Key{Type: "account", ID: string(account)}, "")
			continue
		}
		if err != nil {
			return err
		}
		for _, o := range of[account] {
			if err := b.checkUndo(ctx, u, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkUndo adds the conflicts with one fill.
func (b *book) checkUndo(ctx context.Context, u *history.Undoing, o history.Object) error {
	key := history.Key{Type: o.Type, ID: o.ID}
	f, err := b.fillByID(ctx, journal.ExecutionID(o.ID))
	isGone := journal.IsKind(err, journal.KindNotFound)
	if err != nil && !isGone {
		return err
	}
	switch {
	case o.Action == history.Deleted && !isGone, o.Action != history.Deleted && isGone:
		u.AddConflict(key, "")
		return nil
	case o.Action == history.Deleted:
		return b.checkExternalID(ctx, u, o)
	}
	current, err := b.describe(ctx, f, f.links)
	if err != nil {
		return err
	}
	if o.Action == history.Updated {
		history.CheckUpdated(u, executionHistory.Fields(), o, &current)
		return b.checkExternalID(ctx, u, o)
	}
	history.CheckCreated(u, executionHistory.Fields(), o, &current)
	return nil
}

// checkExternalID adds a conflict if another fill has the broker's id that the undo sets.
func (b *book) checkExternalID(ctx context.Context, u *history.Undoing, o history.Object) error {
	var e Execution
	for _, f := range o.Fields {
		if field, known := executionHistory.Fields().Find(f.Name); known && f.Name == "external_id" {
			if err := field.Set(&e, f.Before); err != nil {
				return err
			}
		}
	}
	if e.ExternalID == nil {
		return nil
	}
	known, err := b.fillsByExternalID(ctx, []string{*e.ExternalID})
	for _, f := range known {
		if string(f.id) != o.ID {
			u.AddConflict(history.Key{Type: "execution", ID: string(f.id)}, "")
		}
	}
	return err
}

// Apply implements [history.Undoer].
func (s fillUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	if phase != history.Restoring {
		return nil
	}
	objects = withoutWhole(u, objects)
	if isPartOfImport(u) {
		objects = slices.DeleteFunc(objects, func(o history.Object) bool { return o.Action == history.Updated })
	}
	accounts, of := byAccount(objects)
	for _, account := range accounts {
		err := s.withBook(ctx, u.Tx, u.Owner, account, func(b *book) error { return b.undoFills(ctx, u, of[account]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// undoFills restores, reverts and removes fills, and groups their streams once.
func (b *book) undoFills(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	set := &changeSet{streamOf: b.streamFor, byKey: map[streamKey]*changes{}}
	if err := b.loadHints(ctx, u); err != nil {
		return err
	}
	var restored []*fill
	if !isPartOfImport(u) || slices.ContainsFunc(objects, func(o history.Object) bool { return o.Action == history.Deleted }) {
		var err error
		if restored, err = b.restoreFills(ctx, u, set); err != nil {
			return err
		}
		if err := b.countRestored(ctx, restored); err != nil {
			return err
		}
		if err := b.restoreMarks(ctx, u, restored); err != nil {
			return err
		}
	}
	removed, reverted, err := b.changeBack(ctx, objects, set)
	if err != nil {
		return err
	}
	if err := b.removeFills(ctx, removed, set); err != nil {
		return err
	}
	if err := b.regroupDeleting(ctx, restoredTrade(u), set.order...); err != nil {
		return err
	}
	return b.recordUndone(ctx, restored, reverted)
}

// changeBack sets updated fills back, and returns them and the created ones.
func (b *book) changeBack(ctx context.Context, objects []history.Object, set *changeSet) (created []*fill, reverted []changedFill, err error) {
	var moved []*fill
	for _, o := range objects {
		if o.Action == history.Deleted {
			continue
		}
		f, err := b.fillByID(ctx, journal.ExecutionID(o.ID))
		if err != nil {
			return nil, nil, err
		}
		if o.Action == history.Created {
			created = append(created, f)
			continue
		}
		c, err := b.revertFill(ctx, f, o, set)
		if err != nil {
			return nil, nil, err
		}
		reverted = append(reverted, c)
		if c.before.at != c.after.at {
			moved = append(moved, c.after)
		}
	}
	return created, reverted, b.widenSpans(ctx, moved...)
}

// restoredTrade returns the trade whose deletion the undone change had undone: it is deleted
// again.
func restoredTrade(u *history.Undoing) journal.TradeID {
	for _, o := range u.Change.Objects {
		if o.Type == "trade" && o.Action == history.Created {
			return journal.TradeID(o.ID)
		}
	}
	return ""
}

// recordUndone records the fills that came back or got their values of before.
func (b *book) recordUndone(ctx context.Context, restored []*fill, reverted []changedFill) error {
	for _, f := range restored {
		e, err := b.describe(ctx, f, f.next)
		if err != nil {
			return err
		}
		executionHistory.Created(b.tx, b.owner, &e)
	}
	for _, c := range reverted {
		was, err := b.describe(ctx, c.before, c.before.links)
		if err != nil {
			return err
		}
		is, err := b.describe(ctx, c.after, c.after.next)
		if err != nil {
			return err
		}
		executionHistory.Updated(b.tx, b.owner, &was, &is)
	}
	return nil
}

// keptStreams returns the book's streams, and their keys, for the numbers that kept rows use.
func (b *book) keptStreams(ctx context.Context, u *history.Undoing) (found map[int64]*stream, keys map[int64]streamKey, err error) {
	found, keys = map[int64]*stream{}, map[int64]streamKey{}
	err = b.eachKept(u, "streams", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			text := func(column string) string { value, _ := rows.Value(i, column).(string); return value }
			number, _ := rows.Value(i, "number").(int64)
			key := streamKey{
				symbol: text("symbol"), kind: text("instrument_type"), right: text("option_right"),
				strike: text("strike"), expiry: text("expiry"), lot: text("lot"),
			}
			keys[number] = key
			if text("lineage") != "" {
				continue // positions that moved find their stream again when they are grouped
			}
			var err error
			if found[number], err = b.streamFor(ctx, key); err != nil {
				return err
			}
		}
		return nil
	})
	return found, keys, err
}

// restoreFills inserts kept fills and adds them to the changes of their streams.
func (b *book) restoreFills(ctx context.Context, u *history.Undoing, set *changeSet) ([]*fill, error) {
	streams, _, err := b.keptStreams(ctx, u)
	if err != nil {
		return nil, err
	}
	var fills []*fill
	err = b.eachKept(u, "executions", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			number, _ := rows.Value(i, "stream").(int64)
			if stated, moved := rows.Value(i, "stated").(int64); moved {
				number = stated
				rows.SetValue(i, "stated", nil)
			}
			if s := streams[number]; s != nil {
				rows.SetValue(i, "stream", s.number)
			}
			f := &fill{state: restored}
			if err := rows.Scan(i, fillColumns, f.scan()...); err != nil {
				return err
			}
			f.setID(&b.account)
			fills = append(fills, f)
		}
		_, err := b.tx.InsertRows(ctx, "executions", rows.Columns, rows.Rows, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"fill_sources", "import_spans", "import_repeats", "withdrawn_fills", "cash_transactions"} {
		if err := b.insertKept(ctx, u, table); err != nil {
			return nil, err
		}
	}
	return fills, b.addRestored(ctx, fills, set)
}

// eachKept calls fn with an account's kept rows, with the account's number of now.
func (b *book) eachKept(u *history.Undoing, table string, fn func(history.KeptRows) error) error {
	u.MarkInserted(table)
	return u.EachKept(table, func(rows history.KeptRows) error {
		if b.keptNumber != 0 {
			rows = rows.Select(func(i int) bool { return rows.Value(i, "account") == any(b.keptNumber) })
		}
		for i := range rows.Rows {
			rows.SetValue(i, "account", b.account.number)
		}
		return fn(rows)
	})
}

// insertKept inserts an account's kept rows.
func (b *book) insertKept(ctx context.Context, u *history.Undoing, table string) error {
	return b.eachKept(u, table, func(rows history.KeptRows) error {
		_, err := b.tx.InsertRows(ctx, table, rows.Columns, rows.Rows, "ON CONFLICT DO NOTHING")
		return err
	})
}

// addRestored adds the inserted fills to the changes of their streams.
func (b *book) addRestored(ctx context.Context, fills []*fill, set *changeSet) error {
	for _, f := range fills {
		s, err := b.streamNumbered(ctx, f.stream)
		if err != nil {
			return err
		}
		c, err := set.forStream(ctx, s.key)
		if err != nil {
			return err
		}
		c.restore(f)
	}
	return nil
}

// countRestored takes deleted fills off the counts of their imports.
func (a *accountRows) countRestored(ctx context.Context, fills []*fill) error {
	for _, f := range fills {
		err := a.tx.Queue(ctx, `UPDATE import_spans SET removed = removed - 1
			WHERE user_id = $1 AND account = $2 AND first_seq <= $3 AND last_seq >= $3 AND removed > 0`, a.owner, a.account.number, f.seq)
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreMarks removes the marks that fills were deleted by hand, and stores those that the
// undone change had removed.
func (b *book) restoreMarks(ctx context.Context, u *history.Undoing, fills []*fill) error {
	if err := b.insertKept(ctx, u, "deleted_fills"); err != nil {
		return err
	}
	arrivals := make([]*arrival, len(fills))
	keys := map[int64]*streamKey{}
	for i, f := range fills {
		if keys[f.stream] == nil {
			s, err := b.streamNumbered(ctx, f.stream)
			if err != nil {
				return err
			}
			keys[f.stream] = &s.key
		}
		arrivals[i] = &arrival{fill: f, key: keys[f.stream]}
	}
	_, err := b.applyDeleted(ctx, arrivals, false)
	return err
}

// revertFill returns a fill with its values before an update, and adds both versions to the
// changes of their streams.
func (b *book) revertFill(ctx context.Context, before *fill, o history.Object, set *changeSet) (c changedFill, err error) {
	e, err := b.describe(ctx, before, before.links)
	if err != nil {
		return c, err
	}
	if err := history.Revert(executionHistory.Fields(), o, &e); err != nil {
		return c, err
	}
	instrument, err := cleanInstrument(e.Instrument.Symbol, e.Instrument.Type, e.Details)
	if err != nil {
		return c, err
	}
	in := NewFill{
		Side: e.Side, Quantity: e.Quantity, Price: e.Price, Fees: e.Fees, Commission: e.Commission, StatedPnL: e.StatedPnL,
		ExecutedAt: e.ExecutedAt, Details: e.Details, Kind: e.Kind, EventID: e.EventID, BasisEstimated: e.BasisEstimated, Closes: e.Closes,
	}
	if e.ExternalID != nil {
		in.ExternalID = *e.ExternalID
	}
	after := &fill{}
	if err := in.clean(instrument.Type, after); err != nil {
		return c, err
	}
	after.multiplier, after.facts, after.origin = e.Multiplier, e.Facts, e.Origin
	after.seq, after.arrival, after.id, after.createdAt, after.links = before.seq, before.arrival, before.id, before.createdAt, before.links
	after.state, after.was, after.unmatched = edited, before.at, before.unmatched
	if before.facts.has(hasSources) && !after.facts.has(hasSources) {
		if err := b.deleteSources(ctx, before); err != nil {
			return c, err
		}
	}
	if key := instrument.key(); after.origin == "" && before.origin != "" && after.contentKey(key) != before.origin {
		after.origin = before.origin // it is edited in other ways still
	}
	s, err := b.streamNumbered(ctx, before.stream)
	if err != nil {
		return c, err
	}
	return changedFill{before: before, after: after, key: s.key}, set.replace(ctx, before, after, s.key, instrument.key())
}

// removeFills deletes fills that the undone change had created.
func (b *book) removeFills(ctx context.Context, fills []*fill, set *changeSet) error {
	if err := b.keepFills(ctx, fills); err != nil {
		return err
	}
	for _, f := range fills {
		s, err := b.streamNumbered(ctx, f.stream)
		if err != nil {
			return err
		}
		c, err := set.forStream(ctx, s.key)
		if err != nil {
			return err
		}
		c.remove(f)
	}
	return b.deleteFills(ctx, fills...)
}

// tradeHint is a trade before the change to undo: the trade with most of its fills gets its
// id again.
type tradeHint struct {
	id          journal.TradeID
	stream      int64 // 0 for a position that a corporate action had moved
	key         streamKey
	first, last matching.Position
	// isEarlier reports that it is from before a change that the undone one did again: since
	// then its fills may have become another trade's.
	isEarlier bool
}

// loadHints reads the trades before the change from its kept rows. A redo kept the trades
// before it, and those before the first change may be others.
func (b *book) loadHints(ctx context.Context, u *history.Undoing) error {
	b.adopted = findAdopted(u)
	known := map[journal.TradeID]bool{}
	for i, from := range append([]*history.Undoing{u}, u.Earlier...) {
		if err := b.readHints(ctx, from, i > 0, known); err != nil {
			return err
		}
		if err := b.dropDeleted(ctx, from); err != nil {
			return err
		}
	}
	if len(b.hints) == 0 {
		return nil
	}
	ids := make([]journal.TradeID, len(b.hints))
	for i, h := range b.hints {
		ids[i] = h.id
	}
	existing, err := db.ListIn(ctx, b.tx, ids, db.Single[journal.TradeID], `SELECT id FROM trades WHERE user_id = $1 AND id IN $keys`, b.owner)
	b.existing = map[journal.TradeID]bool{}
	for _, id := range existing {
		b.existing[id] = true
	}
	return err
}

// dropDeleted leaves out trades that the user has deleted since a change: they come back with
// the undo of that.
func (b *book) dropDeleted(ctx context.Context, u *history.Undoing) error {
	ids := make([]string, len(b.hints))
	for i, h := range b.hints {
		ids[i] = string(h.id)
	}
	deleted, err := u.ListDeleted(ctx, "trade", ids)
	b.hints = slices.DeleteFunc(b.hints, func(h tradeHint) bool { return slices.Contains(deleted, string(h.id)) })
	return err
}

// findAdopted returns the trades whose annotations were an orphan before the change to undo:
// the change brought these trades back.
func findAdopted(u *history.Undoing) map[journal.TradeID]bool {
	adopted := map[journal.TradeID]bool{}
	for _, o := range u.Change.Objects {
		wasOrphan := func(f history.Field) bool { return f.Name == "orphaned" && string(f.Before) == "true" }
		if o.Type == "trade" && slices.ContainsFunc(o.Fields, wasOrphan) {
			adopted[journal.TradeID(o.ID)] = true
		}
	}
	return adopted
}

// readHints reads the kept trades that are not known yet.
func (b *book) readHints(ctx context.Context, u *history.Undoing, isEarlier bool, known map[journal.TradeID]bool) error {
	last := b.keptNumber
	defer func() { b.keptNumber = last }()
	if err := b.findKeptNumber(u); err != nil {
		return err
	}
	streams, keys, err := b.keptStreams(ctx, u)
	if err != nil {
		return err
	}
	return b.eachKept(u, "trades", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			number := func(column string) int64 { n, _ := rows.Value(i, column).(int64); return n }
			var id journal.TradeID
			if err := id.Scan(rows.Value(i, "id")); err != nil {
				return err
			}
			h := tradeHint{id: id, key: keys[number("stream")], isEarlier: isEarlier, first: matching.Position{At: number("opened_at"), Seq: number("first_seq")}}
			h.last = matching.Position{At: number("list_at"), Seq: number("last_seq")}
			if rows.Value(i, "last_at") != nil {
				h.last.At = number("last_at")
			}
			if known[id] {
				continue
			}
			known[id] = true
			if s := streams[number("stream")]; s != nil {
				h.stream = s.number
			}
			b.hints = append(b.hints, h)
		}
		return nil
	})
}

// keepNumber keeps the account's row: other kept rows have the account's number only.
func (a *accountRows) keepNumber(ctx context.Context) error {
	return history.Keep(ctx, a.tx, a.owner, "accounts", `number = $2`, a.account.number)
}

// findKeptNumber sets the number that the account has in kept trades and marks, which may be
// those of several accounts. It may have another number now.
func (b *book) findKeptNumber(u *history.Undoing) error {
	return u.EachKept("accounts", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			number, _ := rows.Value(i, "number").(int64)
			switch {
			case rows.Value(i, "id") == any(string(b.account.ID)):
				b.keptNumber = number
			case b.keptNumber == 0:
				b.keptNumber = -1 // the trades are another account's
			}
		}
		return nil
	})
}

// applyHints returns the identities, those of hints with the fills that their trades had.
func (r *regrouping) applyHints(list []matching.Identity) []matching.Identity {
	if len(r.hints) == 0 {
		return list
	}
	byStream := map[int64][]*fill{}
	for _, f := range r.fills {
		byStream[f.stream] = append(byStream[f.stream], f)
	}
	for _, fills := range byStream {
		slices.SortFunc(fills, func(a, b *fill) int { return a.position().Compare(b.position()) })
	}
	index := make(map[string]int, len(list))
	for i := range list {
		index[list[i].ID] = i
	}
	for _, h := range r.hints {
		fills := h.fillsIn(byStream[h.stream])
		if h.stream == 0 {
			fills = r.fillsFrom(h.first)
		}
		anchor := ""
		if h.first.Seq == 0 { // a corporate action opened it, perhaps without a fill until now
			anchor = eventAnchor(h.key, h.first.At)
		} else if len(fills) == 0 {
			continue
		}
		at, isListed := index[string(h.id)]
		switch {
		case isListed:
			list[at].Fills, list[at].IsRestored = fills, !h.isEarlier
		case !r.existing[h.id]: // else the trade is elsewhere now
			list = append(list, matching.Identity{ID: string(h.id), First: h.first, Anchor: anchor, Fills: fills, IsRestored: !h.isEarlier})
		}
	}
	r.releaseFills(list)
	return list
}

// releaseFills removes fills from adopted trades that restored trades had: with none left
// they are orphans again, instead of parts of other trades.
func (r *regrouping) releaseFills(list []matching.Identity) {
	if len(r.adopted) == 0 {
		return
	}
	restored := map[string]bool{}
	for _, one := range list {
		for _, id := range one.Fills {
			restored[id] = restored[id] || one.IsRestored
		}
	}
	for i := range list {
		if r.adopted[journal.TradeID(list[i].ID)] && !list[i].IsRestored {
			list[i].Fills = slices.DeleteFunc(list[i].Fills, func(id string) bool { return restored[id] })
		}
	}
}

// fillsFrom returns the ids of the fills in the new trade that starts at a position, which
// is one fill's.
func (r *regrouping) fillsFrom(first matching.Position) (ids []string) {
	for i := range r.trades {
		if r.trades[i].First == first {
			for _, part := range r.trades[i].Parts {
				ids = append(ids, part.FillID)
			}
		}
	}
	return ids
}

// fillsIn returns the ids of a stream's fills, which are in order, that the trade had.
func (h tradeHint) fillsIn(stream []*fill) (ids []string) {
	first, _ := slices.BinarySearchFunc(stream, h.first, func(f *fill, p matching.Position) int { return f.position().Compare(p) })
	for _, f := range stream[first:] {
		if f.position().Compare(h.last) > 0 {
			break
		}
		ids = append(ids, string(f.id))
	}
	return ids
}

// keepTrades keeps the trades before a regrouping that changes which fills have which trade
// id, so an undo can give them their ids again.
func (b *book) keepTrades(ctx context.Context, r *regrouping) error {
	if !r.movesIdentities() {
		return nil
	}
	streams := map[int64]bool{}
	ids := make([]journal.TradeID, len(r.old))
	for i, t := range r.old {
		ids[i], streams[t.stream] = t.id, true
	}
	if err := b.keepNumber(ctx); err != nil {
		return err
	}
	if err := history.KeepIn(ctx, b.tx, b.owner, "trades", "", "id", ids); err != nil {
		return err
	}
	return b.keepStreams(ctx, streams)
}

// keepStreams keeps the instruments of streams, by which kept rows find their stream again.
func (b *book) keepStreams(ctx context.Context, numbers map[int64]bool) error {
	for number := range numbers {
		if b.keptStream[number] {
			continue
		}
		if b.keptStream == nil {
			b.keptStream = map[int64]bool{}
		}
		b.keptStream[number] = true
		if err := history.Keep(ctx, b.tx, b.owner, "streams", `number = $2`, number); err != nil {
			return err
		}
	}
	return nil
}

// movesIdentities reports whether a stored trade loses its id, or fills to a trade that was
// not stored.
func (r *regrouping) movesIdentities() bool {
	if len(r.identities.Merged)+len(r.identities.Orphans) > 0 || r.deleted != "" {
		return true
	}
	var old map[string]bool // needed only if trades can get an id again that they had before
	if len(r.hints) > 0 || r.effects != nil {
		old = make(map[string]bool, len(r.old))
		for _, t := range r.old {
			old[string(t.id)] = true
		}
	}
	for i := range r.trades {
		if r.identities.Kept == nil {
			continue
		}
		if id := r.identities.Kept[i]; id != "" && (old == nil || old[id]) {
			continue
		}
		for _, part := range r.trades[i].Parts {
			if f := r.byID[part.FillID]; f != nil && f.state != added && len(f.links.list()) > 0 {
				return true
			}
		}
	}
	return false
}
