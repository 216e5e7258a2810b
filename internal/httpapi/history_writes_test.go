package httpapi_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// writeWalk calls every route that writes and counts the changes that it leaves.
type writeWalk struct {
	t      *testing.T
	d      trader
	called map[string]bool
	writer *client // an access token with the scope write
}

// total returns how many changes the user has.
func (v *writeWalk) total() int {
	v.t.Helper()
	n, err := strconv.Atoi(v.d.get("/history?limit=1").want(http.StatusOK).header.Get("X-Total-Count"))
	if err != nil {
		v.t.Fatal(err)
	}
	return n
}

// step calls a route once and requires one change, or none if want is 0. It returns the
// answer.
func (v *writeWalk) step(operation string, want int, call func() *reply) *reply {
	v.t.Helper()
	v.called[operation] = true
	before := v.total()
	var state map[string]any
	if want == 1 {
		state = v.state()
	}
	r := call()
	if r.status >= http.StatusMultipleChoices {
		v.t.Errorf("%s answers %d %s", operation, r.status, r.body)
		return r
	}
	if got := v.total() - before; got != want {
		v.t.Errorf("%s left %d changes, want %d", operation, got, want)
	}
	id := r.header.Get("X-Change-Id")
	isHook := operation == "POST /hooks/{id}" // the sender is not the user
	if (id != "") != (want == 1 && !isHook) {
		v.t.Errorf("%s has X-Change-Id %q", operation, id)
	}
	if id != "" {
		if newest := v.d.get("/history?limit=1"); newest.text("0.id") != id {
			v.t.Errorf("%s has X-Change-Id %s, but the newest change is %s", operation, id, newest.text("0.id"))
		}
	}
	if want == 1 {
		v.undoAndRedo(operation, v.d.get("/history?limit=1").text("0.id"), state)
	}
	return r
}

// stateLists are the lists that together show what a user stored.
var stateLists = []string{
	"/accounts", "/executions", "/trades", "/trades/orphans", "/cash-transactions", "/notes", "/note-templates", "/tags", "/setups", "/missed-trades", "/views",
	"/settings/journal", "/settings/checklist-template", "/me/preferences", "/routines", "/routines/day/2026-03-10", "/import-layouts", "/imports/kinds",
	"/alerts", "/alert-settings", "/corporate-actions", "/strategies", "/settings/strategies", "/rates", "/prop-programs", "/enrollments", "/trading-rules", "/goals",
	"/positions", "/share-links", "/hooks", "/connections", "/channels", "/bars/aliases", "/bars/series", "/bars/imports", "/bars/sources", "/imports",
}

// state returns what the user stored, without the times of the last edits.
func (v *writeWalk) state() map[string]any {
	v.t.Helper()
	all := map[string]any{}
	for _, list := range append(stateLists, "/settings/instruments?account_id="+v.d.account) {
		all[list] = withoutEdits(v.d.get(list).want(http.StatusOK).value(""))
	}
	for _, list := range []string{"/connections", "/bars/sources"} { // their keys are destroyed at once
		for _, source := range all[list].([]any) {
			for _, name := range []string{"has_credentials", "message", "status", "next_run_at"} {
				delete(source.(map[string]any), name)
			}
		}
	}
	for _, c := range all["/channels"].([]any) { // it comes back switched off, without its keys
		for _, name := range []string{"has_credentials", "message", "enabled"} {
			delete(c.(map[string]any), name)
		}
	}
	for _, list := range []string{"/imports", "/bars/imports"} { // an undone import stays listed
		all[list] = slices.DeleteFunc(all[list].([]any), func(batch any) bool { return batch.(map[string]any)["status"] == "reversed" })
	}
	for _, hook := range all["/hooks"].([]any) {
		delete(hook.(map[string]any), "last_delivery") // a counter
		list := "/hooks/" + hook.(map[string]any)["id"].(string) + "/quarantine"
		all[list] = v.d.get(list).want(http.StatusOK).value("")
	}
	return all
}

