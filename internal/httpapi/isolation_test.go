package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestForeignIDsAreUnknownIDs lets one user try every id of another. The answer must
// equal the one for an unknown id: status, headers and body.
func TestForeignIDsAreUnknownIDs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna, bert := w.addUser(owner, "anna@example.org"), w.addUser(owner, "bert@example.org")
		token, secret := anna.mint(map[string]any{"name": "x"})
		w.as(secret).get("/me").want(http.StatusOK)
		session := anna.get("/me/sessions").text("0.id")
		user := anna.get("/me").text("id")
		w.settle()
		before := []*reply{anna.get("/access-tokens"), anna.get("/me/sessions"), anna.get("/me"), anna.get("/access-tokens/" + token + "/uses")}
		for _, intruder := range []struct {
			name string
			as   *client
		}{{"a user", bert}, {"an owner", owner}} {
			for call, id := range map[string]string{
				"DELETE /access-tokens/{id}":      token,
				"GET /access-tokens/{id}/uses":    token,
				"DELETE /me/sessions/{id}":        session,
				"GET /admin/users/{id}":           session,
				"DELETE /admin/users/{id}":        token,
				"PATCH /admin/users/{id}":         token,
				"POST /admin/users/{id}/password": session,
			} {
				method, path, _ := strings.Cut(call, " ")
				body := any(nil)
				if method == "PATCH" || method == "POST" {
					body = `{"is_admin":true,"new_password":"another password"}`
				}
				const nobodys = "01890a5d-ac96-774b-bcce-b302099a8057"
				foreign := intruder.as.do(method, strings.Replace(path, "{id}", id, 1), body)
				unknown := intruder.as.do(method, strings.Replace(path, "{id}", nobodys, 1), body)
				t.Log(intruder.name, call, foreign.status)
				foreign.wantSame(unknown)
				if foreign.status == http.StatusForbidden != (intruder.as == bert && strings.Contains(path, "/admin/")) {
					t.Errorf("%s: %s: status %d", intruder.name, call, foreign.status)
				}
			}
		}
		// A user who is no owner learns nothing about others.
		for _, method := range []string{"GET", "DELETE"} {
			bert.do(method, "/admin/users/"+user, nil).wantSame(bert.do(method, "/admin/users/nobody", nil))
		}
		for i, after := range []*reply{anna.get("/access-tokens"), anna.get("/me/sessions"), anna.get("/me"), anna.get("/access-tokens/" + token + "/uses")} {
			after.wantSame(before[i])
		}
	})
}

// TestOwnersDoNotReadUsers: an owner manages people and cannot read their data.
func TestOwnersDoNotReadUsers(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		anna.patch("/me/preferences", `{"private":"canary"}`).wantNone()
		anna.mint(map[string]any{"name": "canary"})
		anna.with("User-Agent", "canary").get("/me").want(http.StatusOK)
		for _, path := range []string{"/admin/users", "/admin/users/" + owner.userID("anna@example.org"), "/me/preferences", "/me/sessions", "/access-tokens"} {
			if got := owner.get(path).want(http.StatusOK); strings.Contains(string(got.body), "canary") {
				t.Errorf("%s shows another user: %s", path, got.body)
			}
		}
	})
}
