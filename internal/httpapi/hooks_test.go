package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
	"fillbook/internal/transport"
)

// sender is a program with a hook's address and secret.
type sender struct {
	*client
	id, secret string
}

// addHook creates a hook for the account.
func (d trader) addHook(name string) sender {
	d.w.t.Helper()
	made := d.made("/hooks", more{"account_id": d.account, "name": name})
	return sender{d.w.as(made.text("secret")), made.text("id"), made.text("secret")}
}

// lasting returns a copy with a credential that does not expire.
func (d trader) lasting() trader {
	d.w.t.Helper()
	_, secret := d.mint(more{"name": "lasting"})
	return trader{d.w.as(secret), d.account}
}

// send delivers a body as TradingView does, which sends anything as text.
func (s sender) send(body string) *reply {
	s.w.t.Helper()
	return s.raw(http.MethodPost, "/hooks/"+s.id, "text/plain; charset=utf-8", []byte(body))
}

// wantCounts requires an accepted delivery with these outcomes.
func (r *reply) wantCounts(accepted, skipped, quarantined int) {
	r.t.Helper()
	r.want(http.StatusAccepted)
	r.is("", fmt.Sprintf(`{"accepted":%d,"quarantined":%d,"skipped":%d}`, accepted, quarantined, skipped))
}

// hookFill is a fill as a sender writes it.
func hookFill(symbol, side string, minute int, extra ...more) string {
	text, err := json.Marshal(fieldsOf(more{"symbol": symbol, "side": side, "quantity": "1", "price": 10, "executed_at": at(minute)}, extra...))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func list(fills ...string) string { return "[" + strings.Join(fills, ",") + "]" }

func TestHookReceivesFills(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/hooks").want(http.StatusOK).is("", "[]")
		d.post("/hooks", more{"account_id": d.account}).wantField("name")
		d.post("/hooks", more{"name": "x"}).wantField("account_id")
		d.post("/hooks", more{"name": "x", "account_id": unknown()}).wantError(http.StatusNotFound, "not_found")
		made := d.made("/hooks", more{"account_id": d.account, "name": "  Alerts "})
		hook := sender{w.as(made.text("secret")), made.text("id"), made.text("secret")}
		made.is("name", `"Alerts"`).is("url", `"http://example.com/api/v1/hooks/`+hook.id+`"`).is("last_delivery", "null").is("quarantined", "0")
		if len(hook.secret) < 40 {
			t.Errorf("the secret %q is too short", hook.secret)
		}

		hook.send(hookFill("AAPL", "buy", 0, more{"account_id": unknown(), "external_id": "1", "fees": "0.5"})).wantCounts(1, 0, 0)
		hook.send(list(hookFill("AAPL", "sell", 5), hookFill("MSFT", "buy", 1))).wantCounts(2, 0, 0)
		d.get("/executions").holds("", `[{"symbol":"AAPL","fees":0.5,"external_id":"1"},{"symbol":"MSFT"},{"symbol":"AAPL","side":"sell"}]`).
			is("0.account_id", `"`+d.account+`"`)
		hook.send(`[]`).wantCounts(0, 0, 0)

		// The secret may be in the query, and the body may have any type.
		by := w.anonymous()
		by.raw(http.MethodPost, "/hooks/"+hook.id+"?secret="+hook.secret, "", []byte(hookFill("NVDA", "buy", 9))).wantCounts(1, 0, 0)
		by.raw(http.MethodPost, "/hooks/"+hook.id+"?secret="+hook.secret, "application/json", []byte(hookFill("AMD", "buy", 9, more{"quantity": 1}))).wantCounts(1, 0, 0)
		by.with("Content-Encoding", "gzip").raw(http.MethodPost, "/hooks/"+hook.id+"?secret="+hook.secret, "application/json", []byte("\x1f\x8b\x00")).wantCounts(0, 0, 1)

		d.get("/hooks").want(http.StatusOK).is("0.last_delivery.quarantined", "1").is("0.quarantined", "1").is("0.id", `"`+hook.id+`"`)
		if body := d.get("/hooks").body; strings.Contains(string(body), hook.secret) {
			t.Errorf("the list has the secret: %s", body)
		}
		d.delete("/hooks/" + hook.id).wantNone()
		d.get("/hooks").is("", "[]")
		hook.send(hookFill("AAPL", "buy", 0)).wantError(http.StatusNotFound, "not_found")
		if n := d.get("/executions").count(""); n != 5 {
			t.Errorf("%d fills are left, want 5", n)
		}
		d.delete("/hooks/"+hook.id).wantError(http.StatusNotFound, "not_found")
	})
}

