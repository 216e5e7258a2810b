package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
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

// WithAccount returns an undoer that leaves out records of accounts which the change to undo
// created: they go with their account.
func WithAccount(undoer Undoer) Undoer { return withAccount{undoer} }

type withAccount struct{ Undoer }

// withoutNewAccounts leaves out objects of accounts that the change created.
func withoutNewAccounts(u *Undoing, objects []Object) []Object {
	return slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return u.HasAction(Key{"account", string(o.Account)}, Created) })
}

// Check implements [Undoer].
func (w withAccount) Check(ctx context.Context, u *Undoing, objects []Object) error {
	if objects = withoutNewAccounts(u, objects); len(objects) == 0 {
		return nil
	}
	return w.Undoer.Check(ctx, u, objects)
}

// Apply implements [Undoer].
func (w withAccount) Apply(ctx context.Context, u *Undoing, objects []Object, phase Phase) error {
	if objects = withoutNewAccounts(u, objects); len(objects) == 0 {
		return nil
	}
	return w.Undoer.Apply(ctx, u, objects, phase)
}

// SetUndoers sets how changes are undone. Types that others refer to come first. It must be
// called before the first undo.
func (s *Service) SetUndoers(list []TypeUndoer) { s.undoers = list }

// Undoing is an undo inside its transaction.
type Undoing struct {
	Tx     *db.Tx
	Owner  journal.UserID
	Change *Change
	Now    time.Time
	// Earlier are the changes that this one did again, the newest first: only what they kept
	// can be read.
	Earlier []*Undoing

	block     *Block
	inserted  map[string]bool
	actions   map[Key]ObjectAction // of the change's objects; nil until it is needed
	conflicts []Conflict
}

// Has reports whether the change has an object with the type and id.
func (u *Undoing) Has(key Key) bool { return u.actionOf(key) != "" }

// HasAction reports whether the change did something to a record.
func (u *Undoing) HasAction(key Key, action ObjectAction) bool { return u.actionOf(key) == action }

// actionOf returns what the change did to a record; empty if nothing.
func (u *Undoing) actionOf(key Key) ObjectAction {
	if u.actions == nil {
		u.actions = make(map[Key]ObjectAction, len(u.Change.Objects))
		for i := range u.Change.Objects {
			u.actions[u.Change.Objects[i].key()] = u.Change.Objects[i].Action
		}
	}
	return u.actions[key]
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
	return u.insert(ctx, table, suffix, nil)
}

// insert is [Undoing.Insert] with the rows that adapt returns, which may be nil.
func (u *Undoing) insert(
	ctx context.Context, table, suffix string, adapt func(context.Context, *Undoing, KeptRows) (KeptRows, error),
) error {
	if u.inserted[table] {
		return nil
	}
	u.inserted[table] = true
	return u.EachKept(table, func(rows KeptRows) (err error) {
		u.SetUpdated(rows)
		if adapt != nil {
			if rows, err = adapt(ctx, u, rows); err != nil {
				return err
			}
		}
		_, err = u.Tx.InsertRows(ctx, rows.Table, rows.Columns, rows.Rows, suffix)
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
	if u.block, err = openBlock(ctx, tx, owner, &change); err != nil {
		return err
	}
	if u.Earlier, err = s.earlier(ctx, u); err != nil {
		return err
	}
	change.addKept(u.block)
	if change.ExpiresAt != nil && u.block == nil {
		return notUndoable(NotUndoableExpired)
	}
	if err := u.addBrought(ctx); err != nil {
		return err
	}
	if err := s.checkConflicts(ctx, u); err != nil {
		return err
	}
	Describe(tx, owner, Description{Action: Undo, Undoes: change.Position, Summary: undoSummary(&change)})
	return s.apply(ctx, u)
}

// The beginnings of an undo's summary.
const (
	undid = "Undid: "
	redid = "Redid: "
)

// undoSummary returns the summary of an undo. The undo of an undo is a redo, and that of a
// redo is an undo of the first change again.
func undoSummary(c *Change) string {
	if what, isRedo := strings.CutPrefix(c.Summary, redid); isRedo && c.Action == Undo {
		return undid + what
	}
	if what, isUndo := strings.CutPrefix(c.Summary, undid); isUndo && c.Action == Undo {
		return redid + what
	}
	return undid + c.Summary
}

// earlier returns the changes that the change to undo did again, the newest first, with what
// they kept: it was in effect before them.
func (s *Service) earlier(ctx context.Context, u *Undoing) (list []*Undoing, err error) {
	if u.Change.Undoes == "" {
		return nil, nil
	}
	known, err := readStreams(ctx, u.Tx, u.Owner)
	if err != nil {
		return nil, err
	}
	for id, n := u.Change.Undoes, 0; id != ""; n++ {
		_, _, position, _ := journal.UnpackID(id)
		change, err := known.scan(u.Tx.QueryRow(ctx, selectChanges+` WHERE c.user_id = $1 AND c.position = $2`, u.Owner, position))
		if err != nil {
			return nil, err
		}
		if id = change.Undoes; n%2 == 0 {
			continue // an undo of what the change did again
		}
		block, err := openBlock(ctx, u.Tx, u.Owner, &change)
		if err != nil {
			return nil, err
		}
		list = append(list, &Undoing{Tx: u.Tx, Owner: u.Owner, Change: &change, Now: u.Now, block: block, inserted: map[string]bool{}})
	}
	return list, nil
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
	NotUndoablePermanent: "The deletion of a user cannot be undone.",
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

// KeptSince returns the instant since which removed content is kept.
func (s *Service) KeptSince() time.Time { return s.clock().Add(-s.kept) }
