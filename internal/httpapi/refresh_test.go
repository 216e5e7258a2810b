package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestRefreshRotates(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		pair := w.logIn(ownerEmail, ownerPassword)
		seen := map[string]bool{pair.text("refresh_token"): true, pair.text("access_token"): true}
		for range 5 {
			w.clock.Advance(time.Hour)
			next := w.refresh(pair.text("refresh_token")).want(http.StatusOK).wantPair(true).
				wantKeys("", "access_token", "refresh_token", "is_admin", "token_type", "expires_in")
			if seen[next.text("refresh_token")] || seen[next.text("access_token")] {
				t.Fatal("a token is given twice")
			}
			seen[next.text("refresh_token")], seen[next.text("access_token")] = true, true
			w.as(next.text("access_token")).get("/me").want(http.StatusOK)
			pair = next
		}
	})
}

// TestUsedTokenIsAcceptedForHalfAMinute is for lost answers and two tabs.
func TestUsedTokenIsAcceptedForHalfAMinute(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		first := w.logIn(ownerEmail, ownerPassword).text("refresh_token")
		second := w.refresh(first).want(http.StatusOK).text("refresh_token")
		w.clock.Advance(30 * time.Second)
		third := w.refresh(first).want(http.StatusOK).text("refresh_token")
		// Both tabs go on.
		w.refresh(second).want(http.StatusOK)
		w.refresh(third).want(http.StatusOK)
	})
}

func TestReusedTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		pair, other := w.logIn(ownerEmail, ownerPassword), w.logIn(ownerEmail, ownerPassword)
		stolen := pair.text("refresh_token")
		next := w.refresh(stolen).want(http.StatusOK)
		w.clock.Advance(30*time.Second + time.Microsecond)
		refused := w.refresh(stolen).wantError(http.StatusUnauthorized, "unauthorized").wantShape()
		// The whole family is revoked, with its newest token.
		w.refresh(next.text("refresh_token")).wantSame(refused)
		w.refresh(stolen).wantSame(refused)
		// Another device is not touched, and access tokens live out their time.
		w.refresh(other.text("refresh_token")).want(http.StatusOK)
		w.as(next.text("access_token")).get("/me").want(http.StatusOK)
		events := owner.get("/admin/audit").want(http.StatusOK)
		found := false
		for i := range events.count("") {
			found = found || events.text(fmt.Sprintf("%d.action", i)) == "refresh_reuse"
		}
		if !found {
			t.Errorf("the audit does not tell of it: %s", events.body)
		}
	})
}

func TestRefreshTokensExpire(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		month := 30 * 24 * time.Hour
		token := w.logIn(ownerEmail, ownerPassword).text("refresh_token")
		w.clock.Advance(month - time.Second)
		token = w.refresh(token).want(http.StatusOK).text("refresh_token") // and the month starts again
		w.clock.Advance(month)
		w.refresh(token).wantError(http.StatusUnauthorized, "unauthorized")
	})
}

func TestRefreshAcceptsRefreshTokensOnly(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		_, secret := owner.mint(map[string]any{"name": "x"})
		unknown := w.refresh("nonsense").wantError(http.StatusUnauthorized, "unauthorized")
		for _, token := range []string{"", owner.token, secret, w.logIn(ownerEmail, ownerPassword).text("refresh_token") + "x"} {
			w.refresh(token).wantSame(unknown)
		}
		w.anonymous().post("/auth/refresh", `{}`).wantSame(unknown)
	})
}

// TestParallelRefreshes: two tabs wake up at the same moment.
func TestParallelRefreshes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		token := w.logIn(ownerEmail, ownerPassword).text("refresh_token")
		replies := atOnce(5, func(int) *reply { return w.refresh(token) })
		if got := tally(replies); got[http.StatusOK] != 5 {
			t.Fatalf("statuses %v", got)
		}
		for _, r := range replies {
			w.refresh(r.text("refresh_token")).want(http.StatusOK)
		}
	})
}

