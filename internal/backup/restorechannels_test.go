package backup

import (
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/channels"
)

// TestChannelsAreRestored: a backup has channels without their addresses and keys, and they
// come back switched off.
func TestChannelsAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
			_, _, err := channels.Restore(h.ctx(), tx, from, []channels.Channel{{
				Kind: channels.Ntfy, Name: "Phone", Events: []channels.EventType{channels.TradeClosed}, WithFigures: true, Host: "ntfy.example.org", CreatedAt: h.clock.Now(),
			}})
			must(t, err)
			_, err = tx.Exec(h.ctx(), `UPDATE channels SET credentials = $1, enabled = TRUE, message = 'canary' WHERE user_id = $2`, []byte("canary"), from)
			return err
		}))
		text := h.exportBars(t, from, false)
		if strings.Contains(text, "canary") || !strings.Contains(text, `"Phone"`) {
			t.Errorf("the backup is %s", text)
		}
		result := h.restore(t, to, text)
		wantComplete(t, result)
		if result.Channels != 1 {
			t.Errorf("restored %d channels", result.Channels)
		}
		wantUnchanged(t, h.restore(t, to, text))
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error {
			list, err := channels.ListStored(h.ctx(), tx, to)
			if len(list) != 1 || list[0].Enabled || list[0].Message == "" || !list[0].WithFigures || len(list[0].Events) != 1 || list[0].Host != "ntfy.example.org" {
				t.Errorf("%+v", list)
			}
			return err
		}))
	})
}
