package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

var missedKeys = []string{
	"id", "account_id", "setup_id", "symbol", "direction", "observed_at", "entry", "stop", "target", "reason", "outcome", "notes",
	"planned_r", "r", "created_at", "updated_at",
}

// miss returns the body for a missed trade.
func miss(fields ...more) more {
	return fieldsOf(more{"symbol": "SPY", "direction": "long", "observed_at": at(0)}, fields...)
}

func TestMissedTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/missed-trades").want(http.StatusOK).is("", "[]")
		setup := d.made("/setups", more{"name": "ORB"}).text("id")
		plain := d.made("/missed-trades", miss(more{"symbol": " spy "})).wantKeys("", missedKeys...).holds("", `{"symbol":"SPY","direction":"long","observed_at":"`+at(0)+`",
			"account_id":null,"setup_id":null,"entry":null,"stop":null,"target":null,"reason":"","outcome":"unknown","notes":"","planned_r":null,"r":null}`)
		full := d.made("/missed-trades", miss(more{
			"observed_at": at(1), "entry": 100, "stop": "98", "target": 105, "outcome": "target", "reason": "hesitated", "notes": "n", "account_id": d.account, "setup_id": setup,
			"planned_r": 99, "r": 99, "id": "mine",
		})).holds("", `{"entry":100,"stop":98,"target":105,"planned_r":2.5,"r":2.5,"reason":"hesitated","notes":"n","account_id":"`+d.account+`","setup_id":"`+setup+`"}`)
		d.get("/missed-trades").want(http.StatusOK).wantKeys("0", missedKeys...).wantColumn("id", full.text("id"), plain.text("id")) // newest first
		path := "/missed-trades/" + full.text("id")
		w.clock.Advance(time.Minute)
		for _, change := range []struct{ fields, want string }{
			{`{}`, `{"r":2.5,"symbol":"SPY"}`},
			{`{"outcome":"stop"}`, `{"planned_r":2.5,"r":-1,"notes":"n","updated_at":"2026-03-10T15:05:05Z","created_at":"2026-03-10T15:04:05Z"}`},
			{`{"outcome":"no_trigger"}`, `{"planned_r":2.5,"r":0}`},
			{`{"outcome":"unknown"}`, `{"planned_r":2.5,"r":null}`},
			{`{"outcome":"target","target":null}`, `{"planned_r":null,"r":null,"entry":100}`},
			{`{"target":107}`, `{"planned_r":3.5,"r":3.5}`},
			{`{"stop":97}`, `{"planned_r":2.33,"r":2.33}`},
			{`{"direction":"short","entry":100,"stop":103,"target":92}`, `{"direction":"short","planned_r":2.67,"r":2.67}`},
			{
				`{"account_id":null,"setup_id":null,"entry":null,"stop":null,"target":null,"reason":null,"outcome":null,"notes":null}`,
				`{"account_id":null,"setup_id":null,"entry":null,"stop":null,"target":null,"reason":"","outcome":"unknown","notes":""}`,
			},
			{`{"symbol":"qqq","observed_at":"2026-01-06T01:00:00+01:00","reason":"rules"}`, `{"symbol":"QQQ","observed_at":"2026-01-06T00:00:00Z","reason":"rules"}`},
		} {
			d.put(path, change.fields).want(http.StatusOK).wantKeys("", missedKeys...).holds("", change.want).wantSame(d.get(path))
		}
		d.with("If-Match", full.tag()).put(path, `{"notes":"x"}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", full.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", d.get(path).tag()).delete(path).wantNone()
		for _, r := range []*reply{d.get(path), d.put(path, `{"notes":"x"}`), d.delete(path)} {
			r.wantError(http.StatusNotFound, "not_found")
		}
		d.get("/trades").want(http.StatusOK).is("", "[]") // never among the trades
	})
}

func TestMissedRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		path := "/missed-trades/" + d.made("/missed-trades", miss()).text("id")
		for _, field := range []string{"symbol", "direction", "observed_at"} {
			body := miss()
			delete(body, field)
			d.post("/missed-trades", body).wantField(field)
		}
		for _, refused := range []struct {
			field  string
			values []any
		}{
			{"symbol", []any{nil, "", "  ", 5, strings.Repeat("x", 65)}},
			{"direction", []any{nil, "", "up", "LONG", 5}},
			{"observed_at", []any{nil, "", "2026-01-05", "x", 5}},
			{"entry", []any{0, -1, "x", true}},
			{"stop", []any{0, -1, "1e31"}},
			{"target", []any{0, -1, "NaN"}},
			{"reason", []any{"tired", 5}},
			{"outcome", []any{"won", 5}},
			{"notes", []any{5, strings.Repeat("x", 256<<10+1)}},
			{"setup_id", []any{unknown(), 5}},
		} {
			for _, value := range refused.values {
				d.post("/missed-trades", miss(more{refused.field: value})).wantField(refused.field)
				d.put(path, more{refused.field: value}).wantField(refused.field)
			}
		}
		d.post("/missed-trades", miss(more{"account_id": unknown()})).wantError(http.StatusNotFound, "not_found")
		d.put(path, more{"account_id": unknown()}).wantField("account_id")
		// A full plan must make sense; a partial one cannot be judged.
		for _, plan := range []more{
			{"entry": 100, "stop": 101, "target": 105},
			{"entry": 100, "stop": 98, "target": 99},
			{"entry": 100, "stop": 100, "target": 105},
			{"entry": 100, "stop": 98, "target": 100},
			{"entry": 100, "stop": 105, "target": 98},
			{"direction": "short", "entry": 100, "stop": 98, "target": 105},
			{"direction": "short", "entry": 100, "stop": 100, "target": 90},
		} {
			d.post("/missed-trades", miss(plan)).wantError(http.StatusBadRequest, "bad_request")
			d.put(path, plan).wantError(http.StatusBadRequest, "bad_request")
		}
		d.made("/missed-trades", miss(more{"entry": 100, "stop": 101}))
		ok := d.made("/missed-trades", miss(more{"entry": 100, "stop": 98, "target": 105})).text("id")
		d.put("/missed-trades/"+ok, `{"direction":"short"}`).wantError(http.StatusBadRequest, "bad_request")
		d.put("/missed-trades/"+ok, `{"stop":100}`).wantError(http.StatusBadRequest, "bad_request")
		d.get("/missed-trades/"+ok).holds("", `{"direction":"long","stop":98}`)
	})
}

func TestMissedSummary(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/missed-trades/summary").want(http.StatusOK).
			wantKeys("", "count", "outcomes", "scored", "unpriced", "r_left", "r_avoided", "net_r", "avg_r", "by_reason", "by_setup").
			holds("", `{"count":0,"outcomes":{"unknown":0,"target":0,"stop":0,"no_trigger":0},"scored":0,"unpriced":0,"r_left":0,"r_avoided":0,"net_r":0,
			"avg_r":null,"by_reason":[],"by_setup":[]}`)
		orb, vwap := d.made("/setups", more{"name": "ORB"}).text("id"), d.made("/setups", more{"name": "VWAP"}).text("id")
		plan := more{"entry": 100, "stop": 98, "target": 105} // 2.5 R
		for i, fields := range []more{
			{"outcome": "target", "reason": "hesitated", "setup_id": orb},
			{"outcome": "target", "reason": "hesitated", "setup_id": orb, "target": 101}, // 0.5 R
			{"outcome": "stop", "reason": "rules", "setup_id": vwap},
			{"outcome": "stop", "reason": "rules", "setup_id": vwap},
			{"outcome": "no_trigger", "reason": "away"},
			{"outcome": "unknown"},
		} {
			d.made("/missed-trades", miss(plan, fields, more{"observed_at": at(i), "account_id": d.account}))
		}
		d.made("/missed-trades", miss(more{"outcome": "target", "reason": "away", "observed_at": at(9)})) // no plan: no R
		d.get("/missed-trades/summary").want(http.StatusOK).holds("", `{"count":7,"outcomes":{"unknown":1,"target":3,"stop":2,"no_trigger":1},"scored":5,"unpriced":1,
			"r_left":3,"r_avoided":2,"net_r":1,"avg_r":0.2,
			"by_reason":[{"key":"hesitated","count":2,"scored":2,"r_left":3,"r_avoided":0,"net_r":3},{"key":"rules","count":2,"scored":2,"r_left":0,"r_avoided":2,"net_r":-2},
				{"key":"","count":1,"scored":0,"r_left":0,"r_avoided":0,"net_r":0},{"key":"away","count":2,"scored":1,"net_r":0}],
			"by_setup":[{"key":"`+orb+`","name":"ORB","count":2,"net_r":3},{"key":"`+vwap+`","name":"VWAP","count":2,"r_avoided":2,"net_r":-2},{"key":"","name":"","count":3,"scored":1,"net_r":0}]}`)
		d.get("/missed-trades/summary?from="+at(2)+"&to="+at(3)).want(http.StatusOK).holds("", `{"count":2,"net_r":-2,"avg_r":-1}`)
		d.get("/missed-trades/summary?account_id="+d.account).want(http.StatusOK).holds("", `{"count":6,"unpriced":0}`)
		d.get("/missed-trades/summary?from=" + at(1) + "&to=" + at(0)).wantField("from")
	})
}
