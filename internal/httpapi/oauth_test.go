package httpapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"fillbook/internal/base/db"
	"fillbook/internal/base/outbound"
	"fillbook/internal/testkit"
)

const (
	appIssuer   = "https://journal.example.org"
	appRedirect = "https://app.example/callback"
	appVerifier = "a verifier of the app, which only the app has until it sends it"
)

func oauthOn(s *settle) {
	assistantsOn(s)
	s.api.AssistantOAuth, s.api.PublicURL = true, appIssuer
}

// form posts a form as an app does, which has no credential.
func (w *world) form(path string, values more) *reply {
	w.t.Helper()
	form := url.Values{}
	for name, value := range values {
		form.Set(name, fmt.Sprint(value))
	}
	return w.open("POST", path, "application/x-www-form-urlencoded", form.Encode())
}

// open sends a request outside the API.
func (w *world) open(method, path, contentType, body string) *reply {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	recorded := httptest.NewRecorder()
	w.handler.ServeHTTP(recorded, r)
	return &reply{t: w.t, call: method + " " + path, status: recorded.Code, header: recorded.Header(), body: recorded.Body.Bytes()}
}

// refusedAs requires an error of OAuth.
func (r *reply) refusedAs(status int, code string) *reply {
	r.t.Helper()
	if r.want(status); r.text("error") != code || r.text("error_description") == "" {
		r.t.Errorf("%s: %s, want %s", r.call, r.body, code)
	}
	return r
}

// app is a registered app that asks for access.
type app struct {
	w  *world
	id string
}

func (w *world) registerApp(name string, redirects ...string) app {
	w.t.Helper()
	text, _ := json.Marshal(more{"client_name": name, "redirect_uris": redirects})
	return app{w, w.open("POST", "/oauth/register", "application/json", string(text)).want(http.StatusCreated).text("client_id")}
}

// authorize sends a browser with the app's request, changed. An empty value removes a
// parameter.
func (a app) authorize(changes ...more) *reply {
	a.w.t.Helper()
	sum := sha256.Sum256([]byte(appVerifier))
	values := url.Values{}
	for name, value := range fieldsOf(more{
		"response_type": "code", "client_id": a.id, "redirect_uri": appRedirect, "state": "a state&=1", "scope": "analytics read write unknown",
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256", "resource": appIssuer + "/mcp",
	}, changes...) {
		if value != "" {
			values.Set(name, value.(string))
		}
	}
	return a.w.open("GET", "/oauth/authorize?"+values.Encode(), "", "")
}

// request returns the id of a good request.
func (a app) request(changes ...more) string {
	a.w.t.Helper()
	to, err := url.Parse(a.authorize(changes...).want(http.StatusSeeOther).header.Get("Location"))
	if err != nil || to.Path != "/connect-app" || to.Query().Get("request_id") == "" {
		a.w.t.Fatalf("the browser goes to %s", to)
	}
	return to.Query().Get("request_id")
}

// code lets a user allow a request and returns the code.
func (a app) code(d *client, fields ...more) string {
	a.w.t.Helper()
	allowed := d.post("/oauth/consents", fieldsOf(more{"request_id": a.request(), "scope": "read"}, fields...)).want(http.StatusOK)
	to, err := url.Parse(allowed.text("redirect_to"))
	if err != nil || !strings.HasPrefix(to.String(), appRedirect+"?") || to.Query().Get("state") != "a state&=1" || to.Query().Get("iss") != appIssuer {
		a.w.t.Fatalf("the browser goes to %s", to)
	}
	return to.Query().Get("code")
}

// exchange sends a code to the server, with changed fields.
func (a app) exchange(code string, changes ...more) *reply {
	a.w.t.Helper()
	return a.w.form("/oauth/token", fieldsOf(more{
		"grant_type": "authorization_code", "code": code, "client_id": a.id, "redirect_uri": appRedirect,
		"code_verifier": appVerifier, "resource": appIssuer + "/mcp",
	}, changes...))
}

