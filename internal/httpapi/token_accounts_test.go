package httpapi_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// linkedRecords creates a record of each kind in the account, with a word in every text,
// and returns their ids by kind.
func linkedRecords(d trader, word string) map[string]string {
	symbol := strings.ToUpper(word)
	trade := d.fills(symbol, 0, "buy 100@10", "sell 100@13")[1].text("trade_id")
	lost := d.fill(symbol+"L", "buy 1@1", 0)
	d.annotate(lost.text("trade_id"), more{"notes": word})
	d.delete("/executions/" + lost.text("id")).wantNone()
	id := map[string]string{
		"account": d.account, "trade": trade, "execution": d.trade(trade).text("fills.0.id"), "orphan": lost.text("trade_id"),
		"position":  d.fill(symbol+"O", "buy 7@11", 5).text("trade_id"),
		"cash":      d.made("/cash-transactions", d.cash("fee", "1", 0, more{"note": word})).text("id"),
		"note":      d.made("/notes", more{"body": word, "account_id": d.account}).text("id"),
		"tradeNote": d.made("/notes", more{"body": word, "trade_id": trade}).text("id"),
		"log":       d.made("/notes", more{"body": word, "type": "daily_log", "occurred_at": "2026-01-05", "account_id": d.account}).text("id"),
		"missed":    d.made("/missed-trades", miss(more{"account_id": d.account, "notes": word, "symbol": symbol, "entry": 10, "stop": 9, "target": 12, "outcome": "target"})).text("id"),
		"view":      d.made("/views", more{"name": word, "filter": more{"account_id": d.account}}).text("id"),
		"enrollment": d.made("/enrollments", more{
			"account_id": d.account, "program_id": d.made("/prop-programs", more{"copy_of": "topstep-combine-50k", "currency": d.get("/accounts/" + d.account).text("base_currency")}).text("id"),
		}).text("id"),
		"hook":       d.made("/hooks", more{"account_id": d.account, "name": word}).text("id"),
		"connection": d.made("/connections", d.connectionOf(more{"name": word, "schedule": "manual"})).text("id"),
		"link":       d.made("/share-links", more{"account_id": d.account, "title": word}).text("id"),
		"file":       d.attach("/trades/"+trade, word+".png", tinyPNG).want(http.StatusCreated).text("id"),
	}
	id["layout"] = word + "-layout"
	d.put("/import-layouts/"+id["layout"], more{"name": word, "accounts": []more{{"file_account": word, "account_id": d.account}}}).want(http.StatusOK)
	id["noteFile"] = d.attach("/notes/"+id["note"], word+".png", tinyPNG).want(http.StatusCreated).text("id")
	d.annotate(trade, more{"notes": word, "tag_ids": []string{d.get("/tags").text("0.id")}})
	d.put("/settings/instruments", more{"account_id": d.account, "instruments": []more{{"root": symbol, "multiplier": 3}}}).want(http.StatusOK)
	file := "Symbol,Side,Quantity,Price,Date\n" + symbol + "I,buy,1,10,2026-01-05 15:00:00\n"
	id["import"] = d.form("/imports/commit", part{"file", word + ".csv", file}, part{"account_id", "", d.account}).want(http.StatusOK).text("import_batch_id")
	return id
}

// unpack returns a body, with the files if it is an archive.
func unpack(t testing.TB, body []byte) string {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return string(body)
	}
	var all strings.Builder
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(file.Name + "\n" + string(text))
	}
	return all.String()
}

// accountWalk calls routes with a token limited to one of two accounts.
type accountWalk struct {
	t       *testing.T
	w       *world
	limited *client
	// hidden are the record ids in the other account.
	hidden map[string]string
	calls  int
}

// hides requires an answer without anything from the other account.
func (v *accountWalk) hides(r *reply) *reply {
	v.t.Helper()
	v.calls++
	text := strings.ToLower(unpack(v.t, r.body))
	for name, values := range r.header {
		text += "\n" + name + strings.ToLower(strings.Join(values, "\n"))
	}
	if strings.Contains(text, "canary") {
		v.t.Errorf("%s shows a text of another account: %.300s", r.call, r.body)
	}
	for kind, id := range v.hidden {
		if strings.Contains(text, strings.ToLower(id)) {
			v.t.Errorf("%s names the %s of another account: %.300s", r.call, kind, r.body)
		}
	}
	if r.status >= http.StatusInternalServerError {
		v.t.Errorf("%s answers %d %s", r.call, r.status, r.body)
	}
	return r
}

