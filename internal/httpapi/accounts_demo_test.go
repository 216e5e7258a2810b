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
		own := d.get("/exports?account_id=" + d.account).want(http.StatusOK).body
		made := d.post("/accounts/demo", nil).want(http.StatusCreated)
		made.holds("", `{"name": "Demo journal", "base_currency": "USD"}`)
		id := made.text("id")
		if n := d.get("/trades?status=closed&account_id=" + id).want(http.StatusOK).count(""); n < 500 {
			t.Errorf("the demo has %d closed trades", n)
		}
		d.get("/analytics/summary?account_id=" + id).want(http.StatusOK)
		d.post("/accounts/demo", nil).wantError(http.StatusConflict, "conflict").wantShape()
		if n := d.get("/accounts").want(http.StatusOK).count(""); n != 2 {
			t.Errorf("%d accounts", n)
		}
		// Another user may have one too, and a name alone makes no demo.
		other := w.addUser(d.client, "anna@example.org")
		other.made("/accounts", more{"name": "Demo journal"})
		other.post("/accounts/demo", nil).want(http.StatusCreated)
		w.checkInstallation()

		d.delete("/accounts/" + id).wantNone()
		for _, path := range []string{"/setups", "/tags", "/notes", "/missed-trades", "/trades/orphans"} {
			d.get(path).want(http.StatusOK).is("", "[]")
		}
		if got := d.get("/exports?account_id=" + d.account).want(http.StatusOK).body; string(got) != string(own) {
			t.Error("the demo changed another account")
		}
		d.post("/accounts/demo", nil).want(http.StatusCreated)
		w.anonymous().post("/accounts/demo", nil).wantError(http.StatusUnauthorized, "unauthorized")
	})
}
