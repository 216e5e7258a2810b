package backup

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func missedFile(rows ...string) string {
	for i, row := range rows {
		rows[i] = `{"symbol":"NQ","direction":"long","observed_at":"2026-03-02T14:30:00Z"` + row + `}`
	}
	return fmt.Sprintf(`{"format":"fillbook","version":2,"setups":[{"name":"Fade","checklist":[]}],"missed_trades":[%s]}`, strings.Join(rows, ","))
}

// missedTrades lists a user's missed trades, newest first.
func (h *fixture) missedTrades(t failer, owner journal.UserID) (list []playbook.Missed) {
	t.Helper()
	must(t, h.db.View(h.ctx(), func(tx *db.Tx) (err error) {
		list, err = playbook.ListMissed(h.ctx(), tx, owner, journal.Scope{}, playbook.Page{})
		return err
	}))
	return list
}

// missedTexts lists the stored missed trades in the order they were stored.
func (h *fixture) missedTexts(t *testing.T, owner journal.UserID) (texts []string) {
	t.Helper()
	list := h.missedTrades(t, owner)
	for i := range list {
		m := list[len(list)-1-i]
		texts = append(texts, fmt.Sprintf("entry %s stop %s target %s, %s, %s, setup %t, %q", m.Entry, m.Stop, m.Target, m.Reason, m.Outcome, m.Setup != nil, m.Notes))
	}
	return texts
}

// A missed trade stored with the same symbol, direction and instant gets its missing
// values from the file; different values stay and are reported.
func TestRestoreFillsMissedTrades(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		wantComplete(t, h.restore(t, owner, missedFile(`,"stop":98,"notes":"mine"`)))
		full := missedFile(`,"entry":100,"stop":97,"target":105,"reason":"away","outcome":"target","setup":"Fade","notes":"theirs"`)
		result := h.restore(t, owner, full)
		wantComplete(t, result)
		if result.Missed != 0 || result.MissedUpdated != 1 {
			t.Errorf("%+v", result)
		}
		expect(t, h.missedTexts(t, owner), `entry 100 stop 98 target 105, away, target, setup true, "mine\n\n---\n\ntheirs"`)
		expect(t, result.Warnings, "Missed trade 1 is stored with another stop. The stored values were kept.")
		wantUnchanged(t, h.restore(t, owner, full))

		// Prices that make no valid plan together are not mixed.
		result = h.restore(t, owner, missedFile(`,"entry":10,"stop":8,"target":12`))
		expect(t, result.Warnings, "Missed trade 1 is stored with another entry, stop, target. The stored values were kept.")
	})
}

// Each of several equal missed trades is matched, even if some are gone; the others are
// stored beside them.
func TestRestoreMatchesEqualMissedTrades(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		text := missedFile(`,"notes":"third"`, `,"stop":98,"notes":"second"`, `,"notes":"first"`)
		wantComplete(t, h.restore(t, owner, text))
		wantUnchanged(t, h.restore(t, owner, text))
		whole := h.missedTexts(t, owner)
		list := h.missedTrades(t, owner)
		must(t, h.playbook.DeleteMissed(h.ctx(), owner, list[2].ID, nil)) // the first
		if result := h.restore(t, owner, text); result.Missed != 1 || result.MissedUpdated != 0 || len(result.Warnings) > 0 {
			t.Errorf("%+v", result)
		}
		got := h.missedTexts(t, owner)
		expect(t, got, whole[1], whole[2], whole[0])
		wantUnchanged(t, h.restore(t, owner, text))
	})
}