// withoutEdits returns a JSON value without the members that an undo does not restore.
func withoutEdits(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = withoutEdits(value[i])
		}
	case map[string]any:
		for name := range value {
			if name == "updated_at" || name == "annotations_updated_at" {
				delete(value, name)
				continue
			}
			value[name] = withoutEdits(value[name])
		}
	}
	return value
}

// undoAndRedo undoes a change and does it again, unless it is a matter of security or
// permanent: the state is the one before the write, and then the one after it.
func (v *writeWalk) undoAndRedo(operation, id string, before map[string]any) {
	v.t.Helper()
	change := v.d.get("/history/" + id)
	if change.value("undoable") != true {
		if code := change.value("not_undoable"); code != "security" && (code != "permanent" || operation != "DELETE /admin/users/{id}") {
			v.t.Errorf("%s cannot be undone: %v", operation, code)
		}
		return
	}
	after := v.state()
	v.called["POST /history/{id}/undo"] = true
	undo := v.writer.post("/history/"+id+"/undo", nil)
	if method, path, _ := strings.Cut(operation, " "); undo.status == http.StatusForbidden && !mayWrite(method, path) {
		undo.wantError(http.StatusForbidden, "insufficient_scope")
		undo = v.d.post("/history/"+id+"/undo", nil)
	} else if !mayWrite(method, path) {
		v.t.Errorf("%s needs the scope full, but not its undo: %d", operation, undo.status)
	}
	if undo.status != http.StatusOK {
		v.t.Errorf("undo of %s answers %d %s", operation, undo.status, undo.body)
		return
	}
	if diff := cmp.Diff(before, v.state()); diff != "" {
		v.t.Errorf("after the undo of %s: %s", operation, diff)
	}
	if redo := v.d.post("/history/"+undo.text("id")+"/undo", nil); redo.status != http.StatusOK {
		v.t.Errorf("redo of %s answers %d %s", operation, redo.status, redo.body)
		return
	}
	if diff := cmp.Diff(after, v.state()); diff != "" {
		v.t.Errorf("after the redo of %s: %s", operation, diff)
	}
}

// mayWrite reports whether tokens with the scope write may do what an operation does. A
// hook's deliveries are imports.
func mayWrite(method, path string) bool {
	return path == "/hooks/{id}" && method == http.MethodPost || slices.Contains(contractScopes(method, path), "write")
}

// write calls a route with one change.
func (v *writeWalk) write(method, path, id string, body any) *reply {
	v.t.Helper()
	return v.step(method+" "+path, 1, func() *reply { return v.d.do(method, strings.Replace(path, "{id}", id, 1), body) })
}

// TestEveryWriteLeavesOneChange calls every described operation that writes: each must leave
// exactly one change, and a call that stores nothing none. A new route fails the test until
// it is called here.
func TestEveryWriteLeavesOneChange(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		_, secret := d.mint(more{"name": "writer", "scope": "write"})
		v := &writeWalk{t: t, d: d, called: map[string]bool{}, writer: w.as(secret)}
		v.state() // reading the routine creates its first items
		v.writeJournal()
		v.writeRoutine()
		v.writeFiles()
		v.writeSources()
		v.writeAccess(w)
		// The first user and the session are there before the walk, a refresh replaces a token, and the others store nothing that
		// a user keeps, or only in the background.
		for _, none := range []string{
			"POST /setup", "POST /auth/refresh", "POST /auth/register", "POST /me/totp/start", "POST /trades/preview", "POST /corporate-actions/preview", "POST /bars/imports", "POST /imports",
			"POST /connections/test", "POST /connections/{id}/run", "POST /channels/{id}/test", "POST /deliveries/{id}/replay", "POST /bars/sources/{id}/price", "POST /bars/sources/{id}/run",
		} {
			v.called[none] = true
		}
		readDescription(t, w.api).eachOperation(func(method, path string, _ object) {
			path, isAPI := strings.CutPrefix(path, "/api/v1")
			if isAPI && method != http.MethodGet && !v.called[method+" "+path] {
				t.Errorf("%s %s is not called: which change does it leave?", method, path)
			}
		})
		w.checkInstallation()
	}, shareLinksOn, exchangesOn, vendorsOn, oauthOn)
}

