package history

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// Undoer undoes what changes did to the records of some types.
type Undoer interface {
	// Check adds a conflict for everything that is in the way of an undo. It changes nothing.
	Check(ctx context.Context, u *Undoing, objects []Object) error
	// Apply runs one phase of the undo.
	Apply(ctx context.Context, u *Undoing, objects []Object, phase Phase) error
}

// Phase is a part of an undo. All types run one phase before the next begins, so deleted
// records exist before others refer to them again, and created ones are deleted when none
// does any more.
type Phase int

// The phases. Types are restored in the order in which [Service.SetUndoers] has them, and
// removed in the opposite order.
const (
	Restoring Phase = iota // deleted records come back
	Reverting              // updated records get their values of before
	Removing               // created records are deleted
)

// TypeUndoer is an undoer for one record type.
type TypeUndoer struct {
	Type   string
	Undoer Undoer
}

// SetUndoers sets how changes are undone. Types that others refer to come first. It must be
// called before the first undo.
func (s *Service) SetUndoers(list []TypeUndoer) { s.undoers = list }

// Conflict is a reason why a change cannot be undone.
type Conflict struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	// Field is the changed field, or nil if the record is gone, in use, or its place taken.
	Field *string `json:"field"`
	// Change is the newest change of the field or record; empty if it is not known.
	Change journal.ChangeID `json:"change_id,omitempty"`
}

// maxConflicts is how many conflicts a refusal lists.
const maxConflicts = 100

// Undoing is an undo inside its transaction.
type Undoing struct {
	Tx     *db.Tx
	Owner  journal.UserID
	Change *Change
	Now    time.Time

	block     *Block
	inserted  map[string]bool
	conflicts []Conflict
}

// AddConflict adds a conflict with a record's field; an empty field means the record itself.
func (u *Undoing) AddConflict(key Key, field string) {
	c := Conflict{Type: key.Type, ID: key.ID}
	if field != "" {
		c.Field = &field
	}
	if !slices.ContainsFunc(u.conflicts, func(other Conflict) bool {
		return other.Type == c.Type && other.ID == c.ID && (other.Field == nil) == (field == "") && (field == "" || *other.Field == field)
	}) {
		u.conflicts = append(u.conflicts, c)
	}
}

// Has reports whether the change has an object with the type and id.
func (u *Undoing) Has(key Key) bool {
	return slices.ContainsFunc(u.Change.Objects, func(o Object) bool { return o.Type == key.Type && o.ID == key.ID })
}

// HasAction reports whether the change did something to a record.
func (u *Undoing) HasAction(key Key, action ObjectAction) bool {
	return slices.ContainsFunc(u.Change.Objects, func(o Object) bool { return o.Type == key.Type && o.ID == key.ID && o.Action == action })
}

