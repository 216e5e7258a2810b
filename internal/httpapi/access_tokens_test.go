package httpapi_test

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// tokenShape is the pattern for secret scanners in SECURITY.md.
var tokenShape = regexp.MustCompile(`^svc_pat_[0-9A-Za-z]{46,}$`)

// checksum returns the last six characters of a token: the CRC-32 of the rest, in base62.
func checksum(body string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum, text := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		text = string(digits[sum%62]) + text
		sum /= 62
	}
	return text
}

func TestCreateToken(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		made := owner.post("/access-tokens", map[string]any{"name": "  cron  "}).want(http.StatusCreated).
			wantKeys("", "id", "name", "token_prefix", "scope", "account_ids", "allowed_ips", "created_at", "expires_at", "last_used_at", "app", "token")
		secret := made.text("token")
		if !tokenShape.MatchString(secret) || !strings.HasSuffix(secret, checksum(secret[:len(secret)-6])) {
			t.Errorf("the secret is %q", secret)
		}
		if made.text("token_prefix") != secret[:12] || made.text("name") != "cron" || made.text("scope") != "full" ||
			made.value("expires_at") != nil || made.value("last_used_at") != nil || made.text("created_at") != "2026-03-10T15:04:05Z" {
			t.Errorf("made %s", made.body)
		}
		w.as(secret).get("/me").want(http.StatusOK)
		w.clock.Advance(10 * 365 * 24 * time.Hour)
		w.as(secret).get("/me").want(http.StatusOK) // without expires_in_days it never expires
	})
}

// TestTokenSecretIsShownOnce looks for the secret in every later answer.
func TestTokenSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		id, secret := owner.mint(map[string]any{"name": "cron"})
		w.as(secret).get("/me").want(http.StatusOK)
		list := owner.get("/access-tokens").want(http.StatusOK).
			wantKeys("0", "id", "name", "token_prefix", "scope", "account_ids", "allowed_ips", "created_at", "expires_at", "last_used_at", "app")
		for _, got := range []*reply{list, owner.get("/access-tokens/" + id + "/uses"), owner.get("/admin/audit"), owner.get("/admin/users"), owner.get("/me")} {
			if strings.Contains(string(got.body), secret[12:]) {
				t.Errorf("%s contains the secret", got.call)
			}
		}
		if _, other := owner.mint(map[string]any{"name": "cron"}); other == secret {
			t.Error("two tokens are the same")
		}
	})
}

func TestTokenList(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		if got := owner.get("/access-tokens").want(http.StatusOK); string(got.body) != "[]" {
			t.Errorf("an empty list is %s", got.body)
		}
		for i := range 3 {
			w.clock.Advance(time.Second)
			owner.mint(map[string]any{"name": fmt.Sprint("token ", i)})
		}
		anna.mint(map[string]any{"name": "anna's"})
		list := owner.get("/access-tokens").want(http.StatusOK)
		if list.count("") != 3 || list.text("0.name") != "token 2" || list.text("2.name") != "token 0" {
			t.Errorf("the list is %s", list.body)
		}
	})
}