// operations returns the paths with a credential, by method.
func (v *accountWalk) operations() (list [][2]string) {
	readDescription(v.t, v.w.api).eachOperation(func(method, path string, operation object) {
		if path, isAPI := strings.CutPrefix(path, "/api/v1"); isAPI && operation["security"] != nil {
			list = append(list, [2]string{method, strings.Replace(path, "{signature}", "{id}", 1)})
		}
	})
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[1]+a[0], b[1]+b[0]) })
	return list
}

// read calls every GET route: without parameters, with the other account, and with each
// of its records in the path, which must be answered like an unknown one.
func (v *accountWalk) read() {
	for _, op := range v.operations() {
		path := strings.Replace(op[1], "{day}", "2026-01-05", 1)
		switch {
		case op[0] != http.MethodGet:
		case !strings.Contains(path, "{id}"):
			v.hides(v.limited.get(path))
			if r := v.limited.get(path + "?account_id=" + v.hidden["account"]); r.status == http.StatusOK {
				v.t.Errorf("%s answers for another account: %.300s", r.call, r.body)
			}
		default:
			nobodys := v.limited.get(strings.Replace(path, "{id}", unknown(), 1))
			for _, id := range v.hidden {
				v.limited.get(strings.Replace(path, "{id}", id, 1)).wantSame(nobodys)
			}
			v.calls += len(v.hidden)
		}
	}
	for _, query := range []string{
		"/exports?format=json", "/exports?format=zip", "/exports?format=xlsx", "/exports?format=csv&rows=trades", "/exports?format=csv&rows=executions",
		"/exports?format=csv&rows=cash", "/exports?format=csv&rows=gains", "/notes?q=canary", "/notes?limit=1", "/trades?q=canary", "/trades?symbol=CANARY", "/trades?limit=1&sort=net_pnl",
		"/executions?limit=1", "/imports?limit=1", "/missed-trades?limit=1", "/cash-transactions?limit=1", "/trades?import_batch_id=" + v.hidden["import"],
		"/notes?trade_id=" + v.hidden["trade"], "/analytics/calendar?year=2026", "/analytics/breakdown?by=symbol", "/analytics/summary?explain=true&evidence=true",
		"/history?limit=1", "/history?limit=1000", "/history?q=canary", "/history?type=trade", "/history?type=account,import,note", "/history?action=create",
		"/history?type=trade&object_id=" + v.hidden["trade"], "/history?type=execution&object_id=" + v.hidden["execution"],
		"/history?type=note&object_id=" + v.hidden["tradeNote"], "/history?type=account&object_id=" + v.hidden["account"],
		"/history/head", "/exports?format=history",
		"/routines/history?from=2026-01-01&to=2026-01-31", "/analytics/compare?against=rest&symbol=CANARY", "/analytics/breakdown?by=tag",
	} {
		// The answer may repeat what was asked.
		asked := strings.NewReplacer("?q=canary", "?q=canar", "=CANARY", "=CANAR").Replace(query)
		v.hides(v.limited.get(asked))
	}
	for _, query := range []string{
		"/analytics/compare?other_account_id=" + v.hidden["account"], "/analytics/compare?against=view&view_id=" + v.hidden["view"],
		"/settings/instruments?account_id=" + v.hidden["account"],
	} {
		v.hides(v.limited.get(query)).wantError(http.StatusNotFound, "not_found")
	}
}

// write calls every other route with records from the other account, in the path and in
// the body.
func (v *accountWalk) write() {
	fill := more{"symbol": "X", "side": "buy", "quantity": 1, "price": 1, "executed_at": at(3)}
	body := fieldsOf(fill, more{
		"account_id": v.hidden["account"], "trade_id": v.hidden["trade"], "ids": []string{v.hidden["trade"]}, "set": more{"notes": "changed"},
		"fills": []more{fill}, "amount": 1, "occurred_at": at(3), "body": "changed", "direction": "long", "observed_at": at(3), "name": "changed",
		"filter": more{"account_id": v.hidden["account"]}, "instruments": []more{}, "notes": "changed", "done": true,
	})
	for _, op := range v.operations() {
		method, path := op[0], strings.Replace(op[1], "{day}", "2026-01-05", 1)
		if method == http.MethodGet {
			continue
		}
		ids := []string{""}
		if strings.Contains(path, "{id}") {
			ids = nil
			for _, id := range v.hidden {
				ids = append(ids, id)
			}
		}
		for _, id := range ids {
			bodies := []any{fieldsOf(body, more{"type": "fee"}), fieldsOf(body, more{"type": "note"})}
			if method == http.MethodDelete {
				bodies = []any{nil}
			}
			for _, sent := range bodies {
				r := v.hides(v.limited.do(method, strings.Replace(path, "{id}", id, 1), sent))
				if id != "" && r.status < 300 {
					v.t.Errorf("%s answers %d %.300s", r.call, r.status, r.body)
				}
			}
		}
	}
}