func (a app) refresh(token string, changes ...more) *reply {
	a.w.t.Helper()
	return a.w.form("/oauth/token", fieldsOf(more{"grant_type": "refresh_token", "refresh_token": token, "client_id": a.id}, changes...))
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// use lists the tools with an access token.
func (a app) use(token string) *httptest.ResponseRecorder {
	return postMessage(a.w, http.MethodPost, listTools, map[string]string{"Authorization": "Bearer " + token})
}

func (a app) wantUse(token string, status int) {
	a.w.t.Helper()
	if got := a.use(token); got.Code != status {
		a.w.t.Errorf("use of the token: %d %s, want %d", got.Code, got.Body, status)
	}
}

var wellKnown = []string{
	"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/.well-known/oauth-protected-resource",
	"/.well-known/oauth-protected-resource/mcp",
}

// TestOAuthIsOffByDefault checks that nothing advertises it without all its settings.
func TestOAuthIsOffByDefault(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*settle){
		"no setting":        func(s *settle) { assistantsOn(s); s.api.PublicURL = appIssuer },
		"no public URL":     func(s *settle) { oauthOn(s); s.api.PublicURL = "" },
		"no assistants":     func(s *settle) { oauthOn(s); s.api.Assistants = false },
		"nothing but OAuth": func(s *settle) { s.api.AssistantOAuth = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachWorld(t, func(t *testing.T, w *world) {
				d := w.setUp()
				for _, path := range append(wellKnown, "/oauth/authorize?client_id=x", "/oauth/anything") {
					w.open("GET", path, "", "").want(http.StatusNotFound)
				}
				for _, path := range []string{"/oauth/token", "/oauth/register", "/oauth/revoke"} {
					w.form(path, nil).want(http.StatusNotFound)
				}
				d.get("/oauth/consents?request_id=x").wantError(http.StatusNotFound, "not_found")
				d.post("/oauth/consents", more{"request_id": "x", "scope": "read"}).wantError(http.StatusNotFound, "not_found")
				if got := postMessage(w, "POST", listTools, nil).Header().Get("WWW-Authenticate"); strings.Contains(got, "resource_metadata") {
					t.Errorf("the challenge is %s", got)
				}
			}, change)
		})
	}
}

// TestOAuthIsDescribed reads the documents by which clients find everything.
func TestOAuthIsDescribed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for _, path := range wellKnown[:2] {
			got := w.open("GET", path, "", "").want(http.StatusOK)
			got.is("issuer", `"`+appIssuer+`"`).is("code_challenge_methods_supported", `["S256"]`).is("token_endpoint_auth_methods_supported", `["none"]`).
				is("grant_types_supported", `["authorization_code","refresh_token"]`).is("response_types_supported", `["code"]`).
				is("client_id_metadata_document_supported", `false`).is("authorization_response_iss_parameter_supported", `true`).
				is("registration_endpoint", `"`+appIssuer+`/oauth/register"`).is("scopes_supported", `["analytics","read","write"]`)
			if got.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: %v", path, got.header)
			}
		}
		for _, path := range wellKnown[2:] {
			w.open("GET", path, "", "").want(http.StatusOK).is("resource", `"`+appIssuer+`/mcp"`).is("authorization_servers", `["`+appIssuer+`"]`).
				is("bearer_methods_supported", `["header"]`)
		}
		w.open("OPTIONS", "/oauth/register", "", "").want(http.StatusNoContent)
		w.open("GET", "/oauth/token", "", "").want(http.StatusMethodNotAllowed)
		w.open("GET", "/oauth/unknown", "", "").want(http.StatusNotFound)

		const metadata = `resource_metadata="` + appIssuer + `/.well-known/oauth-protected-resource/mcp"`
		for token, want := range map[string]bool{"": true, "Bearer svc_oat_x": true, "Bearer x": true, "Bearer svc_pat_x": false} {
			got := postMessage(w, "POST", listTools, map[string]string{"Authorization": token})
			if got.Code != http.StatusUnauthorized || strings.Contains(got.Header().Get("WWW-Authenticate"), metadata) != want {
				t.Errorf("%q: %d %s", token, got.Code, got.Header().Get("WWW-Authenticate"))
			}
		}
	}, oauthOn)
}

