package httpapi_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestFailedSignInsAreLimitedByAddress: failed logins, registrations, refreshes and
// setups share a limit of twenty a minute. A right login is refused like any other then.
func TestFailedSignInsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		calls := []func(*client) *reply{
			func(c *client) *reply {
				return c.post("/auth/refresh", `{"refresh_token":"x"}`).want(http.StatusUnauthorized)
			},
			func(c *client) *reply {
				return c.post("/auth/register", account(ownerEmail, ownerPassword)).want(http.StatusConflict) // it is taken
			},
			func(c *client) *reply {
				return c.post("/auth/login", account("x@example.org", "y")).want(http.StatusUnauthorized)
			},
			func(c *client) *reply {
				return c.post("/setup", account("x@example.org", ownerPassword)).want(http.StatusConflict)
			},
		}
		stranger := w.anonymous().from("198.51.100.1:1")
		for i := range 20 {
			calls[i%4](stranger)
			w.clock.Advance(2 * time.Second)
		}
		for _, call := range []func(*client) *reply{
			func(c *client) *reply { return c.post("/auth/refresh", `{"refresh_token":"x"}`) },
			func(c *client) *reply { return c.post("/auth/register", account("new@example.org", ownerPassword)) },
			func(c *client) *reply { return c.post("/auth/login", account(ownerEmail, ownerPassword)) },
			func(c *client) *reply { return c.post("/setup", `{}`) },
		} {
			limited := call(stranger.from("198.51.100.1:2")).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
			if limited.header.Get("Retry-After") != "20" { // the first failure was 40 s ago
				t.Errorf("Retry-After %q", limited.header.Get("Retry-After"))
			}
		}
		calls[0](w.anonymous().from("198.51.100.2:1")) // a neighbor
		w.wantStatus(false, true, 1)                   // and what is not limited
		w.clock.Advance(20 * time.Second)
		stranger.post("/auth/login", account(ownerEmail, ownerPassword)).want(http.StatusOK)
		calls[0](stranger)
		stranger.post("/auth/login", account(ownerEmail, ownerPassword)).want(http.StatusTooManyRequests)
	}, authFailures(1.0/3, 20), openRegistration)
}

// TestCorrectCallsAreNotLimited, however quickly they come: neither successes, nor the
// first half of a login with a code, nor a typing mistake.
func TestCorrectCallsAreNotLimited(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.anonymous().post("/setup", `{}`).want(http.StatusBadRequest)
		owner := w.setUp()
		e := w.enrol(owner)
		for i := range 8 {
			email := fmt.Sprintf("user%d@example.org", i)
			w.anonymous().post("/auth/register", account(email, "short")).want(http.StatusBadRequest)
			made := w.anonymous().post("/auth/register", account(email, ownerPassword)).want(http.StatusCreated)
			w.anonymous().post("/auth/refresh", map[string]any{"refresh_token": made.text("refresh_token")}).want(http.StatusOK)
			w.anonymous().post("/auth/login", account(email, ownerPassword)).want(http.StatusOK)
			w.anonymous().post("/auth/login", account(ownerEmail, ownerPassword)).wantError(http.StatusUnauthorized, "totp_required")
			w.anonymous().post("/auth/logout", `{"refresh_token":"x"}`)
		}
		w.clock.Advance(time.Minute)
		w.tryLogin(ownerEmail, ownerPassword, e.code(0)).want(http.StatusOK)
	}, authFailures(1.0/3, 3), openRegistration)
}

// TestParallelGuessesAreCounted: when many wrong logins arrive at once from one address,
// no more are checked than may fail, and right ones wait for each other.
func TestParallelGuessesAreCounted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		together := func(password string) map[int]int {
			var mu sync.Mutex
			var all sync.WaitGroup
			statuses := map[int]int{}
			for range 40 {
				all.Go(func() {
					got := w.anonymous().post("/auth/login", account(ownerEmail, password))
					mu.Lock()
					defer mu.Unlock()
					statuses[got.status]++
				})
			}
			all.Wait()
			return statuses
		}
		if got := together(ownerPassword); got[http.StatusOK] != 40 {
			t.Errorf("40 right logins at once get %v", got)
		}
		if got := together("a wrong password"); got[http.StatusUnauthorized] != 5 || got[http.StatusTooManyRequests] != 35 {
			t.Errorf("40 wrong logins at once get %v", got)
		}
	}, authFailures(5.0/60, 5))
}

