package hooks

import (
	"context"
	"encoding/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

// Undoers undo changes to hooks. A deleted hook comes back with its secret.
func (s *Service) Undoers() []history.TypeUndoer {
	r := &history.Records[Hook]{Type: hookHistory, Tables: []string{"hooks", "hook_quarantine", "hook_bodies"}}
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]Hook, error) {
		found := map[string]Hook{}
		err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
			hook, err := scanHook(row)
			found[string(hook.ID)] = hook
			return err
		}, selectHooks+` WHERE h.user_id = $1 AND h.id IN $keys ORDER BY h.id`+tx.Lock(), owner)
		return found, err
	}
	r.Remove = func(ctx context.Context, tx *db.Tx, owner journal.UserID, hook *Hook) error {
		return deleteHook(ctx, tx, owner, *hook)
	}
	r.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, hook *Hook) error {
		for _, table := range []string{"hook_quarantine", "hook_bodies"} {
			if err := history.Keep(ctx, tx, owner, table, `hook_id = $2`, hook.ID); err != nil {
				return err
			}
		}
		return nil
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, hook *Hook) (history.Key, error) {
		return history.FindMissing(ctx, u, "account", "accounts", string(hook.Account))
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Hook) error {
		if before != nil {
			return nil
		}
		return identity.AddTokenOwner(ctx, u.Tx, after.secretHash, u.Owner, nil)
	}
	return []history.TypeUndoer{{Type: "hook", Undoer: &hookUndoer{r}}}
}

// hookUndoer undoes changes to hooks, and to their quarantine.
type hookUndoer struct{ *history.Records[Hook] }

// Apply implements [history.Undoer].
func (h *hookUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	if err := h.Records.Apply(ctx, u, objects, phase); err != nil || phase != history.Reverting {
		return err
	}
	for _, o := range objects {
		for _, f := range o.Fields {
			if f.Name != entryField || o.Action != history.Updated {
				continue
			}
			if err := moveEntry(ctx, u, o, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveEntry puts an entry back into the quarantine, or takes it out again.
func moveEntry(ctx context.Context, u *history.Undoing, o history.Object, f history.Field) error {
	hook, err := readHook(ctx, u.Tx, u.Owner, journal.HookID(o.ID), u.Tx.Lock())
	if err != nil {
		return err
	}
	var left, back *string
	if err := json.Unmarshal(f.Before, &left); err != nil {
		return err
	}
	if err := json.Unmarshal(f.After, &back); err != nil {
		return err
	}
	if back != nil {
		return removeEntry(ctx, u.Tx, u.Owner, hook, journal.QuarantineID(*back))
	}
	if err := u.Insert(ctx, "hook_quarantine", "ON CONFLICT DO NOTHING"); err != nil {
		return err
	}
	recordEntry(u.Tx, u.Owner, hook, nil, *left)
	return nil
}
