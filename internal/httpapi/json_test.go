package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestStrictJSON sends JSON for lenient parsers to three routes: a public one, one with
// typed fields and an opaque one.
func TestStrictJSON(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for name, value := range map[string]string{
			"malformed":             `{"name":"x"`,
			"a trailing comma":      `{"name":"x",}`,
			"single quotes":         `{'name':'x'}`,
			"a key twice":           `{"name":"x","name":"x"}`,
			"a key twice by escape": `{"name":"x","n\u0061me":"y"}`,
			"a key twice inside":    `{"name":"x","o":{"a":1,"a":1}}`,
			"trailing garbage":      `{"name":"x"}]`,
			"two bodies":            `{"name":"x"}{"name":"y"}`,
			"invalid UTF-8":         "{\"name\":\"\xff\"}",
			"a lone surrogate":      `{"name":"\ud83d"}`,
			"NUL":                   `{"name":"a\u0000b"}`,
			"NUL in a key":          `{"name":"x","a\u0000b":1}`,
			"65 levels":             `{"name":"x","deep":` + deep(64) + `}`,
			"a byte order mark":     "\ufeff{\"name\":\"x\"}",
			"NaN":                   `{"name":"x","n":NaN}`,
			"a list":                `[]`,
			"a list of objects":     `[{"name":"x"}]`,
			"a text":                `"name"`,
			"a number":              `5`,
			"true":                  `true`,
			"null":                  `null`,
			"blanks":                " \n ",
			"nothing":               ``,
		} {
			t.Run(name, func(t *testing.T) {
				for _, call := range []string{"POST /auth/login", "POST /auth/refresh", "POST /access-tokens", "PATCH /me/preferences", "POST /admin/users"} {
					method, path, _ := strings.Cut(call, " ")
					owner.in(t).do(method, path, value).wantError(http.StatusBadRequest, "bad_request").wantShape()
				}
			})
		}
		if n := owner.get("/access-tokens").count(""); n != 0 {
			t.Errorf("%d tokens were made by refused calls", n)
		}
		owner.post("/access-tokens", `{"name":"x","deep":`+deep(63)+`}`).want(http.StatusCreated)
	})
}

func TestWrongTypesNameTheField(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		me := owner.get("/me").text("id")
		for _, c := range []struct{ call, body, field string }{
			{"POST /auth/login", `{"email":5,"password":"x"}`, "email"},
			{"POST /auth/login", `{"email":"a@example.org","password":["x"]}`, "password"},
			{"POST /auth/login", `{"email":"a@example.org","password":"x","totp_code":123456}`, "totp_code"},
			{"POST /auth/register", `{"email":{},"password":"x"}`, "email"},
			{"POST /auth/refresh", `{"refresh_token":true}`, "refresh_token"},
			{"POST /auth/logout", `{"refresh_token":1}`, "refresh_token"},
			{"PUT /me/password", `{"current_password":1,"new_password":"x"}`, "current_password"},
			{"POST /me/totp/confirm", `{"secret":"x","code":123456}`, "code"},
			{"POST /me/totp/disable", `{"password":null,"code":{}}`, "code"},
			{"POST /access-tokens", `{"name":["x"]}`, "name"},
			{"POST /access-tokens", `{"name":"x","expires_in_days":{}}`, "expires_in_days"},
			{"POST /access-tokens", `{"name":"x","expires_in_days":true}`, "expires_in_days"},
			{"POST /access-tokens", `{"name":"x","expires_in_days":"soon"}`, "expires_in_days"},
			{"POST /access-tokens", `{"name":"x","expires_in_days":30.5}`, "expires_in_days"},
			{"POST /access-tokens", `{"name":"x","expires_in_days":1e30}`, "expires_in_days"},
			{"POST /access-tokens", `{"name":"x","scope":1}`, "scope"},
			{"POST /admin/users", `{"email":"x@example.org","password":5}`, "password"},
			{"PATCH /admin/users/" + me, `{"is_admin":"true"}`, "is_admin"},
			{"PATCH /admin/users/" + me, `{"is_admin":1}`, "is_admin"},
			{"PATCH /admin/users/" + me, `{"is_admin":null}`, "is_admin"},
			{"PATCH /admin/users/" + me, `{}`, "is_admin"},
			{"POST /admin/users/" + me + "/password", `{"new_password":12345678901}`, "new_password"},
		} {
			t.Run(c.call+" "+c.body, func(t *testing.T) {
				method, path, _ := strings.Cut(c.call, " ")
				got := owner.in(t).do(method, path, c.body).wantField(c.field).wantShape()
				if message := got.text("error.message"); !strings.Contains(message, c.field) {
					t.Errorf("the message %q does not name %s", message, c.field)
				}
			})
		}
	})
}