// TestTheLimitFollowsTheClientThroughProxies walks X-Forwarded-For from the
// right and ignores other addresses.
func TestTheLimitFollowsTheClientThroughProxies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		try := func(peer, forwarded string) *reply {
			c := w.anonymous().from(peer)
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
		try("10.9.9.9:1", "198.51.100.2").want(http.StatusTooManyRequests) // through another proxy
		// An untrusted peer is the client, whatever it claims.
		try("203.0.113.1:1", "198.51.100.3").want(http.StatusUnauthorized)
		try("203.0.113.1:1", "198.51.100.4").want(http.StatusTooManyRequests)
		try("203.0.113.1:1", "").want(http.StatusTooManyRequests)
		try("10.0.0.1:1", "198.51.100.3").want(http.StatusUnauthorized) // nor does it hurt whom it named
		// An IPv6 customer has one bucket.
		try("[2001:db8::1]:1", "").want(http.StatusUnauthorized)
		try("[2001:db8::ffff:2]:1", "").want(http.StatusTooManyRequests)
		try("[2001:db8:0:1::1]:1", "").want(http.StatusUnauthorized)
	}, authFailures(0.001, 1))
}

// TestFailedChecksAreLimitedByUser: ten wrong passwords and codes a minute.
func TestFailedChecksAreLimitedByUser(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		e := w.enrol(owner)
		calls := []func(*client) *reply{
			func(c *client) *reply { return c.put("/me/password", change("wrong", "another password")) },
			func(c *client) *reply { return c.post("/me/totp/disable", `{"password":"wrong","code":"1"}`) },
			func(c *client) *reply {
				return c.post("/me/totp/disable", map[string]any{"password": ownerPassword, "code": e.wrongCode()})
			},
		}
		for i := range 10 {
			// What is not a wrong password or code does not count.
			owner.put("/me/password", change(ownerPassword, "short")).want(http.StatusBadRequest)
			got := calls[i%3](owner.from(fmt.Sprintf("198.51.100.%d:1", i)))
			if got.status != http.StatusForbidden && got.text("error.code") != "totp_invalid" {
				t.Fatalf("check %d of 10: %d %s", i+1, got.status, got.body)
			}
			w.clock.Advance(time.Second)
		}
		for _, call := range calls {
			limited := call(owner).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
			if limited.header.Get("Retry-After") != "50" {
				t.Errorf("Retry-After %q", limited.header.Get("Retry-After"))
			}
		}
		calls[0](anna).wantError(http.StatusForbidden, "forbidden") // another user
		owner.get("/me").want(http.StatusOK)                        // and what is not limited
		w.clock.Advance(50 * time.Second)
		calls[0](owner).wantError(http.StatusForbidden, "forbidden")
		calls[0](owner).wantError(http.StatusTooManyRequests, "rate_limited")
	}, secretFailures(10.0/60, 10))
}

// TestRightPasswordsAreNotLimited, however often one is changed.
func TestRightPasswordsAreNotLimited(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		c := w.setUp()
		old := ownerPassword
		for i := range 6 {
			next := fmt.Sprintf("the password number %d", i)
			c = w.as(c.put("/me/password", change(old, next)).want(http.StatusOK).text("access_token"))
			old = next
		}
	}, secretFailures(0.001, 2))
}

// TestALimitedPasswordIsNotChecked: the limit is on tries.
func TestALimitedPasswordIsNotChecked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		owner.put("/me/password", change("wrong", "another password")).wantError(http.StatusForbidden, "forbidden")
		owner.put("/me/password", change(ownerPassword, "another password")).wantError(http.StatusTooManyRequests, "rate_limited")
		w.logIn(ownerEmail, ownerPassword)
	}, secretFailures(0.001, 1))
}

// TestStrangersDoNotConsumeAUsersLimit: who is not let in is not counted.
func TestStrangersDoNotConsumeAUsersLimit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		_, secret := owner.mint(map[string]any{"name": "x"})
		for range 5 {
			w.anonymous().put("/me/password", change("x", "y")).want(http.StatusUnauthorized)
			w.as(secret).put("/me/password", change("x", "y")).want(http.StatusForbidden)
		}
		owner.put("/me/password", change(ownerPassword, "another password")).want(http.StatusOK)
	}, secretFailures(0.001, 1))
}