func (v *writeWalk) writeJournal() {
	d := v.d
	account := v.write("POST", "/accounts", "", more{"name": "Second"}).text("id")
	v.write("PUT", "/accounts/{id}", account, more{"name": "Third"})
	v.fillAccount(account)
	v.write("DELETE", "/accounts/{id}", account, nil)
	fill := v.step("POST /executions", 1, func() *reply { return d.post("/executions", d.order("AAPL", "buy 100@10", 0)) })
	v.step("POST /executions", 0, func() *reply { return d.post("/executions", d.order("AAPL", "buy 100@10", 0)) })
	v.write("PATCH", "/executions/{id}", fill.text("id"), more{"price": 11})
	v.step("PATCH /executions/{id}", 0, func() *reply { return d.patch("/executions/"+fill.text("id"), more{"price": "11.0"}) })
	trade := fill.text("trade_id")
	v.write("PATCH", "/trades/{id}", trade, more{"stop_price": 9})
	v.step("PATCH /trades/{id}", 0, func() *reply { return d.patch("/trades/"+trade, more{"stop_price": "9.00"}) })
	v.write("PUT", "/positions/{id}/mark", trade, more{"price": 12})
	tag := v.write("POST", "/tags", "", more{"name": "gap"}).text("id")
	other := d.made("/tags", more{"name": "gap up"}).text("id")
	v.write("PATCH", "/tags/{id}", tag, more{"color": "#fff"})
	v.step("PATCH /trades", 1, func() *reply { return d.patch("/trades", more{"ids": []string{trade}, "add_tag_ids": []string{tag}}) })
	v.step("PATCH /trades", 0, func() *reply { return d.patch("/trades", more{"ids": []string{trade}, "add_tag_ids": []string{tag}}) })
	v.write("POST", "/tags/{id}/merge", tag, more{"into": other})
	v.write("DELETE", "/tags/{id}", other, nil)
	setup := v.write("POST", "/setups", "", more{"name": "ORB"}).text("id")
	v.write("PATCH", "/setups/{id}", setup, more{"thesis": "It runs."})
	v.write("DELETE", "/setups/{id}", setup, nil)
	v.write("DELETE", "/executions/{id}", fill.text("id"), nil) // its annotations are an orphan now
	next := v.write("POST", "/trades", "", d.newTrade("MSFT", 1, []string{"buy 1@1", "sell 1@2"}, more{"notes": "x"})).text("0.id")
	v.write("POST", "/trades/orphans/{id}/adopt", trade, more{"trade_id": next})
	lost := d.fill("LOST", "buy 1@1", 2)
	d.annotate(lost.text("trade_id"), more{"notes": "x"})
	d.delete("/executions/" + lost.text("id")).wantNone()
	v.write("DELETE", "/trades/orphans/{id}", lost.text("trade_id"), nil)
	v.write("DELETE", "/trades/{id}", next, nil)
	cash := v.write("POST", "/cash-transactions", "", d.cash("fee", "1", 0)).text("id")
	v.write("PUT", "/cash-transactions/{id}", cash, more{"note": "x"})
	v.write("DELETE", "/cash-transactions/{id}", cash, nil)
	note := v.write("POST", "/notes", "", more{"body": "x"}).text("id")
	v.write("PATCH", "/notes/{id}", note, more{"body": strings.Repeat("long ", 2000)})
	v.write("DELETE", "/notes/{id}", note, nil)
	action := v.write("POST", "/corporate-actions", "", more{"kind": "split", "symbol": "SPLT", "ratio_new": 2, "effective_on": "2026-01-05"}).text("id")
	v.write("PATCH", "/corporate-actions/{id}", action, more{"ratio_new": 3})
	v.write("DELETE", "/corporate-actions/{id}", action, nil)
	template := v.write("POST", "/note-templates", "", more{"name": "a", "body": "x", "default": true}).text("id")
	d.made("/note-templates", more{"name": "b", "body": "x", "default": true})
	v.write("PATCH", "/note-templates/{id}", template, more{"default": true})
	v.write("DELETE", "/note-templates/{id}", template, nil)
	missed := v.write("POST", "/missed-trades", "", miss()).text("id")
	v.write("PUT", "/missed-trades/{id}", missed, miss(more{"notes": "x"}))
	v.write("DELETE", "/missed-trades/{id}", missed, nil)
	v.writePrograms()
	view := v.write("POST", "/views", "", more{"name": "a", "filter": more{"symbol": "AAPL"}}).text("id")
	v.write("PATCH", "/views/{id}", view, more{"name": "b"})
	v.write("DELETE", "/views/{id}", view, nil)
	leg, second := d.option("buy", "put", "90", "1", 0).text("trade_id"), d.option("sell", "put", "95", "1", 1).text("trade_id")
	v.step("POST /strategies/detect", 0, func() *reply { return d.post("/strategies/detect", nil) })
	strategy := v.write("POST", "/strategies", "", more{"trade_ids": []string{leg}}).text("id")
	v.write("PATCH", "/strategies/{id}", strategy, more{"name": "spread"})
	v.step("PATCH /strategies/{id}", 0, func() *reply { return d.patch("/strategies/"+strategy, more{"name": "spread"}) })
	v.step("POST /strategies/{id}/trades/{trade_id}", 1, func() *reply { return d.post("/strategies/"+strategy+"/trades/"+second, nil) })
	v.step("DELETE /strategies/{id}/trades/{trade_id}", 1, func() *reply { return d.delete("/strategies/" + strategy + "/trades/" + second) })
	v.write("DELETE", "/strategies/{id}", strategy, nil)
	v.write("PUT", "/settings/strategies", "", more{"detect": "off"})
	rule := v.write("POST", "/trading-rules", "", more{"kind": "max_trades", "params": more{"n": 3}, "valid_from": "2020-01-01"}).text("id")
	successor := v.write("PATCH", "/trading-rules/{id}", rule, more{"params": more{"n": 4}}).text("id")
	v.write("DELETE", "/trading-rules/{id}", successor, nil)
	goal := v.write("POST", "/goals", "", more{"kind": "process", "metric": "trades", "target": 3, "period": "week"}).text("id")
	v.write("PATCH", "/goals/{id}", goal, more{"target": 4})
	v.write("DELETE", "/goals/{id}", goal, nil)
	v.writeAlerts()
	v.write("PUT", "/settings/journal", "", more{"timezone": "Europe/Berlin"})
	v.write("PUT", "/settings/instruments", "", more{"account_id": d.account, "instruments": []more{{"root": "ES", "multiplier": 3}}})
	v.write("PATCH", "/me/preferences", "", more{"theme": "dark"})
	v.step("PATCH /me/preferences", 0, func() *reply { return d.patch("/me/preferences", more{"theme": "dark"}) })
}

