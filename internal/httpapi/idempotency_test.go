package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// keyed returns a client sending an Idempotency-Key.
func (c *client) keyed(key string) *client { return c.with("Idempotency-Key", key) }

func TestRepeatedPostIsOneEffect(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := account("anna@example.org", "password of anna")
		first := owner.keyed("k1").post("/admin/users", anna).want(http.StatusCreated)
		second := owner.keyed("k1").post("/admin/users", anna).want(http.StatusCreated)
		if string(first.body) != string(second.body) || first.tag() != second.tag() || second.header.Get("Content-Type") != "application/json" {
			t.Errorf("the first answer is %s, the second %s", first.body, second.body)
		}
		w.wantStatus(false, false, 2)
		owner.post("/admin/users", anna).wantError(http.StatusConflict, "conflict")             // without the key
		owner.keyed("k2").post("/admin/users", anna).wantError(http.StatusConflict, "conflict") // with another
		owner.keyed("k1").post("/admin/users", account("bert@example.org", "password of bert")).wantError(http.StatusConflict, "conflict").wantShape()
		w.wantStatus(false, false, 2)
	})
}

// TestRepeatedPostReturnsTheStoredAnswer, even where the world has moved on.
func TestRepeatedPostReturnsTheStoredAnswer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.signedIn(w.setUp())
		anna := account("anna@example.org", "password of anna")
		first := owner.keyed("k").post("/admin/users", anna).want(http.StatusCreated)
		owner.delete("/admin/users/" + first.text("id")).wantNone()
		w.clock.Advance(24*time.Hour - time.Second)
		if again := owner.keyed("k").post("/admin/users", anna).want(http.StatusCreated); string(again.body) != string(first.body) {
			t.Errorf("the stored answer is %s", again.body)
		}
		w.wantStatus(false, false, 1)
		w.clock.Advance(time.Second)
		if again := owner.keyed("k").post("/admin/users", anna).want(http.StatusCreated); again.text("id") == first.text("id") {
			t.Error("an expired answer was returned")
		}
		w.wantStatus(false, false, 2)
	})
}

func TestRefusedPostCanBeRetriedWithItsKey(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		owner.keyed("k").post("/admin/users", account("anna@example.org", "short")).wantField("password")
		owner.keyed("k").post("/admin/users", `{nonsense`).wantError(http.StatusBadRequest, "bad_request")
		owner.keyed("k").post("/admin/users", account(ownerEmail, "password of anna")).wantError(http.StatusConflict, "conflict")
		owner.keyed("k").post("/admin/users", account("anna@example.org", "password of anna")).want(http.StatusCreated)
	})
}

func TestIdempotencyKeysArePerUser(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		second := w.addUser(owner, "second@example.org")
		owner.patch("/admin/users/"+owner.userID("second@example.org"), `{"is_admin":true}`).want(http.StatusOK)
		one := owner.keyed("k").post("/admin/users", account("anna@example.org", "password of anna")).want(http.StatusCreated)
		two := second.keyed("k").post("/admin/users", account("bert@example.org", "password of bert")).want(http.StatusCreated)
		if one.text("id") == two.text("id") {
			t.Error("the key of one user returned the answer of another")
		}
		// A user's session and tokens are the same user.
		_, secret := owner.mint(map[string]any{"name": "x"})
		again := w.as(secret).keyed("k").post("/admin/users", account("anna@example.org", "password of anna")).want(http.StatusCreated)
		if string(again.body) != string(one.body) {
			t.Errorf("by a token of the same user: %s", again.body)
		}
	})
}

// TestIdempotencyKeyGrantsNoAccess replays nothing to a client without access.
func TestIdempotencyKeyGrantsNoAccess(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		second := w.addUser(owner, "second@example.org")
		path := "/admin/users/" + owner.userID("second@example.org")
		owner.patch(path, `{"is_admin":true}`).want(http.StatusOK)
		anna := account("anna@example.org", "password of anna")
		second.keyed("k").post("/admin/users", anna).want(http.StatusCreated)
		owner.patch(path, `{"is_admin":false}`).want(http.StatusOK)
		second.keyed("k").post("/admin/users", anna).wantError(http.StatusForbidden, "forbidden")
		w.anonymous().keyed("k").post("/admin/users", anna).wantError(http.StatusUnauthorized, "unauthorized")
	})
}

func TestParallelRepeatedPostsAreOneEffect(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		replies := atOnce(6, func(int) *reply {
			return owner.keyed("k").post("/admin/users", account("anna@example.org", "password of anna"))
		})
		for _, r := range replies {
			if r.status != http.StatusCreated || string(r.body) != string(replies[0].body) || r.tag() != replies[0].tag() {
				t.Errorf("status %d, %s; the first has %s", r.status, r.body, replies[0].body)
			}
		}
		w.wantStatus(false, false, 2)
	})
}