func TestLogout(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		for name, logout := range map[string]func(pair *reply) *reply{
			"by bearer": func(pair *reply) *reply { return w.as(pair.text("access_token")).post("/auth/logout", nil) },
			"by bearer with an empty object": func(pair *reply) *reply {
				return w.as(pair.text("access_token")).post("/auth/logout", `{}`)
			},
			"by a bearer in small letters": func(pair *reply) *reply {
				return w.anonymous().with("Authorization", "bearer "+pair.text("access_token")).post("/auth/logout", nil)
			},
			"by refresh token": func(pair *reply) *reply {
				return w.anonymous().post("/auth/logout", map[string]any{"refresh_token": pair.text("refresh_token")})
			},
			"by refresh token and a worthless bearer": func(pair *reply) *reply {
				return w.as("expired").post("/auth/logout", map[string]any{"refresh_token": pair.text("refresh_token")})
			},
		} {
			t.Log(name)
			pair, other := w.logIn(ownerEmail, ownerPassword), w.logIn(ownerEmail, ownerPassword)
			logout(pair).wantNone()
			w.refresh(pair.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
			w.as(pair.text("access_token")).get("/me").want(http.StatusOK) // for a quarter of an hour
			w.refresh(other.text("refresh_token")).want(http.StatusOK)     // another device stays
			logout(pair).wantError(http.StatusUnauthorized, "unauthorized").wantShape()
		}
	})
}

// TestLogoutOfTheWholeFamily names the session by a rotated token.
func TestLogoutOfTheWholeFamily(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		first := w.logIn(ownerEmail, ownerPassword)
		second := w.refresh(first.text("refresh_token")).want(http.StatusOK)
		w.as(first.text("access_token")).post("/auth/logout", nil).wantNone()
		w.refresh(second.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
	})
}

func TestLogoutNeedsASession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		_, secret := owner.mint(map[string]any{"name": "x"})
		w.anonymous().post("/auth/logout", nil).wantError(http.StatusUnauthorized, "unauthorized")
		w.anonymous().post("/auth/logout", `{}`).wantError(http.StatusUnauthorized, "unauthorized")
		w.anonymous().post("/auth/logout", `{"refresh_token":"x"}`).wantError(http.StatusUnauthorized, "unauthorized")
		w.as("nonsense").post("/auth/logout", nil).wantError(http.StatusUnauthorized, "unauthorized")
		w.as(secret).post("/auth/logout", nil).wantError(http.StatusUnauthorized, "unauthorized")
		owner.get("/me").want(http.StatusOK)
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		w.clock.Advance(time.Minute)
		phone := w.anonymous().from("10.0.0.1:1").with("X-Forwarded-For", "198.51.100.9").with("User-Agent", "Phone/1").
			post("/auth/login", account(ownerEmail, ownerPassword)).want(http.StatusOK)
		w.clock.Advance(time.Minute)
		desktop := w.anonymous().from("198.51.100.8:1").with("User-Agent", "Desk/1").post("/auth/login", account(ownerEmail, ownerPassword)).want(http.StatusOK)
		list := w.as(desktop.text("access_token")).get("/me/sessions").want(http.StatusOK).
			wantKeys("0", "id", "created_at", "last_used_at", "expires_at", "ip", "user_agent", "current")
		if list.count("") != 3 {
			t.Fatalf("sessions %s", list.body)
		}
		if list.text("0.user_agent") != "Desk/1" || list.value("0.current") != true || list.text("0.ip") != "198.51.100.8" {
			t.Errorf("the first is %v", list.value("0"))
		}
		if list.text("1.user_agent") != "Phone/1" || list.value("1.current") != false || list.text("1.ip") != "198.51.100.9" {
			t.Errorf("the second is %v", list.value("1"))
		}
		if list.text("1.created_at") != "2026-03-10T15:05:05Z" || list.text("1.expires_at") != "2026-04-09T15:05:05Z" {
			t.Errorf("the second is %v", list.value("1"))
		}
		w.as(desktop.text("access_token")).delete("/me/sessions/" + list.text("1.id")).wantNone()
		w.refresh(phone.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
		w.refresh(desktop.text("refresh_token")).want(http.StatusOK)
		w.as(desktop.text("access_token")).delete("/me/sessions/"+list.text("1.id")).wantError(http.StatusNotFound, "not_found")
		if n := w.as(desktop.text("access_token")).get("/me/sessions").count(""); n != 2 {
			t.Errorf("%d sessions are left", n)
		}
		// An expired session is no signed-in device.
		w.clock.Advance(31 * 24 * time.Hour)
		late := w.logIn(ownerEmail, ownerPassword)
		if n := w.as(late.text("access_token")).get("/me/sessions").count(""); n != 1 {
			t.Errorf("%d sessions after a month", n)
		}
	})
}
