package connections

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/fetch"
)

// Undoers undo changes to connections. A deleted connection comes back without its keys.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(connectionHistory, connectionTable, s.Clock)
	r.Tables = append(r.Tables, runTable.Name)
	r.Remove = func(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Connection) error {
		return kind.Remove(ctx, tx, owner, c.ID)
	}
	r.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Connection) error {
		return history.Keep(ctx, tx, owner, runTable.Name, `connection_id = $2`, c.ID)
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, c *Connection) (history.Key, error) {
		return history.FindMissing(ctx, u, "account", "accounts", string(c.Account))
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Connection) error {
		if before != nil {
			return nil
		}
		_, err := u.Tx.Exec(ctx, `UPDATE connections SET status = $1, message = $2 WHERE user_id = $3 AND id = $4`,
			fetch.StatusAttention, "Its keys were destroyed when it was deleted. Enter them again.", u.Owner, after.ID)
		return err
	}
	return []history.TypeUndoer{{Type: "connection", Undoer: r}}
}
