package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// storeAlert stores an alert about the trader's account, and returns its id.
func (d trader) storeAlert(minute int) string {
	d.w.t.Helper()
	id := string(journal.NewID[journal.AlertID]())
	fired := db.Micros(d.w.clock.Now().Add(time.Duration(minute) * time.Minute))
	d.w.exec(`INSERT INTO alerts (user_id, id, kind, dedup, severity, title, at, fired_at, link, account_id, several, counts)
		SELECT user_id, $1, 'rule_broken', $1, 'warning', $2, $3, $3, '/rules', id, FALSE, '[]' FROM accounts WHERE id = $4`,
		id, fmt.Sprint("Alert ", minute), fired, d.account)
	return id
}

// TestAlerts lists alerts in pages, marks them as read and snoozes them.
func TestAlerts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		var ids []string
		for minute := range 5 {
			ids = append([]string{d.storeAlert(minute)}, ids...)
		}
		d.get("/alerts").want(http.StatusOK).wantColumn("id", ids...)
		listed, _ := d.pages("/alerts?limit=2", "id")
		if fmt.Sprint(listed) != fmt.Sprint(ids) {
			w.t.Errorf("the pages have %v, want %v", listed, ids)
		}
		d.patch("/alerts/"+ids[0], more{"read": true}).want(http.StatusOK).is("read_at", `"`+w.clock.Now().Format(time.RFC3339Nano)+`"`)
		d.get("/alerts?unread=true").wantColumn("id", ids[1:]...)
		later := w.clock.Now().Add(5 * time.Minute)
		d.patch("/alerts/"+ids[1], more{"snoozed_until": later.Format(time.RFC3339)}).want(http.StatusOK)
		d.get("/alerts?unread=true").wantColumn("id", ids[2:]...)
		d.patch("/alerts/"+ids[2], more{"snoozed_until": w.clock.Now().Format(time.RFC3339)}).wantField("snoozed_until")
		d.patch("/alerts/"+ids[2], more{"read": nil}).wantField("read")
		d.patch("/alerts", more{}).wantField("read")
		d.patch("/alerts/"+unknown(), more{"read": true}).wantError(http.StatusNotFound, "not_found")
		w.clock.Advance(5 * time.Minute)
		d.get("/alerts?unread=true").wantColumn("id", ids[1:]...)
		d.patch("/alerts", more{"read": true}).wantNone()
		d.get("/alerts?unread=true").want(http.StatusOK).is("", "[]")
		other := w.addUser(d.client, "other@example.org")
		other.get("/alerts").is("", "[]")
		other.patch("/alerts/"+ids[0], more{"read": false}).wantError(http.StatusNotFound, "not_found")
	})
}

// TestAlertSettings have every kind, enabled by default, and keep what is not sent.
func TestAlertSettings(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/alert-settings").want(http.StatusOK).is("kinds.daily_loss", `{"channels":[],"enabled":true}`).is("quiet_hours", "null").is("max_per_hour", "null")
		d.put("/alert-settings", more{
			"kinds": more{"daily_loss": more{"enabled": false}}, "quiet_hours": more{"from": "22:00", "to": "07:00", "tz": "Europe/Prague"}, "max_per_hour": 4,
		}).want(http.StatusOK)
		d.put("/alert-settings", more{"kinds": more{"unreviewed": more{"enabled": false}}}).want(http.StatusOK).
			is("kinds.daily_loss.enabled", "false").is("kinds.unreviewed.enabled", "false").is("max_per_hour", "4").
			holds("quiet_hours", `{"from":"22:00","to":"07:00","tz":"Europe/Prague"}`)
		d.put("/alert-settings", more{"quiet_hours": nil, "max_per_hour": nil, "kinds": more{"daily_loss": more{"enabled": true}}}).want(http.StatusOK).
			is("quiet_hours", "null").is("max_per_hour", "null").is("kinds.daily_loss.enabled", "true")
		for field, body := range map[string]more{
			"max_per_hour": {"max_per_hour": 0},
			"quiet_hours":  {"quiet_hours": more{"from": "22:00", "to": "22:00"}},
			"kinds":        {"kinds": more{"unknown": more{"enabled": true}}},
		} {
			d.put("/alert-settings", body).wantField(field)
		}
		d.put("/alert-settings", more{"quiet_hours": more{"from": "7:00", "to": "22:00"}}).wantField("quiet_hours")
		d.put("/alert-settings", more{"kinds": more{"daily_loss": more{"channels": []string{unknown()}}}}).wantField("kinds")
		other := w.addUser(d.client, "other@example.org")
		other.get("/alert-settings").want(http.StatusOK).is("kinds.unreviewed.enabled", "true")
	})
}
