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
		return requestKeys(ctx, u, `id = $4`, after.ID)
	}
	return []history.TypeUndoer{{Type: "connection", Undoer: r}}
}

// requestKeys makes restored connections ask for their keys.
func requestKeys(ctx context.Context, u *history.Undoing, where string, id any) error {
	_, err := u.Tx.Exec(ctx, `UPDATE connections SET status = $1, message = $2 WHERE user_id = $3 AND `+where,
		fetch.StatusAttention, "Its keys were destroyed when it was deleted. Enter them again.", u.Owner, id)
	return err
}

// RestoreAccount restores the connections of an account that came back, without their keys.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	for _, table := range []string{connectionTable.Name, runTable.Name} {
		if err := u.Insert(ctx, table, ""); err != nil {
			return err
		}
	}
	if err := requestKeys(ctx, u, `account_id = $4`, account); err != nil {
		return err
	}
	var n int
	err := u.Tx.QueryRow(ctx, `SELECT COUNT(*) FROM connections WHERE user_id = $1 AND account_id = $2`, u.Owner, account).Scan(&n)
	history.Contain(u.Tx, history.Key{Type: "account", ID: string(account)}, "connection", n)
	return err
}