// TestSecretsAreNotRepeated sends a wrong type where a secret belongs and
// looks whether the refusal tells it back.
func TestSecretsAreNotRepeated(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setUp()
		for _, body := range []string{
			`{"email":"a@example.org","password":{"canary":"canary"}}`, `{"email":"canary","password":"canary"}`,
			`{"email":"a@example.org","password":"canary`, `canary`,
		} {
			got := w.anonymous().post("/auth/login", body)
			if strings.Contains(string(got.body), "canary") || strings.Contains(w.log.String(), "canary") {
				t.Errorf("the answer repeats %s: %s", body, got.body)
			}
		}
	})
}

func TestKeysAreCaseSensitiveAndUnknownOnesIgnored(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		owner.post("/access-tokens", `{"Name":"x"}`).wantField("name")
		owner.post("/access-tokens", `{"NAME":"x","name":"y"}`).want(http.StatusCreated)
		made := owner.post("/access-tokens", `{"name":"y","id":"mine","user_id":"somebody","created_at":"1999-01-01T00:00:00Z",
			"token":"svc_pat_chosen","token_prefix":"chosen","last_used_at":"1999-01-01T00:00:00Z","nested":{"deep":[1,2,{}]}}`).want(http.StatusCreated)
		if made.text("id") == "mine" || made.text("token") == "svc_pat_chosen" || made.text("created_at") != "2026-03-10T15:04:05Z" || made.value("last_used_at") != nil {
			t.Errorf("a field that is the server's was taken: %s", made.body)
		}
	})
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		body := []byte(`{"name":"x"}`)
		for _, contentType := range []string{"", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json-patch+json"} {
			owner.raw("POST", "/access-tokens", contentType, body).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type").wantShape()
		}
		for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "Application/Json"} {
			owner.raw("POST", "/access-tokens", contentType, body).want(http.StatusCreated)
		}
		owner.with("Content-Encoding", "gzip").post("/access-tokens", body).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type")
		// Without a credential the answer does not show whether the body was valid.
		w.anonymous().raw("POST", "/access-tokens", "text/plain", body).wantError(http.StatusUnauthorized, "unauthorized")
	})
}

// TestAnswersAreJSONForEveryAccept ignores Accept: there is one format.
func TestAnswersAreJSONForEveryAccept(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		plain := owner.get("/me").want(http.StatusOK)
		for _, accept := range []string{"text/html", "application/xml", "application/cbor", "*/*", "nonsense", "application/json;q=0"} {
			got := owner.with("Accept", accept).get("/me").want(http.StatusOK)
			if got.header.Get("Content-Type") != "application/json" || string(got.body) != string(plain.body) {
				t.Errorf("Accept %s: %q %s", accept, got.header.Get("Content-Type"), got.body)
			}
		}
	})
}

func TestQueriesAreStrict(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for query, field := range map[string]string{
			"limit=0": "limit", "limit=1001": "limit", "limit=-1": "limit", "limit=1.5": "limit", "limit=ten": "limit",
			"limit=99999999999999999999": "limit", "limit=1&limit=1": "limit", "cursor=a&cursor=b": "cursor",
			"cursor=nonsense": "cursor", "cursor=%00": "cursor", "cursor=%ff": "cursor", "cursor=az0x": "cursor",
			// Changed cursors: too many keys, not a number, and ids that are not text.
			"cursor=az0xJms9MiZrPTM": "cursor", "cursor=az14Jms9eQ": "cursor", "cursor=az0xJms9JWZm": "cursor", "cursor=az0xJms9JTAw": "cursor",
		} {
			t.Run(query, func(t *testing.T) {
				owner.in(t).get("/admin/audit?" + query).wantField(field).wantShape()
			})
		}
		owner.get("/admin/audit?cursor=%zz").wantError(http.StatusBadRequest, "bad_request")
		owner.get("/admin/audit?a=1;b=2").wantError(http.StatusBadRequest, "bad_request")
		owner.get("/me?x=%ff").wantField("x")
		owner.get("/me?unknown=1&other=2").want(http.StatusOK)
		owner.get("/admin/audit?limit=1000").want(http.StatusOK)
		owner.get("/admin/audit?limit=").want(http.StatusOK)
	})
}

// TestInstants are RFC 3339 in UTC, with no more digits than there are.
func TestInstants(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		if got := owner.get("/me").text("created_at"); got != "2026-03-10T15:04:05Z" {
			t.Errorf("created_at %q", got)
		}
		w.clock.Advance(120_300_000) // 120.3 ms
		made := owner.post("/access-tokens", `{"name":"x","expires_in_days":30}`).want(http.StatusCreated)
		if made.text("created_at") != "2026-03-10T15:04:05.1203Z" || made.text("expires_at") != "2026-04-09T15:04:05.1203Z" {
			t.Errorf("made %s", made.body)
		}
		list := owner.get("/access-tokens").want(http.StatusOK)
		if list.text("0.created_at") != "2026-03-10T15:04:05.1203Z" || list.text("0.expires_at") != "2026-04-09T15:04:05.1203Z" {
			t.Errorf("listed %s", list.body)
		}
	})
}