// TestHookIsIdempotent checks what is the same fill: a repeated body, a repeated id, an
// equal fill. Equal fills inside one body are different fills.
func TestHookIsIdempotent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader().lasting()
		hook := d.addHook("EA")
		pair := list(hookFill("AAPL", "buy", 0), hookFill("AAPL", "buy", 0), `{"symbol":"BAD"}`)
		hook.send(pair).wantCounts(2, 0, 1)
		hook.send(pair).wantCounts(0, 2, 1)
		d.get("/hooks").is("0.quarantined", "1")
		if n := d.get("/executions").count(""); n != 2 {
			t.Errorf("%d fills, want both", n)
		}
		// Another body with an equal fill, and the same body after a day.
		hook.send(hookFill("AAPL", "buy", 0)).wantCounts(0, 1, 0)
		w.clock.Advance(24 * time.Hour)
		hook.send(pair).wantCounts(0, 2, 1)
		d.get("/hooks").is("0.quarantined", "2")

		// A fill with a known id corrects it: commissions arrive later.
		hook.send(hookFill("MSFT", "buy", 1, more{"external_id": "7"})).wantCounts(1, 0, 0)
		hook.send(hookFill("MSFT", "buy", 1, more{"external_id": "7", "commission": 2})).wantCounts(1, 0, 0)
		d.get("/executions").holds("2", `{"symbol":"MSFT","commission":2}`)
	})
}

// TestHookDeliversOnce sends one body many times at once.
func TestHookDeliversOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		hook := d.addHook("EA")
		replies := atOnce(8, func(int) *reply { return hook.send(list(hookFill("AAPL", "buy", 0), hookFill("AAPL", "buy", 0))) })
		accepted := 0
		for _, r := range replies {
			r.want(http.StatusAccepted)
			if r.text("accepted") == "2" {
				accepted++
			} else {
				r.wantCounts(0, 2, 0)
			}
		}
		if n := d.get("/executions").count(""); accepted != 1 || n != 2 {
			t.Errorf("%d deliveries were accepted and %d fills stored", accepted, n)
		}
	})
}

func TestHookQuarantine(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader().lasting()
		hook := d.addHook("Alerts")
		for body, reason := range map[string]string{
			``:                            "A JSON body is required.",
			`{{ticker}} bought`:           "The body is not valid JSON.",
			`{"symbol":"A","symbol":"B"}`: `The JSON has the key "symbol" twice.`,
			`null`:                        "The body must be an object.",
			`7`:                           "The body must be an object.",
			`[` + hookFill("A", "buy", 0): "The body is not valid JSON.",
			`[] []`:                       "The body contains data after the end of the JSON.",
			hookFill("A", "bought", 0):    "side must be buy or sell.",
			`{"symbol":"A","side":"buy","quantity":NaN,"price":1,"executed_at":"2026-01-05T15:00:00Z"}`: "The body is not valid JSON.",
			hookFill("A", "buy", 0, more{"quantity": 0}):                                                "quantity must be above zero.",
			hookFill("A", "buy", 0, more{"executed_at": "yesterday"}):                                   "executed_at must be",
			strings.Repeat("[", 300) + strings.Repeat("]", 300):                                         "nested deeper",
			`{"symbol":"` + "\xff" + `"}`:                                                               "The body is not valid JSON.",
		} {
			hook.send(body).wantCounts(0, 0, 1)
			entry := d.get("/hooks/" + hook.id + "/quarantine").want(http.StatusOK)
			if got := entry.text("0.reason"); !strings.Contains(got, reason) {
				t.Errorf("%s: the reason is %q, want %q", body, got, reason)
			}
			if got, want := entry.text("0.body"), strings.ToValidUTF8(body, "�"); got != want && len(body) < 200 {
				t.Errorf("the body is %q, want %q", got, want)
			}
			retried := d.post("/hooks/"+hook.id+"/quarantine/"+entry.text("0.id")+"/retry", nil).want(http.StatusOK)
			retried.is("", `{"accepted":0,"quarantined":1,"skipped":0}`)
			d.delete("/hooks/" + hook.id + "/quarantine/" + entry.text("0.id")).wantNone()
		}
		d.get("/hooks/"+hook.id+"/quarantine").is("", "[]")
		d.get("/executions").is("", "[]")

		// One bad fill does not keep the others out.
		hook.send(list(hookFill("A", "buy", 0), `{"symbol":"B","symbol":"C"}`, `"x"`, hookFill("A", "sell", 1))).wantCounts(2, 0, 2)
		quarantine := d.get("/hooks/"+hook.id+"/quarantine").is("0.body", `"\"x\""`).is("1.body", `"{\"symbol\":\"B\",\"symbol\":\"C\"}"`)
		id := quarantine.text("0.id")
		for _, path := range []string{"/hooks/" + unknown() + "/quarantine/" + id, "/hooks/" + hook.id + "/quarantine/" + unknown()} {
			d.delete(path).wantError(http.StatusNotFound, "not_found")
			d.post(path+"/retry", nil).wantError(http.StatusNotFound, "not_found")
		}
		// What a newer version can read leaves the quarantine.
		w.exec(`UPDATE hook_quarantine SET body = $1 WHERE id = $2`, []byte(hookFill("NEW", "buy", 3)), id)
		d.post("/hooks/"+hook.id+"/quarantine/"+id+"/retry", nil).want(http.StatusOK).is("accepted", "1")
		if n := d.get("/hooks/" + hook.id + "/quarantine").count(""); n != 1 || d.trades("NEW").count("") != 1 {
			t.Errorf("%d entries are left", n)
		}

		// A long body is cut when it is shown. Old entries are deleted.
		hook.send("x"+strings.Repeat("€", 3000)).wantCounts(0, 0, 1)
		if shown := d.get("/hooks/" + hook.id + "/quarantine").text("0.body"); len(shown) > 4<<10+3 {
			t.Errorf("%d bytes are shown", len(shown))
		}
		w.clock.Advance(30 * 24 * time.Hour)
		hook.send("new").wantCounts(0, 0, 1)
		w.clock.Advance(time.Second)
		if err := w.services.Hooks.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if quarantine := d.get("/hooks/" + hook.id + "/quarantine"); quarantine.count("") != 1 || quarantine.text("0.body") != "new" {
			t.Errorf("the quarantine is %s", quarantine.body)
		}
	})
}

