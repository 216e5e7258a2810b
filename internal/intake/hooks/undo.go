package hooks

import (
	"context"

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
	return []history.TypeUndoer{{Type: "hook", Undoer: r}}
}
