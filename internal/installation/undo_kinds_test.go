package installation_test

import (
	"slices"
	"testing"

	"fillbook/internal/base/history"
)

// unwritten are the types that no write creates, updates or deletes as an object of its own:
// their records always exist, go with others, or cannot be changed.
var unwritten = map[history.ObjectAction][]string{
	history.Created: {
		"trade", "routine_day", "position_mark", "preferences", "change", "settings", "routine_template", "bar_series", "import_kind", "alert", "alert_settings",
	},
	history.Updated: {"share_link", "access_token", "session", "bar_series", "bar_alias"},
	history.Deleted: {
		"routine_day", "import", "bar_import", "position_mark", "preferences", "change", "settings", "routine_template", "strategy", "alert", "alert_settings",
	},
}

// TestRandomWritesMakeEveryChange makes each random write several times. All have an effect,
// and together they make every kind of change that the history has: a new type of record
// fails the test until a random write writes it.
func TestRandomWritesMakeEveryChange(t *testing.T) {
	t.Parallel()
	eachFixtureIfLong(t, func(t *testing.T, h *fixture) {
		w := newWriter(h, 1, 3, true)
		idle := map[string]bool{}
		for _, write := range w.allWrites() {
			idle[write.name] = true
		}
		seen := map[history.ObjectAction][]string{}
		actions := []history.Action{history.Undo}
		for round := 0; round < 80 && (len(idle) > 0 || len(findUnwritten(seen)) > 0); round++ {
			writes := w.allWrites()
			w.random.Shuffle(len(writes), func(i, j int) { writes[i], writes[j] = writes[j], writes[i] })
			for _, write := range writes {
				id := w.run(write)
				if id == "" {
					continue
				}
				delete(idle, write.name)
				change, err := h.History.Get(t.Context(), h.owner, id)
				must(t, err)
				actions = append(actions, change.Action)
				for _, o := range change.Objects {
					seen[o.Action] = append(seen[o.Action], o.Type)
				}
			}
		}
		for name := range idle {
			t.Errorf("%s never has an effect: %v", name, w.refusals[name])
		}
		for _, action := range history.Actions() {
			if !slices.Contains(actions, action) {
				t.Errorf("no random write has the action %s", action)
			}
		}
		for _, kind := range findUnwritten(seen) {
			t.Errorf("no random write has the effect %s", kind)
		}
		for action, kinds := range unwritten {
			for _, kind := range kinds {
				if slices.Contains(seen[action], kind) {
					t.Errorf("%s %s is made by a random write", kind, action)
				}
			}
		}
		h.wantChains()
		h.wantNoProblems()
	})
}

// findUnwritten returns what no write has done to records, besides unwritten.
func findUnwritten(seen map[history.ObjectAction][]string) (missing []string) {
	for _, action := range []history.ObjectAction{history.Created, history.Updated, history.Deleted} {
		for _, kind := range history.Types() {
			if !slices.Contains(seen[action], kind) && !slices.Contains(unwritten[action], kind) {
				missing = append(missing, kind+" "+string(action))
			}
		}
	}
	return missing
}
