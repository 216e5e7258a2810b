package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// fuzzedRoute is a journal write with a valid body, in which the fuzzer spoils one field,
// and the list showing the result.
type fuzzedRoute struct {
	method, path, list string
	body               more
	fields             []string
}

// fuzzedJournals returns a full journal on each available engine.
func fuzzedJournals(f *testing.F) []trader {
	f.Helper()
	engines := []db.Engine{db.SQLite}
	if os.Getenv("SVC_TEST_POSTGRES") != "" {
		engines = append(engines, db.PostgreSQL)
	}
	var traders []trader
	for _, engine := range engines {
		traders = append(traders, newWorld(f, testkit.Open(f, engine)).trader())
	}
	return traders
}

// fuzzedRoutes returns the writes to a journal with these record ids.
func fuzzedRoutes(d trader, id map[string]string) []fuzzedRoute {
	account := []string{"name", "broker", "account_type", "base_currency", "starting_balance"}
	fill := []string{
		"symbol", "side", "quantity", "price", "executed_at", "instrument_type", "fees", "commission", "multiplier", "stated_pnl", "external_id", "details",
	}
	annotate := []string{
		"notes", "setup_id", "setup_ids", "tag_ids", "initial_risk", "stop_price", "target_price", "last_stop", "mae", "mfe", "emotional_state", "confidence", "trade_quality", "reviewed",
	}
	cash := []string{"type", "amount", "currency", "occurred_at", "note", "trade_id"}
	note := []string{"type", "occurred_at", "title", "body", "symbols", "account_id", "trade_id"}
	tag := []string{"name", "color", "description", "kind"}
	setup := []string{"name", "description", "thesis", "symbol", "direction", "target_price", "stop_price", "checklist"}
	missed := []string{"symbol", "direction", "observed_at", "account_id", "setup_id", "entry", "stop", "target", "reason", "outcome", "notes"}
	item := []string{"title", "stage", "weekdays", "day"}
	return []fuzzedRoute{
		{"POST", "/accounts", "/accounts", more{"name": "x"}, account},
		{"PUT", "/accounts/" + id["account"], "/accounts", more{}, account},
		{"POST", "/executions", "/executions", d.order("A", "sell 7@9", 3, more{"allow_duplicate": true}), append([]string{"account_id", "allow_duplicate"}, fill...)},
		{"PATCH", "/executions/" + id["execution"], "/executions", more{}, fill},
		{"PATCH", "/trades/" + id["trade"], "/trades", more{}, annotate},
		{"POST", "/cash-transactions", "/cash-transactions", d.cash("dividend", "1", 0), append([]string{"account_id"}, cash...)},
		{"PUT", "/cash-transactions/" + id["cash"], "/cash-transactions", more{}, cash},
		{"POST", "/notes", "/notes", more{"body": "b"}, note},
		{"PATCH", "/notes/" + id["note"], "/notes", more{}, note},
		{"POST", "/tags", "/tags", more{"name": "new"}, tag},
		{"PATCH", "/tags/" + id["tag"], "/tags", more{}, tag},
		{"POST", "/setups", "/setups", more{"name": "new"}, setup},
		{"PATCH", "/setups/" + id["setup"], "/setups", more{}, setup},
		{"POST", "/missed-trades", "/missed-trades/summary", miss(more{"entry": 2, "stop": 1, "target": 3}), missed},
		{"PUT", "/missed-trades/" + id["missed"], "/missed-trades", more{}, missed},
		{"POST", "/routines", "/routines", more{"title": "x", "stage": "pre", "weekdays": []int{1}}, item},
		{"PATCH", "/routines/" + id["routine"], "/routines/history", more{}, item},
		{"PUT", "/routines/order", "/routines", more{"ids": []string{id["routine"]}}, []string{"ids"}},
		{"PUT", "/routines/day/2026-03-10/items/" + id["routine"], "/routines/day/2026-03-10", more{"done": true}, []string{"done"}},
		{"PUT", "/settings/checklist-template", "/settings/checklist-template", more{"items": []string{"x"}}, []string{"items"}},
		{"PUT", "/settings/instruments", "/settings/instruments?account_id=" + d.account, more{"account_id": d.account, "instruments": []more{}}, []string{"account_id", "instruments"}},
	}
}

