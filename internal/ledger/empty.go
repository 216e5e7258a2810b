package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// Foreign keys would delete the rows of an account together with it. But SQLite
// keeps the rows that a single statement deletes in memory until it ends, and
// an account can be most of the database. The large tables are therefore
// emptied first, in chunks.

// deleteChunk is how many rows a statement deletes; rows with equal times may
// exceed it.
const deleteChunk = 10_000

// EmptyAccounts deletes the fills and trades of all accounts of an owner. It is
// a step of deleting the owner.
func EmptyAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	accounts, err := Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := emptyAccount(ctx, tx, owner, a, deleteChunk); err != nil {
			return err
		}
	}
	return nil
}

func emptyAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account, chunk int) error {
	for _, part := range []struct{ table, column string }{{"executions", "executed_at"}, {"trades", "list_at"}} {
		if err := deleteInChunks(ctx, tx, owner, a.number, part.table, part.column, chunk); err != nil {
			return fmt.Errorf("emptying %s: %w", part.table, err)
		}
	}
	return nil
}

// deleteInChunks deletes the rows of an account in the order of a column.
func deleteInChunks(ctx context.Context, tx *db.Tx, owner journal.UserID, account int64, table, column string, chunk int) error {
	rows := ` FROM ` + table + ` WHERE user_id = $1 AND account = $2`
	for last := int64(0); last < math.MaxInt64; {
		err := tx.QueryRow(ctx, `SELECT `+column+rows+` ORDER BY `+column+` LIMIT 1 OFFSET $3`, owner, account, chunk).Scan(&last)
		if errors.Is(err, db.ErrNoRows) {
			last, err = math.MaxInt64, nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE`+rows+` AND `+column+` <= $3`, owner, account, last); err != nil {
			return err
		}
	}
	return nil
}
