package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// events lists the audit as "action outcome", newest first.
func (c *client) events(query string) []string {
	c.w.t.Helper()
	c.w.settle() // failures are written beside the request
	list := c.get("/admin/audit" + query).want(http.StatusOK)
	var out []string
	for i := range list.count("") {
		out = append(out, list.text(fmt.Sprint(i, ".action"))+" "+list.text(fmt.Sprint(i, ".outcome")))
	}
	return out
}

// TestAuditRecordsActions does everything once and reads it back.
func TestAuditRecordsActions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		step := func(want string, act func()) {
			t.Helper()
			w.clock.Advance(time.Second) // so events are ordered by time
			act()
			if got := owner.events("?limit=1"); len(got) != 1 || got[0] != want {
				t.Errorf("the newest event is %v, want %s", got, want)
			}
		}
		var anna, pair *reply
		annaEmail, password := "anna@example.org", "password of anna"
		step("user_create ok", func() { anna = owner.post("/admin/users", account(annaEmail, password)).want(http.StatusCreated) })
		step("login ok", func() { pair = w.logIn(annaEmail, password) })
		step("login wrong_password", func() { w.tryLogin(annaEmail, "wrong", "") })
		step("login unknown_user", func() { w.tryLogin("unknown@example.org", "wrong", "") })
		path, user := "/admin/users/"+anna.text("id"), w.as(pair.text("access_token"))
		step("password_change wrong_password", func() { user.put("/me/password", change("wrong", "another password")) })
		step("password_change ok", func() { user.put("/me/password", change(password, "another password")).want(http.StatusOK) })
		step("password_reset ok", func() { owner.post(path+"/password", `{"new_password":"yet another one"}`).wantNone() })
		step("user_promote ok", func() { owner.patch(path, `{"is_admin":true}`).want(http.StatusOK) })
		step("user_demote ok", func() { owner.patch(path, `{"is_admin":false}`).want(http.StatusOK) })
		step("login ok", func() { pair = w.logIn(annaEmail, "yet another one") })
		user = w.as(pair.text("access_token"))
		var token string
		step("access_token_mint ok", func() { token, _ = user.mint(map[string]any{"name": "x"}) })
		step("access_token_revoke ok", func() { user.delete("/access-tokens/" + token).wantNone() })
		var e enrolled
		step("totp_enable ok", func() { e = w.enrol(user) })
		step("login wrong_code", func() { w.tryLogin(annaEmail, "yet another one", e.wrongCode()) })
		step("totp_disable ok", func() {
			user.post("/me/totp/disable", map[string]any{"password": "yet another one", "code": e.code(0)}).wantNone()
		})
		step("login ok", func() { pair = w.logIn(annaEmail, "yet another one") })
		user = w.as(pair.text("access_token"))
		step("session_end ok", func() { user.delete("/me/sessions/" + user.get("/me/sessions").text("0.id")).wantNone() })
		step("login ok", func() { pair = w.logIn(annaEmail, "yet another one") })
		step("logout ok", func() { w.as(pair.text("access_token")).post("/auth/logout", nil).wantNone() })
		step("login ok", func() { pair = w.logIn(annaEmail, "yet another one") })
		w.refresh(pair.text("refresh_token")).want(http.StatusOK)
		w.clock.Advance(time.Minute)
		step("refresh_reuse refused", func() { w.refresh(pair.text("refresh_token")).want(http.StatusUnauthorized) })
		step("user_delete ok", func() { owner.delete(path).wantNone() })
		if all := owner.events(""); all[len(all)-1] != "setup ok" || !slices.Contains(all, "user_create ok") {
			t.Errorf("the audit forgot those who are gone: %v", all)
		}
	})
}