// fillAccount stores a record of every kind in an account.
func (v *writeWalk) fillAccount(account string) {
	d := v.d
	d.account = account
	trade := d.fill("HELD", "buy 1@1", 0).text("trade_id")
	tag := d.made("/tags", more{"name": "held"}).text("id")
	d.annotate(trade, more{"notes": "x", "tag_ids": []string{tag}})
	d.put("/positions/"+trade+"/mark", more{"price": 2}).want(http.StatusOK)
	d.attach("/trades/"+trade, "a.png", tinyPNG).want(http.StatusCreated)
	d.made("/notes", more{"body": "x", "account_id": account, "trade_id": trade})
	d.made("/missed-trades", miss(more{"account_id": account}))
	d.made("/cash-transactions", d.cash("fee", "1", 0))
	d.made("/share-links", more{"account_id": account})
	made := d.made("/hooks", more{"account_id": account, "name": "held"})
	hook := sender{d.w.as(made.text("secret")), made.text("id"), made.text("secret")}
	hook.send(`{"symbol":"HELD","side":"buy"}`)
	d.made("/connections", d.connectionOf(more{"name": "held", "schedule": "manual"}))
	d.put("/settings/instruments", more{"account_id": account, "instruments": []more{{"root": "ES", "multiplier": 3}}}).want(http.StatusOK)
	d.put("/import-layouts/held", more{"name": "a", "accounts": []more{{"account_id": account, "file_account": ""}}}).want(http.StatusOK)
}

