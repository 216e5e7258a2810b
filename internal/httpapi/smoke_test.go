package httpapi_test

import (
	"net/http"
	"testing"
)

// TestFirstSteps sets up and uses a new installation, end to end.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		status := w.anonymous().get("/setup/status").want(http.StatusOK)
		if status.value("needs_setup") != true || status.value("registration_open") != false {
			t.Fatalf("a new installation: %s", status.body)
		}
		owner := w.setUp()
		if got := owner.get("/me").want(http.StatusOK).text("email"); got != ownerEmail {
			t.Fatalf("me is %q", got)
		}
		user := w.addUser(owner, "second@example.org")
		user.get("/admin/users").wantError(http.StatusForbidden, "forbidden")
		if n := owner.get("/admin/users").want(http.StatusOK).count(""); n != 2 {
			t.Fatalf("%d users, want 2", n)
		}
		token := user.post("/access-tokens", map[string]any{"name": "cron"}).want(http.StatusCreated).text("token")
		w.as(token).get("/me").want(http.StatusOK)
	})
}