// TestHookQuarantineIsBounded fills a quarantine above its limits.
func TestHookQuarantineIsBounded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		hook := d.addHook("Alerts")
		for i := range 3 {
			hook.send(fmt.Sprintf("[%d%s]", i, strings.Repeat(",1", 499))).wantCounts(0, 0, 500)
		}
		if n := d.get("/hooks/" + hook.id + "/quarantine").count(""); n != 1000 {
			t.Errorf("%d entries, want 1000", n)
		}
		for i := range 35 {
			hook.send(fmt.Sprintf("%d %s", i, strings.Repeat("x", 250<<10))).wantCounts(0, 0, 1)
		}
		quarantine := d.get("/hooks/" + hook.id + "/quarantine")
		if n := quarantine.count(""); n != 32 || !strings.HasPrefix(quarantine.text("0.body"), "34 ") {
			t.Errorf("%d entries, want the last that fit into 8 MiB", n)
		}
	})
}

// TestHookRefusals checks what is not taken at all: wrong secrets, too much.
func TestHookRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		hook, other := d.addHook("A"), d.addHook("B")
		fill := hookFill("A", "buy", 0)
		strange := w.anonymous().from("203.0.113.9:1")
		var first *reply
		for _, r := range []*reply{
			strange.raw("POST", "/hooks/"+hook.id, "", []byte(fill)),
			strange.raw("POST", "/hooks/"+hook.id+"?secret="+other.secret, "", []byte(fill)),
			strange.raw("POST", "/hooks/"+unknown()+"?secret="+hook.secret, "", []byte(fill)),
		} {
			r.wantError(http.StatusNotFound, "not_found")
			if first == nil {
				first = r
			}
			r.wantSame(first)
		}
		limited := strange.raw("POST", "/hooks/"+hook.id+"?secret=x", "", []byte(fill)).wantError(http.StatusTooManyRequests, "rate_limited")
		if limited.header.Get("Retry-After") == "" {
			t.Error("the refusal has no Retry-After")
		}

		hook.send(list(make([]string, 501)...)).wantCounts(0, 0, 1) // commas only
		hook.send("[1"+strings.Repeat(",1", 500)+"]").wantError(http.StatusRequestEntityTooLarge, "too_large")
		hook.send(strings.Repeat(" ", 256<<10+1)).wantError(http.StatusRequestEntityTooLarge, "too_large")
		d.get("/hooks").is("0.quarantined", "1")
	}, func(s *settle) { s.api.HookRate = transport.Rate{PerSecond: 0.1, Burst: 3} })
}