func (v *writeWalk) writeRoutine() {
	v.write("PUT", "/settings/checklist-template", "", `{"items":["Plan"]}`)
	v.d.get("/routines").want(http.StatusOK) // creates the first items
	rate := v.write("POST", "/rates", "", more{"base": "USD", "quote": "TWD", "on": "2026-03-09", "rate": "32"}).text("id")
	v.write("PATCH", "/rates/{id}", rate, more{"rate": "32.5", "on": "2026-03-10"})
	v.write("DELETE", "/rates/{id}", rate, nil)
	item := v.write("POST", "/routines", "", `{"title":"Review","stage":"post","weekdays":`+everyDay+`,"day":"2026-03-10"}`).text("id")
	first := v.d.item("Sleep", "post", everyDay, "2026-03-10")
	v.write("PATCH", "/routines/{id}", item, more{"title": "Review the day"})
	v.step("PUT /routines/order", 1, func() *reply { return v.d.put("/routines/order", more{"ids": []string{first, item}}) })
	v.step("PUT /routines/day/{day}/items/{id}", 1, func() *reply { return v.d.tick("2026-03-10", item, true) })
	v.step("PUT /routines/day/{day}/items/{id}", 0, func() *reply { return v.d.tick("2026-03-10", item, true) })
	v.write("DELETE", "/routines/{id}", item, nil)
}

func (v *writeWalk) writeFiles() {
	d := v.d
	trade := d.roundTrip("FILE")
	note := d.made("/notes", more{"body": "x"}).text("id")
	file := v.step("POST /trades/{id}/attachments", 1, func() *reply { return d.attach("/trades/"+trade, "a.png", tinyPNG) }).text("id")
	v.step("POST /notes/{id}/attachments", 1, func() *reply { return d.attach("/notes/"+note, "a.png", tinyPNG) })
	v.write("DELETE", "/attachments/{id}", file, nil)
	content := "Symbol,Side,Quantity,Price,Date\nIMP,buy,1,10,2026-01-05 15:00:00\n"
	batch := v.step("POST /imports/commit", 1, func() *reply { return d.upload("/imports/commit", content) }).text("import_batch_id")
	v.step("POST /imports/{id}/commit", 0, func() *reply { return d.upload("/imports/"+batch+"/commit", content) })
	v.write("DELETE", "/imports/{id}", batch, nil)
	v.step("DELETE /imports/{id}", 0, func() *reply { return d.delete("/imports/" + batch) })
	v.write("PUT", "/import-layouts/{signature}", "", more{"name": "a"})
	v.write("DELETE", "/import-layouts/{signature}", "", nil)
	bars := v.step("POST /bars/imports/commit", 1, func() *reply { return d.sendBars("/commit", "ESH6.csv", barFile(5)) }).text("import_batch_id")
	v.write("DELETE", "/bars/imports/{id}", bars, nil)
	d.sendBars("/commit", "ESH6.csv", barFile(6)).want(http.StatusOK)
	v.write("DELETE", "/bars/series/{id}", d.get("/bars/series").text("0.id"), nil)
	alias := v.write("POST", "/bars/aliases", "", more{"symbol": "A", "bars_symbol": "B"}).text("id")
	v.write("DELETE", "/bars/aliases/{id}", alias, nil)
	link := v.write("POST", "/share-links", "", more{"account_id": d.account}).text("id")
	v.write("DELETE", "/share-links/{id}", link, nil)
	var hook sender
	v.step("POST /hooks", 1, func() *reply {
		made := d.made("/hooks", more{"account_id": d.account, "name": "a"})
		hook = sender{d.w.as(made.text("secret")), made.text("id"), made.text("secret")}
		return made
	})
	body := `{"symbol":"HOOK","side":"buy","quantity":1,"price":1,"executed_at":"2026-01-05T15:00:00Z"}`
	v.step("POST /hooks/{id}", 1, func() *reply { return hook.send(body) })
	v.step("POST /hooks/{id}", 0, func() *reply { return hook.send(body) })
	v.writeQuarantine(hook)
	v.write("POST", "/hooks/{id}/rotate", hook.id, nil)
	v.write("DELETE", "/hooks/{id}", hook.id, nil)
	channel := v.write("POST", "/channels", "", more{"kind": "webhook", "url": "https://example.org"}).text("id")
	v.write("PATCH", "/channels/{id}", channel, more{"name": "b"})
	v.step("PATCH /channels/{id}", 0, func() *reply { return d.patch("/channels/"+channel, more{"name": "b"}) })
	v.write("POST", "/channels/{id}/secret", channel, nil)
	v.write("DELETE", "/channels/{id}", channel, nil)
	connection := v.write("POST", "/connections", "", d.connectionOf(more{"name": "a", "schedule": "manual"})).text("id")
	v.write("PATCH", "/connections/{id}", connection, more{"name": "b"})
	v.write("DELETE", "/connections/{id}", connection, nil)
}

