package history

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// Records is the [Undoer] of a type whose records are rows with an id.
type Records[R any] struct {
	Type *Type[R]
	// Tables have the rows of a deleted record, in the order of insertion. The first has a
	// row for each record, with its id in the column Key, or id if that is empty.
	Tables []string
	Key    string
	// Load reads and locks records by id. Those that do not exist are left out.
	Load func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]R, error)
	// Save writes changed records.
	Save func(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after []R) error
	// Remove deletes a record, after [Type.Deleted] and [Keep]. If it is nil, the row in the
	// first table is deleted.
	Remove func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *R) error
	// Keep keeps a deleted record's row in the first table. If it is nil, the row is kept as
	// it is, without keys.
	Keep func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *R) error
	// KeepMore keeps further rows that are deleted with a record. It may be nil.
	KeepMore func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *R) error
	// Stays makes a record that an import brought stay, if it was edited since or is in use.
	// Without it the import cannot be undone then.
	Stays bool
	// FindUser returns a record for which a created record cannot be deleted. It may be nil.
	FindUser func(ctx context.Context, u *Undoing, record *R) (Key, error)
	// FindObstacle returns the record in the way of storing a record: one with the same name,
	// or a missing one that it refers to. It may be nil.
	FindObstacle func(ctx context.Context, u *Undoing, record *R) (Key, error)
	// IsGone reports that a stored record counts as deleted. It may be nil.
	IsGone func(*R) bool
	// Suffix ends the statement that inserts the rows of the first table.
	Suffix string
	// Adapt returns which kept rows are inserted, perhaps with other values. It may be nil.
	Adapt func(ctx context.Context, u *Undoing, rows KeptRows) (KeptRows, error)
	// Prepare is called with a record as it was, before the rows of a deleted record are inserted
	// and before an updated one is saved. It may be nil.
	Prepare func(ctx context.Context, u *Undoing, record *R) error
	// Changed is called after records were written, with a nil before or after for those
	// that come back or go. It may be nil.
	Changed func(ctx context.Context, u *Undoing, before, after *R) error
}

// ids returns the ids of the objects with one of some actions.
func ids(objects []Object, actions ...ObjectAction) (list []string) {
	for _, o := range objects {
		if slices.Contains(actions, o.Action) {
			list = append(list, o.ID)
		}
	}
	return list
}

