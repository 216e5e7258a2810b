package httpapi_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// canaries are secrets by name: what must never be seen where it does not
// belong.
type canaries map[string]string

// pair adds both tokens in a pair.
func (c canaries) pair(name string, r *reply) *reply {
	r.t.Helper()
	r.want(r.status)
	c[name+" access token"], c[name+" refresh token"] = r.text("access_token"), r.text("refresh_token")
	if c[name+" access token"] == "" || c[name+" refresh token"] == "" {
		r.t.Fatalf("%s: no pair: %s", r.call, r.body)
	}
	return r
}

// TestNoSecretIsStoredOrLogged uses every secret, in the right and in the wrong places,
// and then searches the log, the audit and every database byte for them.
func TestNoSecretIsStoredOrLogged(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		found := w.live(canaries{
			"password": "canary password one", "new password": "canary password two", "reset password": "canary password three",
			"wrong password": "canary that is wrong", "misplaced password": "canary in the wrong place",
		})
		t.Logf("%d secrets", len(found))
		w.settle()
		audit := w.as(found["token"]).get("/admin/audit").want(http.StatusOK)
		if audit.count("") < 15 {
			t.Errorf("only %d events: nothing was lived through", audit.count(""))
		}
		places := map[string]string{"the log": w.log.String(), "the audit": string(audit.body), "the database": w.everyByte()}
		if !strings.Contains(places["the database"], "canary-owner@example.org") || !strings.Contains(places["the log"], "POST /api/v1/auth/login") {
			t.Fatal("the search does not see what is there")
		}
		for place, text := range places {
			for name, secret := range found {
				if secret == "" {
					t.Fatalf("the %s is empty", name)
				}
				// The first characters of an access token are kept to identify it.
				hidden := strings.TrimPrefix(secret, "svc_pat_")
				if len(hidden) < len(secret) {
					hidden = hidden[4:]
				}
				if isCode := len(hidden) == 6; isCode && holdsWord(text, hidden) || !isCode && strings.Contains(text, hidden) {
					t.Errorf("%s contains the %s", place, name)
				}
				if place == "the database" && len(hidden) > 6 && strings.Contains(text, hex.EncodeToString([]byte(hidden))) {
					t.Errorf("%s contains the %s in hex", place, name)
				}
			}
		}
		// The log identifies people by ids, never by addresses.
		for _, address := range []string{"canary-owner", "canary-user", "canary-stranger"} {
			if strings.Contains(places["the log"], address) {
				t.Errorf("the log contains the address %s", address)
			}
		}
		if strings.Contains(places["the database"], "canary-stranger") {
			t.Error("the database contains the address of a stranger")
		}
	}, openRegistration, exchangesOn)
}

// live does everything once and returns all secrets used.
func (w *world) live(secrets canaries) canaries {
	w.t.Helper()
	owner := w.beginLife(secrets)
	w.misplace(secrets, owner)
	// A fault among the other requests, which is logged.
	w.exec(`ALTER TABLE sessions RENAME TO sessions_away`)
	w.tryLogin("canary-owner@example.org", secrets["new password"], "").wantError(http.StatusInternalServerError, "internal")
	w.refresh(secrets["changed refresh token"]).wantError(http.StatusInternalServerError, "internal")
	w.exec(`ALTER TABLE sessions_away RENAME TO sessions`)
	return secrets
}