// TestAppGetsAccess goes through all steps, and revokes the token like any other.
func TestAppGetsAccess(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		other := d.made("/accounts", more{"name": "Other", "broker": "x", "currency": "USD"}).text("id")
		a := w.registerApp("Claude <b>", appRedirect)
		if got := a.authorize().header.Get("Cross-Origin-Opener-Policy"); got != "unsafe-none" {
			t.Errorf("the opener policy is %s", got)
		}
		id := a.request()
		d.get("/oauth/consents?request_id="+id).want(http.StatusOK).is("client_name", `"Claude <b>"`).is("redirect_host", `"app.example"`).
			is("scope", `"write"`).is("password_required", `false`).is("client_id", `"`+a.id+`"`).
			is("deny_url", `"`+appRedirect+`?error=access_denied&iss=https%3A%2F%2Fjournal.example.org&state=a+state%26%3D1"`)
		tokens := a.exchange(a.code(d.client, more{"account_ids": []string{d.account}, "expires_in_days": 30})).want(http.StatusOK)
		tokens.is("token_type", `"Bearer"`).is("expires_in", `3600`).is("scope", `"read"`)
		if tokens.header.Get("Cache-Control") != "no-store" {
			t.Error("the answer may be cached")
		}
		secret := tokens.text("access_token")
		assistant := assistant{w.as(secret), ""}
		assistant.call("list_trades", more{}).done()
		assistant.call("get_context", more{}).done().is("data.scope", `"read"`).is("data.accounts_limited", `true`)
		if listed := a.use(secret).Body.String(); strings.Contains(listed, "add_note") || strings.Contains(assistant.call("get_context", more{}).text, other) {
			t.Error("the token can do more than the user allowed")
		}
		// It works nowhere else.
		assistant.get("/accounts").wantError(http.StatusUnauthorized, "unauthorized")
		w.as(tokens.text("refresh_token")).get("/accounts").wantError(http.StatusUnauthorized, "unauthorized")
		a.wantUse(tokens.text("refresh_token"), http.StatusUnauthorized)

		token := d.get("/access-tokens").want(http.StatusOK).is("0.name", `"Claude <b>"`).is("0.scope", `"read"`).is("0.token_prefix", `"svc_oat_"`).
			is("0.app", `{"client_id":"`+a.id+`","redirect_host":"app.example"}`).is("0.account_ids", `["`+d.account+`"]`).text("0.id")
		if d.get("/access-tokens/"+token+"/uses").count("") != 1 {
			t.Error("the use is not listed")
		}
		d.get("/history?limit=1").is("0.action", `"security"`).is("0.actor.kind", `"session"`)
		d.delete("/access-tokens/" + token).wantNone()
		a.wantUse(secret, http.StatusUnauthorized)
		a.refresh(tokens.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")
		w.checkInstallation()
	}, oauthOn)
}

