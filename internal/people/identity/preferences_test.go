package identity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/journal"
)

type values = map[string]json.RawMessage

func tooLarge(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindTooLarge, "too_large")
}

func TestPreferencesMergeByKey(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		prefs, err := f.Preferences(ctx, owner.UserID)
		must(t, err)
		if diff := cmp.Diff(Preferences{Values: values{}}, prefs); diff != "" {
			t.Error(diff)
		}
		must(t, f.MergePreferences(ctx, owner.UserID, nil, nil))
		must(t, f.MergePreferences(ctx, owner.UserID, values{}, nil))
		if prefs, _ := f.Preferences(ctx, owner.UserID); prefs.UpdatedAt != nil {
			t.Error("an empty merge counts as a change")
		}
		raw := values{
			"tz": json.RawMessage(`"Europe/Berlin"`), "huge": json.RawMessage(`1e400`), "long": json.RawMessage(`12345678901234567890.10`),
			"deep": json.RawMessage(`{"b":[1, 2,{"a":null}], "a" : "\u0000\ud800"}`), "currency": json.RawMessage(`"USD"`), "": json.RawMessage(`0`),
			"Ключ \"'\n": json.RawMessage(`true`),
		}
		must(t, f.MergePreferences(ctx, owner.UserID, raw, nil))
		f.clock.Advance(time.Minute)
		must(t, f.MergePreferences(ctx, owner.UserID, values{"currency": json.RawMessage(`null`), "clock": json.RawMessage(`24`)}, nil))
		raw["currency"], raw["clock"] = json.RawMessage(`null`), json.RawMessage(`24`)
		prefs, err = f.Preferences(ctx, owner.UserID)
		must(t, err)
		now := f.clock.Now()
		if diff := cmp.Diff(Preferences{Values: raw, UpdatedAt: &now}, prefs); diff != "" {
			t.Error(diff)
		}
		if prefs, _ := f.Preferences(ctx, guest.UserID); len(prefs.Values) != 0 {
			t.Errorf("another user has %v", prefs.Values)
		}
	})
}

func TestParallelMergesAreAllKept(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		for _, err := range runConcurrently(40, func(i int) error {
			return f.MergePreferences(t.Context(), owner.UserID, values{
				fmt.Sprintf("key %d", i): json.RawMessage(fmt.Sprint(i)),
				"shared":                 json.RawMessage(fmt.Sprint(i)),
			}, nil)
		}) {
			must(t, err)
		}
		prefs, err := f.Preferences(t.Context(), owner.UserID)
		must(t, err)
		if len(prefs.Values) != 41 {
			t.Errorf("%d of 41 keys were kept", len(prefs.Values))
		}
	})
}

func TestPreferencesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		text := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`) }
		const half = MaxPreferencesBytes / 2
		must(t, f.MergePreferences(ctx, owner.UserID, values{"a": text(half)}, nil))
		fits := MaxPreferencesBytes - half - len(`{"a":,"b":}`)
		tooLarge(t, f.MergePreferences(ctx, owner.UserID, values{"b": text(fits + 1)}, nil))
		tooLarge(t, f.MergePreferences(ctx, owner.UserID, values{"c": text(MaxPreferencesBytes)}, nil))
		if prefs, _ := f.Preferences(ctx, owner.UserID); len(prefs.Values) != 1 {
			t.Errorf("a rejected merge left %d keys", len(prefs.Values))
		}
		must(t, f.MergePreferences(ctx, owner.UserID, values{"b": text(fits)}, nil))
		prefs, err := f.Preferences(ctx, owner.UserID)
		must(t, err)
		if whole, _ := json.Marshal(prefs.Values); len(whole) != MaxPreferencesBytes {
			t.Errorf("the object has %d bytes", len(whole))
		}
		must(t, f.MergePreferences(ctx, owner.UserID, values{"a": text(2), "b": text(2)}, nil)) // shrinking is always allowed
	})
}

func TestPreferenceKeysAreBoundedAlsoAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		many := func(from, n int) values {
			v := values{}
			for i := range n {
				v[fmt.Sprintf("k%d", from+i)] = json.RawMessage(`1`)
			}
			return v
		}
		tooLarge(t, f.MergePreferences(ctx, owner.UserID, many(0, MaxPreferenceKeys+1), nil))
		must(t, f.MergePreferences(ctx, owner.UserID, many(0, MaxPreferenceKeys-1), nil))
		errs := runConcurrently(4, func(i int) error { return f.MergePreferences(ctx, owner.UserID, many(1000+i, 1), nil) })
		if countSuccesses(errs) != 1 {
			t.Errorf("%d of 4 stored the last key: %v", countSuccesses(errs), errs)
		}
		if n := f.count(`SELECT COUNT(*) FROM preferences WHERE user_id = $1`, owner.UserID); n != MaxPreferenceKeys {
			t.Errorf("%d keys are stored", n)
		}
	})
}

func TestPreferencesRejectInvalidJSON(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		for _, value := range []string{"", "nonsense", `{"a":}`, "1 2", "\"\xff\""} {
			invalid(t, f.MergePreferences(t.Context(), owner.UserID, values{"key": json.RawMessage(value)}, nil), "key")
		}
		for _, key := range []string{"a\x00b", "a\xffb"} {
			err := f.MergePreferences(t.Context(), owner.UserID, values{key: json.RawMessage(`1`)}, nil)
			wantRefusal(t, err, journal.KindInvalid, "bad_request")
		}
		unauthorized(t, f.MergePreferences(t.Context(), 1<<30, values{"key": json.RawMessage(`1`)}, nil))
	})
}