// callTools calls tools of assistants with a token limited in the same way.
func (v *accountWalk) callTools(a assistant, calls []more) (results []*toolResult) {
	for _, c := range calls {
		r := a.call(c["name"].(string), c["arguments"])
		v.hides(r.reply)
		if strings.Contains(strings.ToLower(r.text), "canary") {
			v.t.Errorf("%s: %s", c["name"], r.text)
		}
		results = append(results, r)
	}
	return results
}

// hiddenCalls are calls of tools with the ids of the other account in each argument that
// takes one.
func (v *accountWalk) hiddenCalls() (calls []more) {
	for _, id := range v.hidden {
		calls = append(calls,
			more{"name": "get_summary", "arguments": more{"filter": more{"account": id}}},
			more{"name": "get_breakdown", "arguments": more{"by": "symbol", "filter": more{"view": id}}},
			more{"name": "get_trade", "arguments": more{"trade_id": id}},
			more{"name": "get_day", "arguments": more{"date": "2026-01-05", "account": id}},
			more{"name": "add_note", "arguments": more{"body": "x", "trade_id": id}},
			more{"name": "add_note", "arguments": more{"body": "x", "account": id}},
			more{"name": "tag_trades", "arguments": more{"trade_ids": []string{id}, "add_tags": []string{"x"}, "create_missing": true}},
			more{"name": "log_entry", "arguments": more{
				"kind": "trade", "symbol": "X", "side": "long", "quantity": 1, "entry_price": 1, "entry_time": at(3), "account": id, "dry_run": false,
			}},
			more{"name": "undo_change", "arguments": more{"undo": id}},
		)
	}
	return calls
}

// TestTokenSeesItsAccountsOnly walks all routes, and the tools of assistants, with
// the widest token limited to one account: nothing from the other account appears or changes.
func TestTokenSeesItsAccountsOnly(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.setUp().addAccount("Plain")
		d.made("/tags", more{"name": "gap"})
		plain := linkedRecords(d, "plain")
		shared := d.made("/notes", more{"body": "of no account"}).text("id")
		hidden := d.client.addAccount("Canary", more{"base_currency": "EUR", "broker": "Canary"})
		v := &accountWalk{t: t, w: w, hidden: linkedRecords(hidden, "canary")}
		d.patch("/trades", more{"ids": []string{plain["trade"], v.hidden["trade"]}, "set": more{"notes": "both"}}).want(http.StatusOK)
		both := d.get("/history?limit=1").text("0.id")
		tag := d.post("/tags", more{"name": "used there only"}).want(http.StatusCreated)
		tagged := tag.header.Get("X-Change-Id")
		hidden.annotate(v.hidden["trade"], more{"tag_ids": []string{tag.text("id")}})
		for i, kind := range []string{"trade", "note", "import", "share_link", "execution"} {
			id := d.get("/history?limit=1&account_id=" + hidden.account + "&type=" + kind).want(http.StatusOK).text("0.id")
			if id != both {
				v.hidden[fmt.Sprint("change ", i)] = id
			}
		}
		d.made("/share-links", more{"account_id": hidden.account})
		_, secret := d.mint(more{"name": "limited", "account_ids": []string{d.account}})
		v.limited = w.as(secret)

		v.read()
		v.hides(v.limited.get("/history/"+both)).want(http.StatusOK).is("objects_total", "1")
		v.hides(v.limited.get("/history/" + both + "/objects")).want(http.StatusOK)
		v.hides(v.limited.post("/history/"+both+"/undo", nil)).wantError(http.StatusForbidden, "forbidden")
		v.hides(v.limited.post("/history/"+tagged+"/undo", nil)).wantError(http.StatusConflict, "changed_since").is("error.details.conflicts_total", "1")
		v.limited.get("/notes/" + shared).want(http.StatusOK)
		v.limited.get("/accounts").want(http.StatusOK).is("0.id", `"`+d.account+`"`).is("1", "null")
		v.limited.get("/tags").want(http.StatusOK).is("0.trades", "1")
		for _, path := range slices.DeleteFunc(append([]string{"/trades", "/executions", "/cash-transactions", "/positions", "/positions/totals?currency=EUR", "/trades/orphans"}, figurePaths...), func(path string) bool {
			return strings.Contains(path, "calendar") || strings.Contains(path, "breakdown") // they have notes and links
		}) {
			of := d.get(also(path, "account_id="+d.account))
			if path == "/trades/orphans" {
				continue
			}
			v.limited.get(path).wantSame(of)
		}
		if n := v.limited.get("/analytics/calendar?year=2026").want(http.StatusOK).text("days.0.notes"); n != "1" {
			t.Errorf("the calendar counts %s notes, want the log of one account", n)
		}

		limited := d.assistant("write", more{"account_ids": []string{d.account}})
		v.callTools(limited, everyTool(plain["trade"], unknown()))
		limited.call("get_context", more{}).done().is("data.accounts_limited", "true").is("data.accounts.1", "null")

		state := func() map[string]string {
			bodies := map[string]string{}
			for _, path := range []string{
				"/executions?account_id=" + hidden.account, "/trades?account_id=" + hidden.account, "/notes", "/missed-trades",
				"/cash-transactions?account_id=" + hidden.account, "/views", "/enrollments", "/import-layouts", "/share-links", "/hooks", "/connections", "/imports", "/trades/orphans", "/accounts",
				"/settings/instruments?account_id=" + hidden.account, "/trades/" + v.hidden["trade"], "/positions?account_id=" + hidden.account,
			} {
				bodies[path] = string(d.get(path).want(http.StatusOK).body)
			}
			return bodies
		}
		before := state()
		v.write()
		for _, r := range v.callTools(limited, v.hiddenCalls()) {
			if !r.isError {
				t.Errorf("%s answers for another account: %.300s", r.call, r.body)
			}
		}
		for path, body := range state() {
			if body != before[path] {
				t.Errorf("%s was %s and is %s", path, before[path], body)
			}
		}
		t.Logf("%d calls", v.calls)
		if v.calls < 1000 {
			t.Error("the walk is too short")
		}
	}, shareLinksOn, exchangesOn, assistantsOn)
}

func TestLimitedTokenWritesItsAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.client.addAccount("Other", more{"base_currency": "EUR"})
		setup := d.made("/setups", more{"name": "ORB", "checklist": []string{"wait"}}).text("id")
		foreign := other.roundTrip("BBB")
		d.annotate(foreign, more{"setup_ids": []string{setup}, "rules": []more{{"setup_id": setup, "rule": "wait", "state": "followed"}}})
		_, secret := d.mint(more{"name": "writer", "scope": "write", "account_ids": []string{d.account}})
		writer := trader{w.as(secret), d.account}

		trade := writer.roundTrip("AAA")
		writer.annotate(trade, more{"notes": "good", "setup_ids": []string{setup}})
		writer.made("/notes", more{"body": "x", "trade_id": trade})
		writer.patch("/setups/"+setup, more{"name": "Opening range"}).want(http.StatusOK)
		writer.put("/accounts/"+d.account, more{"name": "Renamed"}).want(http.StatusOK)
		writer.post("/accounts", more{"name": "New"}).wantError(http.StatusForbidden, "forbidden")
		writer.delete("/setups/"+setup).wantError(http.StatusForbidden, "forbidden")
		writer.patch("/trades", more{"ids": []string{trade, foreign}, "set": more{"notes": "x"}}).wantError(http.StatusNotFound, "not_found")
		writer.get("/analytics/summary").want(http.StatusOK).is("total_trades", "1") // not mixed_currencies

		// Fills in other accounts prove nothing about a bar file.
		other.fillAt("ESH6", 1, "101")
		d.sendBars("", "ESH6.csv", barFile(5)).want(http.StatusOK).is("series.0.fills_checked", "1")
		writer.sendBars("", "ESH6.csv", barFile(5)).want(http.StatusOK).is("series.0.fills_checked", "0")

		// The answer to another's request is not replayed.
		order := other.order("BBB", "buy 1@1", 9)
		d.keyed("k").post("/executions", order).want(http.StatusCreated)
		writer.keyed("k").post("/executions", order).wantError(http.StatusConflict, "conflict")

		// Nothing is left of a deleted account, and the limit stays.
		d.delete("/accounts/" + d.account).wantNone()
		writer.get("/accounts").want(http.StatusOK).is("", "[]")
		writer.get("/trades").want(http.StatusOK).is("", "[]")
	})
}