// TestBadRequestsOfAppsAreRefused distinguishes requests that go back to the app from those
// that go nowhere.
func TestBadRequestsOfAppsAreRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.setUp()
		a := w.registerApp("App", appRedirect, "http://localhost/callback", "http://127.0.0.1:1234/a?b=c", "cursor://anysphere.cursor-mcp/callback")
		for _, changes := range []more{
			{"client_id": ""},
			{"client_id": "app_unknown"},
			{"client_id": "https://app.example/client.json"}, // requests to other servers are off
			{"redirect_uri": ""},
			{"redirect_uri": "https://evil.example/callback"},
			{"redirect_uri": appRedirect + "/"},
			{"redirect_uri": appRedirect + "?x=1"},
			{"redirect_uri": "https://app.example:444/callback"},
			{"redirect_uri": "http://app.example/callback"},
			{"redirect_uri": "http://localhost.evil.example:80/callback"},
			{"redirect_uri": "http://user@localhost/callback"},
			{"redirect_uri": "http://127.0.0.1/callback"},
			{"redirect_uri": "http://localhost:1/other"},
			{"redirect_uri": "cursor://other/callback"},
		} {
			got := a.authorize(changes).want(http.StatusBadRequest)
			if got.header.Get("Location") != "" || !strings.Contains(string(got.body), "can’t be connected") {
				t.Errorf("%v: %v %s", changes, got.header, got.body)
			}
		}
		for _, good := range []string{"http://localhost/callback", "http://localhost:5678/callback", "http://127.0.0.1:99/a?b=c", "cursor://anysphere.cursor-mcp/callback"} {
			a.request(more{"redirect_uri": good})
		}
		for _, bad := range []struct {
			changes more
			code    string
		}{
			{more{"response_type": "token"}, "unsupported_response_type"},
			{more{"code_challenge": ""}, "invalid_request"},
			{more{"code_challenge": "short"}, "invalid_request"},
			{more{"code_challenge_method": ""}, "invalid_request"},
			{more{"code_challenge_method": "plain"}, "invalid_request"},
			{more{"resource": "https://other.example/mcp"}, "invalid_target"},
			{more{"state": strings.Repeat("s", 2001)}, "invalid_request"},
		} {
			to, err := url.Parse(a.authorize(bad.changes).want(http.StatusSeeOther).header.Get("Location"))
			if err != nil || !strings.HasPrefix(to.String(), appRedirect+"?") || to.Query().Get("error") != bad.code || to.Query().Get("iss") != appIssuer || to.Query().Get("state") == "" {
				t.Errorf("%v: the browser goes to %s", bad.changes, to)
			}
		}
		for scope, want := range map[string]string{"": "read", "openid profile": "read", "analytics": "analytics", "read analytics": "read", "write": "write"} {
			id := a.request(more{"scope": scope, "resource": ""})
			d.get("/oauth/consents?request_id="+id).is("scope", `"`+want+`"`)
		}
	}, oauthOn)
}

// TestConsentIsNarrow checks what a user can allow, and who can.
func TestConsentIsNarrow(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		stranger := w.addUser(d.client, "other@example.org")
		foreign := stranger.made("/accounts", more{"name": "Foreign", "broker": "x", "currency": "USD"}).text("id")
		a := w.registerApp("App", appRedirect)
		id := a.request(more{"scope": "read"})
		allow := func(fields more) *reply {
			return d.post("/oauth/consents", fieldsOf(more{"request_id": id, "scope": "read"}, fields))
		}
		allow(more{"scope": "write"}).wantField("scope")
		allow(more{"scope": "full"}).wantField("scope")
		allow(more{"scope": ""}).wantField("scope")
		allow(more{"expires_in_days": 0}).wantField("expires_in_days")
		allow(more{"expires_in_days": 366}).wantField("expires_in_days")
		allow(more{"account_ids": []string{}}).wantField("account_ids")
		allow(more{"account_ids": []string{foreign}}).wantError(http.StatusNotFound, "not_found")
		allow(more{"request_id": id[:len(id)-4] + "AAAA"}).wantError(http.StatusNotFound, "not_found")
		allow(more{"request_id": ""}).wantError(http.StatusNotFound, "not_found")
		for _, scope := range []string{"read", "full"} {
			_, secret := d.mint(more{"name": "x", "scope": scope})
			w.as(secret).post("/oauth/consents", more{"request_id": id, "scope": "read"}).wantError(http.StatusForbidden, "forbidden")
			w.as(secret).get("/oauth/consents?request_id="+id).wantError(http.StatusForbidden, "forbidden")
		}
		w.anonymous().post("/oauth/consents", more{"request_id": id, "scope": "read"}).wantError(http.StatusUnauthorized, "unauthorized")
		allow(more{"scope": "analytics"}).want(http.StatusOK)
		allow(nil).wantError(http.StatusConflict, "conflict")
		stranger.post("/oauth/consents", more{"request_id": id, "scope": "read"}).wantError(http.StatusConflict, "conflict")

		// A session that began long ago is not enough, and a request does not wait.
		id = a.request()
		w.clock.Advance(10 * time.Minute)
		allow(nil).wantError(http.StatusNotFound, "not_found")
		w.clock.Advance(4*time.Minute + 59*time.Second)
		id = a.request()
		d.get("/oauth/consents?request_id="+id).is("password_required", `false`)
		pair := w.logIn(ownerEmail, ownerPassword)
		w.clock.Advance(14 * time.Minute)
		d.client = w.as(w.refresh(pair.text("refresh_token")).text("access_token"))
		w.clock.Advance(2 * time.Minute)
		id = a.request()
		d.get("/oauth/consents?request_id="+id).is("password_required", `true`)
		allow(nil).wantField("password")
		allow(more{"password": "wrong"}).wantError(http.StatusForbidden, "forbidden")
		allow(more{"password": ownerPassword}).want(http.StatusOK)
	}, oauthOn)
}

