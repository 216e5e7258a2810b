package identity

import (
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// forge signs claims with our own key, so only the claims, and not the signature, can be
// the reason for a refusal.
func (f *fixture) forge(method jwt.SigningMethod, key any, change func(jwt.MapClaims, map[string]any)) string {
	f.t.Helper()
	caller, _ := f.Users(f.t.Context())
	now := f.clock.Now()
	claims := jwt.MapClaims{
		"sub": string(caller[0].PublicID), "sid": "s", "jti": "j", "typ": "access",
		"iat": now.Unix(), "exp": now.Add(AccessTokenLifetime).Unix(),
	}
	token := jwt.NewWithClaims(method, claims)
	if change != nil {
		change(claims, token.Header)
	}
	text, err := token.SignedString(key)
	must(f.t, err)
	return text
}

func TestAccessTokenHasTheClaimsOfTheContract(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		owner, pair := f.owner()
		claims := jwt.MapClaims{}
		token, _, err := jwt.NewParser().ParseUnverified(pair.AccessToken.Reveal(), claims)
		must(t, err)
		if jti, _ := claims["jti"].(string); jti == "" {
			t.Error("no jti")
		}
		delete(claims, "jti")
		now := float64(f.clock.Now().Unix())
		want := jwt.MapClaims{"sub": string(owner.PublicID), "sid": string(owner.SessionID), "typ": "access", "iat": now, "exp": now + 900}
		if diff := cmp.Diff(want, claims); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]any{"alg": "HS256", "typ": "JWT"}, token.Header); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAuthenticateAcceptsOneKindOfJWT(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, pair := f.owner()
		key := f.keys.JWT()
		private, err := rsa.GenerateKey(rand.Reader, 2048)
		must(t, err)
		set := func(name string, value any) func(jwt.MapClaims, map[string]any) {
			return func(claims jwt.MapClaims, _ map[string]any) { claims[name] = value }
		}
		without := func(name string) func(jwt.MapClaims, map[string]any) {
			return func(claims jwt.MapClaims, _ map[string]any) { delete(claims, name) }
		}
		header := func(name string, value any) func(jwt.MapClaims, map[string]any) {
			return func(_ jwt.MapClaims, header map[string]any) { header[name] = value }
		}
		now := f.clock.Now()
		hs := jwt.SigningMethodHS256
		good := f.forge(hs, key, nil)
		if _, err := f.Authenticate(t.Context(), good, home); err != nil {
			t.Fatalf("a valid token was rejected: %v", err)
		}
		bad := map[string]string{
			"HS384":             f.forge(jwt.SigningMethodHS384, key, nil),
			"HS512":             f.forge(jwt.SigningMethodHS512, key, nil),
			"RS256":             f.forge(jwt.SigningMethodRS256, private, nil),
			"none":              f.forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
			"another key":       f.forge(hs, testKeys(t, 2).JWT(), nil),
			"the root":          f.forge(hs, []byte(strings.Repeat("\x01", 32)), nil),
			"no exp":            f.forge(hs, key, without("exp")),
			"exp null":          f.forge(hs, key, set("exp", nil)),
			"expired":           f.forge(hs, key, set("exp", now.Unix())),
			"expired in leeway": f.forge(hs, key, set("exp", now.Add(-time.Second).Unix())),
			"not yet":           f.forge(hs, key, set("nbf", now.Add(31*time.Second).Unix())),
			"from the future":   f.forge(hs, key, set("iat", now.Add(31*time.Second).Unix())),
			"no typ":            f.forge(hs, key, without("typ")),
			"typ refresh":       f.forge(hs, key, set("typ", "refresh")),
			"typ as a number":   f.forge(hs, key, set("typ", 1)),
			"no sub":            f.forge(hs, key, without("sub")),
			"unknown sub":       f.forge(hs, key, set("sub", "nobody")),
			"crit":              f.forge(hs, key, header("crit", []string{"exp"})),
			"jku":               f.forge(hs, key, header("jku", "https://evil.example/keys")),
			"kid":               f.forge(hs, key, header("kid", "../../dev/null")),
			"cut":               good[:len(good)-2],
			"changed":           good[:len(good)/2] + "x" + good[len(good)/2+1:],
			"longer":            good + strings.Repeat("A", maxBearer),
			"two":               good + "." + good,
			"empty":             "",
			"blank":             " " + good,
			"words":             "Bearer " + good,
			"NUL":               "\x00",
			"a refresh token":   pair.RefreshToken.Reveal(),
		}
		for name, bearer := range bad {
			if _, err := f.Authenticate(t.Context(), bearer, home); err == nil {
				t.Errorf("%s was accepted", name)
			} else {
				unauthorized(t, err)
			}
		}
		for name, bearer := range map[string]string{
			"a clock ahead": f.forge(hs, key, set("iat", now.Add(30*time.Second).Unix())),
			"nbf in leeway": f.forge(hs, key, set("nbf", now.Add(30*time.Second).Unix())),
		} {
			if _, err := f.Authenticate(t.Context(), bearer, home); err != nil {
				t.Errorf("%s was rejected: %v", name, err)
			}
		}
	})
}