func (w *world) beginLife(secrets canaries) *client {
	w.t.Helper()
	address := "canary-owner@example.org"
	made := secrets.pair("setup", w.anonymous().post("/setup", account(address, secrets["password"])))
	owner := w.as(made.text("access_token"))
	w.tryLogin(address, secrets["wrong password"], "").want(http.StatusUnauthorized)
	w.tryLogin("canary-stranger@example.org", secrets["wrong password"], "").want(http.StatusUnauthorized)
	login := secrets.pair("login", w.tryLogin(address, secrets["password"], ""))
	secrets.pair("refresh", w.refresh(login.text("refresh_token")))
	w.clock.Advance(time.Minute)
	w.refresh(login.text("refresh_token")).want(http.StatusUnauthorized)

	_, secrets["token"] = owner.mint(map[string]any{"name": "canary"})
	_, secrets["read token"] = owner.mint(map[string]any{"name": "canary", "scope": "read", "expires_in_days": 30})
	w.as(secrets["token"]).get("/me").want(http.StatusOK)
	id, revoked := owner.mint(map[string]any{"name": "canary"})
	secrets["revoked token"] = revoked
	owner.delete("/access-tokens/" + id).wantNone()
	w.as(revoked).get("/me").want(http.StatusUnauthorized)

	start := owner.post("/me/totp/start", nil).want(http.StatusOK)
	secrets["second factor"] = start.text("secret")
	code := func() string { return totpCode(w.t, secrets["second factor"], w.clock.Now()) }
	secrets["confirming code"] = code()
	owner.post("/me/totp/confirm", map[string]any{"secret": secrets["second factor"], "code": secrets["confirming code"]}).wantNone()
	w.clock.Advance(time.Minute)
	secrets["login code"] = code()
	secrets.pair("second login", w.tryLogin(address, secrets["password"], secrets["login code"]))
	w.tryLogin(address, secrets["password"], secrets["login code"]).want(http.StatusUnauthorized)
	w.clock.Advance(time.Minute)
	secrets["last code"] = code()
	owner.post("/me/totp/disable", map[string]any{"password": secrets["password"], "code": secrets["last code"]}).wantNone()

	w.useHook(secrets, owner)
	w.useConnection(secrets, owner)
	owner.put("/me/password", change(secrets["wrong password"], secrets["new password"])).want(http.StatusForbidden)
	changed := secrets.pair("changed", owner.put("/me/password", change(secrets["password"], secrets["new password"])))
	owner = w.as(changed.text("access_token"))
	user := owner.keyed("canary").post("/admin/users", account("canary-user@example.org", secrets["password"])).want(http.StatusCreated)
	owner.keyed("canary2").post("/admin/users/"+user.text("id")+"/password", map[string]any{"new_password": secrets["reset password"]}).wantNone()
	secrets.pair("register", w.anonymous().post("/auth/register", account("canary-user2@example.org", secrets["password"])))
	return owner
}

// useConnection sends broker keys to every route with keys, and runs connections with
// them.
func (w *world) useConnection(secrets canaries, owner *client) {
	w.t.Helper()
	d := owner.addAccount("Connected")
	secrets["key"], secrets["wrong key"], secrets["trading key"] = "canary-reads-88123", "canary-wrong-88124", "canary-trade-88125"
	for _, key := range []string{"key", "wrong key", "trading key"} {
		values := more{"key": secrets[key]}
		d.post("/connections/test", more{"provider": "acme", "credentials": values})
		d.post("/connections?test=true", d.connectionOf(more{"credentials": values, "environment": secrets[key]}))
		d.post("/connections", d.connectionOf(more{"credentials": more{"key": secrets[key], "environment": secrets[key]}})).want(http.StatusBadRequest)
		d.keyed(key).post("/connections", d.connectionOf(more{"credentials": more{"key": secrets[key], "symbols": key}})).want(http.StatusCreated)
	}
	if err := w.services.Jobs.RunDue(w.t.Context()); err != nil {
		w.t.Error(err)
	}
	for i := range d.get("/connections").count("") {
		id := d.get("/connections").text(fmt.Sprintf("%d.id", i))
		d.patch("/connections/"+id, more{"credentials": more{"key": secrets["key"], "symbols": id}}).want(http.StatusOK)
	}
	for _, path := range []string{"/connections", "/exports?format=json", "/imports"} {
		body := string(d.get(path).want(http.StatusOK).body)
		for _, key := range []string{"key", "wrong key", "trading key"} {
			if strings.Contains(body, secrets[key]) {
				w.t.Errorf("%s contains the %s of a broker", path, key)
			}
		}
	}
}

