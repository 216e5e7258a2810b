package installation_test

import (
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/trading/matching"
)

// TestCheckNamesTamperedChange alters a stored change: the check names its user and the
// change, and nothing else.
func TestCheckNamesTamperedChange(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.fill(matching.Buy, "100", 0)
		id := h.lastChange()
		h.fill(matching.Sell, "101", 5)
		h.wantNoProblems()
		must(t, h.DB.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE history_changes SET actor_name = 'Mallory' WHERE user_id = $1 AND position = 3`, h.owner)
			return err
		}))
		found := h.problems()
		if len(found) != 1 || !strings.Contains(found[0], string(h.public())) || !strings.Contains(found[0], "change "+string(id)+" was altered") {
			t.Errorf("the check found %q, want %s", found, id)
		}
	})
}