// TestCodesAreBound checks that a code works once, soon, and for its app only.
func TestCodesAreBound(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		a, other := w.registerApp("App", appRedirect), w.registerApp("Other", appRedirect)
		code := a.code(d.client)
		for _, bad := range []struct {
			changes more
			status  int
			code    string
		}{
			{more{"code_verifier": "another"}, 400, "invalid_grant"},
			{more{"code_verifier": ""}, 400, "invalid_grant"},
			{more{"redirect_uri": "https://evil.example/callback"}, 400, "invalid_grant"},
			{more{"redirect_uri": ""}, 400, "invalid_grant"},
			{more{"client_id": other.id}, 400, "invalid_grant"},
			{more{"client_id": "https://evil.example/client.json"}, 400, "invalid_grant"},
			{more{"client_id": ""}, 400, "invalid_request"},
			{more{"client_id": "app_unknown"}, 401, "invalid_client"},
			{more{"resource": "https://other.example/mcp"}, 400, "invalid_target"},
			{more{"grant_type": "password"}, 400, "unsupported_grant_type"},
			{more{"code": "svc_oac_x"}, 400, "invalid_grant"},
			{more{"code": ""}, 400, "invalid_grant"},
		} {
			a.exchange(code, bad.changes).refusedAs(bad.status, bad.code)
		}
		w.open("POST", "/oauth/token", "application/json", "{}").refusedAs(http.StatusBadRequest, "invalid_request")
		w.open("POST", "/oauth/token", "application/x-www-form-urlencoded", "code=a&code=b").refusedAs(http.StatusBadRequest, "invalid_request")
		w.open("POST", "/oauth/token", "application/x-www-form-urlencoded", strings.Repeat("x", 9000)).want(http.StatusRequestEntityTooLarge)

		// Refusals changed nothing. The second use ends what the first one gave.
		tokens := a.exchange(code).want(http.StatusOK)
		a.wantUse(tokens.text("access_token"), http.StatusOK)
		a.exchange(code).refusedAs(http.StatusBadRequest, "invalid_grant")
		a.wantUse(tokens.text("access_token"), http.StatusUnauthorized)
		a.refresh(tokens.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")
		if d.get("/access-tokens").count("") != 0 {
			t.Error("the token is still listed")
		}
		d.get("/history?limit=1").is("0.action", `"security"`).is("0.actor.kind", `"token"`).is("0.actor.name", `"App"`)
		if got := d.events("?limit=1"); got[0] != "access_token_reuse refused" {
			t.Errorf("the newest event is %v", got)
		}

		late := a.code(d.client)
		w.clock.Advance(time.Minute)
		a.exchange(late).refusedAs(http.StatusBadRequest, "invalid_grant")
		w.checkInstallation()
	}, oauthOn)
}

