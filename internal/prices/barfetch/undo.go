package barfetch

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/fetch"
)

// Undoers undo changes to price sources. A deleted source comes back without its keys.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(sourceHistory, sourceTable, s.Clock)
	r.Tables = append(r.Tables, "bar_source_sessions")
	r.Remove = func(ctx context.Context, tx *db.Tx, owner journal.UserID, source *Source) error {
		if _, err := tx.Exec(ctx, `DELETE FROM bar_source_sessions WHERE user_id = $1 AND source_id = $2`, owner, source.ID); err != nil {
			return err
		}
		return kind.Remove(ctx, tx, owner, source.ID)
	}
	r.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, source *Source) error {
		return history.Keep(ctx, tx, owner, "bar_source_sessions", `source_id = $2`, source.ID)
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, source *Source) (history.Key, error) {
		key := history.Key{Type: "price_source"}
		err := u.Tx.QueryRow(ctx, `SELECT id FROM bar_sources WHERE user_id = $1 AND provider = $2 AND id <> $3`,
			u.Owner, source.Provider, source.ID).Scan(&key.ID)
		if errors.Is(err, db.ErrNoRows) {
			return history.Key{}, nil
		}
		return key, err
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Source) error {
		if before != nil {
			return nil
		}
		_, err := u.Tx.Exec(ctx, `UPDATE bar_sources SET status = $1, message = $2 WHERE user_id = $3 AND id = $4`,
			fetch.StatusAttention, "Its keys were destroyed when it was deleted. Enter them again.", u.Owner, after.ID)
		return err
	}
	return []history.TypeUndoer{{Type: "price_source", Undoer: r}}
}
