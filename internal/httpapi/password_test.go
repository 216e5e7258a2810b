package httpapi_test

import (
	"net/http"
	"testing"
)

func change(current, next string) map[string]any {
	return map[string]any{"current_password": current, "new_password": next}
}

// TestPasswordChange keeps only the caller signed in.
func TestPasswordChange(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		desktop, phone := w.logIn(ownerEmail, ownerPassword), w.logIn(ownerEmail, ownerPassword)
		caller := w.as(desktop.text("access_token"))
		_, secret := caller.mint(map[string]any{"name": "cron"})
		fresh := caller.put("/me/password", change(ownerPassword, "another password")).want(http.StatusOK).wantPair(true).
			wantKeys("", "access_token", "refresh_token", "is_admin", "token_type", "expires_in")
		// Earlier refresh tokens are dead, the caller's own too.
		w.refresh(desktop.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
		w.refresh(phone.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
		// Earlier access tokens live out their time, and personal ones go on.
		caller.get("/me").want(http.StatusOK)
		w.as(phone.text("access_token")).get("/me").want(http.StatusOK)
		w.as(secret).get("/me").want(http.StatusOK)
		// The fresh pair works, now and later.
		w.as(fresh.text("access_token")).get("/me").want(http.StatusOK)
		w.refresh(fresh.text("refresh_token")).want(http.StatusOK)
		w.tryLogin(ownerEmail, ownerPassword, "").wantError(http.StatusUnauthorized, "unauthorized")
		w.logIn(ownerEmail, "another password")
	})
}

func TestRefusedPasswordChangeChangesNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		pair := w.logIn(ownerEmail, ownerPassword)
		caller := w.as(pair.text("access_token"))
		caller.put("/me/password", change("wrong password", "another password")).wantError(http.StatusForbidden, "forbidden").wantShape()
		caller.put("/me/password", change("", "another password")).wantError(http.StatusForbidden, "forbidden")
		caller.put("/me/password", change(ownerPassword, "short")).wantField("new_password")
		caller.put("/me/password", `{"new_password":"another password"}`).wantError(http.StatusForbidden, "forbidden")
		caller.put("/me/password", `{"current_password":"`+ownerPassword+`"}`).wantField("new_password")
		w.logIn(ownerEmail, ownerPassword)
		w.refresh(pair.text("refresh_token")).want(http.StatusOK)
	})
}

// TestParallelPasswordChanges end with one password and one living pair.
func TestParallelPasswordChanges(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		passwords := []string{"first new password", "second new password", "third new password", "fourth new password"}
		replies := atOnce(len(passwords), func(i int) *reply {
			return owner.put("/me/password", change(ownerPassword, passwords[i]))
		})
		alive := 0
		for i, r := range replies {
			switch r.status {
			case http.StatusOK:
				alive++
				w.refresh(r.text("refresh_token")).want(http.StatusOK)
				w.logIn(ownerEmail, passwords[i])
			case http.StatusForbidden, http.StatusConflict, http.StatusUnauthorized: // the first change ended the session
				w.tryLogin(ownerEmail, passwords[i], "").wantError(http.StatusUnauthorized, "unauthorized")
			default:
				t.Errorf("status %d: %s", r.status, r.body)
			}
		}
		if alive != 1 {
			t.Errorf("%d changes succeeded", alive)
		}
	})
}
