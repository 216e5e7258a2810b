package identity

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/testkit"
)

func TestLogin(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		guest, _ := f.guest(guestEmail)
		pair, err := f.Login(t.Context(), cafe, " GUEST@example.com ", goodPass, "ignored without a second factor")
		must(t, err)
		if caller := f.caller(pair); caller.UserID != guest.UserID || pair.IsAdmin {
			t.Errorf("signed in as %+v", caller)
		}
		if pair := f.login(ownerEmail); !pair.IsAdmin {
			t.Error("the owner's tokens do not have IsAdmin")
		}
	})
}

func TestLoginDoesNotRevealWhoExists(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.owner()
		tries := []struct {
			address  string
			password secrets.Secret
		}{
			{ownerEmail, "wrong password"},
			{"nobody@example.com", goodPass},
			{"not an address", goodPass},
			{"nul\x00@example.com", goodPass},
			{"bad\xff@example.com", goodPass},
			{"", ""},
		}
		var first error
		for _, try := range tries {
			before := f.hashes()
			_, err := f.Login(ctx, crook, try.address, try.password, "123456")
			unauthorized(t, err)
			if work := f.hashes() - before; work != 1 {
				t.Errorf("%q costs %d hashes", try.address, work)
			}
			if first == nil {
				first = err
			}
			if diff := cmp.Diff(first.Error(), err.Error()); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestFailedLoginsThrottleOneAddress(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		f.owner()
		f.guest(guestEmail)
		try := func(client Client, password secrets.Secret) error {
			_, err := f.Login(ctx, client, ownerEmail, password, "")
			return err
		}
		for range freeFailures {
			unauthorized(t, try(crook, "wrong password"))
			f.clock.Advance(time.Second)
		}
		f.clock.Advance(-time.Second)
		for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60} {
			want *= time.Second
			before := f.hashes()
			if wait := limited(t, try(crook, goodPass)); wait != want {
				t.Errorf("has to wait %s, want %s", wait, want)
			}
			if wait := limited(t, try(cafe, goodPass)); wait != want {
				t.Errorf("another unknown client has to wait %s, want %s", wait, want)
			}
			if f.hashes() != before {
				t.Error("a throttled attempt was hashed")
			}
			f.clock.Advance(want)
			unauthorized(t, try(crook, "wrong password"))
		}
		must(t, try(home, goodPass)) // the owner is signed in here already
		_, err := f.Login(ctx, crook, guestEmail, goodPass, "")
		must(t, err) // another address is not slowed
		f.clock.Advance(maxDelay)
		must(t, try(cafe, goodPass)) // and no one for longer than a minute
		unauthorized(t, try(cafe, "wrong password"))
		must(t, try(cafe, goodPass)) // a success forgives
	})
}

func TestSuccessResetsFailures(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		for _, traveller := range []Client{{IP: "10.0.0.1"}, {IP: "10.0.0.2"}, {IP: "10.0.0.3"}} {
			for range freeFailures - 1 {
				_, err := f.Login(t.Context(), crook, ownerEmail, "wrong password", "")
				unauthorized(t, err)
			}
			_, err := f.Login(t.Context(), traveller, ownerEmail, goodPass, "")
			must(t, err)
		}
	})
}

// TestLoginFailsIfPasswordChangesMeanwhile changes the password after a login has
// verified the old one and before it starts a session.
func TestLoginFailsIfPasswordChangesMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, _ := f.owner()
		at, err := f.findLogin(ctx, ownerEmail, crook)
		must(t, err)
		must(t, f.verifyPassword(ctx, at, crook, goodPass))
		_, err = f.ChangePassword(ctx, caller, home, goodPass, otherPass)
		must(t, err)
		if _, err := f.completeLogin(ctx, at, crook, goodPass, ""); !errors.Is(err, errPasswordChanged) {
			t.Errorf("signed in with the old password: %v", err)
		}
		must(t, f.db.Update(ctx, func(tx *db.Tx) error {
			_, err := lockUnchanged(ctx, tx, at.account)
			conflict(t, err)
			return nil
		}))
		if n := f.count(`SELECT COUNT(*) FROM sessions`); n != 1 {
			t.Errorf("%d sessions are open", n)
		}
	})
}

func TestLoginOfUserDeletedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		at, err := f.findLogin(ctx, guestEmail, home)
		must(t, err)
		must(t, f.DeleteUser(ctx, owner, home, guest.PublicID, nil, nil))
		_, err = f.completeLogin(ctx, at, home, goodPass, "")
		unauthorized(t, err)
		if err.Error() != newWrongLogin().Error() {
			t.Errorf("the error reveals that the user was deleted: %v", err)
		}
	})
}