// useHook sends a hook's secret in the header, in the query, in stored bodies, and with a
// fault.
func (w *world) useHook(secrets canaries, owner *client) {
	w.t.Helper()
	d := owner.addAccount("Canary")
	hook := d.addHook("canary")
	secrets["hook secret"] = hook.secret
	hook.send(hookFill("A", "buy", 0, more{"details": more{"key": hook.secret}})).wantCounts(1, 0, 0)
	path := "/hooks/" + hook.id + "?secret=" + hook.secret
	w.anonymous().raw("POST", path, "", []byte("not JSON, with "+hook.secret)).wantCounts(0, 0, 1)
	w.exec(`ALTER TABLE hook_bodies RENAME TO hook_bodies_away`)
	w.anonymous().raw("POST", path, "", []byte("{}")).wantError(http.StatusInternalServerError, "internal")
	w.exec(`ALTER TABLE hook_bodies_away RENAME TO hook_bodies`)
	w.anonymous().raw("POST", "/hooks/"+hook.secret+"?secret="+hook.secret, "", []byte("{}")).want(http.StatusNotFound)
	secrets["new hook secret"] = d.post("/hooks/"+hook.id+"/rotate", nil).want(http.StatusOK).text("secret")
	for _, path := range []string{"/hooks", "/hooks/" + hook.id + "/quarantine", "/executions", "/imports", "/exports?format=json"} {
		if body := string(d.get(path).want(http.StatusOK).body); strings.Contains(body, hook.secret) {
			w.t.Errorf("%s contains the secret of a hook", path)
		}
	}
}

// misplace sends secrets where they do not belong: in paths, queries, headers
// and broken bodies.
func (w *world) misplace(secrets canaries, owner *client) {
	w.t.Helper()
	word := strings.ReplaceAll(secrets["misplaced password"], " ", "%20")
	for _, path := range []string{
		"/me?access_token=" + secrets["token"], "/access-tokens/" + secrets["token"], "/admin/users/" + word, "/admin/audit?cursor=" + word,
		"/admin/audit?limit=" + word, "/" + word, "//healthz?password=" + word, "/access-tokens/" + secrets["token"] + "/uses",
	} {
		owner.get(path)
		owner.delete(path)
	}
	for _, body := range []string{
		`{"email":"canary-stranger@example.org","password":"` + secrets["misplaced password"] + `"`, `"` + secrets["misplaced password"] + `"`,
		`{"email":{"a":"` + secrets["misplaced password"] + `"}}`, `{"` + secrets["misplaced password"] + `":1,"` + secrets["misplaced password"] + `":2}`,
	} {
		w.anonymous().post("/auth/login", body)
		w.anonymous().raw("POST", "/auth/login", "text/plain", []byte(body))
	}
	w.anonymous().with("Authorization", "Basic "+secrets["token"]).get("/me").want(http.StatusUnauthorized)
	w.as(secrets["token"] + "x").get("/me").want(http.StatusUnauthorized)
	w.as(secrets["changed refresh token"]).get("/me").want(http.StatusUnauthorized)
	w.refresh(secrets["token"]).want(http.StatusUnauthorized)
	w.refresh(secrets["setup access token"]).want(http.StatusUnauthorized)
	w.anonymous().post("/auth/logout", map[string]any{"refresh_token": secrets["second login refresh token"]})
}

// everyByte returns the whole database: the bytes in SQLite's files, or every PostgreSQL
// row as text, bytes in hex.
func (w *world) everyByte() string {
	w.t.Helper()
	var all strings.Builder
	if w.db.Engine() == db.SQLite {
		for _, suffix := range []string{"", "-wal"} {
			text, err := os.ReadFile(w.db.Path() + suffix)
			if err != nil {
				w.t.Fatal(err)
			}
			all.Write(text)
		}
		return all.String()
	}
	err := w.db.View(w.t.Context(), func(tx *db.Tx) error {
		text := func(row db.Scanner) (string, error) {
			var value string
			err := row.Scan(&value)
			return value, err
		}
		tables, err := db.List(w.t.Context(), tx, text, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name`)
		if err != nil {
			return err
		}
		for _, table := range tables {
			rows, err := db.List(w.t.Context(), tx, text, `SELECT to_jsonb(t)::text FROM `+table+` t`)
			if err != nil {
				return err
			}
			for _, row := range rows {
				all.WriteString(table + " " + row + "\n")
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all.String()
}
