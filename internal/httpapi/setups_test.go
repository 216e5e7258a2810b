package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestSetups(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		d := owner.addAccount("Main")
		keys := []string{"id", "name", "description", "thesis", "symbol", "direction", "target_price", "stop_price", "checklist", "created_at", "updated_at"}
		d.get("/setups").want(http.StatusOK).is("", "[]")
		plain := d.made("/setups", more{"name": "VWAP"}).wantKeys("", keys...).holds("", `{"name":"VWAP","description":"","thesis":"","symbol":"","direction":"",
			"target_price":null,"stop_price":null,"checklist":[],"created_at":"2026-03-10T15:04:05Z","updated_at":"2026-03-10T15:04:05Z"}`)
		full := d.made("/setups", more{
			"name": " orb ", "description": "d", "thesis": "t", "symbol": "spy", "direction": "long", "target_price": "101.50", "stop_price": 99, "checklist": []string{"volume", " trend "},
		}).holds("", `{"name":"orb","description":"d","thesis":"t","symbol":"SPY","direction":"long","target_price":101.5,"stop_price":99,"checklist":["volume","trend"]}`)
		d.get("/setups").want(http.StatusOK).wantKeys("0", keys...).wantColumn("name", "orb", "VWAP")
		path := "/setups/" + full.text("id")
		d.get(path).want(http.StatusOK).wantKeys("", keys...).is("checklist", `["volume","trend"]`)
		w.clock.Advance(time.Minute)
		d.patch(path, `{"thesis":"u"}`).want(http.StatusOK).holds("", `{"name":"orb","thesis":"u","target_price":101.5,"created_at":"2026-03-10T15:04:05Z","updated_at":"2026-03-10T15:05:05Z"}`)
		d.patch(path, `{"target_price":null,"stop_price":null,"checklist":[],"symbol":"","direction":""}`).want(http.StatusOK).
			holds("", `{"target_price":null,"stop_price":null,"checklist":[],"symbol":"","direction":""}`)
		d.patch(path, `{"description":null,"thesis":null,"symbol":null,"direction":null,"checklist":null}`).want(http.StatusOK).
			holds("", `{"description":"","thesis":"","symbol":"","direction":"","checklist":[]}`).wantSame(d.get(path))
		for _, name := range []string{"vwap", " VWAP "} {
			d.post("/setups", more{"name": name}).wantError(http.StatusConflict, "conflict")
			d.patch(path, more{"name": name}).wantError(http.StatusConflict, "conflict")
		}
		w.addUser(owner, "other@example.org").made("/setups", more{"name": "vwap"})
		for _, refused := range []struct {
			field string
			value any
		}{
			{"name", ""},
			{"name", nil},
			{"name", 5},
			{"name", strings.Repeat("x", 201)},
			{"direction", "up"},
			{"direction", 1},
			{"symbol", strings.Repeat("x", 65)},
			{"target_price", "x"},
			{"stop_price", true},
			{"checklist", "x"},
			{"checklist", []string{strings.Repeat("x", 201)}},
			{"thesis", 5},
			{"description", more{}},
		} {
			d.post("/setups", fieldsOf(more{"name": "New"}, more{refused.field: refused.value})).wantField(refused.field)
			d.patch(path, more{refused.field: refused.value}).wantField(refused.field)
		}
		d.post("/setups", `{}`).wantField("name")

		trade := d.roundTrip("A")
		d.annotate(trade, more{"setup_ids": []string{full.text("id"), plain.text("id")}})
		missed := d.made("/missed-trades", more{"symbol": "M", "direction": "long", "observed_at": at(0), "setup_id": full.text("id")}).text("id")
		d.with("If-Match", full.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.delete(path).wantNone()
		for _, r := range []*reply{d.get(path), d.patch(path, `{"thesis":""}`), d.delete(path)} {
			r.wantError(http.StatusNotFound, "not_found")
		}
		d.trade(trade).holds("", `{"setup_ids":["`+plain.text("id")+`"],"setups":[{"name":"VWAP"}]}`)
		d.get("/missed-trades/"+missed).want(http.StatusOK).holds("", `{"symbol":"M","setup_id":null}`)
	})
}