// TestRefreshTokensOfAppsRotate checks their lifetimes and a second use.
func TestRefreshTokensOfAppsRotate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		a, other := w.registerApp("App", appRedirect), w.registerApp("Other", appRedirect)
		first := a.exchange(a.code(d.client, more{"expires_in_days": 365})).want(http.StatusOK)
		w.clock.Advance(time.Hour)
		a.wantUse(first.text("access_token"), http.StatusUnauthorized)
		refresh := first.text("refresh_token")
		a.refresh(refresh, more{"client_id": other.id}).refusedAs(http.StatusBadRequest, "invalid_grant")
		a.refresh(refresh, more{"scope": "read write"}).refusedAs(http.StatusBadRequest, "invalid_scope")
		a.refresh(refresh, more{"scope": "write offline_access"}).refusedAs(http.StatusBadRequest, "invalid_scope")
		a.refresh(refresh, more{"scope": "full"}).refusedAs(http.StatusBadRequest, "invalid_scope")
		a.refresh(refresh, more{"resource": "https://other.example"}).refusedAs(http.StatusBadRequest, "invalid_target")
		a.refresh(first.text("access_token")).refusedAs(http.StatusBadRequest, "invalid_grant")
		second := a.refresh(refresh, more{"scope": "analytics read offline_access"}).want(http.StatusOK).is("scope", `"read"`)
		a.wantUse(second.text("access_token"), http.StatusOK)

		// Two refreshes at the same time: the second one gets no refresh token.
		w.clock.Advance(time.Minute)
		again := a.refresh(refresh).want(http.StatusOK)
		a.wantUse(again.text("access_token"), http.StatusOK)
		if again.keys("")["refresh_token"] {
			t.Error("a used refresh token gives another one")
		}
		third := a.refresh(second.text("refresh_token")).want(http.StatusOK)
		w.clock.Advance(time.Second)
		a.refresh(refresh).refusedAs(http.StatusBadRequest, "invalid_grant")
		for _, gone := range []*reply{second, again, third} {
			a.wantUse(gone.text("access_token"), http.StatusUnauthorized)
		}
		a.refresh(third.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")

		// An unused refresh token ends after 90 days, and everything at the chosen end.
		const day = 24 * time.Hour
		d.client = w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		idle := a.exchange(a.code(d.client, more{"expires_in_days": 365})).want(http.StatusOK)
		short := a.exchange(a.code(d.client, more{"expires_in_days": 100})).want(http.StatusOK)
		w.clock.Advance(89 * day)
		short = a.refresh(short.text("refresh_token")).want(http.StatusOK)
		w.clock.Advance(day)
		a.refresh(idle.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")
		w.clock.Advance(10*day - time.Minute)
		short = a.refresh(short.text("refresh_token")).want(http.StatusOK).is("expires_in", `60`)
		w.clock.Advance(time.Minute)
		a.wantUse(short.text("access_token"), http.StatusUnauthorized)
		a.refresh(short.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")

		w.clock.Advance(8 * day)
		if err := w.services.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"access_tokens", "app_grants", "app_secrets"} {
			if n := w.count(`SELECT COUNT(*) FROM ` + table); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
	}, oauthOn)
}

// TestAppRevokesItsAccess checks RFC 7009, and the end with the user.
func TestAppRevokesItsAccess(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		a, other := w.registerApp("App", appRedirect), w.registerApp("Other", appRedirect)
		for _, kind := range []string{"access_token", "refresh_token"} {
			tokens := a.exchange(a.code(d.client)).want(http.StatusOK)
			w.form("/oauth/revoke", more{"token": "unknown", "client_id": a.id}).want(http.StatusOK)
			w.form("/oauth/revoke", more{"client_id": a.id}).refusedAs(http.StatusBadRequest, "invalid_request")
			w.form("/oauth/revoke", more{"token": tokens.text(kind), "client_id": other.id}).refusedAs(http.StatusBadRequest, "invalid_grant")
			a.wantUse(tokens.text("access_token"), http.StatusOK)
			w.form("/oauth/revoke", more{"token": tokens.text(kind), "client_id": a.id}).want(http.StatusOK)
			w.form("/oauth/revoke", more{"token": tokens.text(kind), "client_id": a.id}).want(http.StatusOK)
			a.wantUse(tokens.text("access_token"), http.StatusUnauthorized)
			a.refresh(tokens.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")
		}
		anna := w.addUser(d.client, "anna@example.org")
		tokens := a.exchange(a.code(anna)).want(http.StatusOK)
		d.delete("/admin/users/" + d.userID("anna@example.org")).wantNone()
		a.wantUse(tokens.text("access_token"), http.StatusUnauthorized)
		a.refresh(tokens.text("refresh_token")).refusedAs(http.StatusBadRequest, "invalid_grant")
		if n := w.count(`SELECT COUNT(*) FROM app_secrets`); n != 0 {
			t.Errorf("%d secrets are left", n)
		}
		w.checkInstallation()
	}, oauthOn)
}

