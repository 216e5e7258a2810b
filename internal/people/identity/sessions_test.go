package identity

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/secrets"
)

// refresh exchanges a token at the café.
func (f *fixture) refresh(token secrets.Secret) (TokenPair, error) {
	return f.Refresh(f.t.Context(), cafe, token)
}

func TestRefreshRotates(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, first := f.owner()
		f.clock.Advance(time.Hour)
		second, err := f.refresh(first.RefreshToken)
		must(t, err)
		if second.RefreshToken == first.RefreshToken || second.AccessToken == first.AccessToken || !second.IsAdmin {
			t.Error("the tokens are not new, or do not have IsAdmin")
		}
		caller := f.caller(second)
		if caller.SessionID != owner.SessionID {
			t.Error("the session is another one")
		}
		third, err := f.refresh(second.RefreshToken)
		must(t, err)
		if third.RefreshToken == second.RefreshToken || third.AccessToken == second.AccessToken {
			t.Error("two refreshes within a second are equal")
		}
		sessions, err := f.Sessions(t.Context(), owner.UserID)
		must(t, err)
		now := f.clock.Now()
		want := []Session{{
			ID: owner.SessionID, CreatedAt: now.Add(-time.Hour), LastUsedAt: now, ExpiresAt: now.Add(30 * 24 * time.Hour),
			IP: cafe.IP, UserAgent: cafe.UserAgent,
		}}
		if diff := cmp.Diff(want, sessions); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUsedRefreshTokenIsValidWithinGrace(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, first := f.owner()
		_, err := f.refresh(first.RefreshToken)
		must(t, err)
		f.clock.Advance(RefreshGrace)
		errs := runConcurrently(4, func(int) error {
			_, err := f.refresh(first.RefreshToken)
			return err
		})
		if countSuccesses(errs) != 4 {
			t.Errorf("within the grace: %v", errs)
		}
		again, err := f.refresh(first.RefreshToken)
		must(t, err)
		f.clock.Advance(time.Hour)
		_, err = f.refresh(again.RefreshToken)
		must(t, err) // what the grace gave is as good as any
	})
}

func TestUsedRefreshTokenEndsTheSessionAfterGrace(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, first := f.owner()
		apart := f.login(ownerEmail)
		second, err := f.refresh(first.RefreshToken)
		must(t, err)
		f.clock.Advance(RefreshGrace + time.Microsecond)
		_, err = f.Refresh(t.Context(), crook, first.RefreshToken)
		unauthorized(t, err)
		_, err = f.refresh(second.RefreshToken)
		unauthorized(t, err) // the whole family has ended, and the end was committed
		_, err = f.refresh(apart.RefreshToken)
		must(t, err) // and no other
		events, err := f.Audit(t.Context(), AuditQuery{Limit: 1})
		must(t, err)
		if e := events[0]; e.Action != ActionRefreshReuse || e.UserID != owner.UserID || e.Target != string(owner.SessionID) || e.IP != crook.IP {
			t.Errorf("the audit event is %+v", e)
		}
	})
}

func TestUsedRefreshTokenIsAReplayOnceItsSuccessorWasUsed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, first := f.owner()
		second, err := f.refresh(first.RefreshToken)
		must(t, err)
		third, err := f.refresh(second.RefreshToken)
		must(t, err)
		f.clock.Advance(time.Second) // well within the grace
		_, err = f.Refresh(t.Context(), crook, first.RefreshToken)
		unauthorized(t, err)
		_, err = f.refresh(third.RefreshToken)
		unauthorized(t, err) // the replay ended the session
	})
}

func TestGracePeriodEndsOnceAnySuccessorWasUsed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, first := f.owner()
		left, err := f.refresh(first.RefreshToken)
		must(t, err)
		right, err := f.refresh(first.RefreshToken) // a second tab
		must(t, err)
		_, err = f.refresh(left.RefreshToken)
		must(t, err)
		next, err := f.refresh(right.RefreshToken)
		must(t, err) // siblings are no replay of each other
		_, err = f.refresh(first.RefreshToken)
		unauthorized(t, err)
		_, err = f.refresh(next.RefreshToken)
		unauthorized(t, err)
	})
}

