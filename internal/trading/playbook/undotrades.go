package playbook

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// tradeUndoer undoes changes to annotations. The trades themselves follow from their fills,
// which are undone before.
type tradeUndoer struct{ *Service }

func tradeIDs(objects []history.Object) []journal.TradeID {
	list := make([]journal.TradeID, len(objects))
	for i, o := range objects {
		list[i] = journal.TradeID(o.ID)
	}
	return list
}

// Check implements [history.Undoer].
func (t tradeUndoer) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	current, err := LoadAnnotations(ctx, u.Tx, u.Owner, tradeIDs(objects))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(objects, func(o history.Object) bool { return o.Action == history.Deleted }) {
		if err := checkKeptLinks(ctx, u); err != nil {
			return err
		}
	}
	for _, o := range objects {
		record := current[journal.TradeID(o.ID)]
		if o.Action == history.Deleted {
			// A later undo may have brought back what the trade had, as an orphan.
			err := lockOrphan(ctx, u.Tx, u.Owner, journal.TradeID(o.ID))
			if err == nil {
				u.AddConflict(history.Key{Type: o.Type, ID: o.ID}, "")
			} else if !journal.IsKind(err, journal.KindNotFound) {
				return err
			}
			continue
		}
		if o.IsBrought {
			continue
		}
		if o.Action == history.Created {
			history.CheckCreated(u, tradeHistory.Fields(), o, &record)
			continue
		}
		history.CheckUpdated(u, tradeHistory.Fields(), o, &record)
		if missing, err := t.findMissingAccount(ctx, u, &o.Account); err != nil {
			return err
		} else if missing.ID != "" {
			u.AddConflict(history.Key{Type: o.Type, ID: o.ID}, "") // it is gone with its account
		}
		if err := t.checkLinks(ctx, u, o); err != nil {
			return err
		}
	}
	return nil
}

// linkChecker checks the undo of an account's deletion, whose trades the ledger brings back.
type linkChecker struct{}

// Check implements [history.Undoer].
func (linkChecker) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	if !slices.ContainsFunc(objects, func(o history.Object) bool { return o.Action == history.Deleted }) {
		return nil
	}
	return checkKeptLinks(ctx, u)
}

// Apply implements [history.Undoer].
func (linkChecker) Apply(context.Context, *history.Undoing, []history.Object, history.Phase) error {
	return nil
}

// checkKeptLinks adds a conflict for each tag and setup of deleted trades that was deleted
// by itself since.
func checkKeptLinks(ctx context.Context, u *history.Undoing) error {
	for _, link := range []struct{ table, column, kind, parent string }{
		{"trade_tags", "tag_id", "tag", "tags"}, {"trade_setups", "setup_id", "setup", "setups"}, {"trade_rules", "setup_id", "setup", "setups"},
	} {
		linked, err := keptIDs(u, link.table, link.column)
		if err != nil {
			return err
		}
		brought, err := keptIDs(u, link.parent, "id")
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(linked)) {
			key := history.Key{Type: link.kind, ID: id}
			if brought[id] || u.HasAction(key, history.Deleted) {
				continue
			}
			found, err := findOne(ctx, u.Tx, link.kind, `SELECT id FROM `+link.parent+` WHERE user_id = $1 AND id = $2`, u.Owner, id)
			if err != nil {
				return err
			}
			if found.ID == "" {
				u.AddConflict(key, "")
			}
		}
	}
	return nil
}

// keptIDs returns the ids in a column of a table's kept rows.
func keptIDs(u *history.Undoing, table, column string) (map[string]bool, error) {
	ids := map[string]bool{}
	err := u.EachKept(table, func(rows history.KeptRows) error {
		for i := range rows.Rows {
			if id, _ := rows.Value(i, column).(string); id != "" {
				ids[id] = true
			}
		}
		return nil
	})
	return ids, err
}

