package imports

import (
	"context"
	"errors"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/intake/layouts"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// Undoers undo changes to imports and to what was chosen for them.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{
		layouts.Undoer(), kinds.Undoer(), {Type: "import", Undoer: importUndoer{s}},
		{Type: "execution", Undoer: batchChecker{}}, {Type: "cash_transaction", Undoer: batchChecker{}},
	}
}

// batchChecker checks the undo of the deletion of fills and cash transactions, which the ledger
// brings back.
type batchChecker struct{}

// Check implements [history.Undoer].
func (batchChecker) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	if !slices.ContainsFunc(objects, func(o history.Object) bool { return o.Action == history.Deleted }) {
		return nil
	}
	return checkReversed(ctx, u)
}

// Apply implements [history.Undoer].
func (batchChecker) Apply(context.Context, *history.Undoing, []history.Object, history.Phase) error {
	return nil
}

// checkReversed adds a conflict for each import that kept rows name and that was reversed since.
func checkReversed(ctx context.Context, u *history.Undoing) error {
	var batches []string
	for table, column := range map[string]string{"fill_sources": "batch_id", "cash_transactions": "import_batch_id"} {
		err := u.EachKept(table, func(rows history.KeptRows) error {
			for i := range rows.Rows {
				id, _ := rows.Value(i, column).(string)
				if !slices.Contains(batches, id) && !u.Has(history.Key{Type: "import", ID: id}) {
					batches = append(batches, id)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	reversed, err := db.ListIn(ctx, u.Tx, batches, db.Single[string],
		`SELECT id FROM import_batches WHERE user_id = $1 AND status = $2 AND id IN $keys`, u.Owner, Reversed)
	for _, id := range reversed {
		u.AddConflict(history.Key{Type: "import", ID: id}, "status")
	}
	return err
}

// importUndoer undoes imports, by removing their rows, and removals, by bringing the rows
// back.
type importUndoer struct{ *Service }

// undoneImport is an import in a change to undo.
type undoneImport struct {
	Batch
	object history.Object
	part   *ledger.Part   // nil for all rows
	counts deliveryCounts // of the part; nil if they are not known
	// deleted is how many of its fills had been deleted before the change.
	deleted int
	// removed is what the change removed; nil if it added rows.
	removed *ledger.RemovedBatch
}

// read reads the import of an object. It returns nil if it is gone, but comes back with its
// account.
func (i importUndoer) read(ctx context.Context, u *history.Undoing, o history.Object) (*undoneImport, error) {
	found := &undoneImport{object: o, part: &ledger.Part{}, removed: &ledger.RemovedBatch{}}
	isPart, err := readJSON(o, partField, found.part)
	if err != nil {
		return nil, err
	}
	if !isPart {
		found.part = nil
	}
	if _, err := readJSON(o, countsField, &found.counts); err != nil {
		return nil, err
	}
	if _, err := readJSON(o, deletedField, &found.deleted); err != nil {
		return nil, err
	}
	isRemoval, err := readJSON(o, removedField, found.removed)
	if err != nil {
		return nil, err
	}
	if !isRemoval {
		found.removed = nil
	}
	found.Batch, err = scanBatch(u.Tx.QueryRow(ctx,
		`SELECT `+batchColumns+` FROM import_batches WHERE user_id = $1 AND id = $2`+u.Tx.Lock(), u.Owner, o.ID))
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil
	}
	return found, err
}

// isCreated returns a function that reports whether the change to undo created an account,
// which goes as a whole.
func isCreated(u *history.Undoing) func(journal.AccountID) bool {
	return func(id journal.AccountID) bool {
		return u.HasAction(history.Key{Type: "account", ID: string(id)}, history.Created)
	}
}

// Check implements [history.Undoer].
func (i importUndoer) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	for _, o := range objects {
		found, err := i.read(ctx, u, o)
		if err != nil {
			return err
		}
		if err := i.check(ctx, u, o, found); err != nil {
			return err
		}
	}
	return nil
}

func (i importUndoer) check(ctx context.Context, u *history.Undoing, o history.Object, found *undoneImport) error {
	key := history.Key{Type: o.Type, ID: o.ID}
	switch {
	case found == nil && u.HasAction(history.Key{Type: "account", ID: string(o.Account)}, history.Deleted):
		return nil // it comes back with its account
	case found == nil:
		u.AddConflict(key, "")
		return nil
	case found.removed == nil && found.Status != Committed, found.removed != nil && found.part == nil && found.Status != Reversed:
		u.AddConflict(key, "status")
		return nil
	case found.removed == nil:
		return ledger.CheckRemoval(ctx, u, found.ID, found.part, found.deleted, isCreated(u))
	}
	if err := found.checkRepeated(ctx, u); err != nil {
		return err
	}
	if err := checkReversed(ctx, u); err != nil {
		return err
	}
	return ledger.CheckRestoration(ctx, u, found.ID, *found.removed)
}

// checkRepeated adds a conflict if the same file was imported again since the change to undo.
func (i *undoneImport) checkRepeated(ctx context.Context, u *history.Undoing) error {
	if i.SHA256 == "" {
		return nil
	}
	ids, err := db.List(ctx, u.Tx, db.Single[string], `SELECT id FROM import_batches WHERE user_id = $1 AND sha256 = $2 AND status = $3 AND id <> $4
		AND (account_id = $5 OR account_id IS NULL) ORDER BY id`, u.Owner, i.SHA256, Committed, i.ID, nullText(string(i.Account)))
	if err != nil {
		return err
	}
	later, err := u.ListEdited(ctx, "import", ids)
	for _, id := range later {
		u.AddConflict(history.Key{Type: "import", ID: id}, "")
	}
	return err
}

// Apply implements [history.Undoer]. As with single fills, rows go in the first phase: notes
// and annotations then find the trades of before.
func (i importUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	if phase != history.Restoring {
		return nil
	}
	for _, o := range objects {
		found, err := i.read(ctx, u, o)
		if err != nil {
			return err
		}
		switch {
		case found == nil:
			return errors.New("an import to undo is gone")
		case found.removed != nil:
			err = i.restoreRows(ctx, u, found)
		default:
			err = i.removeRows(ctx, u, found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeRows removes an import's rows.
func (i importUndoer) removeRows(ctx context.Context, u *history.Undoing, found *undoneImport) error {
	by := Actor{Principal: identity.Principal{UserID: u.Owner}}
	removed, err := i.remove(ctx, u.Tx, by, found.Batch, found.counts, ledger.Removal{Part: found.part, Skip: isCreated(u), Undoing: u})
	if err != nil {
		return err
	}
	return i.ledger.RestoreMarks(ctx, u, removed)
}

// restoreRows brings back removed rows.
func (i importUndoer) restoreRows(ctx context.Context, u *history.Undoing, found *undoneImport) error {
	if err := i.ledger.RestoreBatch(ctx, u, *found.removed); err != nil {
		return err
	}
	var result *Result
	if _, err := readJSON(found.object, resultField, &result); err != nil {
		return err
	}
	after := found.Batch
	if found.counts != nil && found.Status == Committed { // other deliveries are there
		after.addCounts(found.counts, 1)
	} else {
		after.Status, after.Result = Committed, result
	}
	o := after.object(history.Updated, found.Status, Committed, found.object.Contains)
	addPart(&o, found.part)
	if found.counts != nil {
		addInternal(&o, countsField, found.counts)
	}
	deleted, err := ledger.CountDeleted(ctx, u.Tx, u.Owner, found.ID, found.part)
	if err != nil {
		return err
	}
	if deleted > 0 {
		addInternal(&o, deletedField, deleted)
	}
	history.RecordBundle(u.Tx, u.Owner, o)
	return updateBatch(ctx, u.Tx, after, u.Now)
}