// writeQuarantine discards what a hook could not store, and retries it.
func (v *writeWalk) writeQuarantine(hook sender) {
	hook.send(`{"symbol":"HOOK","side":"buy"}`).wantCounts(0, 0, 1)
	entry := "/hooks/" + hook.id + "/quarantine/" + v.d.get("/hooks/"+hook.id+"/quarantine").text("0.id")
	v.step("POST /hooks/{id}/quarantine/{entry}/retry", 0, func() *reply { return v.d.post(entry+"/retry", nil) })
	v.step("DELETE /hooks/{id}/quarantine/{entry}", 1, func() *reply { return v.d.delete(entry) })
}

// writeSources changes price sources and choices for words.
func (v *writeWalk) writeSources() {
	d := v.d
	source := v.write("POST", "/bars/sources", "", more{"provider": "acme", "credentials": more{"key": vendorKey}, "since": "2020-01-01"}).text("id")
	v.write("PATCH", "/bars/sources/{id}", source, more{"since": "2021-01-01"})
	v.write("DELETE", "/bars/sources/{id}", source, nil)
	v.step("POST /imports/commit", 1, func() *reply {
		return d.upload("/imports/commit", unknownWords, part{"kinds", "", `{"zorp": "interest"}`})
	})
	v.write("DELETE", "/imports/kinds/{id}", d.get("/imports/kinds").text("0.id"), nil)
	demo := v.step("POST /accounts/demo", 1, func() *reply { return d.post("/accounts/demo", nil) }).text("id")
	d.delete("/accounts/" + demo).wantNone() // the following writes compare less
}

