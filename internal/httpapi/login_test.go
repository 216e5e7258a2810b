package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fillbook/internal/base/secrets"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		w.addUser(owner, "anna@example.org")
		for _, email := range []string{"anna@example.org", "ANNA@EXAMPLE.ORG", " anna@example.org\n"} {
			pair := w.logIn(email, passwordOf("anna@example.org")).wantPair(false).
				wantKeys("", "access_token", "refresh_token", "is_admin", "token_type", "expires_in")
			w.as(pair.text("access_token")).get("/me").want(http.StatusOK)
		}
		w.logIn(ownerEmail, ownerPassword).wantPair(true)
		w.tryLogin("anna@example.org", strings.ToUpper(passwordOf("anna@example.org")), "").wantError(http.StatusUnauthorized, "unauthorized")
		w.tryLogin("anna@example.org", ownerPassword, "").wantError(http.StatusUnauthorized, "unauthorized")
	})
}

// TestIsAdminIsInEveryPair follows one user through every answer with a pair, first as a
// user and then as an owner.
func TestIsAdminIsInEveryPair(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		pair := w.anonymous().post("/auth/register", account("anna@example.org", "first password")).want(http.StatusCreated).wantPair(false)
		password := "first password"
		for _, isAdmin := range []bool{false, true, false} {
			owner.patch("/admin/users/"+pair.text("id"), map[string]any{"is_admin": isAdmin}).want(http.StatusOK)
			login := w.logIn("anna@example.org", password).wantPair(isAdmin)
			w.refresh(login.text("refresh_token")).want(http.StatusOK).wantPair(isAdmin)
			next := password + "!"
			w.as(login.text("access_token")).put("/me/password", map[string]any{"current_password": password, "new_password": next}).
				want(http.StatusOK).wantPair(isAdmin)
			password = next
		}
	}, openRegistration)
}

// TestFailedLoginsLookTheSame compares every way to fail, byte by byte.
func TestFailedLoginsLookTheSame(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		w.addUser(owner, "anna@example.org")
		wrong := w.tryLogin("anna@example.org", "wrong password", "").wantError(http.StatusUnauthorized, "unauthorized").wantShape()
		for _, other := range []*reply{
			w.tryLogin("unknown@example.org", "wrong password", ""),
			w.tryLogin("unknown@example.org", passwordOf("anna@example.org"), ""),
			w.tryLogin("not an address", "wrong password", ""),
			w.tryLogin("", "", ""),
			w.tryLogin("anna@example.org", "", ""),
			w.tryLogin("anna@example.org", strings.Repeat("long", 1500), ""),
			w.tryLogin("anna@example.org", "wrong password", "123456"),
			w.tryLogin(strings.Repeat("a", 1000)+"@example.org", "wrong password", ""),
			w.anonymous().post("/auth/login", `{}`),
		} {
			other.wantSame(wrong)
		}
	})
}

// TestFailedLoginsSlowTheAddressDown guesses from elsewhere. The eleventh
// guess waits, never for more than a minute, and the owner at home does not.
func TestFailedLoginsSlowTheAddressDown(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		for _, email := range []string{ownerEmail, "unknown@example.org"} {
			stranger := w.anonymous().from("198.51.100.66:1")
			guess := func(password string) *reply {
				return stranger.post("/auth/login", account(email, password))
			}
			for range 10 {
				guess("wrong").wantError(http.StatusUnauthorized, "unauthorized")
			}
			longest := 0
			for range 15 {
				limited := guess(ownerPassword).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
				wait, err := strconv.Atoi(limited.header.Get("Retry-After"))
				if err != nil || wait < 1 || wait > 60 {
					t.Fatalf("%s: Retry-After %q", email, limited.header.Get("Retry-After"))
				}
				longest = max(longest, wait)
				w.clock.Advance(time.Duration(wait) * time.Second)
				guess("wrong").wantError(http.StatusUnauthorized, "unauthorized") // after the wait, an attempt is checked
			}
			if longest < 8 {
				t.Errorf("%s: guessing goes on with %d seconds between two guesses", email, longest)
			}
			// Another name for the address is the same address.
			stranger.post("/auth/login", account(strings.ToUpper(email), "wrong")).wantError(http.StatusTooManyRequests, "rate_limited")
			// Other people are not slowed down by it.
			stranger.post("/auth/login", account("other"+email, "wrong")).wantError(http.StatusUnauthorized, "unauthorized")
		}
		w.logIn(ownerEmail, ownerPassword)
		w.clock.Advance(15 * time.Minute)
		w.anonymous().from("198.51.100.66:1").post("/auth/login", account(ownerEmail, ownerPassword)).want(http.StatusOK)
	})
}

func TestASuccessClearsFailures(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		for range 5 {
			for range 9 {
				w.tryLogin(ownerEmail, "wrong", "").wantError(http.StatusUnauthorized, "unauthorized")
			}
			w.logIn(ownerEmail, ownerPassword)
		}
	})
}

// TestParallelGuessesAreCountedToo sends many guesses at once: no more than the ten free
// ones are checked.
func TestParallelGuessesAreCountedToo(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		replies := atOnce(40, func(int) *reply {
			return w.anonymous().from("198.51.100.66:1").post("/auth/login", account(ownerEmail, "wrong"))
		})
		got := tally(replies)
		if got[http.StatusUnauthorized] > 14 || got[http.StatusUnauthorized]+got[http.StatusTooManyRequests] != 40 {
			t.Errorf("statuses %v", got)
		}
	})
}

