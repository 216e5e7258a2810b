package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// TestSignInsAreLimitedByAddress: login, register, refresh and setup share a
// bucket of twenty, filled by two a second.
func TestSignInsAreLimitedByAddress(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		calls := []func(*client) *reply{
			func(c *client) *reply { return c.post("/auth/refresh", `{"refresh_token":"x"}`) },
			func(c *client) *reply { return c.post("/auth/register", account("x@example.org", "y")) },
			func(c *client) *reply { return c.post("/auth/login", account("x@example.org", "y")) },
			func(c *client) *reply { return c.post("/setup", `{}`) },
		}
		stranger := w.nobody().from("198.51.100.1:1")
		for i := range 20 {
			if got := calls[i%4](stranger); got.status == http.StatusTooManyRequests {
				t.Fatalf("call %d of 20 is limited", i+1)
			}
		}
		for _, call := range calls {
			limited := call(stranger.from("198.51.100.1:2")).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
			if limited.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After %q", limited.header.Get("Retry-After"))
			}
		}
		calls[0](w.nobody().from("198.51.100.2:1")).want(http.StatusUnauthorized) // a neighbour
		w.wantStatus(true, false, 0)                                              // and what is not limited
		w.clock.Advance(time.Second)
		calls[0](stranger).want(http.StatusUnauthorized)
		calls[0](stranger).want(http.StatusUnauthorized)
		calls[0](stranger).want(http.StatusTooManyRequests)
	}, authRate(2, 20))
}

// TestTheLimitFollowsTheClientThroughProxies walks X-Forwarded-For from the
// right and believes nobody else.
func TestTheLimitFollowsTheClientThroughProxies(t *testing.T) {
	eachWorld(t, func(_ *testing.T, w *world) {
		try := func(peer, forwarded string) *reply {
			c := w.nobody().from(peer)
			if forwarded != "" {
				c = c.with("X-Forwarded-For", forwarded)
			}
			return c.post("/auth/refresh", `{"refresh_token":"x"}`)
		}
		// Behind a trusted proxy each client has a bucket; what it wrote
		// itself, on the left, does not get it another.
		try("10.0.0.1:1", "198.51.100.1").want(http.StatusUnauthorized)
		for i := range 5 {
			try("10.0.0.1:1", fmt.Sprintf("6.6.6.%d, 198.51.100.1", i)).want(http.StatusTooManyRequests)
			try("10.0.0.1:1", fmt.Sprintf("6.6.6.%d, 198.51.100.1, 10.9.9.9", i)).want(http.StatusTooManyRequests)
		}
		try("10.0.0.1:1", "198.51.100.2").want(http.StatusUnauthorized)
		try("10.9.9.9:1", "198.51.100.2").want(http.StatusTooManyRequests) // by way of another proxy
		// A peer that is not trusted is the client, whatever it claims.
		try("203.0.113.1:1", "198.51.100.3").want(http.StatusUnauthorized)
		try("203.0.113.1:1", "198.51.100.4").want(http.StatusTooManyRequests)
		try("203.0.113.1:1", "").want(http.StatusTooManyRequests)
		try("10.0.0.1:1", "198.51.100.3").want(http.StatusUnauthorized) // nor does it hurt whom it named
		// An IPv6 customer has one bucket.
		try("[2001:db8::1]:1", "").want(http.StatusUnauthorized)
		try("[2001:db8::ffff:2]:1", "").want(http.StatusTooManyRequests)
		try("[2001:db8:0:1::1]:1", "").want(http.StatusUnauthorized)
	}, authRate(0.001, 1))
}

// TestSecretChecksAreLimitedByUser: ten a minute for password and codes.
func TestSecretChecksAreLimitedByUser(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		calls := []func(*client) *reply{
			func(c *client) *reply { return c.put("/me/password", change("wrong", "another password")) },
			func(c *client) *reply { return c.post("/me/totp/disable", `{"password":"wrong","code":"1"}`) },
			func(c *client) *reply { return c.post("/me/totp/confirm", `{"secret":"x","code":"1"}`) },
		}
		for i := range 10 {
			if got := calls[i%3](owner.from(fmt.Sprintf("198.51.100.%d:1", i))); got.status == http.StatusTooManyRequests {
				t.Fatalf("check %d of 10 is limited", i+1)
			}
		}
		for _, call := range calls {
			limited := call(owner).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
			if wait, err := strconv.Atoi(limited.header.Get("Retry-After")); err != nil || wait < 1 || wait > 6 {
				t.Errorf("Retry-After %q", limited.header.Get("Retry-After"))
			}
		}
		other := w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		calls[0](other).wantError(http.StatusTooManyRequests, "rate_limited") // another session, the same user
		calls[0](anna).wantError(http.StatusForbidden, "forbidden")           // another user
		owner.get("/me").want(http.StatusOK)                                  // and what is not limited
		owner.post("/me/totp/start", nil).want(http.StatusOK)
		w.clock.Advance(6 * time.Second)
		calls[0](owner).wantError(http.StatusForbidden, "forbidden")
		calls[0](owner).wantError(http.StatusTooManyRequests, "rate_limited")
	}, secretsRate(10.0/60, 10))
}

// TestALimitedRightPasswordIsNotLookedAt: the limit is on tries.
func TestALimitedRightPasswordIsNotLookedAt(t *testing.T) {
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		owner.put("/me/password", change("wrong", "another password")).wantError(http.StatusForbidden, "forbidden")
		owner.put("/me/password", change(ownerPassword, "another password")).wantError(http.StatusTooManyRequests, "rate_limited")
		w.logIn(ownerEmail, ownerPassword)
	}, secretsRate(0.001, 1))
}

// TestStrangersDoNotUseUpAUsersBucket: who is not let in is not counted.
func TestStrangersDoNotUseUpAUsersBucket(t *testing.T) {
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		_, secret := owner.mint(map[string]any{"name": "x"})
		for range 5 {
			w.nobody().put("/me/password", change("x", "y")).want(http.StatusUnauthorized)
			w.as(secret).put("/me/password", change("x", "y")).want(http.StatusForbidden)
		}
		owner.put("/me/password", change(ownerPassword, "another password")).want(http.StatusOK)
	}, secretsRate(0.001, 1))
}
