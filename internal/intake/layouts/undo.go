package layouts

import (
	"cmp"
	"context"
	"errors"
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
	r.Adapt = func(_ context.Context, u *history.Undoing, rows history.KeptRows) (history.KeptRows, error) {
		return rows.Select(func(i int) bool { // others are of accounts that came back, in layouts that stayed
			signature, _ := rows.Value(i, "signature").(string)
			return u.HasAction(history.Key{Type: "layout", ID: signature}, history.Deleted)
		}), nil
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

// ForgetAccount keeps an account's places in layouts and removes them, before the account is
// deleted. The accounts after it move up.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	if err := history.Keep(ctx, tx, owner, "import_layout_accounts", `account_id = $2`, account); err != nil {
		return err
	}
	signatures, err := db.List(ctx, tx, db.Single[string],
		`SELECT DISTINCT signature FROM import_layout_accounts WHERE user_id = $1 AND account_id = $2 ORDER BY signature`, owner, account)
	if err != nil {
		return err
	}
	for _, signature := range signatures {
		accounts, err := readAccounts(ctx, tx, owner, signature)
		if err != nil {
			return err
		}
		accounts = slices.DeleteFunc(accounts, func(a Account) bool { return a.ID == account })
		if err := writeAccounts(ctx, tx, owner, signature, accounts); err != nil {
			return err
		}
	}
	return nil
}

// place is an account's place in a layout.
type place struct {
	Account
	signature string
	number    int
}

// RestoreAccount restores the places of an account that came back in the layouts that still
// exist.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	var places []place
	err := u.EachKept("import_layout_accounts", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			if rows.Value(i, "account_id") != any(string(account)) {
				continue
			}
			p := place{Account: Account{ID: account}}
			p.signature, _ = rows.Value(i, "signature").(string)
			p.File, _ = rows.Value(i, "file_account").(string)
			number, _ := rows.Value(i, "place").(int64)
			p.number = int(number)
			places = append(places, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.signature, b.signature), cmp.Compare(a.number, b.number))
	})
	for _, p := range places {
		if err := p.restore(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// restore adds the account to the layout, if that still exists.
func (p place) restore(ctx context.Context, u *history.Undoing) error {
	_, err := scan(u.Tx.QueryRow(ctx, selectLayouts+` WHERE user_id = $1 AND signature = $2`+u.Tx.Lock(), u.Owner, p.signature))
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	accounts, err := readAccounts(ctx, u.Tx, u.Owner, p.signature)
	if err != nil || slices.Contains(accounts, p.Account) {
		return err
	}
	accounts = slices.Insert(accounts, min(p.number, len(accounts)), p.Account)
	return writeAccounts(ctx, u.Tx, u.Owner, p.signature, accounts)
}
