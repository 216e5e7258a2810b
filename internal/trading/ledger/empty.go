package ledger

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Foreign keys would delete an account's rows together with it, in one statement. But
// that can be most of the database. The large tables are therefore emptied first; see
// [db.Tx.DeleteInChunks].

// largeTables are tables that may have many rows for an account, with the columns that
// are unique in it.
var largeTables = []struct{ name, columns string }{
	{"executions", "executed_at, seq"},
	{"trades", "list_at, id"},
	{"trade_log", "revision, trade_id"},
	{"fill_sources", "seq, source"},
	{"cash_transactions", "occurred_at, id"},
}

// EmptyAccounts deletes the fills and trades in all an owner's accounts. It is a step in
// deleting the owner.
func EmptyAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	accounts, err := Accounts(ctx, tx, owner)
	for _, a := range accounts {
		if err := emptyAccount(ctx, tx, owner, a); err != nil {
			return err
		}
	}
	return err
}

func emptyAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, a Account) error {
	for _, table := range largeTables {
		if err := tx.DeleteInChunks(ctx, table.name, table.columns, `user_id = $1 AND account = $2`, owner, a.number); err != nil {
			return err
		}
	}
	return nil
}
