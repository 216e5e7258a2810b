package connections_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/connections"
	"fillbook/internal/testkit"
)

// TestErrors checks what each kind of error means.
func TestErrors(t *testing.T) {
	t.Parallel()
	reply := func(status int, body string, header ...string) func(f *fixture) {
		return func(f *fixture) {
			f.answer = func(w http.ResponseWriter, _ *http.Request) bool {
				if len(header) == 2 {
					w.Header().Set(header[0], header[1])
				}
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, body)
				return true
			}
		}
	}
	for name, c := range map[string]struct {
		before  func(f *fixture)
		status  connections.Status
		message string
		again   time.Duration
	}{
		"wrong key": {
			func(f *fixture) { f.key = "other" }, connections.StatusAttention,
			"Acme doesn't accept the key. Enter it again. It says: the key … is wrong.", 0,
		},
		"forbidden":   {reply(403, `{"message":"no plan"}`), connections.StatusAttention, "Acme refused the request. Check your key and your plan there. It says: no plan.", 0},
		"with a code": {reply(403, `{"code":"E7","message":"No plan."}`), connections.StatusAttention, "Acme refused the request. Check your key and your plan there. It says: No plan (code E7).", 0},
		"code alone":  {reply(401, `{"code":"E7"}`), connections.StatusAttention, "Acme doesn't accept the key. Enter it again. It says: E7.", 0},
		"not found":   {reply(404, ""), connections.StatusAttention, "Acme doesn't have the account of this connection. Check the key and the account there.", 0},
		"too many":    {reply(429, "", "Retry-After", "120"), connections.StatusWaiting, "Acme got too many requests. Fillbook tries again later.", 2 * time.Minute},
		"blocked":     {reply(418, "", "Retry-After", "7200"), connections.StatusWaiting, "Acme has blocked this server for a while. Fillbook tries again later.", 2 * time.Hour},
		"unavailable": {reply(503, ""), connections.StatusWaiting, "Acme doesn't answer. Fillbook tries again later.", time.Minute},
		"malformed":   {reply(200, "<html>"), connections.StatusWaiting, "The answer of Acme can't be read. Fillbook tries again later.", time.Minute},
		"can trade": {
			func(f *fixture) { f.who["trade"] = true }, connections.StatusAttention,
			"This key can trade. Make a key at Acme that can only read, or accept a key that can trade.", 0,
		},
		"can withdraw": {
			func(f *fixture) { f.who["withdraw"] = true }, connections.StatusAttention,
			"This key can withdraw money, so Fillbook doesn't use it. Make a key at Acme that can only read, and enter it here.", 0,
		},
		"other account": {
			func(f *fixture) { f.who["account"] = "B2" }, connections.StatusAttention,
			"The key is of account B2, and this connection has fetched account A1. Enter a key of that account, or add another connection.", 0,
		},
		"clock": {
			func(f *fixture) {
				f.answer = func(w http.ResponseWriter, _ *http.Request) bool {
					w.Header().Set("Date", f.clock.Now().Add(90*time.Second).UTC().Format(http.TimeFormat))
					return false
				}
			}, connections.StatusOK, "The clocks of this server and of Acme differ by 1m30s. Correct the clock of this server.", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(f *fixture) {
				f.addFills(2, f.clock.Now().Add(-3*day))
				made := f.run(f.connect(connections.Change{}).ID)
				f.mu.Lock()
				c.before(f)
				f.mu.Unlock()
				f.addFills(1, f.clock.Now().Add(-time.Hour))
				got := f.run(made.ID)
				f.wantStatus(got, c.status, c.message)
				if got.LastRun.Outcome != c.status || got.LastRun.Message != c.message {
					f.Errorf("the run is %+v", got.LastRun)
				}
				switch {
				case c.again == 0 && got.NextRunAt != nil:
					f.Errorf("it runs again at %s", got.NextRunAt)
				case c.again > 0:
					if in := got.NextRunAt.Sub(f.clock.Now()); in < c.again || in > c.again*11/10 {
						f.Errorf("it runs again in %s, want %s", in, c.again)
					}
				}
				if n := len(f.stored()); (n == 3) != (c.status == connections.StatusOK) {
					f.Errorf("%d fills are stored", n)
				}
				if c.status != connections.StatusOK && !got.CoversTo.Equal(*made.CoversTo) {
					f.Errorf("it covers the time to %s", got.CoversTo)
				}
			})
		})
	}
}

// TestUncertainError tries again for a while before it asks the user.
func TestUncertainError(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		c := f.connect(connections.Change{Schedule: journal.Some(connections.Daily)})
		f.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprint(w, `{"code":"unclear"}`)
			return true
		}
		for tries := 1; ; tries++ {
			c = f.runDue(c.ID)
			if c.Status != connections.StatusWaiting {
				f.wantStatus(c, connections.StatusAttention, "Check the key. It says: unclear.")
				if tries < 4 || c.NextRunAt != nil {
					f.Errorf("after %d tries it runs at %v", tries, c.NextRunAt)
				}
				return
			}
			f.wantStatus(c, connections.StatusWaiting, "Acme doesn't answer. Fillbook tries again later. It says: unclear.")
			f.clock.Advance(c.NextRunAt.Sub(f.clock.Now()))
		}
	})
}