func (v *writeWalk) writeAccess(w *world) {
	d := v.d
	token := v.write("POST", "/access-tokens", "", more{"name": "a"}).text("id")
	v.write("DELETE", "/access-tokens/{id}", token, nil)
	request := w.registerApp("App", appRedirect).request()
	v.write("POST", "/oauth/consents", "", more{"request_id": request, "scope": "read"})
	user := v.write("POST", "/admin/users", "", more{"email": "other@example.org", "password": ownerPassword + "!"}).text("id")
	v.write("PATCH", "/admin/users/{id}", user, more{"is_admin": true})
	v.write("POST", "/admin/users/{id}/password", user, more{"new_password": ownerPassword + "?"})
	v.write("DELETE", "/admin/users/{id}", user, nil)
	v.step("POST /auth/login", 1, func() *reply { return w.logIn(ownerEmail, ownerPassword) })
	session := d.get("/me/sessions").text("0.id")
	v.write("DELETE", "/me/sessions/{id}", session, nil)
	second := w.logIn(ownerEmail, ownerPassword)
	v.step("POST /auth/logout", 1, func() *reply {
		return w.anonymous().post("/auth/logout", more{"refresh_token": second.text("refresh_token")})
	})
	change := d.get("/history?limit=1").text("0.id")
	v.write("POST", "/history/{id}/erase", change, nil)
	v.step("POST /history/{id}/erase", 0, func() *reply { return d.post("/history/"+change+"/erase", nil) })
	v.called["POST /me/totp/confirm"], v.called["POST /me/totp/disable"] = true, true
	before := v.total()
	e := w.enrol(d.client)
	if got := v.total() - before; got != 1 {
		v.t.Errorf("POST /me/totp/confirm left %d changes", got)
	}
	w.clock.Advance(time.Minute)
	v.step("POST /me/totp/disable", 1, func() *reply {
		return d.post("/me/totp/disable", more{"password": ownerPassword, "code": e.code(0)})
	})
	v.step("PUT /me/password", 1, func() *reply {
		return d.put("/me/password", more{"current_password": ownerPassword, "new_password": ownerPassword + " again"})
	})
}

// writePrograms calls the routes of programs and enrollments.
func (v *writeWalk) writePrograms() {
	v.t.Helper()
	made := v.write("POST", "/prop-programs", "", newProgram()).text("id")
	v.write("PATCH", "/prop-programs/{id}", made, more{"name": "b"})
	enrolled := v.write("POST", "/enrollments", "", more{"account_id": v.d.account, "program_id": made, "started_at": "2026-01-05T00:00:00Z"}).text("id")
	v.write("PATCH", "/enrollments/{id}", enrolled, more{"starting_balance": 50000})
	for path, field := range map[string]string{"payouts": "gross", "costs": "amount", "snapshots": "floor"} {
		item := v.write("POST", "/enrollments/{id}/"+path, enrolled, more{field: "1.5"}).text("id")
		v.step("PATCH /enrollments/{id}/"+path+"/{item}", 1, func() *reply {
			return v.d.do("PATCH", "/enrollments/"+enrolled+"/"+path+"/"+item, more{field: 2})
		})
		v.step("DELETE /enrollments/{id}/"+path+"/{item}", 1, func() *reply { return v.d.do("DELETE", "/enrollments/"+enrolled+"/"+path+"/"+item, nil) })
	}
	v.d.tradeES("2026-01-06T15:00", -500)
	v.write("POST", "/enrollments/{id}/decision", enrolled, more{"decision": "continue"})
	v.write("DELETE", "/enrollments/{id}", enrolled, nil)
	v.write("DELETE", "/prop-programs/{id}", made, nil)
}

func (v *writeWalk) writeAlerts() {
	d := v.d
	id := d.storeAlert(0)
	d.storeAlert(1)
	v.write("PATCH", "/alerts/{id}", id, more{"read": true})
	v.step("PATCH /alerts/{id}", 0, func() *reply { return d.patch("/alerts/"+id, more{"read": true}) })
	v.step("PATCH /alerts", 1, func() *reply { return d.patch("/alerts", more{"read": true}) })
	v.step("PATCH /alerts", 0, func() *reply { return d.patch("/alerts", more{"read": true}) })
	v.write("PUT", "/alert-settings", "", more{"kinds": more{"unreviewed": more{"enabled": false}}, "quiet_hours": more{"from": "22:00", "to": "07:00"}})
	v.step("PUT /alert-settings", 0, func() *reply {
		return d.put("/alert-settings", more{"kinds": more{"unreviewed": more{"enabled": false}}})
	})
}
