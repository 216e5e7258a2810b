package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// adminCalls are all calls for owners only, with nonsense as ids.
var adminCalls = []string{
	"GET /admin/users", "POST /admin/users", "GET /admin/users/x", "PATCH /admin/users/x", "DELETE /admin/users/x",
	"POST /admin/users/x/password", "GET /admin/audit",
}

// TestAdminIsForOwners refuses strangers with 401 and users with 403,
// whatever they request.
func TestAdminIsForOwners(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		id := owner.userID("anna@example.org")
		for _, call := range adminCalls {
			method, path, _ := strings.Cut(call, " ")
			for _, id := range []string{"x", id} {
				path := strings.Replace(path, "/x", "/"+id, 1)
				for _, body := range []any{nil, `{}`, `{nonsense`} {
					w.anonymous().do(method, path, body).wantError(http.StatusUnauthorized, "unauthorized").wantShape()
					anna.do(method, path, body).wantError(http.StatusForbidden, "forbidden").wantShape()
				}
			}
		}
	})
}

func TestAdminCreatesUsers(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp() // registration is closed
		made := owner.post("/admin/users", map[string]any{"email": " Anna@example.org ", "password": "password of anna", "is_admin": true, "id": "chosen"}).
			want(http.StatusCreated).wantKeys("", "id", "email", "is_admin", "created_at", "totp_enabled", "last_seen_at")
		if made.value("is_admin") != false || made.text("email") != "Anna@example.org" || made.text("id") == "chosen" ||
			made.value("totp_enabled") != false || made.value("last_seen_at") != nil || made.text("created_at") != "2026-03-10T15:04:05Z" {
			t.Errorf("made %s", made.body)
		}
		w.logIn("anna@example.org", "password of anna").wantPair(false)
		owner.post("/admin/users", account("ANNA@EXAMPLE.ORG", "password of anna")).wantError(http.StatusConflict, "conflict").wantShape()
		owner.post("/admin/users", account("bert@example.org", "short")).wantField("password")
		owner.post("/admin/users", account("bert", "password of bert")).wantField("email")
		owner.post("/admin/users", `{}`).wantField("email")
		w.wantStatus(false, false, 2)
	})
}

func TestAdminListsUsers(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for i := range 3 {
			w.clock.Advance(time.Second)
			owner.post("/admin/users", account(fmt.Sprintf("user%d@example.org", i), "password of a user")).want(http.StatusCreated)
		}
		w.settle()
		list := owner.get("/admin/users").want(http.StatusOK).wantKeys("0", "id", "email", "is_admin", "created_at", "totp_enabled", "last_seen_at")
		if list.count("") != 4 || list.text("0.email") != ownerEmail || list.value("0.is_admin") != true || list.text("3.email") != "user2@example.org" {
			t.Errorf("the list is %s", list.body)
		}
		if list.text("0.last_seen_at") == "" || list.value("1.last_seen_at") != nil {
			t.Errorf("who was seen: %s", list.body)
		}
		one := owner.get("/admin/users/" + list.text("3.id")).want(http.StatusOK)
		if one.text("email") != "user2@example.org" {
			t.Errorf("one is %s", one.body)
		}
		owner.get("/admin/users/unknown").wantError(http.StatusNotFound, "not_found")
	})
}

func TestAdminPromotesAndDemotes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		path := "/admin/users/" + owner.userID("anna@example.org")
		anna.get("/admin/users").wantError(http.StatusForbidden, "forbidden")
		for range 2 { // the second time it is so already
			changed := owner.patch(path, `{"is_admin":true,"email":"other@example.org"}`).want(http.StatusOK)
			if changed.value("is_admin") != true || changed.text("email") != "anna@example.org" {
				t.Errorf("changed to %s", changed.body)
			}
		}
		anna.get("/admin/users").want(http.StatusOK) // with the earlier token
		anna.get("/me").want(http.StatusOK)
		owner.patch(path, `{"is_admin":false}`).want(http.StatusOK)
		anna.get("/admin/users").wantError(http.StatusForbidden, "forbidden") // at once
		owner.patch("/admin/users/unknown", `{"is_admin":true}`).wantError(http.StatusNotFound, "not_found")
	})
}

func TestTheLastOwnerCannotBeRemoved(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		me, other := "/admin/users/"+owner.userID(ownerEmail), "/admin/users/"+owner.userID("anna@example.org")
		owner.patch(me, `{"is_admin":false}`).wantError(http.StatusConflict, "conflict").wantShape()
		owner.delete(me).wantError(http.StatusConflict, "conflict").wantShape()
		owner.patch(me, `{"is_admin":true}`).want(http.StatusOK)
		owner.patch(other, `{"is_admin":true}`).want(http.StatusOK)
		owner.delete(me).wantError(http.StatusConflict, "conflict") // a user cannot delete itself
		owner.patch(me, `{"is_admin":false}`).want(http.StatusOK)   // but may step down
		owner.get("/admin/users").wantError(http.StatusForbidden, "forbidden")
		anna.patch(other, `{"is_admin":false}`).wantError(http.StatusConflict, "conflict")
		anna.delete(me).wantNone()
		owner.get("/me").wantError(http.StatusUnauthorized, "unauthorized")
	})
}