// TestPasswordResetSupportsIdempotencyKey: it is no call whose answer holds a secret.
func TestPasswordResetSupportsIdempotencyKey(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		w.addUser(owner, "anna@example.org")
		path := "/admin/users/" + owner.userID("anna@example.org") + "/password"
		owner.keyed("k").post(path, `{"new_password":"another password"}`).wantNone()
		pair := w.logIn("anna@example.org", "another password")
		owner.keyed("k").post(path, `{"new_password":"another password"}`).wantNone()
		w.refresh(pair.text("refresh_token")).want(http.StatusOK) // it was not done twice
		owner.keyed("k").post(path, `{"new_password":"yet another one"}`).wantError(http.StatusConflict, "conflict")
	})
}

// TestKeyIsIgnoredIfAnswersContainSecrets requires that no secret is kept, and that the
// same key with another body is no conflict.
func TestKeyIsIgnoredIfAnswersContainSecrets(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.anonymous().keyed("k").post("/setup", account(ownerEmail, ownerPassword)).want(http.StatusCreated)
		w.anonymous().keyed("k").post("/setup", account(ownerEmail, ownerPassword)).wantError(http.StatusConflict, "conflict")
		login := func() *reply {
			return w.anonymous().keyed("k").post("/auth/login", account(ownerEmail, ownerPassword)).want(http.StatusOK)
		}
		one, two := login(), login()
		if one.text("refresh_token") == two.text("refresh_token") {
			t.Error("the answer of a login was stored")
		}
		owner := w.as(one.text("access_token")).keyed("k")
		for i := range 2 {
			w.anonymous().keyed("k").post("/auth/register", account(fmt.Sprintf("user%d@example.org", i), "password of a user")).want(http.StatusCreated)
		}
		first := w.anonymous().keyed("k").post("/auth/refresh", map[string]any{"refresh_token": two.text("refresh_token")}).want(http.StatusOK)
		second := w.anonymous().keyed("k").post("/auth/refresh", map[string]any{"refresh_token": two.text("refresh_token")}).want(http.StatusOK)
		if first.text("refresh_token") == second.text("refresh_token") {
			t.Error("the answer of a refresh was stored")
		}
		_, minted := owner.mint(map[string]any{"name": "x"})
		if _, again := owner.mint(map[string]any{"name": "x"}); minted == again {
			t.Error("the answer with a token was stored")
		}
		owner.mint(map[string]any{"name": "another body"})
		if a, b := owner.post("/me/totp/start", nil).text("secret"), owner.post("/me/totp/start", nil).text("secret"); a == b {
			t.Error("the answer with a TOTP secret was stored")
		}
		owner.post("/me/totp/confirm", map[string]any{"secret": "x", "code": "1"}).wantField("secret")
		if n := w.count(`SELECT COUNT(*) FROM idempotency_keys`); n != 0 {
			t.Errorf("%d answers are kept", n)
		}
	}, openRegistration)
}

// TestStoredAnswersAreEncrypted reads the row.
func TestStoredAnswersAreEncrypted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		owner.keyed("k").post("/admin/users", account("canary@example.org", "canary password")).want(http.StatusCreated)
		var hash, body []byte
		var headers string
		err := w.db.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT request_hash, headers, body FROM idempotency_keys`).Scan(&hash, &headers, &body)
		})
		if err != nil {
			t.Fatal(err)
		}
		if row := string(hash) + headers + string(body); strings.Contains(row, "canary") || len(body) == 0 {
			t.Errorf("the row is %q", row)
		}
	})
}

// TestAClaimLeftByACrashIsTakenOver two minutes later.
func TestAClaimLeftByACrashIsTakenOver(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		anna := account("anna@example.org", "password of anna")
		owner.keyed("k").post("/admin/users", anna).want(http.StatusCreated)
		// As if the server had died between the claim and the answer.
		w.exec(`UPDATE idempotency_keys SET answered = FALSE`)
		w.exec(`DELETE FROM users WHERE email = 'anna@example.org'`)
		owner.keyed("k").post("/admin/users", account("bert@example.org", "password of bert")).wantError(http.StatusConflict, "conflict")
		w.clock.Advance(2 * time.Minute)
		owner.keyed("k").post("/admin/users", anna).want(http.StatusCreated)
		w.wantStatus(false, false, 2)
		if n := w.count(`SELECT COUNT(*) FROM idempotency_keys`); n != 1 {
			t.Errorf("%d rows", n)
		}
	})
}

func TestInvalidKeysAreRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		for _, key := range []string{strings.Repeat("k", 201), "a\xff"} {
			owner.keyed(key).post("/admin/users", account("anna@example.org", "password of anna")).wantField("Idempotency-Key")
		}
		w.wantStatus(false, false, 1)
		owner.keyed(strings.Repeat("k", 200)).post("/admin/users", account("anna@example.org", "password of anna")).want(http.StatusCreated)
	})
}
