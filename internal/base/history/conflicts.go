package history

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

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
	_, isLimited := journal.AllowedAccounts(ctx)
	list := []Conflict{}
	for _, c := range u.conflicts[:min(total, maxConflicts)] {
		var err error
		if c.Change, err = s.lastChangeOf(ctx, u, c); err != nil {
			return err
		}
		// A record of an account that the caller does not see is in no change that the caller
		// sees. It is counted only.
		if !isLimited || c.Change != "" || u.Has(Key{c.Type, c.ID}) {
			list = append(list, c)
		}
	}
	return &journal.Error{
		Kind: journal.KindConflict, Code: "changed_since", Message: "Later changes are in the way. Undo these first.",
		Details: map[string]any{"conflicts": list, "conflicts_total": total},
	}
}

// maxSearched is how many changes of a record are searched for the one in the way.
const maxSearched = 200

// lastChangeOf returns the newest later change that a conflict is about.
func (s *Service) lastChangeOf(ctx context.Context, u *Undoing, c Conflict) (journal.ChangeID, error) {
	known, err := readStreams(ctx, u.Tx, u.Owner)
	if err != nil {
		return "", err
	}
	positions, err := db.List(ctx, u.Tx, db.Single[int64],
		`SELECT position FROM history_objects WHERE user_id = $1 AND key = $2 AND position > $3 ORDER BY position DESC`+db.Limit(4),
		u.Owner, Key{c.Type, c.ID}.hash(), u.Change.Position, maxSearched)
	if err != nil {
		return "", err
	}
	for _, position := range positions {
		change, err := known.scan(u.Tx.QueryRow(ctx, selectChanges+` WHERE c.user_id = $1 AND c.position = $2`, u.Owner, position))
		if err != nil {
			return "", err
		}
		if change.limit(ctx) && change.sets(c) {
			return change.ID, nil
		}
	}
	return u.lastRemovalOf(ctx, known, c)
}

// lastRemovalOf returns the newest change in effect that removed records of a conflict's type
// with their owner, such as an account or an import.
func (u *Undoing) lastRemovalOf(ctx context.Context, known *streams, c Conflict) (journal.ChangeID, error) {
	var account journal.AccountID
	for _, o := range u.Change.Objects {
		if o.key() == (Key{c.Type, c.ID}) {
			account = o.seenIn()
		}
	}
	for _, h := range known.list {
		if h.account == "" || account != "" && account != AllAccounts && h.account != account {
			continue
		}
		later, err := u.LaterChanges(ctx, h.account)
		if err != nil {
			return "", err
		}
		for _, change := range later {
			removes := func(o Object) bool { return o.Action != Created && o.Contains[c.Type] > 0 }
			if change.limit(ctx) && slices.ContainsFunc(change.Objects, removes) {
				return change.ID, nil
			}
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
