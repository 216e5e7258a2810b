package backup

import (
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/connections"
)

// TestConnectionsAreRestored checks that a backup has connection settings but not their
// keys.
func TestConnectionsAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		account := h.account(t, from, "Main")
		must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
			_, _, err := connections.Restore(h.ctx(), tx, from, account, []connections.Connection{{
				Provider: "bybit", Name: "My Bybit", Schedule: connections.Hourly, Since: "2026-01-02", CreatedAt: h.clock.Now(),
			}})
			must(t, err)
			_, err = tx.Exec(h.ctx(), `UPDATE connections SET credentials = $1, message = 'canary', state = 'canary' WHERE user_id = $2`, []byte("canary"), from)
			return err
		}))
		text := h.export(t, from, "")
		if strings.Contains(text, "canary") || !strings.Contains(text, `"My Bybit"`) {
			t.Errorf("the backup is %s", text)
		}
		result := h.restore(t, to, text)
		wantComplete(t, result)
		if result.Connections != 1 {
			t.Errorf("restored %d connections", result.Connections)
		}
		wantSame(t, h.export(t, to, ""), text)
		wantUnchanged(t, h.restore(t, to, text))
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			list, err := connections.ListStored(h.ctx(), tx, to)
			if len(list) != 1 || list[0].Status != connections.StatusAttention || list[0].Schedule != connections.Hourly || list[0].Since != "2026-01-02" {
				t.Errorf("%+v", list)
			}
			return err
		}))
		bad := `{"format":"fillbook","version":6,"accounts":[{"account":{"name":"Main"},"connections":[{"provider":"bybit","schedule":"weekly"}]}]}`
		if result := h.restore(t, h.user(t), bad); len(result.Errors) != 1 {
			t.Errorf("%+v, want one problem", result.Errors)
		}
	})
}
