package identity

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// published is the expression in SECURITY.md by which a scanner finds a token.
var published = regexp.MustCompile(`^svc_pat_[0-9A-Za-z]{49}$`)

func TestAccessTokenShape(t *testing.T) {
	seen := map[secrets.Secret]bool{}
	for range 200 {
		token := newAccessToken()
		if !published.MatchString(token.Reveal()) || !isAccessToken(token) || seen[token] {
			t.Fatalf("%q is not a valid token, or not unique", token.Reveal())
		}
		seen[token] = true
	}
	if got := formatBase62(bigOf(61), 3) + formatBase62(bigOf(62), 3) + formatBase62(bigOf(0), 2); got != "00z01000" {
		t.Errorf("formatBase62 = %s", got)
	}
}

func TestMistypedAccessTokenIsRejected(t *testing.T) {
	text := newAccessToken().Reveal()
	for i := range text {
		for _, other := range []byte("0aZ_ \x00") {
			changed := text[:i] + string(other) + text[i+1:]
			if changed != text && isAccessToken(secrets.Secret(changed)) {
				t.Fatalf("%q is accepted for %q", changed, text)
			}
		}
	}
	for _, bad := range []string{"", "svc_pat_", text[1:], text[:len(text)-1], text + "0", strings.ToUpper(text)} {
		if isAccessToken(secrets.Secret(bad)) {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzIsAccessToken(f *testing.F) {
	f.Add(newAccessToken().Reveal())
	f.Add("svc_pat_")
	f.Fuzz(func(t *testing.T, text string) {
		if isAccessToken(secrets.Secret(text)) && (len(text) != accessTokenLength || !strings.HasPrefix(text, accessTokenPrefix)) {
			t.Errorf("%q is accepted", text)
		}
	})
}

func TestMintAccessToken(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		days := 90
		token, secret, err := f.MintAccessToken(ctx, owner, home, NewToken{Name: "  backup job ", ExpiresInDays: &days, Scope: "read"})
		must(t, err)
		expires := f.clock.Now().Add(90 * 24 * time.Hour)
		want := AccessToken{
			ID: token.ID, Name: "backup job", Prefix: secret.Reveal()[:12], Scope: "read",
			CreatedAt: f.clock.Now(), ExpiresAt: &expires,
		}
		if diff := cmp.Diff(want, token); diff != "" {
			t.Error(diff)
		}
		list, err := f.AccessTokens(ctx, owner.UserID)
		must(t, err)
		if diff := cmp.Diff([]AccessToken{want}, list); diff != "" {
			t.Error(diff)
		}
		caller, err := f.Authenticate(ctx, secret.Reveal(), home)
		must(t, err)
		wantCaller := Principal{
			UserID: owner.UserID, PublicID: owner.PublicID, Email: ownerEmail, IsAdmin: true, CreatedAt: owner.CreatedAt, Credential: CredentialToken, TokenID: token.ID, TokenName: "backup job", Scope: ScopeRead,
		}
		if diff := cmp.Diff(wantCaller, caller); diff != "" {
			t.Error(diff)
		}
		f.clock.Advance(time.Second)
		full, secret, err := f.MintAccessToken(ctx, owner, home, NewToken{Name: "all"})
		must(t, err)
		if full.Scope != ScopeFull || full.ExpiresAt != nil {
			t.Errorf("the default is %+v", full)
		}
		if caller, _ := f.Authenticate(ctx, secret.Reveal(), home); caller.Scope != ScopeFull || caller.Accounts != nil {
			t.Error("a full token is limited")
		}
		if list, _ := f.AccessTokens(ctx, owner.UserID); len(list) != 2 || list[0].ID != full.ID {
			t.Errorf("not newest first: %+v", list)
		}
	})
}

func TestMintAccessTokenChecksItsInput(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		mint := func(name string, days *int, scope string) error {
			_, secret, err := f.MintAccessToken(t.Context(), owner, home, NewToken{Name: name, ExpiresInDays: days, Scope: scope})
			if err != nil && secret != "" {
				t.Error("an error comes with a secret")
			}
			return err
		}
		invalid(t, mint(" ", nil, ""), "name")
		invalid(t, mint("\u200b", nil, ""), "name")
		invalid(t, mint(strings.Repeat("x", 201), nil, ""), "name")
		invalid(t, mint("a\x00b", nil, ""), "name")
		invalid(t, mint("ok", nil, "admin"), "scope")
		for _, days := range []int{-1, 0, 1, 29, 31, 60, 364, 366, 3650} {
			invalid(t, mint("ok", &days, ""), "expires_in_days")
		}
		for _, days := range []int{30, 90, 365} {
			must(t, mint("ok", &days, ""))
		}
	})
}