// TestOwnersRemovingEachOtherAtOnce lets two owners demote, or delete, each other at
// the same moment, again and again: the installation always has an owner.
func TestOwnersRemovingEachOtherAtOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		first := w.setUp()
		second := w.addUser(first, "anna@example.org")
		ids := []string{first.userID(ownerEmail), first.userID("anna@example.org")}
		owners := []*client{first, second}
		for round := range 50 {
			// An owner promotes both.
			for i, c := range owners {
				c.patch("/admin/users/"+ids[1-i], `{"is_admin":true}`)
			}
			if n := w.count(`SELECT COUNT(*) FROM users WHERE is_admin`); n != 2 {
				t.Fatalf("round %d begins with %d owners", round, n)
			}
			replies := atOnce(2, func(i int) *reply {
				return owners[i].patch("/admin/users/"+ids[1-i], `{"is_admin":false}`)
			})
			if n := w.count(`SELECT COUNT(*) FROM users WHERE is_admin`); n != 1 {
				t.Fatalf("round %d ends with %d owners: %v", round, n, tally(replies))
			}
			for _, r := range replies {
				if r.status != http.StatusOK && r.status != http.StatusForbidden && r.status != http.StatusConflict {
					t.Fatalf("round %d: status %d: %s", round, r.status, r.body)
				}
			}
		}
		for i, c := range owners {
			c.patch("/admin/users/"+ids[1-i], `{"is_admin":true}`)
		}
		replies := atOnce(2, func(i int) *reply { return owners[i].delete("/admin/users/" + ids[1-i]) })
		if n := w.count(`SELECT COUNT(*) FROM users WHERE is_admin`); n != 1 || tally(replies)[http.StatusNoContent] != 1 {
			t.Errorf("%d owners after both deleted each other: %v", n, tally(replies))
		}
	})
}

// TestDeletedUsersLoseAccessAtOnce tries every credential they had.
func TestDeletedUsersLoseAccessAtOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		pair := w.logIn("anna@example.org", passwordOf("anna@example.org"))
		_, secret := anna.mint(map[string]any{"name": "x"})
		w.as(secret).get("/me").want(http.StatusOK)
		anna.patch("/me/preferences", `{"a":1}`).wantNone()
		id := owner.userID("anna@example.org")
		number := w.count(`SELECT number FROM users WHERE id = $1`, id)
		owner.delete("/admin/users/" + id).wantNone()

		worthless := w.as("nonsense").get("/me").wantError(http.StatusUnauthorized, "unauthorized")
		anna.get("/me").wantSame(worthless)
		w.as(pair.text("access_token")).get("/me").wantSame(worthless)
		w.as(secret).get("/me").wantSame(worthless)
		w.refresh(pair.text("refresh_token")).wantSame(w.refresh("nonsense"))
		w.tryLogin("anna@example.org", passwordOf("anna@example.org"), "").wantSame(w.tryLogin("unknown@example.org", "wrong", ""))
		for _, table := range []string{"sessions", "refresh_tokens", "access_tokens", "access_token_uses", "preferences", "idempotency_keys", "token_owners", "user_states"} {
			if n := w.count(`SELECT COUNT(*) FROM `+table+` WHERE user_id = $1`, number); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		owner.delete("/admin/users/"+id).wantError(http.StatusNotFound, "not_found")
		// Another with the same address is another.
		again := w.addUser(owner, "anna@example.org")
		if again.get("/me").text("id") == id || string(again.get("/access-tokens").body) != "[]" {
			t.Error("a deleted user exists again")
		}
		again.wantPrefs(`{}`)
	})
}

// TestAdminResetsAPassword signs the user out everywhere.
func TestAdminResetsAPassword(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		anna := w.addUser(owner, "anna@example.org")
		pair := w.logIn("anna@example.org", passwordOf("anna@example.org"))
		mine := w.logIn(ownerEmail, ownerPassword)
		_, secret := anna.mint(map[string]any{"name": "x"})
		path := "/admin/users/" + owner.userID("anna@example.org") + "/password"
		owner.post(path, `{"new_password":"short"}`).wantField("new_password")
		owner.post(path, `{}`).wantField("new_password")
		owner.post(path, `{"new_password":"anna@example.org"}`).wantField("new_password")
		owner.post("/admin/users/unknown/password", `{"new_password":"another password"}`).wantError(http.StatusNotFound, "not_found")
		w.refresh(pair.text("refresh_token")).want(http.StatusOK) // no call did anything
		pair = w.logIn("anna@example.org", passwordOf("anna@example.org"))

		owner.post(path, `{"new_password":"another password"}`).wantNone()
		w.refresh(pair.text("refresh_token")).wantError(http.StatusUnauthorized, "unauthorized")
		anna.get("/me").want(http.StatusOK) // access tokens live out their time
		w.as(pair.text("access_token")).get("/me").want(http.StatusOK)
		w.as(secret).get("/me").want(http.StatusOK) // and personal ones stay
		w.tryLogin("anna@example.org", passwordOf("anna@example.org"), "").wantError(http.StatusUnauthorized, "unauthorized")
		w.logIn("anna@example.org", "another password")
		w.refresh(mine.text("refresh_token")).want(http.StatusOK) // the owner's own are not touched
	})
}

// TestAdminResetKeepsTheSecondFactor on: a password is not enough.
func TestAdminResetKeepsTheSecondFactor(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		w.enrol(w.addUser(owner, "anna@example.org"))
		owner.post("/admin/users/"+owner.userID("anna@example.org")+"/password", `{"new_password":"another password"}`).wantNone()
		w.tryLogin("anna@example.org", "another password", "").wantError(http.StatusUnauthorized, "totp_required")
	})
}
