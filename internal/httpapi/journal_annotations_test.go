package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestMarks writes every field on a trade, leaves the others alone, and clears
// them.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		id := d.roundTrip("A")
		late, early := d.made("/tags", more{"name": "Late", "color": "#f00", "kind": "mistake"}).text("id"), d.made("/tags", more{"name": "Early"}).text("id")
		orb, vwap := d.made("/setups", more{"name": "ORB"}).text("id"), d.made("/setups", more{"name": "VWAP"}).text("id")
		all := `{"notes":"# Chased\n  as typed ","tag_ids":["` + late + `","` + early + `"],"setup_ids":["` + vwap + `","` + orb + `"],"initial_risk":"50.5","stop_price":9.5,
			"target_price":13,"mae":-30,"mfe":250,"emotional_state":" calm ","confidence":4,"trade_quality":"5"}`
		want := `{"notes":"# Chased\n  as typed ","initial_risk":50.5,"initial_risk_derived":false,"stop_price":9.5,"target_price":13,"mae":-30,"mfe":250,
			"emotional_state":"calm","confidence":4,"trade_quality":5,"reviewed_at":null,"r_multiple":3.960396039604,"planned_r":6}`
		answer := d.patch("/trades/"+id, all).want(http.StatusOK).holds("", want)
		answer.wantSame(d.trade(id)) // the answer is the detail
		list := d.get("/trades").want(http.StatusOK).holds("0", want)
		for _, r := range []*reply{answer, d.trade(id)} {
			r.holds("", `{"tags":[{"id":"`+early+`","name":"Early"},{"id":"`+late+`","name":"Late","color":"#f00","kind":"mistake"}],
				"setup_ids":["`+vwap+`","`+orb+`"],"setups":[{"id":"`+vwap+`","name":"VWAP"},{"id":"`+orb+`","name":"ORB"}]}`)
		}
		list.holds("0", `{"tag_ids":["`+early+`","`+late+`"],"setup_ids":["`+vwap+`","`+orb+`"]}`)

		// What is not sent stays.
		d.annotate(id, `{}`).holds("", want)
		d.annotate(id, `{"confidence":1}`).holds("", strings.Replace(want, `"confidence":4`, `"confidence":1`, 1))
		d.annotate(id, `{"setup_id":"`+orb+`"}`).holds("", `{"setup_ids":["`+orb+`"],"setups":[{"name":"ORB"}]}`)
		d.annotate(id, `{"tag_ids":["`+early+`","`+early+`"]}`).holds("", `{"tag_ids":["`+early+`"]}`)

		w.clock.Advance(time.Minute)
		d.annotate(id, `{"reviewed":true}`).holds("", `{"reviewed_at":"2026-03-10T15:05:05Z"}`)
		w.clock.Advance(time.Minute)
		d.annotate(id, `{"reviewed":true}`).holds("", `{"reviewed_at":"2026-03-10T15:05:05Z"}`) // it was reviewed then
		d.annotate(id, `{"reviewed":false}`).holds("", `{"reviewed_at":null}`)

		// null and [] clear.
		d.annotate(id, `{"setup_id":null}`).holds("", `{"setup_ids":[],"setups":[]}`)
		d.annotate(id, `{"setup_ids":["`+orb+`"]}`).holds("", `{"setup_ids":["`+orb+`"]}`)
		d.annotate(id, `{"tag_ids":[],"setup_ids":[]}`).holds("", `{"tags":[],"tag_ids":[],"setup_ids":[]}`)
		d.annotate(id, `{"tag_ids":["`+late+`"],"setup_ids":["`+orb+`"]}`)
		d.annotate(id, `{"notes":null,"tag_ids":null,"setup_ids":null,"initial_risk":null,"stop_price":null,"target_price":null,"mae":null,"mfe":null,
			"emotional_state":null,"confidence":null,"trade_quality":null,"reviewed":null}`).
			holds("", `{"notes":"","tags":[],"setup_ids":[],"initial_risk":null,"stop_price":null,"target_price":null,"mae":null,"mfe":null,
			"emotional_state":"","confidence":null,"trade_quality":null,"reviewed_at":null,"r_multiple":null,"planned_r":null}`)
		d.trade(id).holds("", `{"net_pnl":200,"execution_count":2}`)
	})
}

func TestAnnotationsRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		id := d.roundTrip("A")
		tag, setup := d.made("/tags", more{"name": "T"}).text("id"), d.made("/setups", more{"name": "S"}).text("id")
		d.annotate(id, more{"notes": "kept", "tag_ids": []string{tag}, "setup_id": setup})
		before := d.trade(id)
		for _, refused := range []struct {
			field  string
			values []any
		}{
			{"confidence", []any{0, 6, -1, 2.5, "x", true, "1e30", []int{1}}},
			{"trade_quality", []any{0, 6, 1.01, "five"}},
			{"notes", []any{5, strings.Repeat("x", 256<<10+1), "a\x1bb"}},
			{"emotional_state", []any{5, strings.Repeat("x", 201)}},
			{"initial_risk", []any{"x", "1e31", true}},
			{"stop_price", []any{"x", "1000000000000000"}},
			{"target_price", []any{"0.1234567890123456789", more{}}},
			{"mae", []any{"x"}},
			{"mfe", []any{"NaN"}},
			{"tag_ids", []any{"x", []string{unknown()}, []string{tag, unknown()}, []string{""}, []string{setup}}},
			{"setup_ids", []any{"x", []string{unknown()}, []string{tag}, 5}},
			{"setup_id", []any{unknown(), tag, 5}},
			{"reviewed", []any{"yes", 1}},
		} {
			for _, value := range refused.values {
				d.patch("/trades/"+id, more{refused.field: value}).wantField(refused.field)
			}
		}
		d.patch("/trades/"+id, `{"tag_ids":[5]}`).wantField("tag_ids.0")
		d.patch("/trades/"+id, `{"notes":"a\u0000b"}`).wantError(http.StatusBadRequest, "bad_request")
		d.patch("/trades/"+id, `[]`).wantError(http.StatusBadRequest, "bad_request")
		d.trade(id).wantSame(before)
		d.annotate(id, more{"notes": strings.Repeat("é", 128<<10)}) // exactly 256 KiB
	})
}

// TestRisk derives the risk from the stop where none is stated, and the R from
// the risk.
func TestRisk(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		long := d.roundTrip("A") // 100 at 10, net 200
		future := d.fill("ES", "buy 2@5000", 0, more{"instrument_type": "future"}).text("trade_id")
		for _, c := range []struct{ trade, fields, want string }{
			{long, `{"stop_price":9.5}`, `{"initial_risk":50,"initial_risk_derived":true,"r_multiple":4,"planned_r":null}`},
			{long, `{"stop_price":11}`, `{"initial_risk":null,"r_multiple":null,"planned_r":null,"warnings":["The stop is on the wrong side of the average entry, so no risk follows from it. Check stop_price."]}`},
			{future, `{"stop_price":4990}`, `{"initial_risk":1000,"initial_risk_derived":true,"r_multiple":null,"net_pnl":null}`},
		} {
			d.annotate(c.trade, c.fields).holds("", c.want)
		}
	})
}

// TestConditionalAnnotations compares the whole trade: a new fill is a change as well.
func TestConditionalAnnotations(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		id := d.fill("A", "buy 100@10", 0).text("trade_id")
		path := "/trades/" + id
		first := d.trade(id)
		second := d.with("If-Match", first.tag()).patch(path, `{"notes":"one"}`).want(http.StatusOK)
		d.with("If-Match", first.tag()).patch(path, `{"notes":"two"}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", first.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.fill("A", "sell 50@10", 1)
		d.with("If-Match", second.tag()).patch(path, `{"notes":"three"}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.trade(id).is("notes", `"one"`)
		third := d.with("If-Match", d.trade(id).tag()).patch(path, `{"notes":"three"}`).want(http.StatusOK)
		d.with("If-None-Match", third.tag()).get(path).want(http.StatusNotModified)
		d.with("If-Match", third.tag()).delete(path).wantNone()
	})
}
