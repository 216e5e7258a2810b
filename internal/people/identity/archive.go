package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// PreferencesOf is [Service.Preferences] within a transaction, for the backup.
func PreferencesOf(ctx context.Context, tx *db.Tx, owner journal.UserID) (Preferences, error) {
	return loadPreferences(ctx, tx, owner, "")
}

// AddPreferences stores the user's missing keys, within a transaction, and returns their
// number. A restore adds what is missing and replaces nothing. It returns an error before
// it writes if the limits would be exceeded.
func AddPreferences(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, values map[string]json.RawMessage,
) (int, error) {
	if err := checkPreferences(values); err != nil {
		return 0, err
	}
	stored, err := loadPreferences(ctx, tx, owner, tx.Lock())
	if err != nil {
		return 0, err
	}
	fresh := maps.Clone(values)
	maps.DeleteFunc(fresh, func(key string, _ json.RawMessage) bool {
		_, known := stored.Values[key]
		return known
	})
	if len(fresh) == 0 {
		return 0, nil
	}
	all := maps.Clone(stored.Values)
	maps.Copy(all, fresh)
	if err := checkPreferencesSize(all); err != nil {
		return 0, err
	}
	if err := touchPreferences(ctx, tx, owner, now); err != nil {
		return 0, err
	}
	rows := make([][]any, 0, len(fresh))
	for _, key := range slices.Sorted(maps.Keys(fresh)) {
		rows = append(rows, []any{owner, key, string(fresh[key])})
	}
	if _, err := tx.InsertMany(ctx, "preferences", []string{"user_id", "key", "value"}, "", rows); err != nil {
		return 0, fmt.Errorf("storing preferences: %w", err)
	}
	if history.IsBundle(tx) {
		recordPreferences(tx, owner, stored.Values, fresh)
	}
	return len(fresh), nil
}
