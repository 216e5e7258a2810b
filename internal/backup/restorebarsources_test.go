package backup

import (
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/prices/barfetch"
)

// TestBarSourcesAreRestored: a backup has price provider settings but not their keys.
func TestBarSourcesAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
			_, _, err := barfetch.Restore(h.ctx(), tx, from, []barfetch.Source{{
				Provider: "alpaca", Symbols: []string{"AAPL", "ES"}, Since: "2026-01-02", CreatedAt: h.clock.Now(),
			}})
			must(t, err)
			_, err = tx.Exec(h.ctx(), `UPDATE bar_sources SET credentials = $1, enabled = TRUE, message = 'canary' WHERE user_id = $2`, []byte("canary"), from)
			return err
		}))
		text := h.exportBars(t, from, false)
		if strings.Contains(text, "canary") || !strings.Contains(text, `"AAPL"`) {
			t.Errorf("the backup is %s", text)
		}
		result := h.restore(t, to, text)
		wantComplete(t, result)
		if result.BarSources != 1 {
			t.Errorf("restored %d sources", result.BarSources)
		}
		wantUnchanged(t, h.restore(t, to, text))
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			list, err := barfetch.ListSources(h.ctx(), tx, to)
			if len(list) != 1 || list[0].Provider != "alpaca" || list[0].Enabled || list[0].Since != "2026-01-02" || len(list[0].Symbols) != 2 {
				t.Errorf("%+v", list)
			}
			return err
		}))
	})
}