func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		for _, days := range []int{30, 90, 365} {
			pair := w.logIn(ownerEmail, ownerPassword)
			made := w.as(pair.text("access_token")).post("/access-tokens", map[string]any{"name": "x", "expires_in_days": days}).want(http.StatusCreated)
			life := time.Duration(days) * 24 * time.Hour
			if want := w.clock.Now().Add(life).Format(time.RFC3339); made.text("expires_at") != want {
				t.Errorf("%d days: expires_at %s, want %s", days, made.text("expires_at"), want)
			}
			w.clock.Advance(life - time.Second)
			w.as(made.text("token")).get("/me").want(http.StatusOK)
			w.clock.Advance(time.Second)
			w.as(made.text("token")).get("/me").wantError(http.StatusUnauthorized, "unauthorized")
		}
		owner := w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		for body, expires := range map[string]bool{
			`{"name":"x"}`: false, `{"name":"x","expires_in_days":null}`: false,
			`{"name":"x","expires_in_days":"30"}`: true, `{"name":"x","expires_in_days":3e1}`: true, `{"name":"x","expires_in_days":90}`: true,
		} {
			made := owner.post("/access-tokens", body).want(http.StatusCreated)
			if (made.value("expires_at") != nil) != expires {
				t.Errorf("%s: expires_at %v", body, made.value("expires_at"))
			}
		}
		for _, days := range []string{"0", "-30", "1", "29", "31", "364", "366", "36500", "30.5", `""`, `"never"`, "true", "[30]", "9223372036854775807"} {
			owner.post("/access-tokens", `{"name":"x","expires_in_days":`+days+`}`).wantField("expires_in_days").wantShape()
		}
	})
}

func TestTokenNames(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		for _, body := range []string{`{}`, `{"name":""}`, `{"name":" \t"}`, `{"name":"\u200b"}`, `{"name":null}`, `{"name":"a\u0007b"}`, `{"name":"` + strings.Repeat("ä", 201) + `"}`} {
			owner.post("/access-tokens", body).wantField("name").wantShape()
		}
		owner.post("/access-tokens", `{"name":"`+strings.Repeat("ä", 200)+`"}`).want(http.StatusCreated)
		owner.post("/access-tokens", `{"name":"x","scope":"admin"}`).wantField("scope")
	})
}

// TestReadTokens may read everything and write nothing.
func TestReadTokens(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		id, secret := owner.mint(map[string]any{"name": "dashboard", "scope": "read"})
		if got := owner.get("/access-tokens").text("0.scope"); got != "read" {
			t.Errorf("scope %q", got)
		}
		reader := w.as(secret)
		for _, path := range []string{"/me", "/me/preferences", "/me/sessions", "/access-tokens", "/access-tokens/" + id + "/uses", "/admin/users", "/admin/audit"} {
			reader.get(path).want(http.StatusOK)
			reader.do("HEAD", path, nil).want(http.StatusOK)
		}
		for _, call := range []string{
			"PATCH /me/preferences", "DELETE /me/sessions/x", "DELETE /access-tokens/" + id, "POST /access-tokens", "PUT /me/password",
			"POST /me/totp/start", "POST /me/totp/confirm", "POST /me/totp/disable",
			"POST /admin/users", "PATCH /admin/users/x", "DELETE /admin/users/x", "POST /admin/users/x/password",
		} {
			method, path, _ := strings.Cut(call, " ")
			code := "insufficient_scope"
			if !slices.Contains(contractScopes(method, path), "full") {
				code = "forbidden"
			}
			reader.do(method, path, `{}`).wantError(http.StatusForbidden, code).wantShape()
		}
		reader.get("/me").want(http.StatusOK) // it did not revoke itself
	})
}

// TestTokensHaveTheAccessOfASession, but cannot make or change credentials.
func TestTokensHaveTheAccessOfASession(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		_, secret := owner.mint(map[string]any{"name": "full", "scope": "full"})
		token := w.as(secret)
		for _, path := range []string{"/me", "/me/preferences", "/me/sessions", "/access-tokens", "/admin/users", "/admin/audit"} {
			token.get(path).want(http.StatusOK)
		}
		token.patch("/me/preferences", `{"a":1}`).wantNone()
		made := token.post("/admin/users", account("anna@example.org", "password of anna")).want(http.StatusCreated)
		token.patch("/admin/users/"+made.text("id"), `{"is_admin":true}`).want(http.StatusOK)
		token.post("/admin/users/"+made.text("id")+"/password", `{"new_password":"another password"}`).wantNone()
		token.delete("/admin/users/" + made.text("id")).wantNone()
		for call, body := range map[string]any{
			"POST /access-tokens":   map[string]any{"name": "child"},
			"PUT /me/password":      change(ownerPassword, "another password"),
			"POST /me/totp/start":   nil,
			"POST /me/totp/confirm": map[string]any{"secret": "x", "code": "x"},
			"POST /me/totp/disable": map[string]any{"password": ownerPassword, "code": "x"},
		} {
			method, path, _ := strings.Cut(call, " ")
			token.do(method, path, body).wantError(http.StatusForbidden, "forbidden").wantShape()
		}
		w.logIn(ownerEmail, ownerPassword)
		other, _ := owner.mint(map[string]any{"name": "other"})
		token.delete("/access-tokens/" + other).wantNone() // taking power away is allowed
	})
}