func TestFailedLoginsExpireAfter15Minutes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		for range 3 {
			for range freeFailures - 1 {
				_, err := f.Login(t.Context(), crook, ownerEmail, "wrong password", "")
				unauthorized(t, err)
			}
			f.clock.Advance(failureWindow)
		}
		for range freeFailures {
			_, err := f.Login(t.Context(), crook, ownerEmail, "wrong password", "")
			unauthorized(t, err)
		}
		f.clock.Advance(time.Second - time.Microsecond)
		_, err := f.Login(t.Context(), crook, ownerEmail, "wrong password", "")
		limited(t, err)
	})
}

func TestUnknownAddressesAreThrottledToo(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for range freeFailures {
			_, err := f.Login(t.Context(), crook, "nobody@example.com", "wrong password", "")
			unauthorized(t, err)
		}
		_, err := f.Login(t.Context(), crook, "NOBODY@example.com", "wrong password", "")
		limited(t, err)
	})
}

func TestParallelGuessesAreThrottled(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.owner()
		before := f.hashes()
		errs := runConcurrently(60, func(int) error {
			_, err := f.Login(t.Context(), crook, ownerEmail, "wrong password", "")
			return err
		})
		looked := 0
		for _, err := range errs {
			if journal.IsKind(err, journal.KindUnauthorized) {
				looked++
			} else {
				limited(t, err)
			}
		}
		if most := freeFailures + f.hasher.slots; looked > most || f.hashes()-before > most {
			t.Errorf("%d guesses were checked, want at most %d", looked, most)
		}
	})
}

func TestThrottleIsBounded(t *testing.T) {
	now := testkit.NewClock().Now()
	throttle := newThrottle(3)
	key := func(n byte) throttleKey { return throttleKey{n} }
	for n := range byte(4) {
		for range freeFailures {
			throttle.fail(key(n), now)
		}
	}
	if len(throttle.entries) != 3 || throttle.order.Len() != 3 {
		t.Fatalf("%d keys are kept", len(throttle.entries))
	}
	for n, want := range []time.Duration{0, time.Second, time.Second, time.Second} {
		if wait := throttle.wait(key(byte(n)), now); wait != want {
			t.Errorf("key %d waits %s, want %s", n, wait, want)
		}
	}
	for range 1000 {
		throttle.fail(key(3), now)
	}
	if wait := throttle.wait(key(3), now); wait != time.Minute {
		t.Errorf("after a thousand failures: %s", wait)
	}
	if wait := throttle.wait(key(3), now.Add(-time.Hour)); wait != time.Minute {
		t.Errorf("with the clock set back: %s", wait)
	}
	throttle.clear(key(3))
	throttle.clear(key(9))
	if wait := throttle.wait(key(3), now); wait != 0 || throttle.order.Len() != 2 {
		t.Errorf("after a success: %s", wait)
	}
	if throttleKeys != 100_000 || newFixtureThrottle() != throttleKeys {
		t.Error("the service keeps another number of keys")
	}
}

func newFixtureThrottle() int {
	return New(nil, nil, nil, nil, Options{}).throttle.limit
}

func TestFailedLoginsAreRecordedWithoutTheAddress(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		_, err := f.Login(t.Context(), crook, ownerEmail, "wrong password", "")
		unauthorized(t, err)
		f.clock.Advance(time.Second)
		_, err = f.Login(t.Context(), crook, "stranger-canary@example.com", "wrong password", "")
		unauthorized(t, err)
		f.clock.Advance(time.Second)
		f.login(ownerEmail)
		events, err := f.Audit(t.Context(), AuditQuery{Limit: 3})
		must(t, err)
		want := []AuditEvent{
			{UserID: owner.UserID, Actor: owner.PublicID, Action: ActionLogin, Outcome: OutcomeOK, Target: string(owner.PublicID), IP: home.IP, UserAgent: home.UserAgent, RequestID: "r-1"},
			{Action: ActionLogin, Outcome: OutcomeUnknownUser, IP: crook.IP, UserAgent: crook.UserAgent, RequestID: "r-3"},
			{UserID: owner.UserID, Actor: owner.PublicID, Action: ActionLogin, Outcome: OutcomeWrongPassword, Target: string(owner.PublicID), IP: crook.IP, UserAgent: crook.UserAgent, RequestID: "r-3"},
		}
		for i := range events {
			events[i].ID, events[i].At = "", time.Time{}
		}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRecordedFailuresAreLimited(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for i := range auditPerMinute + 50 {
			f.recorder.addFailure(f.event(Principal{}, crook, ActionLogin, fmt.Sprint(i)))
		}
		if n := len(f.events()); n != auditPerMinute {
			t.Errorf("%d failures were recorded", n)
		}
		f.clock.Advance(time.Minute)
		f.recorder.addFailure(f.event(Principal{}, crook, ActionLogin, "later"))
		if n := len(f.events()); n != auditPerMinute+1 {
			t.Errorf("%d were recorded in the next minute", n)
		}
	})
}