func TestAccessTokensExpireAfter15Minutes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		_, pair := f.owner()
		f.clock.Advance(AccessTokenLifetime - time.Microsecond)
		f.caller(pair)
		f.clock.Advance(time.Microsecond)
		_, err := f.Authenticate(t.Context(), pair.AccessToken.Reveal(), home)
		unauthorized(t, err)
	})
}

func TestDeletedUsersLoseAccessAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, pair := f.guest(guestEmail)
		_, token, err := f.MintAccessToken(ctx, guest, home, NewToken{Name: "cron"})
		must(t, err)
		must(t, f.DeleteUser(ctx, owner, home, guest.PublicID, nil, nil))
		_, err = f.Authenticate(ctx, pair.AccessToken.Reveal(), home)
		unauthorized(t, err)
		_, err = f.Authenticate(ctx, token.Reveal(), home)
		unauthorized(t, err)
		_, err = f.Refresh(ctx, home, pair.RefreshToken)
		unauthorized(t, err)
		_, err = f.Login(ctx, home, guestEmail, goodPass, "")
		unauthorized(t, err)
		_, err = f.Me(ctx, guest.UserID)
		unauthorized(t, err)
		_, err = f.ChangePassword(ctx, guest, home, goodPass, otherPass)
		unauthorized(t, err)
		_, err = f.Preferences(ctx, guest.UserID)
		unauthorized(t, err)
		for _, table := range []string{"sessions", "refresh_tokens", "access_tokens", "access_token_uses", "preferences", "token_owners", "user_states"} {
			if n := f.count(`SELECT COUNT(*) FROM `+table+` WHERE user_id = $1`, guest.UserID); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}

func TestDemotedOwnersLoseTheirRightsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		owner, _ := f.owner()
		guest, pair := f.guest(guestEmail)
		_, token, err := f.MintAccessToken(ctx, guest, home, NewToken{Name: "cron"})
		must(t, err)
		for _, isAdmin := range []bool{true, false} {
			_, err = f.SetAdmin(ctx, owner, home, guest.PublicID, isAdmin, nil)
			must(t, err)
			for _, bearer := range []string{pair.AccessToken.Reveal(), token.Reveal()} {
				caller, err := f.Authenticate(ctx, bearer, home)
				must(t, err)
				if caller.IsAdmin != isAdmin {
					t.Errorf("the caller is an owner: %v, want %v", caller.IsAdmin, isAdmin)
				}
			}
			fresh, err := f.Refresh(ctx, home, pair.RefreshToken)
			must(t, err)
			if fresh.IsAdmin != isAdmin {
				t.Errorf("the new tokens have IsAdmin %v, want %v", fresh.IsAdmin, isAdmin)
			}
		}
	})
}

func FuzzAuthenticate(f *testing.F) {
	d := testkit.Open(f, db.SQLite)
	service := New(d, testKeys(f, 1), testkit.NewClock().Now, nil, Options{PasswordCost: cheap})
	user, pair, err := service.Setup(f.Context(), home, ownerEmail, goodPass, nil)
	must(f, err)
	caller := Principal{UserID: user.ID}
	_, token, err := service.MintAccessToken(f.Context(), caller, home, NewToken{Name: "cron"})
	must(f, err)
	honest := map[string]bool{pair.AccessToken.Reveal(): true, token.Reveal(): true}
	for bearer := range honest {
		f.Add(bearer)
		f.Add(bearer[:len(bearer)-1])
	}
	f.Add("svc_pat_")
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, bearer string) {
		caller, err := service.Authenticate(t.Context(), bearer, Client{IP: bearer, UserAgent: bearer})
		if (err == nil) != honest[bearer] {
			t.Fatalf("%q: %+v, %v", bearer, caller, err)
		}
		if err != nil {
			unauthorized(t, err)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	d := testkit.Open(b, db.SQLite)
	service := New(d, testKeys(b, 1), testkit.NewClock().Now, nil, Options{PasswordCost: cheap})
	user, pair, err := service.Setup(b.Context(), home, ownerEmail, goodPass, nil)
	must(b, err)
	_, token, err := service.MintAccessToken(b.Context(), Principal{UserID: user.ID}, home, NewToken{Name: "cron"})
	must(b, err)
	for name, bearer := range map[string]string{"session": pair.AccessToken.Reveal(), "token": token.Reveal()} {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := service.Authenticate(b.Context(), bearer, home); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