// checkLinks adds a conflict for each tag and setup that the undo would put on a trade and
// that is gone.
func (t tradeUndoer) checkLinks(ctx context.Context, u *history.Undoing, o history.Object) error {
	for _, f := range o.Fields {
		kind, table := "tag", "tags"
		switch f.Name {
		case "tag_ids":
		case "setup_ids":
			kind, table = "setup", "setups"
		default:
			continue
		}
		for _, id := range idsIn(f.Before) {
			key := history.Key{Type: kind, ID: id}
			if slices.Contains(idsIn(f.After), id) || u.HasAction(key, history.Deleted) {
				continue
			}
			found, err := findOne(ctx, u.Tx, kind, `SELECT id FROM `+table+` WHERE user_id = $1 AND id = $2`, u.Owner, id)
			if err != nil {
				return err
			}
			if found.ID == "" {
				u.AddConflict(key, "")
			}
		}
	}
	return nil
}

func idsIn(list jsontext.Value) (ids []string) {
	if list.Kind() == '[' {
		_ = json.Unmarshal(list, &ids) // recorded as texts
	}
	return ids
}

// Apply implements [history.Undoer].
func (t tradeUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	switch phase {
	case history.Restoring:
		return t.restore(ctx, u, objects)
	case history.Reverting:
		return t.revert(ctx, u, objects)
	case history.Removing:
		if err := replaceOrphans(ctx, u); err != nil {
			return err
		}
		return t.removeOrphans(ctx, u, objects)
	}
	return nil
}

// removeOrphans deletes orphans again whose deletion the change had undone. Deleting fills
// has removed the other trades.
func (t tradeUndoer) removeOrphans(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	var orphans []journal.TradeID
	for _, o := range objects {
		if o.Action != history.Created {
			continue
		}
		err := lockOrphan(ctx, u.Tx, u.Owner, journal.TradeID(o.ID))
		if journal.IsKind(err, journal.KindNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		orphans = append(orphans, journal.TradeID(o.ID))
	}
	_, err := ForgetTrades(ctx, u.Tx, u.Owner, u.Now, "", orphans) // their files are kept
	return err
}

// restore brings back the annotations of trades that the user deleted.
func (t tradeUndoer) restore(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	isTrade, err := t.ensureOrphanRows(ctx, u)
	if err != nil {
		return err
	}
	deleted := slices.DeleteFunc(slices.Clone(objects), func(o history.Object) bool { return o.Action != history.Deleted })
	moved, err := takeMoved(ctx, u, tradeIDs(deleted))
	if err != nil {
		return err
	}
	for _, table := range append(slices.Clone(annotationTables), "attachments") {
		suffix := ""
		if table == "trade_annotations" { // the undo may have made a row already
			suffix = annotationTable.Upsert()
		}
		insert := func() error { return u.Insert(ctx, table, suffix) }
		if table == "orphaned_annotations" || table == "orphaned_fills" {
			insert = func() error { return insertKeptOrphans(ctx, u, table, isTrade) }
		}
		if err := insert(); err != nil {
			return err
		}
	}
	if _, err := MergeAnnotations(ctx, u.Tx, u.Owner, u.Now, moved); err != nil {
		return err
	}
	restored, err := LoadAnnotations(ctx, u.Tx, u.Owner, tradeIDs(deleted))
	if err != nil {
		return err
	}
	for _, o := range deleted {
		record, found := restored[journal.TradeID(o.ID)]
		if !found {
			record = Annotations{Trade: journal.TradeID(o.ID), Account: o.Account}
		}
		tradeHistory.Created(u.Tx, u.Owner, &record)
		if err := restoreContent(ctx, u.Tx, u.Owner, `trade_id = $2`, record.Trade); err != nil {
			return err
		}
		if err := t.reportLinked(ctx, u.Tx, u.Owner, &record.Trade); err != nil {
			return err
		}
	}
	all := make([]Annotations, 0, len(restored))
	for _, o := range deleted {
		if record, found := restored[journal.TradeID(o.ID)]; found {
			all = append(all, record)
		}
	}
	return t.settleOrphans(ctx, u, objects, all) // their fills may be parts of another trade now
}

// takeMoved returns the annotations that the undo has moved to deleted trades already, because
// other trades have become part of them. It deletes their links, with which the kept ones
// would collide.
func takeMoved(ctx context.Context, u *history.Undoing, deleted []journal.TradeID) ([]Annotations, error) {
	moved, err := LoadAnnotations(ctx, u.Tx, u.Owner, deleted)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"trade_tags", "trade_setups", "trade_rules"} {
		if err := deleteLinks(ctx, u.Tx, u.Owner, `DELETE FROM `+table, slices.Collect(maps.Keys(moved))); err != nil {
			return nil, err
		}
	}
	return slices.Collect(maps.Values(moved)), nil
}

