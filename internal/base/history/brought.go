package history

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// addBrought adds the records that an import brought to the objects of the change to undo.
// Annotations that were edited since are left out: they stay, as after any loss of fills.
func (u *Undoing) addBrought(ctx context.Context) error {
	for _, o := range slices.Clone(u.Change.Objects) {
		at := slices.IndexFunc(o.Fields, func(f Field) bool { return f.Name == broughtField })
		if at < 0 {
			continue
		}
		var ids map[string][]string
		if err := json.Unmarshal(o.Fields[at].After, &ids); err != nil {
			return err
		}
		for _, kind := range slices.Sorted(maps.Keys(ids)) {
			var edited []string
			if kind == "trade" {
				var err error
				if edited, err = u.ListEdited(ctx, kind, ids[kind]); err != nil {
					return err
				}
			}
			for _, id := range ids[kind] {
				if !slices.Contains(edited, id) {
					brought := Object{Type: kind, ID: id, Action: Created, Account: o.Account, SeenIn: o.SeenIn, IsBrought: true}
					u.Change.Objects = append(u.Change.Objects, brought)
				}
			}
		}
	}
	u.actions = nil
	return nil
}

// leaveOut removes an object from the change to undo: its record stays as it is.
func (u *Undoing) leaveOut(key Key) {
	u.Change.Objects = slices.DeleteFunc(u.Change.Objects, func(o Object) bool { return o.key() == key })
	u.actions = nil
}

// ListEdited returns those of some records to which a later change is in effect.
func (u *Undoing) ListEdited(ctx context.Context, kind string, ids []string) (edited []string, err error) {
	return u.listLater(ctx, kind, ids, u.IsEdited)
}

// ListDeleted returns the records that a later change has deleted.
func (u *Undoing) ListDeleted(ctx context.Context, kind string, ids []string) (deleted []string, err error) {
	return u.listLater(ctx, kind, ids, u.isDeletedSince)
}

// listLater returns those of some records with a later change that pass a test.
func (u *Undoing) listLater(
	ctx context.Context, kind string, ids []string, test func(context.Context, Key) (bool, error),
) (passing []string, err error) {
	byHash := make(map[int64]string, len(ids))
	hashes := make([]int64, len(ids))
	for i, id := range ids {
		hashes[i] = Key{kind, id}.hash()
		byHash[hashes[i]] = id
	}
	changed := map[string]bool{}
	err = db.EachIn(ctx, u.Tx, hashes, func(row db.Scanner) error {
		hash, err := db.Single[int64](row)
		changed[byHash[hash]] = true
		return err
	}, `SELECT DISTINCT key FROM history_objects WHERE user_id = $1 AND position > $2 AND key IN $keys`, u.Owner, u.Change.Position)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(changed)) {
		passes, err := test(ctx, Key{kind, id})
		if err != nil {
			return nil, err
		}
		if passes {
			passing = append(passing, id)
		}
	}
	return passing, nil
}

// IsEdited reports whether a later change to a record is in effect: it was not undone, or
// it was redone.
func (u *Undoing) IsEdited(ctx context.Context, key Key) (bool, error) {
	return u.hasLater(ctx, key, func(c *Change) bool { return c.sets(Conflict{Type: key.Type, ID: key.ID}) })
}

// isDeletedSince reports whether a later deletion of a record is in effect.
func (u *Undoing) isDeletedSince(ctx context.Context, key Key) (bool, error) {
	return u.hasLater(ctx, key, func(c *Change) bool {
		return slices.ContainsFunc(c.Objects, func(o Object) bool { return o.key() == key && o.Action == Deleted })
	})
}

// hasLater reports whether a later change in effect to a record passes a test.
func (u *Undoing) hasLater(ctx context.Context, key Key, test func(*Change) bool) (bool, error) {
	positions, err := db.List(ctx, u.Tx, db.Single[int64],
		`SELECT position FROM history_objects WHERE user_id = $1 AND key = $2 AND position > $3 ORDER BY position`+db.Limit(4),
		u.Owner, key.hash(), u.Change.Position, maxSearched)
	if err != nil || len(positions) == 0 {
		return false, err
	}
	known, err := readStreams(ctx, u.Tx, u.Owner)
	if err != nil {
		return false, err
	}
	for _, position := range positions {
		change, err := known.scan(u.Tx.QueryRow(ctx, selectChanges+` WHERE c.user_id = $1 AND c.position = $2`, u.Owner, position))
		if err != nil {
			return false, err
		}
		if change.UndoneBy != "" || !test(&change) {
			continue
		}
		if n, err := u.countUndos(ctx, position); err != nil || n%2 == 0 {
			return true, err
		}
	}
	return false, nil
}

// LaterChanges returns later changes in effect to records of an account, the newest first.
func (u *Undoing) LaterChanges(ctx context.Context, account journal.AccountID) (list []Change, err error) {
	known, err := readStreams(ctx, u.Tx, u.Owner)
	if err != nil {
		return nil, err
	}
	for _, query := range []struct {
		text string
		arg  any
	}{
		{selectChanges + ` WHERE c.user_id = $1 AND c.position > $2 AND c.undone_by IS NULL
			AND c.stream IN (SELECT number FROM history_streams WHERE user_id = $1 AND account_id = $3)`, string(account)},
		{selectChanges + ` WHERE c.user_id = $1 AND c.position > $2 AND c.undone_by IS NULL
			AND c.position IN (SELECT position FROM history_objects WHERE user_id = $1 AND key = $3)`, accountKey(account).hash()},
	} {
		found, err := db.List(ctx, u.Tx, known.scan, query.text+` ORDER BY c.position DESC`+db.Limit(4),
			u.Owner, u.Change.Position, query.arg, maxSearched)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(b.Position, a.Position) })
	inEffect := list[:0]
	for _, c := range list {
		n, err := u.countUndos(ctx, c.Position)
		if err != nil {
			return nil, err
		}
		if n%2 == 0 {
			inEffect = append(inEffect, c)
		}
	}
	return inEffect, nil
}

// countUndos returns how many changes a change undoes, one the other, after the change to
// undo: after an even number, the first of them is in effect.
func (u *Undoing) countUndos(ctx context.Context, position int64) (n int, err error) {
	for {
		var undoes *int64
		err := u.Tx.QueryRow(ctx, `SELECT undoes FROM history_changes WHERE user_id = $1 AND position = $2`, u.Owner, position).Scan(&undoes)
		if err != nil || undoes == nil || *undoes <= u.Change.Position {
			return n, err
		}
		n, position = n+1, *undoes
	}
}