// nasty are values known to break services.
var nasty = []string{
	`null`, `""`, `" "`, `0`, `-0`, `-1`, `1e30`, `1e-30`, `1e31`, `999999999999999.999999999999999999`, `0.0000000000000000001`, `"NaN"`, `9223372036854775808`, `true`,
	`[]`, `{}`, `[null]`, `[{}]`, `[[]]`, `{"":""}`, `{"strike":"1e30","expiry":"0000-00-00"}`, `{"lot":" ","option_right":"CALL","strike":"-0.0","x":"y"}`,
	`"\u0000"`, `"\ud83d\ude00"`, `"\u202e"`, `"'; DROP TABLE trades; --"`, `"$1 ? %s {{.}}"`, `"1970-01-01T00:00:00Z"`, `"2199-12-31T23:59:59.999999999Z"`, `"2026-02-29"`, `"0000-01-01"`,
	`"2026-01-05T15:00:00Z"`, `"9999-12-31T23:59:59+23:59"`, `[0,0,6,6,3]`, `[-9223372036854775808]`, `[{"symbol":"A","body":null}]`, `[{"root":"A","multiplier":1e14}]`, `"future"`, `"option"`,
	`"deposit"`, `"daily_log"`, `"post"`, `"short"`, `"` + strings.Repeat("é", 300) + `"`, `"ǅ"`, `"ﬃ"`, `"\u2028"`, `"A|B\\|C"`, `"%"`, `"_"`,
}

// FuzzJournalBodies spoils one field in each journal write after the other. No value may
// cause a 5xx, neither when it is written nor when it is read.
func FuzzJournalBodies(f *testing.F) {
	traders := fuzzedJournals(f)
	ids := make([]map[string]string, len(traders))
	for i, d := range traders {
		ids[i] = everything(d)
	}
	seeds := 0
	for route, r := range fuzzedRoutes(traders[0], ids[0]) {
		for field := range r.fields {
			for range 4 {
				f.Add(uint8(route), uint8(field), nasty[seeds%len(nasty)])
				seeds++
			}
		}
	}
	f.Fuzz(func(t *testing.T, route, field uint8, value string) {
		for i := range traders {
			d, id := traders[i].in(t), ids[i]
			all := fuzzedRoutes(d, id)
			r := all[int(route)%len(all)]
			body := fieldsOf(r.body, more{r.fields[int(field)%len(r.fields)]: rawOrText(value)})
			answer := noFault(t, d.do(r.method, r.path, body), body)
			if answer.status >= 300 {
				continue
			}
			noFault(t, d.get(r.list), body)
			noFault(t, d.get("/trades?limit=3"), body)
			switch {
			case r.method == http.MethodPost && answer.status == http.StatusCreated:
				noFault(t, d.delete(r.path+"/"+answer.text("id")), body)
			case strings.HasPrefix(r.path, "/routines/"+id["routine"]):
				id["routine"] = answer.text("id") // a successor
			case strings.HasPrefix(r.path, "/executions/"):
				id["trade"] = answer.text("trade_id")
				noFault(t, d.get("/trades/"+id["trade"]), body)
			}
		}
	})
}

func rawOrText(value string) any {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return value
}

func noFault(t *testing.T, r *reply, sent any) *reply {
	t.Helper()
	if r.status >= http.StatusInternalServerError {
		t.Fatalf("%s after %v: status %d: %s", r.call, sent, r.status, r.body)
	}
	return r
}

// FuzzJournalQueries queries every list with any query.
func FuzzJournalQueries(f *testing.F) {
	traders := fuzzedJournals(f)
	for _, d := range traders {
		everything(d)
	}
	paths := append([]string{"/settings/instruments"}, journalLists...)
	for _, query := range []string{
		"", "account_id=x", "account_id=,,,&account_id=%00", "from=x&to=y", "from=1970-01-01T00:00:00Z&to=2199-12-31T23:59:59Z", "limit=1&cursor=az0xJms9Mg", "limit=1000", "limit=-9223372036854775808",
		"cursor=az05MjIzMzcyMDM2ODU0Nzc1ODA3Jms9MSZrPTE", "status=open&side=long&symbol=a,b&instrument_type=x&date_basis=open", "setup_id=%27&tag_id=%22", "day=2026-03-10", "day=0000-00-00",
		"from=2025-02-03&to=2026-03-10", "to=1970-01-01", "to=2199-12-31", "type=note&type=daily_log&trade_id=x", ";", "%zz", "a=%ff", "account_id=" + strings.Repeat("x,", 300), strings.Repeat("a", 9000),
		"cursor=az0tOTIyMzM3MjAzNjg1NDc3NTgwOCZrPXg&limit=2", "cursor=az0xJms900", // an id that is not text
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, d := range traders {
			for _, path := range paths {
				request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1"+path, nil)
				request.URL.RawQuery = query
				request.Header.Set("Authorization", "Bearer "+d.token)
				noFault(t, d.in(t).send(request), query)
			}
		}
	})
}