// TestAuditRecordsCallerCredentialAndAddress checks every field in some events.
func TestAuditRecordsCallerCredentialAndAddress(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		me := owner.userID(ownerEmail)
		_, secret := owner.mint(map[string]any{"name": "x"})
		newest := func() map[string]any {
			w.settle()
			event, ok := owner.get("/admin/audit?limit=1").want(http.StatusOK).value("0").(map[string]any)
			if !ok || event["id"] == "" {
				t.Fatal("no event")
			}
			delete(event, "id")
			return event
		}
		from := func(c *client, id string) *client {
			w.clock.Advance(time.Second)
			return c.from("10.0.0.1:1").with("X-Forwarded-For", "198.51.100.5").with("User-Agent", "Test/1").with("X-Request-Id", id)
		}
		made := from(w.as(secret), "r1").post("/admin/users", account("anna@example.org", "password of anna")).want(http.StatusCreated)
		want := map[string]any{
			"at": "2026-03-10T15:04:06Z", "user_id": me, "action": "user_create", "outcome": "ok", "credential": "token",
			"target": made.text("id"), "ip": "198.51.100.5", "user_agent": "Test/1", "request_id": "r1",
		}
		if diff := cmp.Diff(want, newest()); diff != "" {
			t.Errorf("by a token: %s", diff)
		}
		from(owner, "r2").delete("/admin/users/" + made.text("id")).wantNone()
		want["at"], want["action"], want["credential"], want["request_id"] = "2026-03-10T15:04:07Z", "user_delete", "session", "r2"
		if diff := cmp.Diff(want, newest()); diff != "" {
			t.Errorf("by a session: %s", diff)
		}
		from(w.anonymous(), "r3").post("/auth/login", account("unknown@example.org", "x")).want(http.StatusUnauthorized)
		want["at"], want["action"], want["outcome"], want["credential"] = "2026-03-10T15:04:08Z", "login", "unknown_user", ""
		want["user_id"], want["target"], want["request_id"] = "", "", "r3"
		if diff := cmp.Diff(want, newest()); diff != "" {
			t.Errorf("without a user: %s", diff)
		}
		pair := w.logIn(ownerEmail, ownerPassword)
		from(w.as(pair.text("access_token")), "r4").post("/auth/logout", nil).wantNone()
		got := newest()
		if got["action"] != "logout" || got["ip"] != "198.51.100.5" || got["user_agent"] != "Test/1" || got["request_id"] != "r4" || got["user_id"] != me {
			t.Errorf("the logout is %v", got)
		}
	})
}

// TestAuditPages walks by the Link header while new events arrive.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for i := range 11 { // some at the same instant
			if i%3 == 0 {
				w.clock.Advance(time.Second)
			}
			owner.mint(map[string]any{"name": fmt.Sprint("token ", i)})
		}
		ids := func(r *reply) []string {
			var out []string
			for i := range r.count("") {
				out = append(out, r.text(fmt.Sprint(i, ".id")))
			}
			return out
		}
		whole := owner.get("/admin/audit").want(http.StatusOK)
		want := ids(whole)
		if len(want) != 12 || whole.header.Get("Link") != "" {
			t.Fatalf("%d events, Link %q", len(want), whole.header.Get("Link"))
		}
		for _, size := range []int{1, 5, 12, 100} {
			var got []string
			pages := 0
			for next := fmt.Sprintf("/admin/audit?limit=%d&other=kept", size); next != ""; pages++ {
				page := owner.get(next).want(http.StatusOK)
				if page.count("") > size {
					t.Fatalf("a page of %d for limit %d", page.count(""), size)
				}
				if total := page.header.Get("X-Total-Count"); total != "12" {
					t.Errorf("X-Total-Count %q", total)
				}
				got = append(got, ids(page)...)
				next = nextOf(page)
				if next != "" && !strings.Contains(next, "other=kept") {
					t.Errorf("the link loses parameters: %s", next)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("limit %d: %s", size, diff)
			}
			if most := (12 + size - 1) / size; pages > most {
				t.Errorf("limit %d takes %d pages", size, pages)
			}
		}
		// An event between two pages shifts nothing.
		first := owner.get("/admin/audit?limit=6").want(http.StatusOK)
		w.clock.Advance(time.Second)
		owner.mint(map[string]any{"name": "late"})
		second := owner.get(nextOf(first)).want(http.StatusOK)
		if diff := cmp.Diff(want, append(ids(first), ids(second)...)); diff != "" {
			t.Errorf("between two pages: %s", diff)
		}
	})
}

// nextOf returns the next page's path below /api/v1, or nothing.
func nextOf(page *reply) string {
	link := page.header.Get("Link")
	if link == "" {
		return ""
	}
	address, ok := strings.CutSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
	if !ok {
		page.t.Fatalf("the Link is %q", link)
	}
	return strings.TrimPrefix(address, "/api/v1")
}
