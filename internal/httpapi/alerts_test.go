package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
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

// evaluate evaluates the journals that changed, as the server does in the background.
func (d trader) evaluate() {
	d.w.t.Helper()
	if err := d.w.services.Alerts.RunDue(d.w.t.Context()); err != nil {
		d.w.t.Fatal(err)
	}
}

// lose stores a round trip that closes some minutes before now, with a result.
func (d trader) lose(symbol string, minutesAgo, net int) string {
	d.w.t.Helper()
	now := d.w.clock.Now()
	text := func(minutes int) string { return now.Add(-time.Duration(minutes) * time.Minute).Format(time.RFC3339) }
	const entry = 1000
	d.made("/executions", more{"account_id": d.account, "symbol": symbol, "side": "buy", "quantity": 1, "price": entry, "executed_at": text(minutesAgo + 1)})
	return d.made("/executions", more{"account_id": d.account, "symbol": symbol, "side": "sell", "quantity": 1, "price": entry + net, "executed_at": text(minutesAgo)}).text("trade_id")
}

// TestRuleAlerts: a broken rule, the levels of a daily loss and a row of losses fire once
// each, the highest level of a close only, and nothing for old trades.
func TestRuleAlerts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.evaluate()
		d.get("/alerts").want(http.StatusOK).is("", "[]")
		limit := d.made("/trading-rules", more{"kind": "max_daily_loss", "params": more{"amount": 100}, "valid_from": "2020-01-01"}).text("id")
		d.made("/trading-rules", more{"kind": "stop_after_losses", "params": more{"n": 2}, "valid_from": "2020-01-01"})
		d.lose("OLD", 4*24*60, -500)
		d.evaluate()
		d.get("/alerts").is("", "[]")
		d.lose("A", 50, -60)
		d.evaluate()
		d.get("/alerts").wantColumn("kind", "daily_loss").wantColumn("level", "50").wantColumn("rule_id", limit)
		d.lose("B", 40, -60) // passes 75 and 100
		d.evaluate()
		d.evaluate()
		got := d.get("/alerts").want(http.StatusOK)
		counts := map[string]int{}
		for i := range got.count("") {
			counts[got.text(fmt.Sprint(i, ".kind"))+" "+got.json(fmt.Sprint(i, ".level"))]++
		}
		if fmt.Sprint(counts) != fmt.Sprint(map[string]int{`daily_loss "50"`: 1, `daily_loss "100"`: 1, "loss_streak null": 1}) {
			t.Errorf("the alerts are %v", counts)
		}
		third := d.lose("C", 30, 5)
		d.evaluate()
		got = d.get("/alerts").want(http.StatusOK)
		broken := 0
		for i := range got.count("") {
			if got.text(fmt.Sprint(i, ".kind")) == "rule_broken" {
				broken++
				got.is(fmt.Sprint(i, ".trade_id"), `"`+third+`"`)
			}
		}
		if broken != 2 {
			t.Errorf("%d rule_broken alerts, want one for each rule", broken)
		}
		d.get("/notices").want(http.StatusOK)
		for i := range 5 {
			w.checkNotice(d, got.text(fmt.Sprint(i, ".id")))
		}
	})
}

// checkNotice requires that the notices list an alert.
func (w *world) checkNotice(d trader, id string) {
	w.t.Helper()
	if ids := d.get("/notices").column("id"); !slices.Contains(ids, id) {
		w.t.Errorf("the notices %v do not have the alert %s", ids, id)
	}
}

// TestImportOfOldTrades: an import of two years of history fires one summary, with counts, and
// an import that stored nothing none.
func TestImportOfOldTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.made("/trading-rules", more{"kind": "max_daily_loss", "params": more{"amount": 10}, "valid_from": "2020-01-01"})
		d.evaluate()
		file := "Symbol,Side,Quantity,Price,Executed At\n"
		days := 0
		for day := time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC); day.Before(time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)); day = day.AddDate(0, 0, 1) {
			days++
			date := day.Format(time.DateOnly)
			file += fmt.Sprintf("A,buy,1,100,%sT10:00:00Z\nA,sell,1,50,%sT11:00:00Z\n", date, date)
		}
		d.imported(file)
		d.evaluate()
		d.get("/alerts").want(http.StatusOK).wantColumn("kind", "import_summary").is("0.counts.daily_loss", strconv.Itoa(days))
		d.imported(file)
		d.evaluate()
		d.get("/alerts").wantColumn("kind", "import_summary")
	})
}

// TestNewDevice: a browser that was updated is no new device, another browser is.
func TestNewDevice(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		signIn := func(symbol, agent string) {
			account := more{"email": ownerEmail, "password": ownerPassword}
			w.anonymous().with("User-Agent", agent).post("/auth/login", account).want(http.StatusOK)
			d.roundTrip(symbol) // alerts are evaluated after a change
			d.evaluate()
		}
		d.evaluate()
		signIn("A", "Browser/140.0.1 (Linux)")
		d.get("/alerts").want(http.StatusOK).wantColumn("kind", "signed_in_new_device")
		signIn("B", "Browser/141.2 (Linux)")
		d.get("/alerts").wantColumn("kind", "signed_in_new_device")
		signIn("C", "Browser/141.2 (Phone)")
		d.get("/alerts").wantColumn("kind", "signed_in_new_device", "signed_in_new_device")
	})
}

// TestAlertsOfATokenLimitedToAccounts: a token sees the alerts of its accounts, and others
// are not found.
func TestAlertsOfATokenLimitedToAccounts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		a, b := owner.addAccount("A"), owner.addAccount("B")
		seen, hidden := a.storeAlert(0), b.storeAlert(1)
		_, secret := owner.mint(more{"name": "a", "scope": "write", "account_ids": []string{a.account}})
		token := w.as(secret)
		token.get("/alerts").want(http.StatusOK).wantColumn("id", seen)
		token.patch("/alerts/"+hidden, more{"read": true}).wantError(http.StatusNotFound, "not_found")
		token.patch("/alerts", more{"read": true}).wantNone()
		owner.get("/alerts?unread=true").wantColumn("id", hidden)
	})
}
