package identity

import (
	"strings"
	"testing"

	"fillbook/internal/base/journal"
)

// complaints runs the check and returns what it reports.
func (f *fixture) complaints() string {
	f.t.Helper()
	var found []string
	must(f.t, f.Check(f.t.Context(), func(text string) { found = append(found, text) }))
	return strings.Join(found, "\n")
}

func TestCheckFindsViolations(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		if got := f.complaints(); got != "" {
			t.Errorf("an empty installation: %s", got)
		}
		owner, id, use := f.tokenUser()
		use(home)
		must(t, f.Flush(t.Context()))
		if got := f.complaints(); got != "" {
			t.Errorf("a valid installation: %s", got)
		}
		for range keptUses {
			f.exec(`INSERT INTO access_token_uses (user_id, token_id, id, used_at, ip, user_agent) VALUES ($1, $2, $3, 1, '', '')`,
				owner.UserID, id, journal.NewID[string]())
		}
		f.exec(`UPDATE users SET is_admin = FALSE`)
		f.exec(`DELETE FROM instance`)
		got := f.complaints()
		for _, want := range []string{"none of them is an owner", "not marked as set up", string(id) + " has 51 use rows"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in: %s", want, got)
			}
		}
	})
}