func TestGracePeriodIsNotExtendedByUse(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, first := f.owner()
		for range 3 { // at 0, 15 and 30 seconds after it was spent
			_, err := f.refresh(first.RefreshToken)
			must(t, err)
			f.clock.Advance(15 * time.Second)
		}
		_, err := f.refresh(first.RefreshToken)
		unauthorized(t, err)
	})
}

func TestTwoTabsRefreshAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, first := f.owner()
		pairs := make([]TokenPair, 6)
		errs := runConcurrently(len(pairs), func(i int) (err error) {
			pairs[i], err = f.refresh(first.RefreshToken)
			return err
		})
		if countSuccesses(errs) != len(pairs) {
			t.Fatalf("two tabs: %v", errs)
		}
		seen := map[secrets.Secret]bool{}
		for _, pair := range pairs {
			seen[pair.RefreshToken] = true
		}
		if len(seen) != len(pairs) {
			t.Error("two tabs got the same token")
		}
	})
}

func TestRefreshTokensExpire(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, pair := f.owner()
		for range 3 { // a used session lives on
			f.clock.Advance(RefreshTokenLifetime - time.Second)
			var err error
			pair, err = f.refresh(pair.RefreshToken)
			must(t, err)
		}
		f.clock.Advance(RefreshTokenLifetime)
		_, err := f.refresh(pair.RefreshToken)
		unauthorized(t, err)
		if sessions, _ := f.Sessions(t.Context(), owner.UserID); len(sessions) != 0 {
			t.Errorf("an expired session is listed: %+v", sessions)
		}
	})
}

func TestRefreshRejectsOtherTokens(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, pair := f.owner()
		_, token, err := f.MintAccessToken(t.Context(), owner, home, NewToken{Name: "cron"})
		must(t, err)
		for _, bad := range []secrets.Secret{"", "x", pair.AccessToken, token, pair.RefreshToken + "x", pair.RefreshToken[1:], "\x00", "\xff"} {
			_, err := f.refresh(bad)
			unauthorized(t, err)
		}
		_, err = f.refresh(pair.RefreshToken)
		must(t, err)
	})
}

func TestLogout(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, one := f.owner()
		two, three := f.login(ownerEmail), f.login(ownerEmail)
		must(t, f.Logout(ctx, Principal{}, Client{}, two.RefreshToken))
		_, err := f.refresh(two.RefreshToken)
		unauthorized(t, err)
		must(t, f.Logout(ctx, caller, Client{}, "")) // by the access token
		_, err = f.refresh(one.RefreshToken)
		unauthorized(t, err)
		f.caller(one) // which lives out its quarter of an hour
		must(t, f.Logout(ctx, caller, Client{}, three.RefreshToken))
		_, err = f.refresh(three.RefreshToken)
		unauthorized(t, err)

		unauthorized(t, f.Logout(ctx, Principal{}, Client{}, ""))
		unauthorized(t, f.Logout(ctx, Principal{}, Client{}, "unknown"))
		unauthorized(t, f.Logout(ctx, Principal{}, Client{}, two.RefreshToken))
		unauthorized(t, f.Logout(ctx, caller, Client{}, ""))
		unauthorized(t, f.Logout(ctx, Principal{UserID: caller.UserID, Credential: CredentialToken}, Client{}, ""))
		four := f.login(ownerEmail)
		must(t, f.Logout(ctx, f.caller(four), Client{}, "unknown")) // the bearer names one all the same
	})
}

func TestEndSession(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, pair := f.guest(guestEmail)
		notFound(t, f.EndSession(ctx, owner, home, guest.SessionID, nil))
		notFound(t, f.EndSession(ctx, owner, home, "unknown", nil))
		must(t, f.EndSession(ctx, guest, home, guest.SessionID, nil))
		_, err := f.refresh(pair.RefreshToken)
		unauthorized(t, err)
		notFound(t, f.EndSession(ctx, guest, home, guest.SessionID, nil))
		if sessions, err := f.Sessions(ctx, guest.UserID); err != nil || sessions == nil || len(sessions) != 0 {
			t.Errorf("left: %v, %v", sessions, err)
		}
	})
}

