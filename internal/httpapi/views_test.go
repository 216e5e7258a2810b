package httpapi_test

import (
	"net/http"
	"testing"
)

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