// TestCorrectDeliveriesAreNotLimited checks that a delivery with the secret is accepted
// however often it is sent, and whatever others at its address have sent.
func TestCorrectDeliveriesAreNotLimited(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		hook := w.trader().addHook("A")
		for range 5 {
			w.anonymous().raw("POST", "/hooks/"+hook.id+"?secret=x", "", []byte("{}"))
		}
		for i := range 10 {
			hook.send(hookFill("A", "buy", i)).wantCounts(1, 0, 0)
		}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() { hook.send(hookFill("B", "buy", i)).wantCounts(1, 0, 0) })
		}
		all.Wait()
	}, func(s *settle) { s.api.HookRate = transport.Rate{PerSecond: 0.1, Burst: 3} })
}

// TestUnknownSendersAreRefusedUnread checks that no body is read before the secret in the
// header was verified.
func TestUnknownSendersAreRefusedUnread(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		hook, other := d.addHook("A"), d.addHook("B")
		for _, target := range []string{hook.id, hook.id + "?secret=x", hook.id + "?secret=" + other.secret, unknown() + "?secret=" + hook.secret} {
			request := httptest.NewRequest(http.MethodPost, "/api/v1/hooks/"+target, unreadable{t})
			request.ContentLength = 200 << 10
			recorder := httptest.NewRecorder()
			w.handler.ServeHTTP(recorder, request)
			if recorder.Code != http.StatusNotFound {
				t.Errorf("%s: status %d", target, recorder.Code)
			}
		}
	})
}

// unreadable is a body that fails the test when read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body of an unknown sender is read")
	return 0, io.EOF
}

// TestPublicBodiesAreSmall checks every public route: a body larger than a password and a
// token is refused by its length, unread.
func TestPublicBodiesAreSmall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite), shareLinksOn, openRegistration)
	routes := 0
	readDescription(t, w.api).eachOperation(func(method, path string, operation object) {
		if operation["security"] != nil || operation["requestBody"] == nil {
			return
		}
		routes++
		request := httptest.NewRequest(method, strings.Replace(path, "{id}", unknown(), 1), unreadable{t})
		request.ContentLength = 8<<10 + 1
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		w.handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusRequestEntityTooLarge && recorder.Code != http.StatusNotFound {
			t.Errorf("%s %s: status %d", method, path, recorder.Code)
		}
	})
	if routes < 6 {
		t.Errorf("%d public routes with a body were found", routes)
	}
}

func TestHookSecretIsReplaced(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		hook := d.addHook("A")
		rotated := d.post("/hooks/"+hook.id+"/rotate", nil).want(http.StatusOK).wantKeys("", "secret")
		hook.send(hookFill("A", "buy", 0)).wantError(http.StatusNotFound, "not_found")
		sender{w.as(rotated.text("secret")), hook.id, rotated.text("secret")}.send(hookFill("A", "buy", 0)).wantCounts(1, 0, 0)
		d.post("/hooks/"+unknown()+"/rotate", nil).wantError(http.StatusNotFound, "not_found")
		d.delete("/hooks/" + hook.id).wantNone()
		w.settle()
		audit := string(d.get("/admin/audit").want(http.StatusOK).body)
		for _, action := range []string{"hook_create", "hook_rotate", "hook_delete"} {
			if strings.Count(audit, `"`+action+`"`) != 1 {
				t.Errorf("the audit does not have %s: %s", action, audit)
			}
		}
		if n := w.count(`SELECT COUNT(*) FROM hooks`); n != 0 {
			t.Errorf("%d hooks are left", n)
		}
	})
}

