package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantShape requires the common error shape without internals.
func (r *reply) wantShape() *reply {
	r.t.Helper()
	if got := r.header.Get("Content-Type"); got != "application/json" {
		r.t.Errorf("%s: content type %q", r.call, got)
	}
	if r.header.Get("X-Request-Id") == "" {
		r.t.Errorf("%s: no X-Request-Id", r.call)
	}
	if r.header.Get("ETag") != "" {
		r.t.Errorf("%s: a refusal with an ETag", r.call)
	}
	r.wantKeys("", "error")
	fields := r.keys("error")
	delete(fields, "details")
	if diff := cmp.Diff(map[string]bool{"code": true, "message": true}, fields); diff != "" {
		r.t.Errorf("%s: the error has other fields: %s", r.call, diff)
	}
	for _, internal := range []string{"SQL", "sql", "goroutine", ".go", "panic", "huma", "json:", "SELECT", "constraint", "$schema", "<html", "\x1e", "\x1f"} {
		if strings.Contains(string(r.body), internal) {
			r.t.Errorf("%s: the refusal speaks of %q: %s", r.call, internal, r.body)
		}
	}
	return r
}

func TestEveryRefusalHasTheSameShape(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		user := w.addUser(owner, "anna@example.org")
		anna := owner.userID("anna@example.org")
		nobody := w.anonymous()
		for _, c := range []struct {
			name   string
			reply  *reply
			status int
			code   string
		}{
			{"malformed JSON", user.patch("/me/preferences", `{"a":`), 400, "bad_request"},
			{"an empty body", user.do("PATCH", "/me/preferences", ""), 400, "bad_request"},
			{"a wrong type", owner.patch("/admin/users/"+anna, `{"is_admin":"yes"}`), 400, "bad_request"},
			{"a wrong parameter", owner.get("/admin/audit?limit=none"), 400, "bad_request"},
			{"no credential", nobody.get("/me"), 401, "unauthorized"},
			{"a worthless credential", w.as("nonsense").get("/me"), 401, "unauthorized"},
			{"a wrong login", w.tryLogin("anna@example.org", "wrong", ""), 401, "unauthorized"},
			{"not an owner", user.get("/admin/users"), 403, "forbidden"},
			{"an unknown record", owner.get("/admin/users/nobody"), 404, "not_found"},
			{"an unknown path", user.get("/nope"), 404, "not_found"},
			{"a wrong method", user.do("PUT", "/me", nil), 405, "method_not_allowed"},
			{"a second setup", nobody.post("/setup", map[string]any{"email": "x@example.org", "password": ownerPassword}), 409, "conflict"},
			{"a stale record", owner.with("If-Match", `"old"`).delete("/admin/users/" + anna), 412, "precondition_failed"},
			{"too much", nobody.post("/auth/login", `{"email":"`+strings.Repeat("x", 20<<10)+`"}`), 413, "too_large"},
			{"the wrong type", nobody.raw("POST", "/auth/login", "text/plain", []byte(`{}`)), 415, "unsupported_media_type"},
		} {
			t.Log(c.name)
			c.reply.wantError(c.status, c.code).wantShape()
		}
	})
}

func TestLimitedRefusalHasRetryAfter(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.anonymous().post("/auth/refresh", `{"refresh_token":"x"}`).want(http.StatusUnauthorized)
		got := w.anonymous().post("/auth/refresh", `{"refresh_token":"x"}`).wantError(http.StatusTooManyRequests, "rate_limited").wantShape()
		if got.header.Get("Retry-After") != "2" {
			w.t.Errorf("Retry-After %q, want 2", got.header.Get("Retry-After"))
		}
	}, authFailures(0.5, 1))
}

// TestUnknownPaths are answered in JSON below /api, and never by a redirect, with which a
// POST would lose its body.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		for _, path := range []string{
			"//api/v1/nope", "//api/v1", "//api/v1/", "//api/", "//api/v2/me", "//api/v1/me/", "//api/v1/me/nope",
			"//api/v1/setup/status/", "//api/v1//me", "//api/v1/./me", "//api/v1/admin/../me", "//api/v1/admin/users/",
			"//api/v1/ME", "//api/v1/access-tokens/x/uses/y",
		} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
				got := owner.do(method, path, nil)
				if method == "HEAD" {
					got.want(http.StatusNotFound)
					continue
				}
				got.wantError(http.StatusNotFound, "not_found").wantShape()
			}
		}
	})
}