// Check implements [Undoer].
func (r *Records[R]) Check(ctx context.Context, u *Undoing, objects []Object) error {
	current, err := r.Load(ctx, u.Tx, u.Owner, ids(objects, Created, Updated, Deleted))
	if err != nil {
		return err
	}
	for _, o := range objects {
		record, exists := current[o.ID]
		if exists && r.IsGone != nil && r.IsGone(&record) {
			exists = false
			if o.Action != Deleted { // perhaps it was so before the change, or by it
				isDeleted, err := u.isDeletedSince(ctx, o.key())
				if err != nil {
					return err
				}
				exists = !isDeleted
			}
		}
		switch {
		case o.Action == Deleted && exists:
			u.AddConflict(o.key(), "")
		case o.Action == Deleted:
			err = r.checkDeleted(ctx, u, o)
		case !exists && o.IsBrought:
		case !exists:
			u.AddConflict(o.key(), "")
		case o.IsBrought, r.Stays && o.Action == Created && u.isImport(): // by an import, or by its redo
			err = r.checkBrought(ctx, u, o, &record)
		case o.Action == Created:
			err = r.checkCreated(ctx, u, o, &record)
		default:
			err = r.checkUpdated(ctx, u, o, &record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isImport reports whether the change to undo is an import, or an undo or redo of one.
func (u *Undoing) isImport() bool {
	return slices.ContainsFunc(u.Change.Objects, func(o Object) bool { return o.Type == "import" })
}

func (o *Object) key() Key { return Key{o.Type, o.ID} }

// checkDeleted adds a conflict if a deleted record's name is taken or its owner is gone.
func (r *Records[R]) checkDeleted(ctx context.Context, u *Undoing, o Object) error {
	if r.FindObstacle == nil {
		return nil
	}
	record, err := r.rebuild(o)
	if err != nil {
		return err
	}
	return u.addFound(r.FindObstacle(ctx, u, &record))
}

// addFound adds a conflict with a record, if there is one.
func (u *Undoing) addFound(key Key, err error) error {
	if err == nil && key != (Key{}) {
		u.AddConflict(key, "")
	}
	return err
}

// rebuild returns a deleted record with the values in its object.
func (r *Records[R]) rebuild(o Object) (record R, err error) {
	for _, f := range o.Fields {
		if field, known := r.Type.fields.Find(f.Name); known && field.CanSet() {
			if err := field.Set(&record, f.Before); err != nil {
				return record, err
			}
		}
	}
	return record, nil
}

// checkCreated adds conflicts for the fields of a created record that were edited since, and
// if it is in use.
func (r *Records[R]) checkCreated(ctx context.Context, u *Undoing, o Object, record *R) error {
	CheckCreated(u, r.Type.fields, o, record)
	if r.FindUser == nil {
		return nil
	}
	return u.addFound(r.FindUser(ctx, u, record))
}

// checkBrought adds a conflict if a record that an import created was edited since or is in
// use.
func (r *Records[R]) checkBrought(ctx context.Context, u *Undoing, o Object, record *R) error {
	edited, err := u.IsEdited(ctx, o.key())
	if err != nil {
		return err
	}
	var user Key
	if r.FindUser != nil {
		if user, err = r.FindUser(ctx, u, record); err != nil {
			return err
		}
	}
	if isUsed := user != (Key{}); r.Stays && (edited || isUsed) {
		u.leaveOut(o.key())
		return nil
	}
	if edited {
		u.AddConflict(o.key(), "")
	}
	return u.addFound(user, nil)
}

// CheckCreated adds conflicts for the fields of a created record that were edited since.
func CheckCreated[R any](u *Undoing, list fields.List[R], o Object, record *R) {
	var empty R
	for i := range list {
		f := &list[i]
		if !f.IsShown() || neverConflicts(f.Name) || f.Name == switchField {
			continue
		}
		created := f.Show(&empty)
		if at := slices.IndexFunc(o.Fields, func(g Field) bool { return g.Name == f.Name }); at >= 0 {
			created = o.Fields[at].After
		}
		if !bytes.Equal(created, f.Show(record)) {
			u.AddConflict(o.key(), f.Name)
		}
	}
}

// checkUpdated adds conflicts for an update, and if its values of before cannot be stored.
func (r *Records[R]) checkUpdated(ctx context.Context, u *Undoing, o Object, record *R) error {
	CheckUpdated(u, r.Type.fields, o, record)
	if r.FindObstacle == nil || len(u.conflicts) > 0 {
		return nil
	}
	reverted := *record
	if err := Revert(r.Type.fields, o, &reverted); err != nil {
		return err
	}
	return u.addFound(r.FindObstacle(ctx, u, &reverted))
}

// neverConflicts reports whether a field is restored whatever its value is: places in a list
// move with other records.
func neverConflicts(field string) bool { return field == "position" || IsInternal(field) }

// switchField is whether a record is switched on. It does not keep a created one from going:
// one that came back from a deletion without its keys is off.
const switchField = "enabled"

// IsInternal reports whether a field is recorded for an undo only, and not shown to users.
func IsInternal(field string) bool { return strings.HasPrefix(field, ".") }

// CheckUpdated adds conflicts for the fields that have another value than an update left.
func CheckUpdated[R any](u *Undoing, list fields.List[R], o Object, record *R) {
	for _, change := range o.Fields {
		f, known := list.Find(change.Name)
		if !known || !f.CanSet() || neverConflicts(change.Name) {
			continue
		}
		current := f.Show(record)
		if f.IsSet() && hasMembers(change, current) || bytes.Equal(current, change.After) {
			continue
		}
		u.AddConflict(o.key(), change.Name)
	}
}

// Revert sets the fields of an update back to their values of before.
func Revert[R any](list fields.List[R], o Object, record *R) error {
	for _, change := range o.Fields {
		f, known := list.Find(change.Name)
		if !known || !f.CanSet() {
			continue
		}
		value := change.Before
		if f.IsSet() {
			value = revertMembers(change, f.Show(record))
		}
		if err := f.Set(record, value); err != nil {
			return err
		}
	}
	return nil
}

// Apply implements [Undoer].
func (r *Records[R]) Apply(ctx context.Context, u *Undoing, objects []Object, phase Phase) error {
	switch phase {
	case Restoring:
		if err := r.prepare(ctx, u, objects); err != nil {
			return err
		}
		return r.restore(ctx, u, ids(objects, Deleted))
	case Reverting:
		return r.revert(ctx, u, objects)
	case Removing:
	}
	return r.remove(ctx, u, ids(objects, Created))
}

// prepare calls Prepare for deleted records.
func (r *Records[R]) prepare(ctx context.Context, u *Undoing, objects []Object) error {
	if r.Prepare == nil {
		return nil
	}
	for _, o := range objects {
		if o.Action != Deleted {
			continue
		}
		record, err := r.rebuild(o)
		if err != nil {
			return err
		}
		if err := r.Prepare(ctx, u, &record); err != nil {
			return err
		}
	}
	return nil
}

// restore inserts the rows of deleted records.
func (r *Records[R]) restore(ctx context.Context, u *Undoing, deleted []string) error {
	if len(deleted) == 0 {
		return nil
	}
	for i, table := range r.Tables {
		suffix := ""
		if i == 0 {
			suffix = r.Suffix
		}
		if err := u.insert(ctx, table, suffix, r.Adapt); err != nil {
			return err
		}
	}
	records, err := r.Load(ctx, u.Tx, u.Owner, deleted)
	if err != nil {
		return err
	}
	for _, id := range deleted {
		record, found := records[id]
		if !found {
			return fmt.Errorf("the kept rows do not contain %s", id)
		}
		r.Type.Created(u.Tx, u.Owner, &record)
		if r.Changed != nil {
			if err := r.Changed(ctx, u, nil, &record); err != nil {
				return err
			}
		}
	}
	return nil
}

// revert sets updated records back.
func (r *Records[R]) revert(ctx context.Context, u *Undoing, objects []Object) error {
	current, err := r.Load(ctx, u.Tx, u.Owner, ids(objects, Updated))
	if err != nil {
		return err
	}
	var before, after []R
	for _, o := range objects {
		record, found := current[o.ID]
		if o.Action != Updated || !found {
			continue
		}
		reverted := record
		if err := Revert(r.Type.fields, o, &reverted); err != nil {
			return err
		}
		if len(r.Type.fields.Compare(&record, &reverted)) == 0 {
			continue
		}
		if r.Prepare != nil {
			if err := r.Prepare(ctx, u, &reverted); err != nil {
				return err
			}
		}
		before, after = append(before, record), append(after, reverted)
		r.Type.Updated(u.Tx, u.Owner, &record, &reverted)
	}
	if len(before) == 0 {
		return nil
	}
	if r.Save == nil {
		return notUndoable(NotUndoablePermanent)
	}
	if err := r.Save(ctx, u.Tx, u.Owner, before, after); err != nil {
		return err
	}
	for i := range before {
		if r.Changed != nil {
			if err := r.Changed(ctx, u, &before[i], &after[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove deletes created records.
func (r *Records[R]) remove(ctx context.Context, u *Undoing, created []string) error {
	if len(created) == 0 {
		return nil
	}
	records, err := r.Load(ctx, u.Tx, u.Owner, created)
	if err != nil {
		return err
	}
	for _, id := range created {
		record, found := records[id]
		if !found {
			continue // an import's record that was deleted since
		}
		r.Type.Deleted(u.Tx, u.Owner, &record)
		if err := r.keep(ctx, u, id, &record); err != nil {
			return err
		}
		if r.KeepMore != nil {
			if err := r.KeepMore(ctx, u.Tx, u.Owner, &record); err != nil {
				return err
			}
		}
		if err := r.delete(ctx, u, id, &record); err != nil {
			return err
		}
		if r.Changed != nil {
			if err := r.Changed(ctx, u, &record, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Records[R]) keep(ctx context.Context, u *Undoing, id string, record *R) error {
	if r.Keep != nil {
		return r.Keep(ctx, u.Tx, u.Owner, record)
	}
	return Keep(ctx, u.Tx, u.Owner, r.Tables[0], r.key()+` = $2`, id)
}

func (r *Records[R]) delete(ctx context.Context, u *Undoing, id string, record *R) error {
	if r.Remove != nil {
		return r.Remove(ctx, u.Tx, u.Owner, record)
	}
	_, err := u.Tx.Exec(ctx, `DELETE FROM `+r.Tables[0]+` WHERE user_id = $1 AND `+r.key()+` = $2`, u.Owner, id)
	return err
}

// key returns the column with the id.
func (r *Records[R]) key() string { return cmp.Or(r.Key, "id") }

// TableRecords returns the undoer for records with a field table whose key is id.
func TableRecords[R any](t *Type[R], table *fields.Table[R], clock journal.Clock) *Records[R] {
	return &Records[R]{
		Type: t, Tables: []string{table.Name},
		Load: func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]R, error) {
			records := make(map[string]R, len(ids))
			err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
				var r R
				err := table.Scan(row, &r)
				records[t.of.ID(&r)] = r
				return err
			}, table.Select("r")+` WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
			return records, err
		},
		Save: func(ctx context.Context, tx *db.Tx, owner journal.UserID, _, after []R) error {
			for i := range after {
				table.SetUpdated(&after[i], clock())
				if _, err := tx.Exec(ctx, table.Update(), table.UpdateValues(owner, &after[i])...); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// FindMissing returns the key of a record that does not exist and does not come back by the
// undo itself.
func FindMissing(ctx context.Context, u *Undoing, kind, table, id string) (Key, error) {
	key := Key{kind, id}
	var exists bool
	err := u.Tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+` WHERE user_id = $1 AND id = $2)`, u.Owner, id).Scan(&exists)
	if err != nil || exists || u.HasAction(key, Deleted) {
		return Key{}, err
	}
	return key, nil
}