// TestAccessTokensAreRefused forges tokens in every way known from attacks on other
// services.
func TestAccessTokensAreRefused(t *testing.T) {
	t.Parallel()
	keys, err := secrets.NewKeys(testRoot)
	if err != nil {
		t.Fatal(err)
	}
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		id := owner.get("/me").text("id")
		now := w.clock.Now()
		claims := func(change map[string]any) jwt.MapClaims {
			c := jwt.MapClaims{"sub": id, "sid": "s", "typ": "access", "jti": "j", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}
			for name, value := range change {
				if c[name] = value; value == nil {
					delete(c, name)
				}
			}
			return c
		}
		sign := func(method jwt.SigningMethod, key any, headers, change map[string]any) string {
			token := jwt.NewWithClaims(method, claims(change))
			maps.Copy(token.Header, headers)
			text, err := token.SignedString(key)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		good := sign(jwt.SigningMethodHS256, keys.JWT(), nil, nil)
		w.as(good).get("/me").want(http.StatusOK) // so the others fail for their own fault
		parts := strings.Split(good, ".")
		worthless := w.as("nonsense").get("/me").wantError(http.StatusUnauthorized, "unauthorized")
		for name, token := range map[string]string{
			"HS512":                sign(jwt.SigningMethodHS512, keys.JWT(), nil, nil),
			"HS384":                sign(jwt.SigningMethodHS384, keys.JWT(), nil, nil),
			"none":                 sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil, nil),
			"another key":          sign(jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32)), nil, nil),
			"the root as key":      sign(jwt.SigningMethodHS256, testRoot, nil, nil),
			"no exp":               sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"exp": nil}),
			"expired":              sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"exp": now.Unix()}),
			"of the future":        sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"nbf": now.Add(time.Hour).Unix()}),
			"of another kind":      sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"typ": "refresh"}),
			"of no kind":           sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"typ": nil}),
			"nobody's":             sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"sub": nil}),
			"of an unknown user":   sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"sub": "somebody"}),
			"crit":                 sign(jwt.SigningMethodHS256, keys.JWT(), map[string]any{"crit": []string{"x"}}, nil),
			"jku":                  sign(jwt.SigningMethodHS256, keys.JWT(), map[string]any{"jku": "https://evil.example"}, nil),
			"no signature":         parts[0] + "." + parts[1] + ".",
			"two parts":            parts[0] + "." + parts[1],
			"a changed claim":      parts[0] + "." + strings.Replace(parts[1], "a", "b", 1) + "." + parts[2],
			"a longer signature":   good + "A",
			"a very long one":      strings.Repeat("a", 100_000),
			"a subject of a kind":  sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"sub": 5}),
			"an exp that is text":  sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"exp": "tomorrow"}),
			"an exp beyond reason": sign(jwt.SigningMethodHS256, keys.JWT(), nil, map[string]any{"exp": -1e300}),
		} {
			t.Run(name, func(t *testing.T) {
				w.as(token).in(t).get("/me").wantSame(worthless)
			})
		}
	})
}

func TestAccessTokenExpiresAfterFifteenMinutes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		w.clock.Advance(15*time.Minute - time.Second)
		owner.get("/me").want(http.StatusOK)
		w.clock.Advance(time.Second)
		owner.get("/me").wantError(http.StatusUnauthorized, "unauthorized")
	})
}

func TestAuthorizationHeader(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		pair := w.logIn(ownerEmail, ownerPassword)
		for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
			w.anonymous().with("Authorization", scheme+" "+owner.token).get("/me").want(http.StatusOK)
		}
		for _, header := range []string{"", "Bearer", "Bearer ", "Basic " + owner.token, owner.token, "Bearer" + owner.token, "Bearer " + pair.text("refresh_token"), "Bearer svc_pat_"} {
			got := w.anonymous().with("Authorization", header).get("/me").wantError(http.StatusUnauthorized, "unauthorized").wantShape()
			if got.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%q: no WWW-Authenticate", header)
			}
		}
		twice := w.anonymous()
		twice.headers["Authorization"] = []string{"Bearer " + owner.token, "Bearer " + owner.token}
		twice.get("/me").wantError(http.StatusBadRequest, "bad_request")
		w.anonymous().get("/me?access_token="+owner.token).wantError(http.StatusUnauthorized, "unauthorized")
	})
}

// TestProtectedRoutesRequireACredential calls every route without a credential, with
// nonsense as id and body: the answer always requires a credential.
func TestProtectedRoutesRequireACredential(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.setUp()
		for _, call := range []string{
			"GET /me", "PUT /me/password", "POST /me/totp/start", "POST /me/totp/confirm", "POST /me/totp/disable",
			"GET /me/preferences", "PATCH /me/preferences", "GET /me/sessions", "DELETE /me/sessions/x",
			"GET /access-tokens", "POST /access-tokens", "DELETE /access-tokens/x", "GET /access-tokens/x/uses",
			"GET /admin/users", "POST /admin/users", "GET /admin/users/x", "PATCH /admin/users/x", "DELETE /admin/users/x",
			"POST /admin/users/x/password", "GET /admin/audit?limit=0",
		} {
			method, path, _ := strings.Cut(call, " ")
			w.anonymous().do(method, path, "{nonsense").wantError(http.StatusUnauthorized, "unauthorized").wantShape()
			w.as(fmt.Sprintf("svc_pat_%049d", 0)).do(method, path, "{nonsense").wantError(http.StatusUnauthorized, "unauthorized")
		}
	})
}
