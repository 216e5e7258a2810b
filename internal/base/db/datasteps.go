package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"fillbook/internal/base/oldpreferences"
)

// dataSteps move rows in ways that SQL cannot express, after that migration's statements
// and in its transaction.
var dataSteps = map[string]func(ctx context.Context, tx *Tx) error{
	"settings":   copyPreferences,
	"view_names": addAccountsToViewNames,
}

// copyPreferences copies the settings and layouts kept in preferences into their own
// tables. The preferences stay as they are.
func copyPreferences(ctx context.Context, tx *Tx) error {
	args := []any{}
	owners, err := List(ctx, tx, Single[int64],
		`SELECT DISTINCT user_id FROM preferences WHERE key IN `+In(&args, oldpreferences.Keys())+` ORDER BY user_id`, args...)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if err := copyPreferencesOf(ctx, tx, owner); err != nil {
			return err
		}
	}
	return nil
}

func copyPreferencesOf(ctx context.Context, tx *Tx, owner int64) error {
	preferences := map[string]json.RawMessage{}
	err := Each(ctx, tx, func(row Scanner) error {
		var key, value string
		err := row.Scan(&key, &value)
		preferences[key] = json.RawMessage(value)
		return err
	}, `SELECT key, value FROM preferences WHERE user_id = $1 ORDER BY key`, owner)
	if err != nil {
		return err
	}
	old := oldpreferences.Read(preferences)
	if old.Timezone != "" || old.Tolerance != "" {
		_, err := tx.Exec(ctx, `INSERT INTO journal_settings (user_id, timezone, breakeven_tolerance) VALUES ($1, $2, $3)`,
			owner, nullText(old.Timezone), nullText(old.Tolerance))
		if err != nil {
			return err
		}
	}
	return copyLayouts(ctx, tx, owner, old.Layouts)
}

func nullText(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func copyLayouts(ctx context.Context, tx *Tx, owner int64, list []oldpreferences.Layout) error {
	if len(list) == 0 {
		return nil
	}
	accounts, err := List(ctx, tx, func(row Scanner) (a oldpreferences.Account, err error) {
		err = row.Scan(&a.ID, &a.Name)
		return a, err
	}, `SELECT id, name FROM accounts WHERE user_id = $1 ORDER BY id`, owner)
	if err != nil {
		return err
	}
	for _, layout := range list {
		var mapping any
		if layout.Mapping != nil {
			text, err := json.Marshal(layout.Mapping)
			if err != nil {
				return err
			}
			mapping = string(text)
		}
		_, err := tx.Exec(ctx, `INSERT INTO import_layouts (user_id, signature, name, source_tz, date_order, column_mapping, used_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			owner, layout.Signature, layout.Name, layout.Zone, layout.Order, mapping, Micros(layout.UsedAt))
		if err != nil {
			return err
		}
		for place, a := range layout.FindAccounts(accounts) {
			_, err := tx.Exec(ctx, `INSERT INTO import_layout_accounts (user_id, signature, place, file_account, account_id)
				VALUES ($1, $2, $3, $4, $5)`, owner, layout.Signature, place, a.File, a.ID)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// addAccountsToViewNames adds view accounts to view name keys, as nameKey in package
// views does.
func addAccountsToViewNames(ctx context.Context, tx *Tx) error {
	type view struct {
		owner              int64
		id, nameKey, query string
	}
	list, err := List(ctx, tx, func(row Scanner) (v view, err error) {
		err = row.Scan(&v.owner, &v.id, &v.nameKey, &v.query)
		return v, err
	}, `SELECT user_id, id, name_key, filter FROM views WHERE filter LIKE '%account_id=%' ORDER BY user_id, id`)
	if err != nil {
		return err
	}
	for _, v := range list {
		filter, _ := url.ParseQuery(v.query) // what is valid of it
		accounts := strings.Split(filter.Get("account_id"), ",")
		for i := range accounts {
			accounts[i] = strings.TrimSpace(accounts[i])
		}
		slices.Sort(accounts)
		accounts = slices.DeleteFunc(slices.Compact(accounts), func(id string) bool { return id == "" })
		if len(accounts) == 0 {
			continue
		}
		hash := sha256.Sum256([]byte(strings.Join(accounts, "\n") + "\n"))
		_, err := tx.Exec(ctx, `UPDATE views SET name_key = $1 WHERE user_id = $2 AND id = $3`,
			v.nameKey+"\n"+hex.EncodeToString(hash[:16]), v.owner, v.id)
		if err != nil {
			return err
		}
	}
	return nil
}