// EachKept calls fn with the kept rows of a table, some at a time.
func (u *Undoing) EachKept(table string, fn func(rows KeptRows) error) error {
	if u.block == nil {
		return nil
	}
	for i := range u.block.Tables {
		if t := &u.block.Tables[i]; t.Table == table {
			if err := t.each(fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// Insert inserts the kept rows of a table, once, as updated now. With an ON CONFLICT clause as suffix, rows
// may be left out.
func (u *Undoing) Insert(ctx context.Context, table, suffix string) error {
	if u.inserted[table] {
		return nil
	}
	u.inserted[table] = true
	return u.EachKept(table, func(rows KeptRows) error {
		u.SetUpdated(rows)
		_, err := u.Tx.InsertRows(ctx, rows.Table, rows.Columns, rows.Rows, suffix)
		return err
	})
}

// SetUpdated sets the last change time in kept rows to now.
func (u *Undoing) SetUpdated(rows KeptRows) {
	if at := slices.Index(rows.Columns, "updated_at"); at >= 0 {
		for _, row := range rows.Rows {
			row[at] = db.Micros(u.Now)
		}
	}
}

// MarkInserted makes [Undoing.Insert] leave out a table, whose rows the caller writes.
func (u *Undoing) MarkInserted(tables ...string) {
	for _, table := range tables {
		u.inserted[table] = true
	}
}

// Tables returns the tables with kept rows, in the order of insertion.
func (u *Undoing) Tables() (tables []string) {
	if u.block == nil {
		return nil
	}
	for _, t := range u.block.Tables {
		if !slices.Contains(tables, t.Table) {
			tables = append(tables, t.Table)
		}
	}
	return tables
}

// Undo undoes a change, as a step in the caller's transaction. It refuses with a
// [journal.Error] if that is not possible, and then the caller must not commit. check is
// called with the change before anything else.
func (s *Service) Undo(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChangeID, check func(*Change) error) error {
	change, err := s.load(ctx, tx, owner, id, tx.Lock())
	if err != nil {
		return err
	}
	if err := s.checkUndoable(&change); err != nil {
		return err
	}
	if err := check(&change); err != nil {
		return err
	}
	u := &Undoing{Tx: tx, Owner: owner, Change: &change, Now: s.clock(), inserted: map[string]bool{}}
	if u.block, err = s.openBlock(ctx, tx, owner, change.Position); err != nil {
		return err
	}
	change.addKept(u.block)
	if change.ExpiresAt != nil && u.block == nil {
		return notUndoable(NotUndoableExpired)
	}
	if err := s.checkConflicts(ctx, u); err != nil {
		return err
	}
	Describe(tx, owner, Description{Action: Undo, Undoes: change.Position, Summary: undoSummary(&change)})
	return s.apply(ctx, u)
}

// undoSummary returns the summary of an undo.
func undoSummary(c *Change) string {
	if c.Action == Undo {
		return "Redid: " + c.Summary
	}
	return "Undid: " + c.Summary
}

// checkUndoable returns why a change cannot be undone, whatever happened later.
func (s *Service) checkUndoable(change *Change) error {
	switch {
	case change.IsPartial:
		return journal.Forbidden("This change has records of accounts that this access token does not see.")
	case change.NotUndoable == NotUndoableUndone:
		return &journal.Error{
			Kind: journal.KindConflict, Code: "already_undone", Message: "This change was undone already.",
			Details: map[string]any{"undone_by": change.UndoneBy},
		}
	case change.NotUndoable != "":
		return notUndoable(change.NotUndoable)
	}
	return nil
}

// notUndoableMessages are the messages for the reasons why a change cannot be undone.
var notUndoableMessages = map[Reason]string{
	NotUndoableSecurity:  "Changes to sign-in, access tokens and keys cannot be undone.",
	NotUndoablePermanent: "A change of this kind cannot be undone. An import can be reversed instead.",
	NotUndoableExpired:   "What this change removed is no longer kept.",
	NotUndoableErased:    "The content of this change was erased.",
}

func notUndoable(reason Reason) error {
	return &journal.Error{
		Kind: journal.KindConflict, Code: "not_undoable", Message: notUndoableMessages[reason], Details: map[string]any{"code": reason},
	}
}

func (s *Service) undoerOf(kind string) Undoer {
	for _, t := range s.undoers {
		if t.Type == kind {
			return t.Undoer
		}
	}
	return nil
}

// objectsOf returns a change's objects with a type.
func (c *Change) objectsOf(kind string) (list []Object) {
	for _, o := range c.Objects {
		if o.Type == kind {
			list = append(list, o)
		}
	}
	return list
}

// addKept adds the values in the kept block to the objects.
func (c *Change) addKept(block *Block) {
	if block == nil {
		return
	}
	known := map[Key][]Field{}
	for _, o := range block.Objects {
		known[Key{o.Type, o.ID}] = o.Fields
	}
	for i := range c.Objects {
		o := &c.Objects[i]
		kept := known[Key{o.Type, o.ID}]
		if o.Action == Deleted {
			o.Fields = kept
			continue
		}
		for _, long := range kept {
			if at := slices.IndexFunc(o.Fields, func(f Field) bool { return f.Name == long.Name }); at >= 0 {
				o.Fields[at] = long
			}
		}
	}
}

// checkConflicts returns the conflicts as a refusal.
func (s *Service) checkConflicts(ctx context.Context, u *Undoing) error {
	for _, t := range s.undoers {
		if objects := u.Change.objectsOf(t.Type); len(objects) > 0 {
			if err := t.Undoer.Check(ctx, u, objects); err != nil {
				return err
			}
		}
	}
	if len(u.conflicts) == 0 {
		return nil
	}
	return s.refuse(ctx, u)
}

// refuse returns the refusal for an undo with conflicts.
func (s *Service) refuse(ctx context.Context, u *Undoing) error {
	total := len(u.conflicts)
	list := u.conflicts[:min(total, maxConflicts)]
	for i := range list {
		var err error
		if list[i].Change, err = s.lastChangeOf(ctx, u, list[i]); err != nil {
			return err
		}
	}
	return &journal.Error{
		Kind: journal.KindConflict, Code: "changed_since", Message: "Later changes are in the way. Undo these first.",
		Details: map[string]any{"conflicts": list, "conflicts_total": total},
	}
}

// maxSearched is how many changes of a record are searched for the one in the way.
const maxSearched = 200

// lastChangeOf returns the newest change that a conflict is about.
func (s *Service) lastChangeOf(ctx context.Context, u *Undoing, c Conflict) (journal.ChangeID, error) {
	known, err := readStreams(ctx, u.Tx, u.Owner)
	if err != nil {
		return "", err
	}
	positions, err := db.List(ctx, u.Tx, db.Single[int64],
		`SELECT position FROM history_objects WHERE user_id = $1 AND key = $2 AND position <> $3 ORDER BY position DESC`+db.Limit(4),
		u.Owner, Key{c.Type, c.ID}.hash(), u.Change.Position, maxSearched)
	if err != nil {
		return "", err
	}
	for _, position := range positions {
		change, err := known.scan(u.Tx.QueryRow(ctx, selectChanges+` WHERE c.user_id = $1 AND c.position = $2`, u.Owner, position))
		if err != nil {
			return "", err
		}
		if change.sets(c) && change.limit(ctx) {
			return change.ID, nil
		}
	}
	return "", nil
}

// sets reports whether a change set the field that a conflict names, or wrote its record.
func (c *Change) sets(conflict Conflict) bool {
	return slices.ContainsFunc(c.Objects, func(o Object) bool {
		if o.Type != conflict.Type || o.ID != conflict.ID {
			return false
		}
		return conflict.Field == nil || o.Action != Updated || slices.ContainsFunc(o.Fields, func(f Field) bool { return f.Name == *conflict.Field })
	})
}

// apply runs the phases.
func (s *Service) apply(ctx context.Context, u *Undoing) error {
	for _, phase := range []Phase{Restoring, Reverting, Removing} {
		list := slices.Clone(s.undoers)
		if phase == Removing {
			slices.Reverse(list)
		}
		for _, t := range list {
			if objects := u.Change.objectsOf(t.Type); len(objects) > 0 {
				if err := t.Undoer.Apply(ctx, u, objects, phase); err != nil {
					return fmt.Errorf("undoing changes to the type %s: %w", t.Type, err)
				}
			}
		}
	}
	return nil
}

// Records is the [Undoer] of a type whose records are rows with an id.
type Records[R any] struct {
	Type *Type[R]
	// Tables have the rows of a deleted record, in the order of insertion. The first has a
	// row for each record, with its id in the column id.
	Tables []string
	// Load reads and locks records by id. Those that do not exist are left out.
	Load func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]R, error)
	// Save writes changed records.
	Save func(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after []R) error
	// Remove deletes a record, after [Type.Deleted] and [Keep]. If it is nil, the row in the
	// first table is deleted.
	Remove func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *R) error
	// KeepMore keeps further rows that are deleted with a record. It may be nil.
	KeepMore func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *R) error
	// FindUser returns a record for which a created record cannot be deleted. It may be nil.
	FindUser func(ctx context.Context, u *Undoing, record *R) (Key, error)
	// FindObstacle returns the record in the way of storing a record: one with the same name,
	// or a missing one that it refers to. It may be nil.
	FindObstacle func(ctx context.Context, u *Undoing, record *R) (Key, error)
	// IsGone reports that a stored record counts as deleted. It may be nil.
	IsGone func(*R) bool
	// Suffix ends the statement that inserts the rows of the first table.
	Suffix string
	// Prepare is called before the rows of a deleted record are inserted. It may be nil.
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
		exists = exists && (r.IsGone == nil || !r.IsGone(&record))
		switch {
		case o.Action == Deleted && exists:
			u.AddConflict(o.key(), "")
		case o.Action == Deleted:
			err = r.checkDeleted(ctx, u, o)
		case !exists:
			u.AddConflict(o.key(), "")
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

// CheckCreated adds conflicts for the fields of a created record that were edited since.
func CheckCreated[R any](u *Undoing, list fields.List[R], o Object, record *R) {
	var empty R
	for i := range list {
		f := &list[i]
		if !f.IsShown() || neverConflicts(f.Name) {
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

// members returns the members of a set.
func members(set jsontext.Value) (list []string) {
	var values []jsontext.Value
	if set.Kind() != '[' || json.Unmarshal(set, &values) != nil {
		return nil
	}
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// hasMembers reports whether a set has the members that a change added, and none that it
// removed.
func hasMembers(change Field, current jsontext.Value) bool {
	before, after, now := members(change.Before), members(change.After), members(current)
	added, removed := without(after, before), without(before, after)
	return len(without(added, now)) == 0 && len(without(removed, now)) == len(removed)
}

// revertMembers returns a set without the members that a change added, and with those that
// it removed, at their places if nothing else has changed.
func revertMembers(change Field, current jsontext.Value) jsontext.Value {
	if bytes.Equal(current, change.After) {
		return change.Before
	}
	before, after := members(change.Before), members(change.After)
	list := without(members(current), without(after, before))
	for i, member := range before {
		if !slices.Contains(list, member) && !slices.Contains(after, member) {
			list = slices.Insert(list, min(i, len(list)), member)
		}
	}
	out := []byte{'['}
	for i, member := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, member...)
	}
	return append(out, ']')
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
		if err := u.Insert(ctx, table, suffix); err != nil {
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
		record := records[id]
		r.Type.Deleted(u.Tx, u.Owner, &record)
		if err := Keep(ctx, u.Tx, u.Owner, r.Tables[0], `id = $2`, id); err != nil {
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

func (r *Records[R]) delete(ctx context.Context, u *Undoing, id string, record *R) error {
	if r.Remove != nil {
		return r.Remove(ctx, u.Tx, u.Owner, record)
	}
	_, err := u.Tx.Exec(ctx, `DELETE FROM `+r.Tables[0]+` WHERE user_id = $1 AND id = $2`, u.Owner, id)
	return err
}

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

// largeBlock is from how many bytes of a kept block on an undo is a long write.
const largeBlock = 64 << 10

// IsLarge reports whether the undo of a change writes many rows; see [db.DB.UpdateInParts].
func (s *Service) IsLarge(ctx context.Context, owner journal.UserID, id journal.ChangeID) (bool, error) {
	change, err := db.Get(ctx, s.db.View, func(tx *db.Tx) (Change, error) { return s.load(ctx, tx, owner, id, "") })
	if err != nil {
		return false, err
	}
	isImport := func(o Object) bool { return o.Type == "import" || o.Type == "bar_import" }
	return change.kept != nil && change.kept.Bytes >= largeBlock || slices.ContainsFunc(change.Objects, isImport), nil
}

// Values is the [Undoer] of records that are values by name, and exist always.
type Values struct {
	Type string
	// Load returns the values of a record.
	Load func(ctx context.Context, u *Undoing, id string) (map[string]jsontext.Value, error)
	// Store sets some values of a record; null removes one.
	Store func(ctx context.Context, u *Undoing, id string, values map[string]jsontext.Value) error
	// FindObstacle returns the missing record that a record belongs to. It may be nil.
	FindObstacle func(ctx context.Context, u *Undoing, id string) (Key, error)
}

// valueOf returns a value by name, or null.
func valueOf(values map[string]jsontext.Value, name string) jsontext.Value {
	if value := values[name]; value != nil {
		return value
	}
	return jsontext.Value("null")
}

// Check implements [Undoer].
func (v *Values) Check(ctx context.Context, u *Undoing, objects []Object) error {
	for _, o := range objects {
		if v.FindObstacle != nil {
			if key, err := v.FindObstacle(ctx, u, o.ID); err != nil || key != (Key{}) {
				u.AddConflict(key, "")
				return err
			}
		}
		current, err := v.Load(ctx, u, o.ID)
		if err != nil {
			return err
		}
		for _, f := range o.Fields {
			if !bytes.Equal(valueOf(current, f.Name), f.After) {
				u.AddConflict(o.key(), f.Name)
			}
		}
	}
	return nil
}

// Apply implements [Undoer].
func (v *Values) Apply(ctx context.Context, u *Undoing, objects []Object, phase Phase) error {
	if phase != Reverting {
		return nil
	}
	opposite := map[ObjectAction]ObjectAction{Created: Deleted, Updated: Updated, Deleted: Created}
	for _, o := range objects {
		undone := Object{Type: o.Type, ID: o.ID, Label: o.Label, Action: opposite[o.Action], Account: o.Account, SeenIn: o.SeenIn}
		values := make(map[string]jsontext.Value, len(o.Fields))
		for _, f := range o.Fields {
			values[f.Name] = f.Before
			undone.Fields = append(undone.Fields, Field{f.Name, f.After, f.Before})
		}
		Record(u.Tx, u.Owner, undone)
		if err := v.Store(ctx, u, o.ID, values); err != nil {
			return err
		}
	}
	return nil
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

// KeptSince returns the instant since which removed content is kept.
func (s *Service) KeptSince() time.Time { return s.clock().Add(-s.kept) }
