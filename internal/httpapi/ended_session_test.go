package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// lastingCalls are the calls whose effect outlives a session: credentials, the second
// factor, public links and user administration.
func lastingCalls(user string) map[string]any {
	return map[string]any{
		"POST /access-tokens":                     map[string]any{"name": "lasting"},
		"PUT /me/password":                        change(ownerPassword, "another password"),
		"POST /me/totp/start":                     nil,
		"POST /me/totp/confirm":                   map[string]any{"secret": "x", "code": "x"},
		"POST /me/totp/disable":                   map[string]any{"password": ownerPassword, "code": "x"},
		"POST /share-links":                       map[string]any{},
		"GET /admin/users":                        nil,
		"POST /admin/users":                       account("mallory@example.org", "password of mallory"),
		"PATCH /admin/users/" + user:              map[string]any{"is_admin": true},
		"POST /admin/users/" + user + "/password": map[string]any{"new_password": "another password"},
		"DELETE /admin/users/" + user:             nil,
	}
}

// TestAnEndedSessionCannotCreateCredentials ends a session in every way. Its access token
// still reads the journal until it expires.
func TestAnEndedSessionCannotCreateCredentials(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, ended *client, refresh string){
		"logout":  func(_ *world, ended *client, _ string) { ended.post("/auth/logout", nil).wantNone() },
		"refresh": func(w *world, _ *client, refresh string) { w.endByReplay(refresh) },
		"revoked": func(w *world, ended *client, _ string) {
			list := ended.get("/me/sessions")
			for i := range list.count("") {
				at := string(rune('0' + i))
				if list.value(at+".current") == true {
					w.as(w.logIn(ownerEmail, ownerPassword).text("access_token")).delete("/me/sessions/" + list.text(at+".id")).wantNone()
				}
			}
		},
		"password": func(w *world, _ *client, _ string) {
			other := w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
			other.put("/me/password", change(ownerPassword, "a third password")).want(http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachWorld(t, func(_ *testing.T, w *world) {
				owner := w.setUp()
				w.addUser(owner, "anna@example.org")
				user := owner.userID("anna@example.org")
				pair := w.logIn(ownerEmail, ownerPassword)
				ended := w.as(pair.text("access_token"))
				end(w, ended, pair.text("refresh_token"))
				for call, body := range lastingCalls(user) {
					method, path, _ := strings.Cut(call, " ")
					ended.do(method, path, body).wantError(http.StatusUnauthorized, "unauthorized").wantShape()
				}
				ended.get("/me").want(http.StatusOK)
				ended.get("/trades").want(http.StatusOK)
			}, shareLinksOn)
		})
	}
}

// endByReplay makes the server see a spent refresh token again.
func (w *world) endByReplay(token string) {
	next := w.refresh(token).want(http.StatusOK)
	w.refresh(next.text("refresh_token")).want(http.StatusOK)
	w.refresh(token).wantError(http.StatusUnauthorized, "unauthorized")
}
