package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// uses lists a token's uses as "agent@ip", newest first.
func (c *client) uses(id string) []string {
	c.w.t.Helper()
	c.w.settle() // a list waits for it too, but not for ever
	list := c.get("/access-tokens/" + id + "/uses").want(http.StatusOK)
	var out []string
	for i := range list.count("") {
		out = append(out, list.text(fmt.Sprint(i, ".user_agent"))+"@"+list.text(fmt.Sprint(i, ".ip")))
	}
	return out
}

// wantUses requires a token's uses, newest first.
func (c *client) wantUses(id string, want ...string) {
	c.w.t.Helper()
	if got := c.uses(id); fmt.Sprint(got) != fmt.Sprint(want) {
		c.w.t.Fatalf("the uses are %v, want %v", got, want)
	}
}

// signedIn returns a session that outlives clock jumps: the owner with an access token.
func (w *world) signedIn(owner *client) *client {
	w.t.Helper()
	_, secret := owner.mint(map[string]any{"name": "the test's own"})
	return w.as(secret)
}

func TestUseIsRecordedForANewClient(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.setUp()
		id, secret := session.mint(map[string]any{"name": "cron"})
		owner := w.signedIn(session)
		owner.wantUses(id)
		use := func(agent, address string) {
			t.Helper()
			w.as(secret).from(address+":1").with("User-Agent", agent).get("/me").want(http.StatusOK)
		}
		for range 20 {
			use("cron/1", "198.51.100.1")
		}
		owner.wantUses(id, "cron/1@198.51.100.1") // one row, not one a request
		w.clock.Advance(time.Second)
		use("cron/2", "198.51.100.1")
		w.clock.Advance(time.Second)
		use("cron/1", "198.51.100.2")
		owner.wantUses(id, "cron/1@198.51.100.2", "cron/2@198.51.100.1", "cron/1@198.51.100.1")
		// Two clients taking turns do not fill the list.
		for range 20 {
			w.clock.Advance(10 * time.Second)
			use("cron/1", "198.51.100.1")
			use("cron/2", "198.51.100.1")
		}
		if n := len(owner.uses(id)); n != 3 {
			t.Errorf("%d rows", n)
		}
	})
}

func TestUseIsRecordedAgainAfterTenMinutes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.setUp()
		id, secret := session.mint(map[string]any{"name": "cron"})
		owner := w.signedIn(session)
		use := func() { w.as(secret).get("/me").want(http.StatusOK) }
		use()
		w.clock.Advance(10*time.Minute - time.Microsecond)
		use()
		if n := len(owner.uses(id)); n != 1 {
			t.Fatalf("%d rows after less than ten minutes", n)
		}
		w.clock.Advance(time.Microsecond)
		use()
		w.settle()
		list := owner.get("/access-tokens/"+id+"/uses").want(http.StatusOK).wantKeys("0", "used_at", "ip", "user_agent")
		if list.count("") != 2 || list.text("0.used_at") != "2026-03-10T15:14:05Z" || list.text("1.used_at") != "2026-03-10T15:04:05Z" {
			t.Errorf("the uses are %s", list.body)
		}
	})
}

// TestTheNewestFiftyUsesAreKept comes as sixty clients.
func TestTheNewestFiftyUsesAreKept(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.setUp()
		id, secret := session.mint(map[string]any{"name": "cron"})
		other, otherSecret := session.mint(map[string]any{"name": "other"})
		owner := w.signedIn(session)
		w.as(otherSecret).get("/me").want(http.StatusOK)
		for i := range 60 {
			w.clock.Advance(time.Second)
			w.as(secret).with("User-Agent", fmt.Sprintf("client/%02d", i)).get("/me").want(http.StatusOK)
			if i%25 == 0 {
				owner.uses(id) // in several batches
			}
		}
		got := owner.uses(id)
		if len(got) != 50 || !strings.HasPrefix(got[0], "client/59@") || !strings.HasPrefix(got[49], "client/10@") {
			t.Errorf("%d uses, from %s to %s", len(got), got[0], got[len(got)-1])
		}
		if n := len(owner.uses(other)); n != 1 {
			t.Errorf("another token has %d uses", n)
		}
	})
}

func TestParallelFirstUsesAreOne(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		session := w.setUp()
		id, secret := session.mint(map[string]any{"name": "cron"})
		atOnce(10, func(int) *reply { return w.as(secret).with("User-Agent", "cron").get("/me") })
		session.wantUses(id, "cron@203.0.113.7")
	})
}

// TestUsesHaveTheAddressOfTheClient, and long client names are cut.
func TestUsesHaveTheAddressOfTheClient(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.setUp()
		id, secret := session.mint(map[string]any{"name": "cron"})
		proxy := w.as(secret).from("10.0.0.1:1").with("X-Forwarded-For", "6.6.6.6, 198.51.100.5").with("User-Agent", "a\tb\x01c\xffd"+strings.Repeat("é", 50_000))
		proxy.get("/me").want(http.StatusOK)
		w.settle()
		list := session.get("/access-tokens/" + id + "/uses").want(http.StatusOK)
		agent := list.text("0.user_agent")
		if list.text("0.ip") != "198.51.100.5" || len(agent) > 256 || !strings.HasPrefix(agent, "abcdé") {
			t.Errorf("the use is %s", list.body)
		}
	})
}

// TestLastUsed counts uses and not refusals.
func TestLastUsed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		session := w.setUp()
		id, secret := session.mint(map[string]any{"name": "cron", "expires_in_days": 30})
		owner := w.signedIn(session)
		lastUsed := func() string {
			w.settle()
			list := owner.get("/access-tokens").want(http.StatusOK)
			for i := range list.count("") {
				if list.text(fmt.Sprint(i, ".id")) == id {
					return list.text(fmt.Sprint(i, ".last_used_at"))
				}
			}
			t.Fatal("the token is gone")
			return ""
		}
		if got := lastUsed(); got != "" {
			t.Errorf("last_used_at %q before the first use", got)
		}
		w.as(secret + "x").get("/me").want(http.StatusUnauthorized)
		w.as(secret).get("/me").want(http.StatusOK)
		if got := lastUsed(); got != "2026-03-10T15:04:05Z" {
			t.Errorf("last_used_at %q", got)
		}
		w.clock.Advance(time.Hour)
		w.as(secret).get("/me").want(http.StatusOK)
		if got := lastUsed(); got != "2026-03-10T16:04:05Z" {
			t.Errorf("last_used_at %q an hour later", got)
		}
		w.clock.Advance(30 * 24 * time.Hour)
		w.as(secret).get("/me").want(http.StatusUnauthorized)
		if got := lastUsed(); got != "2026-03-10T16:04:05Z" {
			t.Errorf("a refused request made it %q", got)
		}
		if n := len(owner.uses(id)); n != 2 {
			t.Errorf("%d uses", n)
		}
	})
}

// TestUsesOfAForeignTokenAreEmpty, like an unknown token's.
func TestUsesOfAForeignTokenAreEmpty(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		id, secret := owner.mint(map[string]any{"name": "cron"})
		w.as(secret).get("/me").want(http.StatusOK)
		foreign := anna.get("/access-tokens/" + id + "/uses").want(http.StatusOK)
		if string(foreign.body) != "[]" {
			t.Errorf("foreign uses are %s", foreign.body)
		}
		foreign.wantSame(anna.get("/access-tokens/unknown/uses"))
		owner.delete("/access-tokens/" + id).wantNone()
		if got := owner.get("/access-tokens/" + id + "/uses").want(http.StatusOK); string(got.body) != "[]" {
			t.Errorf("uses of a revoked token are %s", got.body)
		}
	})
}
