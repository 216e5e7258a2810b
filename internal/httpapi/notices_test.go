package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"fillbook/internal/base/outbound"
	"fillbook/internal/prices/barsource"
)

// TestNotices checks that a notice counts only arrivals since an instant, and what is
// wrong.
func TestNotices(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader().lasting()
		d.get("/notices").want(http.StatusOK).is("", "[]")
		d.get("/notices?since=yesterday").wantField("since")
		hook := d.addHook("Alerts")

		start := w.clock.Now()
		w.clock.Advance(time.Minute)
		d.roundTrip("OWN") // what the user enters is no news
		hook.send(list(hookFill("A", "buy", 0), hookFill("A", "sell", 1, more{"price": 12.5}), hookFill("B", "buy", 0))).wantCounts(3, 0, 0)
		since := func(at time.Time) *reply {
			t.Helper()
			return d.get("/notices?since=" + at.Format(time.RFC3339Nano)).want(http.StatusOK)
		}
		batch := d.get("/imports").text("0.id")
		all := since(start).is("0.text", `"Alerts: 3 fills, 1 trade closed, +2.5 USD, 1 needs review."`).is("0.kind", `"arrived"`).
			is("0.link", `"/import/`+batch+`"`).is("1", "null").is("0.source", `"Alerts"`)
		all.is("0.arrival", `{"cash":0,"currency":"USD","fills":3,"need_review":1,"net_pnl":2.5,"trades_closed":1}`)
		d.annotate(d.trades("A").text("0.id"), more{"reviewed": true})
		since(start).is("0.arrival.need_review", "0").is("0.text", `"Alerts: 3 fills, 1 trade closed, +2.5 USD."`)

		// Later deliveries on that day are in the same import. Only they are news.
		seen := w.clock.Now()
		since(seen).is("", "[]")
		w.clock.Advance(time.Minute)
		hook.send(hookFill("B", "sell", 5, more{"price": 9})).wantCounts(1, 0, 0)
		since(seen).is("0.text", `"Alerts: 1 fill, 1 trade closed, -1 USD, 1 needs review."`).is("1", "null")
		since(start).is("0.arrival.fills", "4").is("0.arrival.trades_closed", "2").is("0.arrival.net_pnl", "1.5")
		seen = w.clock.Now()
		w.clock.Advance(time.Minute)
		hook.send(list(hookFill("B", "sell", 5, more{"price": 9}))).wantCounts(0, 1, 0)
		since(seen).is("", "[]")

		w.clock.Advance(time.Minute)
		hook.send("[1,2]").wantCounts(0, 0, 2)
		since(seen).is("0.kind", `"problem"`).is("0.link", `"/connections"`).is("0.arrival", "null").is("1", "null").
			is("0.text", `"Alerts: 2 fills were not stored. Open Connections to see why."`)
		// The alert that reports the same later is not news for a user who has seen the problem.
		seen = w.clock.Now()
		w.clock.Advance(time.Minute)
		d.evaluate()
		d.get("/alerts").wantColumn("kind", "import_failed")
		since(seen).is("", "[]")
		since(start).is("0.id", `"`+d.get("/alerts").text("0.id")+`"`)
		owner := w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		w.addUser(owner, "anna@example.org").get("/notices").want(http.StatusOK).is("", "[]")

		// A token without the account sees nothing.
		second := d.addAccount("Second")
		_, limited := owner.mint(more{"name": "limited", "account_ids": []string{second.account}})
		w.as(limited).get("/notices").want(http.StatusOK).is("", "[]")

		d.delete("/imports/" + batch).wantNone()
		since(start).is("0.kind", `"problem"`).is("1", "null")
		w.clock.Advance(8 * 24 * time.Hour)
		d.get("/notices").is("", "[]")
	})
}

// TestNoticesOfPriceSources checks that a stopped source is reported.
func TestNoticesOfPriceSources(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader().lasting()
		source := d.made("/bars/sources", more{"provider": "acme", "credentials": more{"key": vendorKey}})
		d.get("/notices").is("", "[]")
		w.clock.Advance(time.Minute)
		w.exec(`UPDATE bar_sources SET status = 'needs_attention', message = 'The key is wrong.', last_run_at = created_at WHERE id = $1`, source.text("id"))
		d.get("/notices").want(http.StatusOK).is("0.text", `"acme: The key is wrong."`).is("0.link", `"/prices"`).is("0.kind", `"problem"`)
	}, func(s *settle) {
		s.providers = []barsource.Provider{vendor{"acme"}}
		s.outbound = outbound.New(outbound.Options{Enabled: true})
	})
}
