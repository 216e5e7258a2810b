package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"fillbook/internal/transport"
)

// TestClockSetBack sets the clock back an hour under a running server. What was
// spent stays spent, no one is locked out for longer than otherwise, and what
// is written meanwhile is in order.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		made := w.anonymous().post("/setup", map[string]any{"email": ownerEmail, "password": ownerPassword}).want(http.StatusCreated)
		spent := map[string]any{"refresh_token": made.text("refresh_token")}
		fresh := w.anonymous().post("/auth/refresh", spent).want(http.StatusOK)
		owner := w.as(fresh.text("access_token"))
		first := owner.post("/notes", map[string]any{"body": "before", "occurred_at": "2026-03-02T10:00:00Z"}).want(http.StatusCreated)
		e := w.enrol(owner)
		used := e.code(0)
		w.anonymous().post("/auth/login", map[string]any{"email": ownerEmail, "password": ownerPassword, "totp_code": used}).want(http.StatusOK)

		w.clock.Advance(-time.Hour)
		// An access token from the future is not taken, but its session goes on.
		owner.get("/me").want(http.StatusUnauthorized)
		pair := w.anonymous().post("/auth/refresh", map[string]any{"refresh_token": fresh.text("refresh_token")}).want(http.StatusOK)
		owner = w.as(pair.text("access_token"))
		second := owner.post("/notes", map[string]any{"body": "after", "occurred_at": "2026-03-02T10:00:00Z"}).want(http.StatusCreated)
		if second.text("id") <= first.text("id") {
			t.Errorf("ids go back with the clock: %s, then %s", first.text("id"), second.text("id"))
		}
		// Codes from that hour are no newer than the last used code.
		w.anonymous().post("/auth/login", map[string]any{"email": ownerEmail, "password": ownerPassword, "totp_code": e.code(0)}).
			wantError(http.StatusUnauthorized, "totp_invalid")
		// An exchanged refresh token does not become good again.
		w.anonymous().post("/auth/refresh", spent).want(http.StatusUnauthorized)
		w.anonymous().post("/auth/refresh", map[string]any{"refresh_token": pair.text("refresh_token")}).want(http.StatusUnauthorized)
	})
}

// TestClockSetBackAndLimits uses the limits up and sets the clock back: they
// end no later than they would have from there.
func TestClockSetBackAndLimits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		e := w.enrol(w.setUp())
		login := func(code string) *reply {
			return w.anonymous().post("/auth/login", map[string]any{"email": ownerEmail, "password": ownerPassword, "totp_code": code})
		}
		for range 10 {
			login(e.wrongCode()).want(http.StatusUnauthorized)
		}
		login(e.code(0)).want(http.StatusTooManyRequests)
		w.clock.Advance(-time.Hour)
		var wait time.Duration
		if _, err := fmt.Sscan(login(e.code(0)).want(http.StatusTooManyRequests).header.Get("Retry-After"), (*int64)(&wait)); err != nil {
			t.Fatal(err)
		}
		if wait *= time.Second; wait <= 0 || wait > time.Hour {
			t.Errorf("the wait is %s", wait)
		}
		w.clock.Advance(2*time.Hour + time.Minute)
		login(e.code(0)).want(http.StatusOK)
	}, func(s *settle) { s.api.AuthFailures = transport.Rate{PerSecond: 2, Burst: 20} })
}

// TestClockSetForward sets the clock forward a year and back again: credentials
// end, people can sign in, and no limit or code is stuck afterwards.
func TestClockSetForward(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		made := w.anonymous().post("/setup", map[string]any{"email": ownerEmail, "password": ownerPassword}).want(http.StatusCreated)
		owner := w.as(made.text("access_token"))
		lasting := w.as(owner.post("/access-tokens", map[string]any{"name": "lasting"}).want(http.StatusCreated).text("token"))
		ending := w.as(owner.post("/access-tokens", map[string]any{"name": "ending", "expires_in_days": 90}).want(http.StatusCreated).text("token"))
		note := map[string]any{"body": "once", "occurred_at": "2026-03-02T10:00:00Z"}
		before := lasting.with("Idempotency-Key", "k").post("/notes", note).want(http.StatusCreated)

		w.clock.Advance(365 * 24 * time.Hour)
		owner.get("/me").want(http.StatusUnauthorized)
		w.anonymous().post("/auth/refresh", map[string]any{"refresh_token": made.text("refresh_token")}).want(http.StatusUnauthorized)
		ending.get("/me").want(http.StatusUnauthorized)
		lasting.get("/me").want(http.StatusOK)
		later := w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		later.get("/me").want(http.StatusOK)
		for range 30 {
			w.anonymous().post("/auth/login", map[string]any{"email": ownerEmail, "password": "not the right one"})
		}

		w.clock.Advance(-365 * 24 * time.Hour)
		later.get("/me").want(http.StatusUnauthorized)
		ending.get("/me").want(http.StatusOK)
		again := lasting.with("Idempotency-Key", "k").post("/notes", note).want(http.StatusCreated)
		if again.text("id") != before.text("id") {
			t.Errorf("the key made another note")
		}
		// Wrong passwords slow down for a minute at most, whatever the clock did.
		w.anonymous().post("/auth/login", map[string]any{"email": ownerEmail, "password": ownerPassword}).want(http.StatusTooManyRequests)
		w.clock.Advance(2 * time.Minute)
		w.as(w.logIn(ownerEmail, ownerPassword).text("access_token")).get("/notes").want(http.StatusOK)
	})
}
