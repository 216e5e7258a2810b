package layouts

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Undoer undoes changes to layouts.
func Undoer() history.TypeUndoer {
	r := &history.Records[Layout]{Type: layoutHistory, Tables: []string{"import_layouts", "import_layout_accounts"}, Key: "signature"}
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]Layout, error) {
		found := map[string]Layout{}
		for _, id := range ids {
			layout, err := read(ctx, tx, owner, id, tx.Lock())
			if journal.IsKind(err, journal.KindNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			found[id] = layout
		}
		return found, nil
	}
	r.Save = func(ctx context.Context, tx *db.Tx, owner journal.UserID, _, after []Layout) error {
		for _, l := range after {
			if err := write(ctx, tx, owner, l); err != nil {
				return err
			}
		}
		return nil
	}
	r.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, l *Layout) error {
		return history.Keep(ctx, tx, owner, "import_layout_accounts", `signature = $2`, l.Signature)
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, l *Layout) (history.Key, error) {
		for _, a := range l.Accounts {
			if key, err := history.FindMissing(ctx, u, "account", "accounts", string(a.ID)); err != nil || key.ID != "" {
				return key, err
			}
		}
		return history.Key{}, nil
	}
	return history.TypeUndoer{Type: "layout", Undoer: r}
}

// KeepAccount keeps an account's places in layouts before the account is deleted.
func KeepAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	return history.Keep(ctx, tx, owner, "import_layout_accounts", `account_id = $2`, account)
}

// RestoreAccount restores the places of an account that came back in the layouts that still
// exist.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	u.MarkInserted("import_layout_accounts")
	return u.EachKept("import_layout_accounts", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			signature, _ := rows.Value(i, "signature").(string)
			place, _ := rows.Value(i, "place").(int64)
			name, _ := rows.Value(i, "file_account").(string)
			if rows.Value(i, "account_id") != any(string(account)) {
				continue
			}
			layout, err := read(ctx, u.Tx, u.Owner, signature, u.Tx.Lock())
			if journal.IsKind(err, journal.KindNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			layout.Accounts = slices.Insert(layout.Accounts, min(int(place), len(layout.Accounts)), Account{File: name, ID: account})
			if err := write(ctx, u.Tx, u.Owner, layout); err != nil {
				return err
			}
		}
		return nil
	})
}