func TestAccessTokensExpire(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, _ := f.owner()
		days := 30
		token, secret, err := f.MintAccessToken(t.Context(), owner, home, NewToken{Name: "cron", ExpiresInDays: &days})
		must(t, err)
		f.clock.Advance(30*24*time.Hour - time.Microsecond)
		_, err = f.Authenticate(t.Context(), secret.Reveal(), home)
		must(t, err)
		used := f.clock.Now()
		f.clock.Advance(time.Microsecond)
		_, err = f.Authenticate(t.Context(), secret.Reveal(), crook)
		unauthorized(t, err)
		f.clock.Advance(time.Hour)
		_, err = f.Authenticate(t.Context(), secret.Reveal(), crook)
		unauthorized(t, err)
		list, err := f.AccessTokens(t.Context(), owner.UserID)
		must(t, err)
		if len(list) != 1 || list[0].LastUsedAt == nil || !list[0].LastUsedAt.Equal(used) {
			t.Errorf("a refused request counts as a use, or the token is gone: %+v", list)
		}
		if uses, _ := f.AccessTokenUses(t.Context(), owner.UserID, token.ID); len(uses) != 1 {
			t.Errorf("uses: %+v", uses)
		}
	})
}

func TestRevokeAccessToken(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, _ := f.guest(guestEmail)
		token, secret, err := f.MintAccessToken(ctx, owner, home, NewToken{Name: "cron"})
		must(t, err)
		_, err = f.Authenticate(ctx, secret.Reveal(), home)
		must(t, err)
		must(t, f.Flush(ctx))

		notFound(t, f.RevokeAccessToken(ctx, guest, home, token.ID, nil))
		notFound(t, f.RevokeAccessToken(ctx, owner, home, "unknown", nil))
		stale := errors.New("stale")
		err = f.RevokeAccessToken(ctx, owner, home, token.ID, func(stored AccessToken) error {
			if stored.ID != token.ID || stored.LastUsedAt == nil {
				t.Errorf("check was called with %+v", stored)
			}
			return stale
		})
		if !errors.Is(err, stale) {
			t.Errorf("got %v, want the error of the check", err)
		}
		_, err = f.Authenticate(ctx, secret.Reveal(), home)
		must(t, err)
		must(t, f.RevokeAccessToken(ctx, owner, home, token.ID, func(AccessToken) error { return nil }))
		_, err = f.Authenticate(ctx, secret.Reveal(), home)
		unauthorized(t, err)
		notFound(t, f.RevokeAccessToken(ctx, owner, home, token.ID, nil))
		if uses, err := f.AccessTokenUses(ctx, owner.UserID, token.ID); err != nil || uses == nil || len(uses) != 0 {
			t.Errorf("uses of a revoked token: %v, %v", uses, err)
		}
	})
}

func TestAccessTokensAreRejectedWithSameError(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		days := 30
		_, expired, err := f.MintAccessToken(ctx, owner, home, NewToken{Name: "expired", ExpiresInDays: &days})
		must(t, err)
		revoked, revokedSecret, err := f.MintAccessToken(ctx, owner, home, NewToken{Name: "revoked"})
		must(t, err)
		must(t, f.RevokeAccessToken(ctx, owner, home, revoked.ID, nil))
		f.clock.Advance(31 * 24 * time.Hour)
		want := newBadCredential().Error()
		for _, bearer := range []secrets.Secret{expired, revokedSecret, newAccessToken(), "svc_pat_nonsense", "nonsense"} {
			_, err := f.Authenticate(ctx, bearer.Reveal(), home)
			unauthorized(t, err)
			if err.Error() != want {
				t.Errorf("got %q", err)
			}
		}
	})
}

// tokenUser mints a token and gives its use by a client.
func (f *fixture) tokenUser() (owner Principal, id journal.TokenID, use func(Client)) {
	f.t.Helper()
	owner, _ = f.owner()
	token, secret, err := f.MintAccessToken(f.t.Context(), owner, home, NewToken{Name: "cron"})
	must(f.t, err)
	return owner, token.ID, func(client Client) {
		f.t.Helper()
		_, err := f.Authenticate(f.t.Context(), secret.Reveal(), client)
		must(f.t, err)
	}
}

// uses lists the uses as "minute ip user-agent", newest first.
func (f *fixture) uses(owner Principal, id journal.TokenID) []string {
	f.t.Helper()
	must(f.t, f.Flush(f.t.Context())) // a list waits for it only so long
	uses, err := f.AccessTokenUses(f.t.Context(), owner.UserID, id)
	must(f.t, err)
	list := []string{}
	for _, use := range uses {
		list = append(list, fmt.Sprintf("%s %s %s", use.UsedAt.Format("15:04:05"), use.IP, use.UserAgent))
	}
	return list
}