// ensureOrphanRows stores rows for annotations that are orphans again. Their values follow.
// The kept rows replace those of an orphan that the regrouping made. It returns the kept
// orphans that have fills now.
func (t tradeUndoer) ensureOrphanRows(ctx context.Context, u *history.Undoing) (isTrade map[journal.TradeID]bool, err error) {
	isTrade = map[journal.TradeID]bool{}
	return isTrade, u.EachKept("orphaned_annotations", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			var trade journal.TradeID
			if err := trade.Scan(rows.Value(i, "trade_id")); err != nil {
				return err
			}
			_, err := t.options.Known.Trade(ctx, u.Tx, u.Owner, trade)
			if isTrade[trade] = err == nil; isTrade[trade] {
				continue
			}
			if !journal.IsKind(err, journal.KindNotFound) {
				return err
			}
			account, _ := rows.Value(i, "account_id").(string)
			if u.HasAction(history.Key{Type: "trade", ID: string(trade)}, history.Updated) {
				if err := EnsureAnnotationsRow(ctx, u.Tx, u.Owner, trade, journal.AccountID(account), u.Now); err != nil {
					return err
				}
				_, err := u.Tx.Exec(ctx, `DELETE FROM orphaned_annotations WHERE user_id = $1 AND trade_id = $2`, u.Owner, trade)
				if err != nil {
					return err
				}
				recordOrphan(u.Tx, u.Owner, trade, journal.AccountID(account), "", true)
			}
		}
		return nil
	})
}

// replaceOrphans restores the kept rows of orphans that the removal of an import's fills made:
// that comes after the other fills were restored.
func replaceOrphans(ctx context.Context, u *history.Undoing) error {
	isOther := map[journal.TradeID]bool{}
	err := u.EachKept("orphaned_annotations", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			var trade journal.TradeID
			if err := trade.Scan(rows.Value(i, "trade_id")); err != nil {
				return err
			}
			deleted, err := u.Tx.Exec(ctx, `DELETE FROM orphaned_annotations WHERE user_id = $1 AND trade_id = $2`, u.Owner, trade)
			if err != nil {
				return err
			}
			isOther[trade] = deleted == 0
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, table := range []string{"orphaned_annotations", "orphaned_fills"} {
		if err := insertKeptOrphans(ctx, u, table, isOther); err != nil {
			return err
		}
	}
	return nil
}

// insertKeptOrphans inserts the kept rows of orphans, except of those that have fills now.
func insertKeptOrphans(ctx context.Context, u *history.Undoing, table string, isTrade map[journal.TradeID]bool) error {
	u.MarkInserted(table)
	return u.EachKept(table, func(rows history.KeptRows) error {
		rows = rows.Select(func(i int) bool {
			var trade journal.TradeID
			return trade.Scan(rows.Value(i, "trade_id")) == nil && !isTrade[trade]
		})
		_, err := u.Tx.InsertRows(ctx, table, rows.Columns, rows.Rows, "")
		return err
	})
}

// joinedTrades reverts the annotations of trades that the change to undo made of others, before
// their fills go to those again: else what they got from one of them would go to another.
type joinedTrades struct{ *Service }

// Check implements [history.Undoer].
func (joinedTrades) Check(context.Context, *history.Undoing, []history.Object) error { return nil }

// Apply implements [history.Undoer].
func (j joinedTrades) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	if phase != history.Restoring {
		return nil
	}
	existed, err := keptTrades(u)
	if err != nil || len(existed) == 0 {
		return err
	}
	joined := slices.DeleteFunc(slices.Clone(objects), func(o history.Object) bool {
		return o.Action != history.Updated || o.IsBrought || existed[journal.TradeID(o.ID)] || wasOrphan(u, journal.TradeID(o.ID)) || madeOrphan(o)
	})
	return tradeUndoer(j).revert(ctx, u, joined)
}