// TestHookBelongsToItsUser lets another user try a hook, and deletes the account and the
// user behind hooks.
func TestHookBelongsToItsUser(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		anna := w.addUser(d.client, "anna@example.org").addAccount("Anna")
		hook, hers := d.addHook("A"), anna.addHook("B")
		hook.send("bad").wantCounts(0, 0, 1)
		entry := d.get("/hooks/" + hook.id + "/quarantine").text("0.id")
		anna.post("/hooks", more{"account_id": d.account, "name": "x"}).wantError(http.StatusNotFound, "not_found")
		for _, call := range []string{
			"DELETE /hooks/{id}", "POST /hooks/{id}/rotate", "GET /hooks/{id}/quarantine", "DELETE /hooks/{id}/quarantine/" + entry,
			"POST /hooks/{id}/quarantine/" + entry + "/retry",
		} {
			method, path, _ := strings.Cut(call, " ")
			foreign := anna.do(method, strings.Replace(path, "{id}", hook.id, 1), nil).wantError(http.StatusNotFound, "not_found")
			foreign.wantSame(anna.do(method, strings.Replace(path, "{id}", unknown(), 1), nil))
		}
		anna.get("/hooks").is("0.id", `"`+hers.id+`"`).is("1", "null")
		hers.send(hookFill("HERS", "buy", 0)).wantCounts(1, 0, 0)
		d.get("/executions").is("", "[]")

		owners := w.count(`SELECT COUNT(*) FROM token_owners`)
		d.delete("/accounts/" + d.account).wantNone()
		hook.send(hookFill("A", "buy", 0)).wantError(http.StatusNotFound, "not_found")
		if n := w.count(`SELECT COUNT(*) FROM token_owners`); n != owners-1 {
			t.Errorf("the owners of %d tokens are left of %d", n, owners)
		}
		d.delete("/admin/users/" + d.userID("anna@example.org")).wantNone()
		hers.send(hookFill("A", "buy", 0)).wantError(http.StatusNotFound, "not_found")
		for _, table := range []string{"hooks", "hook_bodies", "hook_quarantine"} {
			if n := w.count(`SELECT COUNT(*) FROM ` + table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
	})
}

// TestHookBatches checks that a day's deliveries are one reversible import, and that
// deleted fills stay away.
func TestHookBatches(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader().lasting()
		hook, other := d.addHook("Alerts"), d.addHook("Other")
		hook.send(hookFill("A", "buy", 0)).wantCounts(1, 0, 0)
		hook.send(hookFill("B", "buy", 0)).wantCounts(1, 0, 0)
		other.send(hookFill("C", "buy", 0)).wantCounts(1, 0, 0)
		w.clock.Advance(24 * time.Hour)
		hook.send(hookFill("D", "buy", 0)).wantCounts(1, 0, 0)
		hook.send("bad").wantCounts(0, 0, 1)
		batches := d.get("/imports").want(http.StatusOK)
		if batches.count("") != 3 {
			t.Fatalf("the imports are %s", batches.body)
		}
		first := batches.text("2.id")
		batches.holds("2", `{"origin":"hook","origin_id":"`+hook.id+`","status":"committed","broker":"Alerts"}`).holds("1", `{"origin_id":"`+other.id+`"}`)
		d.delete("/imports/" + first).want(http.StatusNoContent)
		d.get("/executions").holds("", `[{"symbol":"C"},{"symbol":"D"}]`)

		// A new delivery after the day's import was reversed gets another one.
		d.delete("/imports/" + batches.text("0.id")).want(http.StatusNoContent)
		hook.send(hookFill("E", "buy", 0)).wantCounts(1, 0, 0)
		d.get("/executions").holds("", `[{"symbol":"C"},{"symbol":"E"}]`)

		d.delete("/executions/" + d.get("/executions").text("1.id")).wantNone()
		hook.send(list(hookFill("E", "buy", 0))).wantCounts(0, 1, 0)
	})
}

// TestHookStoresAllOrNothing makes a delivery's last step fail.
func TestHookStoresAllOrNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		hook := d.addHook("A")
		body := list(hookFill("A", "buy", 0), "7")
		w.exec(`ALTER TABLE hook_bodies RENAME COLUMN quarantined TO away`)
		hook.send(body).wantError(http.StatusInternalServerError, "internal")
		w.exec(`ALTER TABLE hook_bodies RENAME COLUMN away TO quarantined`)
		d.get("/executions").is("", "[]")
		d.get("/imports").is("", "[]")
		d.get("/hooks").is("0.quarantined", "0").is("0.last_delivery", "null")
		hook.send(body).wantCounts(1, 0, 1)
	})
}

func TestHookTokens(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		hook := d.addHook("A")
		for _, scope := range []string{"read", "write"} {
			_, secret := d.mint(more{"name": scope, "scope": scope})
			w.as(secret).post("/hooks", more{"account_id": d.account, "name": "x"}).wantError(http.StatusForbidden, "insufficient_scope")
			w.as(secret).post("/hooks/"+hook.id+"/rotate", nil).wantError(http.StatusForbidden, "insufficient_scope")
		}
		_, secret := d.mint(more{"name": "full"})
		w.as(secret).made("/hooks", more{"account_id": d.account, "name": "x"})
		// A hook's secret signs in nowhere, and a token sends to no hook.
		w.as(hook.secret).get("/me").want(http.StatusUnauthorized)
		w.as(secret).raw("POST", "/hooks/"+hook.id, "", []byte("{}")).wantError(http.StatusNotFound, "not_found")
	})
}