func TestAnOwnersTokenCannotResetItsOwnersPassword(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		_, secret := owner.mint(map[string]any{"name": "full", "scope": "full"})
		path := "/admin/users/" + owner.userID(ownerEmail) + "/password"
		w.as(secret).post(path, `{"new_password":"another password"}`).wantError(http.StatusForbidden, "forbidden").wantShape()
		w.logIn(ownerEmail, ownerPassword)
		owner.post(path, `{"new_password":"another password"}`).wantNone() // a signed-in owner may
		w.logIn(ownerEmail, "another password")
	})
}

func TestTokenOfAUserHasNoOwnerAccess(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		_, secret := anna.mint(map[string]any{"name": "x"})
		w.as(secret).get("/admin/users").wantError(http.StatusForbidden, "forbidden")
		owner.patch("/admin/users/"+owner.userID("anna@example.org"), `{"is_admin":true}`).want(http.StatusOK)
		w.as(secret).get("/admin/users").want(http.StatusOK) // its power is its user's, at any time
	})
}

// TestInvalidTokensAreRefusedAlike compares the answers byte by byte.
func TestInvalidTokensAreRefusedAlike(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		id, revoked := owner.mint(map[string]any{"name": "revoked"})
		owner.delete("/access-tokens/" + id).wantNone()
		_, living := owner.mint(map[string]any{"name": "living"})
		_, expired := owner.mint(map[string]any{"name": "expired", "expires_in_days": 30})
		_, orphaned := anna.mint(map[string]any{"name": "orphaned"})
		owner.delete("/admin/users/" + owner.userID("anna@example.org")).wantNone()
		w.clock.Advance(30 * 24 * time.Hour)
		w.as(living).get("/me").want(http.StatusOK)

		typo := []byte(living)
		if typo[20]++; !tokenShape.Match(typo) {
			typo[20] = 'x'
		}
		unknown := "svc_pat_" + strings.Repeat("A", 43)
		unknown += checksum(unknown)
		malformed := w.as("svc_pat_").get("/me").wantError(http.StatusUnauthorized, "unauthorized").wantShape()
		for name, token := range map[string]string{
			"revoked": revoked, "expired": expired, "of a deleted user": orphaned, "mistyped": string(typo), "unknown": unknown,
			"cut off": living[:len(living)-1], "longer": living + "A", "in capitals": strings.ToUpper(living), "a session's": "nonsense",
		} {
			t.Log(name)
			w.as(token).get("/me").wantSame(malformed)
		}
	})
}

func TestTokenIsRevoked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		id, secret := owner.mint(map[string]any{"name": "x"})
		anna.delete("/access-tokens/"+id).wantError(http.StatusNotFound, "not_found")
		w.as(secret).get("/me").want(http.StatusOK)
		owner.delete("/access-tokens/" + id).wantNone()
		w.as(secret).get("/me").wantError(http.StatusUnauthorized, "unauthorized")
		owner.delete("/access-tokens/"+id).wantError(http.StatusNotFound, "not_found")
		owner.delete("/access-tokens/unknown").wantError(http.StatusNotFound, "not_found")
		if got := owner.get("/access-tokens"); string(got.body) != "[]" {
			w.t.Errorf("the list is %s", got.body)
		}
	})
}
