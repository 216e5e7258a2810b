package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// What an account holds would go with its row, by the foreign keys. But SQLite
// keeps in memory what a single statement removes until it ends, and an account
// can be most of the database. So what there is much of is removed before, some
// of it at a time.

// removedAtOnce is how many rows a statement removes, or a few more.
const removedAtOnce = 10_000

// EmptyAccounts removes the fills and trades of all accounts of an owner, as a step of
// removing the owner.
func EmptyAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	accounts, err := Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := emptyAccount(ctx, tx, owner, a, removedAtOnce); err != nil {
			return err
		}
	}
	return nil
}

func emptyAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account, atOnce int) error {
	for _, part := range []struct{ table, column string }{{"executions", "executed_at"}, {"trades", "list_at"}} {
		if err := removeInParts(ctx, tx, owner, a.number, part.table, part.column, atOnce); err != nil {
			return fmt.Errorf("emptying %s: %w", part.table, err)
		}
	}
	return nil
}

// removeInParts removes the rows of an account in the order of a column.
func removeInParts(ctx context.Context, tx *db.Tx, owner journal.UserID, account int64, table, column string, atOnce int) error {
	rows := ` FROM ` + table + ` WHERE user_id = $1 AND account = $2`
	for last := int64(0); last < math.MaxInt64; {
		err := tx.QueryRow(ctx, `SELECT `+column+rows+` ORDER BY `+column+` LIMIT 1 OFFSET $3`, owner, account, atOnce).Scan(&last)
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