// TestAppsRegister checks what apps may state, and how many are kept.
func TestAppsRegister(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		send := func(body string) *reply { return w.open("POST", "/oauth/register", "application/json", body) }
		good := send(`{"client_name":" App ","redirect_uris":["com.example.app:/x","http://[::1]:1/"],"token_endpoint_auth_method":"client_secret_basic","grant_types":["implicit"],"logo_uri":"https://x.example"}`).
			want(http.StatusCreated).is("client_name", `"App"`).is("token_endpoint_auth_method", `"none"`).is("grant_types", `["authorization_code","refresh_token"]`)
		if good.keys("")["client_secret"] || strings.Contains(string(good.body), "null") {
			t.Errorf("the answer is %s", good.body)
		}
		for _, address := range []string{
			"", "/callback", "http://app.example/callback", "https:///x", "https://u@app.example/", "https://app.example/#x", "javascript:alert(1)", "data:text/html,x",
			"file:///x", "blob:https://app.example/x", "vbscript:x", "about:blank", "ftp://app.example/", "https://app.example/ x", "https://app.example/\\x", "https://app.exämple/",
			"https://app.example/" + strings.Repeat("x", 1000),
		} {
			w.clock.Advance(time.Hour)
			text, _ := json.Marshal(more{"redirect_uris": []string{appRedirect, address}})
			send(string(text)).refusedAs(http.StatusBadRequest, "invalid_redirect_uri")
		}
		for _, body := range []string{"", "[]", `{"redirect_uris":"x"}`, `{"redirect_uris":[],"redirect_uris":[]}`, `{"client_name":"a\nb","redirect_uris":["https://app.example/"]}`, `{"client_name":"` + strings.Repeat("x", 101) + `","redirect_uris":["https://app.example/"]}`} {
			w.clock.Advance(time.Hour)
			send(body).refusedAs(http.StatusBadRequest, "invalid_client_metadata")
		}
		send(`{}`).refusedAs(http.StatusBadRequest, "invalid_redirect_uri")
		send(strings.Repeat(" ", 9000)).want(http.StatusRequestEntityTooLarge)

		w.clock.Advance(2 * time.Hour)
		for range 10 {
			w.registerApp("", appRedirect)
		}
		send(`{"redirect_uris":["https://app.example/"]}`).want(http.StatusTooManyRequests)
		w.clock.Advance(10 * time.Minute)
		used := w.registerApp("Used", appRedirect)
		used.code(w.setUp())
		for i := range 230 {
			w.exec(`INSERT INTO app_clients (id, name, redirect_uris, created_at) VALUES ($1, '', '[]', $2)`, fmt.Sprint("old", i), i)
		}
		w.clock.Advance(10 * time.Minute)
		last := w.registerApp("", appRedirect)
		if n := w.count(`SELECT COUNT(*) FROM app_clients WHERE granted_at IS NULL`); n != 200 {
			t.Errorf("%d apps without a token are kept", n)
		}
		last.request()
		used.request()
		w.clock.Advance(7 * 24 * time.Hour)
		if err := w.services.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		last.authorize().want(http.StatusBadRequest)
		last.exchange("svc_oac_x").refusedAs(http.StatusUnauthorized, "invalid_client")
		used.request()
		w.clock.Advance(365 * 24 * time.Hour)
		if err := w.services.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		used.authorize().want(http.StatusBadRequest)
	}, oauthOn)
}

// appDocument is an app whose id is the address of a document about it.
const appDocument = "https://app.example/oauth/client.json"

// documentServer serves a document about an app, and counts the requests.
func documentServer(t *testing.T) (network *outbound.Network, answer *atomic.Value, requests *atomic.Int32) {
	t.Helper()
	answer, requests = &atomic.Value{}, &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/oauth/client.json", http.StatusFound)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=7200")
		_, _ = io.WriteString(w, answer.Load().(string))
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Store(fmt.Sprintf(`{"client_id":%q,"client_name":"Document app","redirect_uris":[%q,"http://localhost/callback"],"logo_uri":null}`, appDocument, appRedirect))
	return outbound.New(outbound.Options{Enabled: true, Endpoints: outbound.Endpoints{"apps": at}}), answer, requests
}

