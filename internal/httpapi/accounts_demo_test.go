package httpapi_test

import (
	"net/http"
	"testing"
)

// TestDemoAccount comes and goes beside what the user has.
func TestDemoAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills)
		setup := d.made("/setups", more{"name": "Opening range breakout", "description": "My own"}).text("id")
		own := d.get("/exports?account_id=" + d.account).want(http.StatusOK).body
		made := d.post("/accounts/demo", nil).want(http.StatusCreated)
		made.holds("", `{"name": "Demo journal", "base_currency": "USD"}`)
		id := made.text("id")
		if n := d.get("/trades?status=closed&account_id=" + id).want(http.StatusOK).count(""); n < 500 {
			t.Errorf("the demo has %d closed trades", n)
		}
		d.get("/analytics/summary?account_id=" + id).want(http.StatusOK)
		// It has all that the demo journal has, and what the user has keeps its name.
		lists := []string{"/setups", "/tags", "/notes", "/missed-trades", "/trading-rules", "/goals", "/bars/series"}
		counts := map[string]int{}
		for _, path := range lists {
			if counts[path] = d.get(path).want(http.StatusOK).count(""); counts[path] < 2 {
				t.Errorf("%s has %d", path, counts[path])
			}
		}
		d.get("/trading-rules").want(http.StatusOK).is("0.account_ids", `["`+id+`"]`)
		d.get("/goals").want(http.StatusOK).is("0.account_ids", `["`+id+`"]`)
		if own := d.get("/setups/" + setup).want(http.StatusOK).text("description"); own != "My own" {
			t.Errorf("the user's setup has become %q", own)
		}
		d.post("/accounts/demo", nil).wantError(http.StatusConflict, "conflict").wantShape()
		if n := d.get("/accounts").want(http.StatusOK).count(""); n != 2 {
			t.Errorf("%d accounts", n)
		}
		// Another user may have one too, and a name alone makes no demo.
		other := w.addUser(d.client, "anna@example.org")
		other.made("/accounts", more{"name": "Demo journal"})
		other.post("/accounts/demo", nil).want(http.StatusCreated)

		d.delete("/accounts/" + id).wantNone()
		deletion := d.get("/history?limit=1").want(http.StatusOK).text("0.id")
		left := func() {
			for _, path := range []string{"/tags", "/notes", "/missed-trades", "/trading-rules", "/goals", "/trades/orphans", "/bars/series"} {
				d.get(path).want(http.StatusOK).is("", "[]")
			}
			if n := d.get("/setups").want(http.StatusOK).count(""); n != 1 {
				t.Errorf("%d setups are left", n)
			}
		}
		left()
		// Undone, all is back; undone again, all is gone.
		d.post("/history/"+deletion+"/undo", nil).want(http.StatusOK)
		for _, path := range lists {
			if n := d.get(path).want(http.StatusOK).count(""); n != counts[path] {
				t.Errorf("%s has %d after the undo, want %d", path, n, counts[path])
			}
		}
		w.checkInstallation()
		d.post("/history/"+d.get("/history?limit=1").want(http.StatusOK).text("0.id")+"/undo", nil).want(http.StatusOK)
		left()
		if got := d.get("/exports?account_id=" + d.account).want(http.StatusOK).body; string(got) != string(own) {
			t.Error("the demo changed another account")
		}
		d.post("/accounts/demo", nil).want(http.StatusCreated)
		w.anonymous().post("/accounts/demo", nil).wantError(http.StatusUnauthorized, "unauthorized")
	})
}