func TestSessionsAreListedLastUsedFirst(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, first := f.owner()
		f.clock.Advance(time.Minute)
		second := f.caller(f.login(ownerEmail))
		f.clock.Advance(time.Minute)
		_, err := f.refresh(first.RefreshToken)
		must(t, err)
		sessions, err := f.Sessions(t.Context(), owner.UserID)
		must(t, err)
		if len(sessions) != 2 || sessions[0].ID != owner.SessionID || sessions[1].ID != second.SessionID {
			t.Errorf("got %+v", sessions)
		}
	})
}

func TestRefreshAndPasswordChangeAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		caller, pair := f.owner()
		passwords := []secrets.Secret{goodPass, otherPass}
		for round := range 6 {
			var fresh, raced TokenPair
			errs := runConcurrently(2, func(i int) (err error) {
				if i == 0 {
					fresh, err = f.ChangePassword(ctx, caller, home, passwords[round%2], passwords[(round+1)%2])
					return err
				}
				raced, _ = f.refresh(pair.RefreshToken)
				return nil
			})
			must(t, errs[0])
			if raced.RefreshToken != "" {
				_, err := f.refresh(raced.RefreshToken)
				unauthorized(t, err) // issued for the old password, in either order
			}
			pair = fresh
			if n := f.count(`SELECT COUNT(*) FROM sessions`); n != 1 {
				t.Fatalf("%d sessions are left", n)
			}
		}
	})
}

// TestRefreshWaitsForTheEndOfItsSession starts to end a session, starts a refresh,
// and then commits.
func TestRefreshWaitsForTheEndOfItsSession(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, pair := f.owner()
		answer := make(chan error, 1)
		must(t, f.db.Update(t.Context(), func(tx *db.Tx) error {
			if err := deleteSession(t.Context(), tx, owner.UserID, owner.SessionID); err != nil {
				return err
			}
			go func() {
				_, err := f.refresh(pair.RefreshToken)
				answer <- err
			}()
			select {
			case err := <-answer:
				t.Errorf("the refresh did not wait: %v", err)
				answer <- err
			case <-time.After(200 * time.Millisecond):
			}
			return nil
		}))
		unauthorized(t, <-answer)
	})
}

func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		_, idle := f.owner()
		used := f.login(ownerEmail)
		f.clock.Advance(20 * 24 * time.Hour)
		old := used.RefreshToken
		used, err := f.refresh(old)
		must(t, err)
		f.clock.Advance(15 * 24 * time.Hour)
		must(t, f.Sweep(ctx))
		if n := f.count(`SELECT COUNT(*) FROM sessions`); n != 1 {
			t.Errorf("%d sessions are left", n)
		}
		if n := f.count(`SELECT COUNT(*) FROM refresh_tokens WHERE spent_at IS NOT NULL`); n != 1 {
			t.Errorf("%d spent tokens are left", n) // spent 15 days ago: its reuse must be detected
		}
		_, err = f.refresh(idle.RefreshToken)
		unauthorized(t, err)
		used, err = f.refresh(used.RefreshToken)
		must(t, err)
		f.clock.Advance(16 * 24 * time.Hour)
		must(t, f.Sweep(ctx))
		if n := f.count(`SELECT COUNT(*) FROM refresh_tokens`); n != 2 {
			t.Errorf("%d tokens are left", n) // the one spent 16 days ago and the live one
		}
		_, err = f.refresh(used.RefreshToken)
		must(t, err)
		if n := f.count(`SELECT COUNT(*) FROM audit_events`); n == 0 {
			t.Error("recent events were deleted")
		}
		f.clock.Advance(auditRetention)
		must(t, f.Sweep(ctx))
		if n := f.count(`SELECT COUNT(*) FROM audit_events`); n != 0 {
			t.Errorf("%d old events are left", n)
		}
		for _, table := range []string{"refresh_tokens", "sessions", "token_owners"} {
			if n := f.count(`SELECT COUNT(*) FROM ` + table); n != 0 {
				t.Errorf("%d rows of ended sessions are left in %s", n, table)
			}
		}
	})
}