// TestAppsDescribeThemselves reads documents about apps, if requests to other servers are on.
func TestAppsDescribeThemselves(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, engine *db.DB) {
		network, answer, requests := documentServer(t)
		good := answer.Load().(string)
		w := newWorld(t, engine, oauthOn, func(s *settle) { s.outbound = network })
		w.open("GET", wellKnown[0], "", "").is("client_id_metadata_document_supported", `true`)
		a := app{w, appDocument}
		d := w.setUp()
		a.request()
		a.request(more{"redirect_uri": "http://localhost:4321/callback"})
		a.authorize(more{"redirect_uri": "https://evil.example/"}).want(http.StatusBadRequest)
		if requests.Load() != 1 {
			t.Errorf("%d requests, want one", requests.Load())
		}
		a.exchange(a.code(d)).want(http.StatusOK)
		d.get("/access-tokens").is("0.name", `"Document app"`).is("0.app.client_id", `"`+appDocument+`"`)
		w.clock.Advance(2 * time.Hour)
		for _, bad := range []string{
			"", "{}", "not JSON", strings.Replace(good, "client.json", "other.json", 1), strings.Replace(good, "https://app.example/callback", "javascript:x", 1),
			good + strings.Repeat(" ", 5<<10), strings.Replace(good, "Document app", strings.Repeat("x", 101), 1),
		} {
			answer.Store(bad)
			a.authorize().want(http.StatusBadRequest)
		}
		answer.Store(good)
		a.request()
		before := requests.Load()
		for _, id := range []string{"http://app.example/client.json", "https://app.example", "https://app.example/", "https://u@app.example/x", "https://app.example/x#y", "https://app.example/a/../x", "https://app.example:8443/x"} {
			app{w, id}.authorize().want(http.StatusBadRequest)
		}
		if requests.Load() != before {
			t.Error("an address that cannot be a document was asked for")
		}
		app{w, "https://app.example/moved"}.authorize().want(http.StatusBadRequest)
		if requests.Load() != before+1 {
			t.Error("a redirect was followed")
		}
	})
}

// TestOAuthWithSDKClient signs in with the SDK's client, which checks the server, in all ways
// in which clients are known.
func TestOAuthWithSDKClient(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, engine *db.DB) {
		network, _, _ := documentServer(t)
		var handler http.Handler // the server's address is a setting of what it serves
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
		t.Cleanup(server.Close)
		w := newWorld(t, engine, oauthOn, func(s *settle) { s.outbound, s.api.PublicURL = network, server.URL })
		handler = w.handler
		d := w.setUp()
		browse := func(args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			to := w.open("GET", strings.TrimPrefix(args.URL, server.URL), "", "").want(http.StatusSeeOther).header.Get("Location")
			page, err := url.Parse(to)
			if err != nil {
				return nil, err
			}
			allowed := d.post("/oauth/consents", more{"request_id": page.Query().Get("request_id"), "scope": "write"}).want(http.StatusOK)
			back, err := url.Parse(allowed.text("redirect_to"))
			if err != nil {
				return nil, err
			}
			query := back.Query()
			return &auth.AuthorizationResult{Code: query.Get("code"), State: query.Get("state"), Iss: query.Get("iss")}, nil
		}
		for name, config := range map[string]*auth.AuthorizationCodeHandlerConfig{
			"document":     {ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: appDocument}, RedirectURL: appRedirect},
			"registration": {DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "SDK", RedirectURIs: []string{appRedirect}}}},
		} {
			config.AuthorizationCodeFetcher = func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				return browse(args)
			}
			flow, err := auth.NewAuthorizationCodeHandler(config)
			if err != nil {
				t.Fatal(err)
			}
			session := connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", OAuthHandler: flow}, "")
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) != 14 {
				t.Errorf("%s: %v %v", name, listed, err)
			}
		}
		if got := d.get("/access-tokens").count(""); got != 2 {
			t.Errorf("%d tokens are listed", got)
		}
	})
}
