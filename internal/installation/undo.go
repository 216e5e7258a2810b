package installation

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// undoers returns how changes are undone, by type. Types that others refer to come first:
// their records come back first and go last. A new record type needs one line, here or in
// its package.
func (i *Installation) undoers() []history.TypeUndoer {
	var list []history.TypeUndoer
	for _, domain := range []interface{ Undoers() []history.TypeUndoer }{
		i.Playbook.Names(), i.Ledger, i.Playbook, i.Routine, i.Imports, i.Views, i.Rulebook, i.Rates, i.Enrollments, i.Strategies, i.Settings, i.Identity, i.Bars, i.BarSources, i.Connections, i.Hooks, i.Sharing, i.Alerts, i.Channels,
	} {
		list = append(list, domain.Undoers()...)
	}
	return list
}

// Undo undoes a change and returns the change that does so. check is called with the
// change to undo before anything is changed; it may refuse.
func (i *Installation) Undo(
	ctx context.Context, owner journal.UserID, id journal.ChangeID, check func(*history.Change) error,
) (history.Change, error) {
	ctx, outcome := history.WithOutcome(ctx)
	update := i.DB.Update
	if large, err := i.History.IsLarge(ctx, owner, id); err != nil {
		return history.Change{}, err
	} else if large {
		update = func(ctx context.Context, fn func(*db.Tx) error) error {
			return i.DB.UpdateInParts(ctx, int64(owner), fn)
		}
	}
	err := update(ctx, func(tx *db.Tx) error { return i.History.Undo(ctx, tx, owner, id, check) })
	if err != nil {
		return history.Change{}, err
	}
	return i.History.Get(ctx, owner, outcome.Change)
}
