package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Limits for a user's preferences: the JSON size and the number of keys.
const (
	MaxPreferencesBytes = 64 << 10
	MaxPreferenceKeys   = 500
)

// Preferences are values stored by clients for a user. They are raw JSON and returned
// unchanged, so large numbers keep their digits. The server never reads them; what it
// must know is in package settings.
type Preferences struct {
	Values map[string]json.RawMessage
	// UpdatedAt is nil until something is stored.
	UpdatedAt *time.Time
}

// Preferences returns all the user's preferences.
func (s *Service) Preferences(ctx context.Context, owner journal.UserID) (Preferences, error) {
	var prefs Preferences
	err := s.db.View(ctx, func(tx *db.Tx) error {
		var err error
		prefs, err = loadPreferences(ctx, tx, owner, "")
		return err
	})
	return prefs, err
}

// loadPreferences reads all the user's preferences. lock is appended to the query for the
// user's state.
func loadPreferences(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) (Preferences, error) {
	var prefs Preferences
	err := tx.QueryRow(ctx, `SELECT preferences_updated_at FROM user_states WHERE user_id = $1`+lock, owner).
		Scan(db.NullInstant(&prefs.UpdatedAt))
	if errors.Is(err, db.ErrNoRows) {
		return Preferences{}, newUserDeleted()
	}
	if err != nil {
		return Preferences{}, err
	}
	prefs.Values, err = readPreferences(ctx, tx, owner)
	return prefs, err
}

func readPreferences(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var key, value string
		if err := row.Scan(&key, &value); err != nil {
			return err
		}
		values[key] = json.RawMessage(value)
		return nil
	}, `SELECT key, value FROM preferences WHERE user_id = $1 ORDER BY key`, owner)
	return values, err
}

// MergePreferences stores the given keys and leaves the others unchanged; null is a
// value. Each key is a row, so concurrent merges are all kept. The user's row is locked,
// so the limits hold for all of them together. check may be nil; it is called with the
// stored preferences and may return an error.
func (s *Service) MergePreferences(ctx context.Context, owner journal.UserID, values map[string]json.RawMessage, check func(Preferences) error) error {
	if err := checkPreferences(values); err != nil {
		return err
	}
	if len(values) == 0 && check == nil {
		return nil
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if err := checkStored(ctx, tx, owner, check); err != nil || len(values) == 0 {
			return err
		}
		if err := touchPreferences(ctx, tx, owner, s.clock()); err != nil {
			return err
		}
		stored, err := readPreferences(ctx, tx, owner)
		if err != nil {
			return err
		}
		recordPreferences(tx, owner, stored, values)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			_, err := tx.Exec(ctx, `INSERT INTO preferences (user_id, key, value) VALUES ($1, $2, $3)
				ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`, owner, key, string(values[key]))
			if err != nil {
				return fmt.Errorf("storing a preference: %w", explainDeleted(err))
			}
		}
		all, err := readPreferences(ctx, tx, owner)
		if err != nil {
			return err
		}
		return checkPreferencesSize(all)
	})
}

// checkStored calls check with the stored preferences, holding the user state lock.
func checkStored(ctx context.Context, tx *db.Tx, owner journal.UserID, check func(Preferences) error) error {
	if check == nil {
		return nil
	}
	stored, err := loadPreferences(ctx, tx, owner, tx.Lock())
	if err != nil {
		return err
	}
	return check(stored)
}

// touchPreferences updates the user's state, which locks it.
func touchPreferences(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time) error {
	n, err := tx.Exec(ctx, `UPDATE user_states SET preferences_updated_at = $2 WHERE user_id = $1`, owner, db.Micros(now))
	if err == nil && n == 0 {
		return newUserDeleted()
	}
	return err
}

// checkPreferences returns an error for invalid JSON and for text the databases cannot
// store.
func checkPreferences(values map[string]json.RawMessage) error {
	for key, value := range values {
		if !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
			return journal.Invalid("A preference's name must be text without a NUL character.")
		}
		if !json.Valid(value) || !utf8.Valid(value) {
			return journal.InvalidField(key, "The preference must be valid JSON.")
		}
	}
	return checkPreferencesSize(values)
}

// checkPreferencesSize checks the object's JSON size.
func checkPreferencesSize(values map[string]json.RawMessage) error {
	if len(values) > MaxPreferenceKeys {
		return journal.TooLarge("Preferences can have at most %d keys.", MaxPreferenceKeys)
	}
	size := len(`{`)
	for key, value := range values {
		size += len(`"":,`) + len(key) + len(value) // the last one ends with } and not with a comma
	}
	if size > MaxPreferencesBytes {
		return journal.TooLarge("Preferences can have at most %d KiB.", MaxPreferencesBytes>>10)
	}
	return nil
}

// recordPreferences records changed preferences. A value is the text of its JSON.
func recordPreferences(tx *db.Tx, owner journal.UserID, before, after map[string]json.RawMessage) {
	o := history.Object{Type: "preferences", Action: history.Updated}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		var old any
		if value, known := before[key]; known {
			old = string(value)
		}
		o.Fields = append(o.Fields, history.NewField(key, old, string(after[key])))
	}
	history.Describe(tx, owner, history.Description{Action: history.Settings, Summary: "Changed preferences"})
	history.Record(tx, owner, o)
}
