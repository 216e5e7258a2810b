package views

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
)

// Undoers undo changes to views.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(viewHistory, viewTable, s.clock)
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, v *View) (history.Key, error) {
		key := history.Key{Type: "view"}
		err := u.Tx.QueryRow(ctx, `SELECT id FROM views WHERE user_id = $1 AND name_key = $2 AND id <> $3`, u.Owner, nameKey(v), v.ID).Scan(&key.ID)
		if errors.Is(err, db.ErrNoRows) {
			return history.Key{}, nil
		}
		return key, err
	}
	return []history.TypeUndoer{{Type: "view", Undoer: r}}
}
