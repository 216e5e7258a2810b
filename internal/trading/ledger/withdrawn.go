package ledger

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Withdrawals are fills the broker no longer confirms.
type Withdrawals struct {
	// IDs are the ids of canceled fills.
	IDs []string
	// Replaced maps the new id of a corrected fill to the one before.
	Replaced map[string]string
	// Batch is the import saying so. Reversing it lets imports store the ids again, and
	// does not store the fills itself.
	Batch journal.BatchID
	// Part, if not nil, receives which rows are stored.
	Part *Part
}

// isEmpty reports whether there is nothing to withdraw.
func (w *Withdrawals) isEmpty() bool { return len(w.IDs)+len(w.Replaced) == 0 }

// WithdrawResult is the result of [Service.WithdrawFills].
type WithdrawResult struct {
	// Removed counts the stored canceled fills.
	Removed int
	// Edited are the ids of those the user had edited.
	Edited []string
	// Recorded reports that rows of the ledger name the import.
	Recorded bool
}

// WithdrawFills deletes the stored fills the broker has canceled, regroups their trades,
// and records the ids, so imports leave them out; see [InsertOptions].SkipWithdrawn. An
// id that is already recorded has no effect. A replaced fill stays until its correction
// is inserted, unless that is stored already. It is a step.
func (s *Service) WithdrawFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, w Withdrawals,
) (result WithdrawResult, err error) {
	if w.isEmpty() {
		return WithdrawResult{}, nil
	}
	b, err := s.openBook(ctx, tx, owner, account)
	if err != nil {
		return WithdrawResult{}, err
	}
	known, err := b.loadWithdrawn(ctx)
	if err != nil {
		return WithdrawResult{}, err
	}
	fresh := w.newIDs(known)
	if len(fresh) == 0 {
		return WithdrawResult{}, nil
	}
	if err := b.insertWithdrawn(ctx, fresh, w.Batch); err != nil {
		return WithdrawResult{}, err
	}
	result.Recorded = true
	w.Part.addWithdrawn(fresh)
	gone, err := b.withdrawnFills(ctx, fresh)
	if err != nil || len(gone) == 0 {
		return result, err
	}
	for _, f := range gone {
		if f.edits() != 0 {
			result.Edited = append(result.Edited, f.externalID)
		}
	}
	result.Removed = len(gone)
	if err := b.keepFills(ctx, gone); err != nil {
		return WithdrawResult{}, err
	}
	if err := b.deleteFills(ctx, gone...); err != nil {
		return WithdrawResult{}, err
	}
	if err := b.regroupWithout(ctx, gone); err != nil {
		return WithdrawResult{}, err
	}
	return result, b.close(ctx)
}

// newIDs returns the ids that are not recorded yet, each with the id that replaced
// it or an empty one. An id that was replaced is not canceled.
func (w *Withdrawals) newIDs(known map[string]string) map[string]string {
	fresh := map[string]string{}
	for _, id := range w.IDs {
		fresh[id] = ""
	}
	for next, old := range w.Replaced {
		fresh[old] = next
	}
	maps.DeleteFunc(fresh, func(id, _ string) bool {
		_, found := known[id]
		return found || id == ""
	})
	return fresh
}

// loadWithdrawn returns the recorded ids of the account, each with the id that
// replaced it or an empty one. They are few.
func (a *accountRows) loadWithdrawn(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	err := db.Each(ctx, a.tx, func(row db.Scanner) error {
		var id, next string
		err := row.Scan(&id, &next)
		found[id] = next
		return err
	}, `SELECT external_id, replaced_by FROM withdrawn_fills WHERE user_id = $1 AND account = $2`, a.owner, a.account.number)
	return found, err
}

func (a *accountRows) insertWithdrawn(ctx context.Context, ids map[string]string, batch journal.BatchID) error {
	var rows [][]any
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		rows = append(rows, []any{int64(a.owner), a.account.number, id, ids[id], string(batch)})
	}
	return a.tx.QueueRows(ctx, "withdrawn_fills", []string{"user_id", "account", "external_id", "replaced_by", "batch_id"}, "", rows)
}

// withdrawnFills returns the stored fills with some ids, in the order of the ids.
// Those that were replaced are left out if their correction is not stored.
func (a *accountRows) withdrawnFills(ctx context.Context, ids map[string]string) (gone []*fill, err error) {
	all := slices.Collect(maps.Keys(ids))
	for _, next := range ids {
		if next != "" {
			all = append(all, next)
		}
	}
	slices.Sort(all)
	stored, err := a.fillsByExternalID(ctx, slices.Compact(all))
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		f, next := stored[id], ids[id]
		if f != nil && (next == "" || stored[next] != nil) {
			gone = append(gone, f)
		}
	}
	return gone, nil
}

// leaveOutWithdrawn returns arrivals without those whose ids the broker has
// withdrawn, and sets withdrawn in these.
func (a *accountRows) leaveOutWithdrawn(ctx context.Context, arrivals []*arrival) ([]*arrival, error) {
	ids, err := a.loadWithdrawn(ctx)
	if err != nil || len(ids) == 0 {
		return arrivals, err
	}
	kept := make([]*arrival, 0, len(arrivals))
	for _, a := range arrivals {
		if _, a.withdrawn = ids[a.externalID]; !a.withdrawn {
			kept = append(kept, a)
		}
	}
	return kept, nil
}

// setReplaced sets in each arrival the ids it replaces, the latest first.
func setReplaced(arrivals []*arrival, replaced map[string]string) {
	if len(replaced) == 0 {
		return
	}
	for _, a := range arrivals {
		for old := replaced[a.externalID]; old != "" && !slices.Contains(a.replaces, old); old = replaced[old] {
			a.replaces = append(a.replaces, old)
		}
	}
}
