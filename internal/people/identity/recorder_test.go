package identity

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

func TestSessionsRecordTheirLastUse(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, pair := f.owner()
		f.caller(pair)
		users, err := f.Users(t.Context())
		must(t, err)
		if len(users) != 1 || users[0].LastSeenAt == nil || !users[0].LastSeenAt.Equal(f.clock.Now()) {
			t.Errorf("got %+v", users)
		}
	})
}

func TestTheRecorderWritesInTheBackground(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _, use := f.tokenUser()
		f.Start()
		use(home)
		deadline := time.NewTimer(20 * time.Second)
		defer deadline.Stop()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for f.count(`SELECT COUNT(*) FROM access_token_uses WHERE user_id = $1`, owner.UserID) == 0 {
			select {
			case <-tick.C:
			case <-deadline.C:
				t.Fatal("nothing was written")
			}
		}
		use(cafe)
		must(t, f.Close(t.Context()))
		if n := f.count(`SELECT COUNT(*) FROM access_token_uses WHERE user_id = $1`, owner.UserID); n != 2 {
			t.Errorf("%d uses after the end", n)
		}
	})
}

func TestRecorderClosesWithoutStart(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, _, use := f.tokenUser()
		use(home)
		must(t, f.Close(t.Context()))
		if n := f.count(`SELECT COUNT(*) FROM access_token_uses`); n != 1 {
			t.Errorf("%d uses after the end", n)
		}
	})
}

func TestRecordingNeverFailsTheRequest(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, id, use := f.tokenUser()
		use(home)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.Flush(gone); err == nil {
			t.Error("a flush with an expired context succeeded")
		}
		use(cafe)
		f.exec(`ALTER TABLE access_token_uses RENAME TO elsewhere`)
		use(crook) // what cannot be written is no reason to refuse
		if err := f.Flush(t.Context()); err == nil {
			t.Error("a flush without its table succeeded")
		}
		f.flushBriefly(t.Context())
		f.exec(`ALTER TABLE elsewhere RENAME TO access_token_uses`)
		if got := f.uses(owner, id); len(got) != 3 {
			t.Errorf("what could not be written was lost: %q", got)
		}
	})
}

func TestNotesOfDeletedTokensAndUsersAreDropped(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, id, use := f.tokenUser()
		use(home)
		must(t, f.RevokeAccessToken(ctx, owner, home, id, nil))
		f.recorder.addSeen(1 << 30)
		must(t, f.Flush(ctx))
		if n := f.count(`SELECT COUNT(*) FROM access_token_uses`); n != 0 {
			t.Errorf("%d uses of a revoked token", n)
		}
	})
}

func TestWaitingNotesAreBounded(t *testing.T) {
	r := newRecorder(nil, testkit.NewClock().Now, nil)
	for i := range maxIntervalKeys + 10 {
		client := Client{IP: fmt.Sprint(i)}
		r.addUse(journal.UserID(i), journal.TokenID(client.IP), client)
		r.addSeen(journal.UserID(i))
	}
	if n := max(len(r.waiting.uses), len(r.waiting.tokens), len(r.waiting.users)); n != maxWaiting {
		t.Errorf("%d notes wait", n)
	}
	if n := max(len(r.uses.last), len(r.tokens.last), len(r.users.last)); n > maxIntervalKeys {
		t.Errorf("%d are remembered", n)
	}
	taken := r.take()
	r.addUse(1<<30, "t", home)
	r.restore(taken)
	if n := len(r.waiting.uses); n > maxWaiting+1 {
		t.Errorf("%d notes wait after a failed write", n)
	}
}

func TestRecorderRetriesAndSurvivesPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		r := newRecorder(nil, testkit.NewClock().Now, slog.New(slog.NewTextHandler(&out, nil)))
		r.start() // with no database every write panics
		r.addSeen(1)
		<-time.After(10 * time.Second)
		synctest.Wait()
		r.stop()
		<-r.done
		if n := strings.Count(out.String(), "panic"); n != 1 {
			t.Errorf("%d panics:\n%s", n, out.String())
		}
	})
}

func TestUnrecordedFailuresAreLogged(t *testing.T) {
	var out bytes.Buffer
	clock := testkit.NewClock()
	r := newRecorder(nil, clock.Now, slog.New(slog.NewTextHandler(&out, nil)))
	for range auditPerMinute + 42 {
		r.addFailure(AuditEvent{At: clock.Now()})
	}
	clock.Advance(time.Minute)
	r.addFailure(AuditEvent{At: clock.Now()})
	if !strings.Contains(out.String(), "count=42") {
		t.Errorf("the log is:\n%s", out.String())
	}
}

// TestReadersDoNotWaitForABusyWriter reads while the writer is blocked.
func TestReadersDoNotWaitForABusyWriter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, testkit.Open(t, db.SQLite))
	owner, id, use := f.tokenUser()
	use(home)
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- f.db.Update(context.Background(), func(*db.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	if got, err := f.AccessTokenUses(t.Context(), owner.UserID, id); err != nil || len(got) != 0 {
		t.Errorf("events = %v, %v; want none", got, err)
	}
	close(release)
	must(t, <-done)
	if got := f.uses(owner, id); len(got) != 1 {
		t.Errorf("lost: %q", got)
	}
}

// TestRestoreKeepsTheLaterNote checks that a note added during a failed write is kept.
func TestRestoreKeepsTheLaterNote(t *testing.T) {
	t.Parallel()
	early := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	late := early.Add(time.Minute)
	waiting := map[string]time.Time{"a": late}
	mergeTimes(waiting, map[string]time.Time{"a": early, "b": early})
	if !waiting["a"].Equal(late) || !waiting["b"].Equal(early) {
		t.Errorf("waiting are %v", waiting)
	}
}