// keptTrades returns the trades that a change kept, which were there before it.
func keptTrades(u *history.Undoing) (map[journal.TradeID]bool, error) {
	kept := map[journal.TradeID]bool{}
	err := u.EachKept("trades", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			var id journal.TradeID
			if err := id.Scan(rows.Value(i, "id")); err != nil {
				return err
			}
			kept[id] = true
		}
		return nil
	})
	return kept, err
}

// revert sets annotations back.
func (t tradeUndoer) revert(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	current, err := LoadAnnotations(ctx, u.Tx, u.Owner, tradeIDs(objects))
	if err != nil {
		return err
	}
	var before, after []Annotations
	for _, o := range objects {
		if o.Action != history.Updated {
			continue
		}
		old := current[journal.TradeID(o.ID)]
		old.Trade, old.Account = journal.TradeID(o.ID), o.Account
		reverted := old
		if err := history.Revert(tradeHistory.Fields(), o, &reverted); err != nil {
			return err
		}
		if reverted.equal(old) {
			continue
		}
		reverted.UpdatedAt = t.clock()
		before, after = append(before, old), append(after, reverted)
		tradeHistory.Updated(u.Tx, u.Owner, &old, &reverted)
	}
	if len(after) == 0 {
		return nil
	}
	if err := replaceMany(ctx, u.Tx, u.Owner, before, after); err != nil {
		return err
	}
	if err := t.settleOrphans(ctx, u, objects, after); err != nil {
		return err
	}
	return t.reportExisting(ctx, u, after)
}

// madeOrphan reports whether a change made an orphan of a trade's annotations.
func madeOrphan(o history.Object) bool {
	return slices.ContainsFunc(o.Fields, func(f history.Field) bool { return f.Name == "orphaned" && string(f.After) == "true" })
}

// settleOrphans makes orphans of reverted annotations whose trade has no fills, and deletes
// those that have become empty.
func (t tradeUndoer) settleOrphans(ctx context.Context, u *history.Undoing, objects []history.Object, list []Annotations) error {
	isFill := func(o history.Object) bool { return o.Type == "execution" || o.Type == "import" }
	removesFills := slices.ContainsFunc(u.Change.Objects, isFill)
	mayDrop := map[journal.TradeID]bool{}
	for _, o := range objects {
		mayDrop[journal.TradeID(o.ID)] = (removesFills || madeOrphan(o)) && o.Action != history.Deleted // else it came back as an orphan
	}
	for _, m := range list {
		_, err := t.options.Known.Trade(ctx, u.Tx, u.Owner, m.Trade)
		if !journal.IsKind(err, journal.KindNotFound) {
			if err != nil {
				return err
			}
			continue
		}
		err = lockOrphan(ctx, u.Tx, u.Owner, m.Trade)
		isOrphan := err == nil
		if err != nil && !journal.IsKind(err, journal.KindNotFound) {
			return err
		}
		if isOrphan && (!m.isEmpty() || !mayDrop[m.Trade] || wasOrphan(u, m.Trade)) {
			continue
		}
		if err := t.settleOrphan(ctx, u, m, isOrphan); err != nil {
			return err
		}
	}
	return nil
}

// settleOrphan makes an orphan of annotations without a trade, or deletes them if nothing
// would be lost.
func (t tradeUndoer) settleOrphan(ctx context.Context, u *history.Undoing, m Annotations, isOrphan bool) error {
	used, err := isUsed(ctx, u.Tx, u.Owner, m)
	switch {
	case err != nil || used && isOrphan:
		return err
	case used:
		return orphan(ctx, u.Tx, u.Owner, u.Now, Orphaned{Trade: m.Trade, Account: m.Account}, m)
	case isOrphan:
		return dropOrphan(ctx, u, m.Trade, m.Account)
	}
	_, err = u.Tx.Exec(ctx, `DELETE FROM trade_annotations WHERE user_id = $1 AND trade_id = $2`, u.Owner, m.Trade)
	return err
}

// reportExisting reports changed annotations of trades that have fills.
func (t tradeUndoer) reportExisting(ctx context.Context, u *history.Undoing, list []Annotations) error {
	trades := make([]*journal.TradeID, len(list))
	for i := range list {
		trades[i] = &list[i].Trade
	}
	return t.reportLinked(ctx, u.Tx, u.Owner, trades...)
}