// TestTenDaysOfFailure ends the attempts.
func TestTenDaysOfFailure(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		c := f.connect(connections.Change{Schedule: journal.Some(connections.Daily)})
		f.answer = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
		for range 30 {
			if c = f.runDue(c.ID); c.Status == connections.StatusFailed {
				break
			}
			f.clock.Advance(c.NextRunAt.Sub(f.clock.Now()))
		}
		f.wantStatus(c, connections.StatusFailed, "Acme hasn't answered for ten days. Start a run to try again.")
		if passed := f.clock.Now().Sub(c.CreatedAt); c.NextRunAt != nil || passed < 10*day || passed > 12*day {
			f.Errorf("it failed after %s, next run at %v", passed, c.NextRunAt)
		}
		f.answer = nil
		f.wantStatus(f.run(c.ID), connections.StatusOK, "")
	})
}

// TestNewKeyAfterAttention enters a key again.
func TestNewKeyAfterAttention(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		c := f.connect(connections.Change{Schedule: journal.Some(connections.Hourly)})
		f.key = "another-key-123"
		if c = f.runDue(c.ID); c.Status != connections.StatusAttention || c.NextRunAt != nil {
			f.Fatalf("the connection is %+v", c)
		}
		c, err := f.Connections.Update(f.Context(), f.by, c.ID, connections.Change{Credentials: journal.Some(map[string]string{"key": f.key})}, nil)
		f.must(err)
		f.wantStatus(c, connections.StatusWaiting, "")
		c = f.runDue(c.ID)
		f.wantStatus(c, connections.StatusOK, "")
		if in := c.NextRunAt.Sub(f.clock.Now()); in < time.Hour || in > time.Hour+6*time.Minute {
			f.Errorf("the next run is in %s", in)
		}
	})
}

// TestTradingKeyIsAccepted uses a key that can trade if the user wants it.
func TestTradingKeyIsAccepted(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.who["trade"] = true
		c := f.run(f.connect(connections.Change{AcceptsTradingKey: journal.Some(true)}).ID)
		f.wantStatus(c, connections.StatusOK, "")
		if len(c.Warnings) != 1 || !c.Identity.CanTrade {
			f.Errorf("the warnings are %q", c.Warnings)
		}
	})
}

// TestReplacedKey lets the broker replace the key at each use, while the user changes the
// connection.
func TestReplacedKey(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		c := f.connect(connections.Change{})
		n := 0
		var during func()
		f.answer = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/who" || r.Header.Get("X-Key") != f.key {
				return false
			}
			n++
			f.key = fmt.Sprintf("%s-%d", secret, n)
			f.who["newKey"] = f.key
			r.Header.Set("X-Key", f.key)
			if during != nil {
				during()
			}
			return false
		}
		f.wantStatus(f.run(c.ID), connections.StatusOK, "")
		during = func() {
			f.update(c.ID, connections.Change{Name: journal.Some("Renamed"), Schedule: journal.Some(connections.Daily)})
		}
		c = f.run(c.ID)
		f.wantStatus(c, connections.StatusOK, "")
		if c.Name != "Renamed" || c.NextRunAt == nil {
			f.Errorf("the change was lost: %+v", c)
		}
		during = nil
		f.wantStatus(f.run(c.ID), connections.StatusOK, "")
		during = func() {
			during = nil
			f.key = "typed-by-the-user"
			f.update(c.ID, connections.Change{Credentials: journal.Some(map[string]string{"key": f.key})})
		}
		f.wantStatus(f.run(c.ID), connections.StatusOK, "") // the run after the change
		f.wantStatus(f.run(c.ID), connections.StatusOK, "")
	})
}

func (f *fixture) update(id journal.ConnectionID, change connections.Change) {
	_, err := f.Connections.Update(f.Context(), f.by, id, change, nil)
	if err != nil {
		f.Error(err)
	}
}

// TestStoredInSealedForm looks for the key in the tables.
func TestStoredInSealedForm(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d)
		c := f.connect(connections.Change{})
		f.key = "another-key-123"
		f.run(c.ID) // the broker repeats the wrong key in its answer
		var text string
		f.must(d.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT c.message || r.message FROM connections AS c JOIN connection_runs AS r ON r.connection_id = c.id`).Scan(&text)
		}))
		var sealed []byte
		f.must(d.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT credentials FROM connections`).Scan(&sealed)
		}))
		if strings.Contains(text+string(sealed)+f.log.String(), secret) || !strings.Contains(text, "the key … is wrong") {
			t.Errorf("the key is stored or logged: %s", text)
		}
	})
}
