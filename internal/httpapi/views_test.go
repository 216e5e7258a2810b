package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestHiddenViewsReserveNoNames: a token limited to accounts can use a hidden view's
// name. Names are unique among the views with the same accounts.
func TestHiddenViewsReserveNoNames(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		mine, both := more{"account_id": d.account}, more{"account_id": d.account + "," + other.account}
		for _, filter := range []more{{"account_id": other.account}, both} {
			d.made("/views", more{"name": "Merger", "filter": filter})
		}
		d.made("/views", more{"name": "Shared"})
		d.made("/views", more{"name": "Shared", "filter": mine})
		_, secret := d.mint(more{"name": "limited", "scope": "write", "account_ids": []string{d.account}})
		limited := w.as(secret)
		for _, filter := range []more{{}, mine} {
			limited.post("/views", more{"name": "SHARED", "filter": filter}).wantError(http.StatusConflict, "conflict")
			created := limited.made("/views", more{"name": "merger", "filter": filter}).is("name", `"merger"`).text("id")
			limited.post("/views", more{"name": "Merger", "filter": filter}).wantError(http.StatusConflict, "conflict")
			limited.patch("/views/"+created, more{"name": "x"}).want(http.StatusOK)
			limited.patch("/views/"+created, more{"name": "Shared"}).wantError(http.StatusConflict, "conflict")
			limited.patch("/views/"+created, more{"name": "MERGER"}).want(http.StatusOK).is("name", `"MERGER"`)
			limited.patch("/views/"+created, more{"filter": both}).wantError(http.StatusNotFound, "not_found")
			limited.post("/views", more{"name": "Merger", "filter": both}).wantError(http.StatusNotFound, "not_found")
			d.post("/views", more{"name": "merger", "filter": filter}).wantError(http.StatusConflict, "conflict")
			// Changing the accounts to those in a view with the same name is a conflict.
			d.patch("/views/"+created, more{"filter": more{"account_id": other.account + ", " + d.account}}).wantError(http.StatusConflict, "conflict")
			limited.delete("/views/" + created).wantNone()
		}
		limited.get("/views").want(http.StatusOK).wantColumn("name", "Shared", "Shared")
	})
}

// TestViewOfManyAccounts stores a view with as many accounts as a filter may have.
func TestViewOfManyAccounts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		var ids []string
		for range 200 {
			ids = append(ids, unknown())
		}
		body := more{"name": strings.Repeat("ß", 100), "filter": more{"account_id": strings.Join(ids, ",")}}
		d.made("/views", body)
		d.post("/views", body).wantError(http.StatusConflict, "conflict")
	})
}

// TestViewsOfOneNameAreRestored restores a backup with views that share a name and differ
// in accounts: all are there, once.
func TestViewsOfOneNameAreRestored(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.addAccount("Other")
		for _, filter := range []more{
			{"outcome": "win"},
			{"account_id": d.account},
			{"account_id": other.account, "outcome": "loss"},
			{"account_id": other.account + "," + d.account},
		} {
			d.made("/views", more{"name": "Merger", "filter": filter})
		}
		document := d.get("/exports?format=json").want(http.StatusOK).body
		second := w.addUser(d.client, "second@example.org")
		for _, added := range []string{"4", "0"} {
			second.form("/imports/commit", part{"file", "backup.json", string(document)}).want(http.StatusOK).is("restored.views", added)
		}
		second.get("/views").wantColumn("name", "Merger", "Merger", "Merger", "Merger")
	})
}

func TestViews(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/views").want(http.StatusOK).is("", "[]")
		first := d.made("/views", more{"name": "Friday losses", "filter": more{"outcome": "loss", "weekday": "5"}})
		first.is("columns", "[]").is("sort", "null").is("order", "null").is("pinned", "false").is("position", "0").is("filter", `{"outcome":"loss","weekday":"5"}`)
		second := d.made("/views", more{"name": "Wins", "sort": "net_pnl", "order": "desc", "columns": []string{"symbol", "net_pnl"}, "pinned": true})
		second.is("position", "1").is("filter", "{}")
		third := d.made("/views", more{"name": "First", "position": 0}).is("position", "0")
		names := func(want ...string) {
			d.get("/views").want(http.StatusOK).wantColumn("name", want...).wantColumn("position", "0", "1", "2")
		}
		names("First", "Friday losses", "Wins")
		d.patch("/views/"+second.text("id"), more{"position": 1}).want(http.StatusOK).is("position", "1").is("columns", `["symbol","net_pnl"]`)
		names("First", "Wins", "Friday losses")
		d.patch("/views/"+second.text("id"), more{"sort": nil, "order": nil, "filter": nil}).want(http.StatusOK).is("sort", "null").is("order", "null")
		d.patch("/views/"+second.text("id"), more{"order": "asc"}).want(http.StatusOK).is("sort", "null").is("order", `"asc"`)
		d.get("/views/"+third.text("id")).want(http.StatusOK).is("name", `"First"`)
		for field, change := range map[string]more{
			"outcome": {"filter": more{"outcome": "open"}}, "weekday": {"filter": more{"weekday": "7"}}, "pnl_min": {"filter": more{"pnl_min": "2", "pnl_max": "1"}},
			"color": {"filter": more{"color": "red"}}, "range": {"filter": more{"range": "2y"}}, "sort": {"sort": "color"}, "order": {"order": "up"}, "name": {"name": " "},
		} {
			d.patch("/views/"+third.text("id"), change).wantError(http.StatusBadRequest, "bad_request").wantField(field)
		}
		d.post("/views", more{"name": "WINS"}).wantError(http.StatusConflict, "conflict")
		d.patch("/views/"+third.text("id"), more{"name": "wins"}).wantError(http.StatusConflict, "conflict")
		other := w.addUser(d.client, "other@example.org")
		other.get("/views").want(http.StatusOK).is("", "[]")
		for _, r := range []*reply{other.get("/views/" + third.text("id")), other.patch("/views/"+third.text("id"), more{"name": "x"}), other.delete("/views/" + third.text("id"))} {
			r.wantError(http.StatusNotFound, "not_found")
		}
		d.delete("/views/" + third.text("id")).wantNone()
		d.get("/views/"+third.text("id")).wantError(http.StatusNotFound, "not_found")
		d.nets("AAA", "10", "-4", "2")
		d.get("/analytics/compare?outcome=win&against=view&view_id="+first.text("id")).want(http.StatusOK).is("a.net_pnl", "12").is("b.total_trades", "0")
		d.get("/analytics/compare?symbol=AAA&against=view&view_id="+second.text("id")).want(http.StatusOK).is("b.net_pnl", "8")
		d.patch("/views/"+second.text("id"), more{"filter": more{"range": "30d"}}).want(http.StatusOK).is("filter", `{"range":"30d"}`)
		d.get("/analytics/compare?symbol=AAA&against=view&other_to=2020-01-01T00:00:00Z&view_id="+second.text("id")).want(http.StatusOK).is("b.total_trades", "0")
		d.get("/analytics/compare?against=view").wantError(http.StatusBadRequest, "bad_request").wantField("view_id")
		d.get("/analytics/compare?against=view&view_id="+third.text("id")).wantError(http.StatusNotFound, "not_found")
	})
}