func TestWrongMethodsListAllowedOnes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for path, allowed := range map[string]string{
			"/setup/status": "GET, HEAD", "/setup": "POST", "/auth/login": "POST", "/auth/refresh": "POST", "/auth/register": "POST",
			"/auth/logout": "POST", "/me": "GET, HEAD", "/me/password": "PUT", "/me/totp/start": "POST", "/me/totp/confirm": "POST",
			"/me/totp/disable": "POST", "/me/preferences": "GET, HEAD, PATCH", "/me/sessions": "GET, HEAD", "/me/sessions/x": "DELETE",
			"/access-tokens": "GET, HEAD, POST", "/access-tokens/x": "DELETE", "/access-tokens/x/uses": "GET, HEAD",
			"/admin/users": "GET, HEAD, POST", "/admin/users/x": "DELETE, GET, HEAD, PATCH", "/admin/users/x/password": "POST",
			"/admin/audit": "GET, HEAD", "//healthz": "GET, HEAD", "//readyz": "GET, HEAD", "//openapi.json": "GET, HEAD",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
				if strings.Contains(", "+allowed+",", ", "+method+",") {
					continue
				}
				got := w.anonymous().do(method, path, nil).wantError(http.StatusMethodNotAllowed, "method_not_allowed").wantShape()
				if diff := cmp.Diff(allowed, got.header.Get("Allow")); diff != "" {
					t.Errorf("%s %s: %s", method, path, diff)
				}
			}
		}
	})
}

// TestTooLargeWithAndWithoutLength sends a body whose length is told and one
// in chunks.
func TestTooLargeWithAndWithoutLength(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		big := `{"email":"a@example.org","password":"` + strings.Repeat("p", 16<<10) + `"}`
		for _, path := range []string{"/setup", "/auth/login", "/auth/register", "/auth/refresh"} {
			w.anonymous().post(path, big).wantError(http.StatusRequestEntityTooLarge, "too_large").wantShape()
			request := httptest.NewRequest(http.MethodPost, "/api/v1"+path, struct{ io.Reader }{strings.NewReader(big)})
			request.Header.Set("Content-Type", "application/json")
			if request.ContentLength != -1 {
				w.t.Fatal("the request has a Content-Length")
			}
			w.anonymous().send(request).wantError(http.StatusRequestEntityTooLarge, "too_large").wantShape()
		}
	})
}

func TestRequestIDOnEveryAnswer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		tag := owner.get("/me").want(http.StatusOK).tag()
		for name, c := range map[string]struct {
			as           *client
			method, path string
			status       int
		}{
			"200": {owner, "GET", "/me", 200}, "304": {owner.with("If-None-Match", tag), "GET", "/me", 304},
			"401": {w.anonymous(), "GET", "/me", 401}, "404": {owner, "GET", "/nope", 404}, "405": {owner, "DELETE", "/me", 405},
			"health": {w.anonymous(), "GET", "//healthz", 200}, "outside": {w.anonymous(), "GET", "//nope", 404},
			"bad path": {w.anonymous(), "GET", "/me/%00", 404},
		} {
			t.Run(name, func(t *testing.T) {
				got := c.as.in(t).with("X-Request-Id", "my-own-Id-1").do(c.method, c.path, nil).want(c.status)
				if id := got.header.Get("X-Request-Id"); id != "my-own-Id-1" {
					t.Errorf("a sane id became %q", id)
				}
				got = c.as.in(t).with("X-Request-Id", "my own; id").do(c.method, c.path, nil).want(c.status)
				if id := got.header.Get("X-Request-Id"); id == "" || id == "my own; id" {
					t.Errorf("an odd id became %q", id)
				}
			})
		}
	})
}

// TestInvalidIDsInPathsAreUnknown tries what a database might choke on.
func TestInvalidIDsInPathsAreUnknown(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for _, id := range []string{"%00", "a%00b", "%ff", "%c3%28", "%ed%a0%80", "%F0%9F%98%80", "..%2f..", "'%20OR%201=1--", strings.Repeat("a", 5000)} {
			for _, call := range []string{"DELETE /access-tokens/", "DELETE /me/sessions/", "GET /admin/users/", "DELETE /admin/users/"} {
				method, path, _ := strings.Cut(call, " ")
				target, err := url.Parse("/api/v1" + path + id)
				if err != nil {
					t.Fatal(err)
				}
				request := httptest.NewRequest(method, "/", nil)
				request.URL = target
				request.Header.Set("Authorization", "Bearer "+owner.token)
				owner.send(request).wantError(http.StatusNotFound, "not_found").wantShape()
			}
		}
	})
}

// TestInternalErrorsRevealNothing breaks the database and looks at the answers: the
// cause is in the log, under the request's id, and nowhere else.
func TestInternalErrorsRevealNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		w.exec(`DROP TABLE preferences`)
		got := owner.get("/me/preferences").wantError(http.StatusInternalServerError, "internal").wantShape()
		if strings.Contains(string(got.body), "preferences") {
			t.Errorf("the answer names the table: %s", got.body)
		}
		var cause string
		for line := range strings.Lines(w.log.String()) {
			if strings.Contains(line, got.header.Get("X-Request-Id")) {
				cause += line
			}
		}
		if !strings.Contains(cause, "level=ERROR") || !strings.Contains(cause, "preferences") {
			t.Errorf("the log of that request is %q", cause)
		}
		owner.get("/me").want(http.StatusOK) // and the rest goes on

		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
		away := owner.get("/me").wantError(http.StatusServiceUnavailable, "unavailable").wantShape()
		if away.header.Get("Retry-After") == "" {
			t.Error("no Retry-After although the database may come back")
		}
		w.anonymous().get("//readyz").wantError(http.StatusServiceUnavailable, "unavailable").wantShape()
		w.anonymous().get("//healthz").want(http.StatusOK)
	})
}