func TestUseIsRecordedForNewClient(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, id, use := f.tokenUser()
		a, b, c := Client{IP: "1.1.1.1", UserAgent: "a"}, Client{IP: "1.1.1.1", UserAgent: "b"}, Client{IP: "2.2.2.2", UserAgent: "a"}
		for range 3 { // alternating clients write a row each and no more
			for _, client := range []Client{a, b, c} {
				use(client)
			}
			f.clock.Advance(3*time.Minute + 20*time.Second)
		}
		want := []string{"15:04:05 2.2.2.2 a", "15:04:05 1.1.1.1 b", "15:04:05 1.1.1.1 a"}
		if got := f.uses(owner, id); len(got) != 3 {
			t.Errorf("got %q, want in any order %q", got, want)
		}
		f.clock.Advance(-time.Microsecond)
		use(a)
		if got := f.uses(owner, id); len(got) != 3 {
			t.Errorf("a row before ten minutes were over: %q", got)
		}
		f.clock.Advance(time.Microsecond)
		use(a)
		use(a)
		if got := f.uses(owner, id); len(got) != 4 || got[0] != "15:14:05 1.1.1.1 a" {
			t.Errorf("after ten minutes: %q", got)
		}
	})
}

func TestUsesAreRecordedOnceByTwoServers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		token, secret, err := f.MintAccessToken(ctx, owner, home, NewToken{Name: "cron"})
		must(t, err)
		servers := []*Service{f.Service, New(f.db, f.keys, f.clock.Now, nil, Options{}), New(f.db, f.keys, f.clock.Now, nil, Options{})}
		for _, err := range runConcurrently(len(servers)*4, func(i int) error {
			server := servers[i%len(servers)]
			_, err := server.Authenticate(ctx, secret.Reveal(), home)
			return errors.Join(err, server.Flush(ctx))
		}) {
			must(t, err)
		}
		if got := f.uses(owner, token.ID); len(got) != 1 {
			t.Errorf("first uses at once wrote %q", got)
		}
	})
}

func TestTheNewestFiftyUsesAreKept(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, id, use := f.tokenUser()
		for i := range keptUses + 7 {
			use(Client{IP: fmt.Sprintf("10.0.0.%d", i), UserAgent: "x"})
			f.clock.Advance(time.Second)
			if i%20 == 0 {
				must(t, f.Flush(t.Context()))
			}
		}
		got := f.uses(owner, id)
		if len(got) != 50 || !strings.Contains(got[0], "10.0.0.56 ") || !strings.Contains(got[49], "10.0.0.7 ") {
			t.Errorf("%d uses, from %q to %q", len(got), got[0], got[len(got)-1])
		}
		if n := f.count(`SELECT COUNT(*) FROM access_token_uses`); n != 50 {
			t.Errorf("%d rows are stored", n)
		}
	})
}

func TestUsesOfAForeignTokenAreAnEmptyList(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, id, use := f.tokenUser()
		use(home)
		guest, _ := f.guest(guestEmail)
		for _, id := range []journal.TokenID{id, "unknown"} {
			uses, err := f.AccessTokenUses(t.Context(), guest.UserID, id)
			if err != nil || uses == nil || len(uses) != 0 {
				t.Errorf("%v, %v", uses, err)
			}
		}
	})
}

func TestUserAgentsAreShortenedAndCleaned(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, id, use := f.tokenUser()
		use(Client{IP: "1.1.1.1\n", UserAgent: "a\x00b\x1bc\r\n" + strings.Repeat("é", 100_000)})
		use(Client{IP: "1.1.1.1", UserAgent: "bad\xff\xfe utf-8"})
		uses, err := f.AccessTokenUses(t.Context(), owner.UserID, id)
		must(t, err)
		got := map[string]bool{}
		for _, use := range uses {
			got[use.IP+" "+use.UserAgent] = true
		}
		want := map[string]bool{"1.1.1.1 abc" + strings.Repeat("é", 126): true, "1.1.1.1 bad utf-8": true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLastUsedIsWrittenOnceAMinute(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _, use := f.tokenUser()
		last := func() (used, seen *time.Time) {
			t.Helper()
			tokens, err := f.AccessTokens(ctx, owner.UserID)
			must(t, err)
			user, err := f.User(ctx, owner.PublicID)
			must(t, err)
			return tokens[0].LastUsedAt, user.LastSeenAt
		}
		if used, _ := last(); used != nil {
			t.Errorf("used at %v before its first use", used)
		}
		start := f.clock.Now()
		for range 4 {
			use(home)
			last()
			f.clock.Advance(19 * time.Second)
		}
		// At 0, 19, 38 and 57 seconds, and now at 76.
		if used, seen := last(); !used.Equal(start) || !seen.Equal(start) {
			t.Errorf("within a minute: used %v, seen %v, want %v", used, seen, start)
		}
		use(home)
		if used, seen := last(); !used.Equal(f.clock.Now()) || !seen.Equal(f.clock.Now()) {
			t.Errorf("after a minute: used %v, seen %v", used, seen)
		}
	})
}

func bigOf(n int64) *big.Int { return big.NewInt(n) }
