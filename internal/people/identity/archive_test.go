package identity

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

func (f *fixture) addPreferences(owner journal.UserID, list values) (n int, err error) {
	f.t.Helper()
	err = f.db.Update(f.t.Context(), func(tx *db.Tx) error {
		n, err = AddPreferences(f.t.Context(), tx, owner, f.clock.Now(), list)
		return err
	})
	return n, err
}

func TestPreferencesAreAddedWhereThereAreNone(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		must(t, f.MergePreferences(t.Context(), owner.UserID, values{"theme": json.RawMessage(`"dark"`)}, nil))
		then := f.clock.Now()
		f.clock.Advance(time.Minute)
		if n, err := f.addPreferences(owner.UserID, values{"theme": json.RawMessage(`"light"`)}); n != 0 || err != nil {
			t.Errorf("%d added, %v", n, err)
		}
		var prefs Preferences
		read := func() {
			t.Helper()
			must(t, f.db.View(t.Context(), func(tx *db.Tx) (err error) {
				prefs, err = PreferencesOf(t.Context(), tx, owner.UserID)
				return err
			}))
		}
		read()
		if diff := cmp.Diff(Preferences{Values: values{"theme": json.RawMessage(`"dark"`)}, UpdatedAt: &then}, prefs); diff != "" {
			t.Errorf("nothing was to be added: %s", diff)
		}
		if n, err := f.addPreferences(owner.UserID, values{"theme": json.RawMessage(`1`), "zoom": json.RawMessage(`2`)}); n != 1 || err != nil {
			t.Errorf("%d added, %v", n, err)
		}
		read()
		now := f.clock.Now()
		if diff := cmp.Diff(Preferences{Values: values{"theme": json.RawMessage(`"dark"`), "zoom": json.RawMessage(`2`)}, UpdatedAt: &now}, prefs); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAddedPreferencesKeepTheLimits(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		half := json.RawMessage(`"` + strings.Repeat("x", MaxPreferencesBytes/2) + `"`)
		must(t, f.MergePreferences(t.Context(), owner.UserID, values{"a": half}, nil))
		_, err := f.addPreferences(owner.UserID, values{"b": half, "c": json.RawMessage(`1`)})
		tooLarge(t, err)
		_, err = f.addPreferences(owner.UserID, values{"d": json.RawMessage(`{`)})
		wantRefusal(t, err, journal.KindInvalid, "bad_request")
		if prefs, _ := f.Preferences(t.Context(), owner.UserID); len(prefs.Values) != 1 {
			t.Errorf("something was added: %v", prefs.Values)
		}
	})
}
