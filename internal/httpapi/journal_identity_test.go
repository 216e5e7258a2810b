package httpapi_test

import (
	"net/http"
	"slices"
	"testing"
)

// annotated adds every kind of annotation to a trade.
func (d trader) annotated(trade, word string) (tag, setup, attachment string) {
	d.w.t.Helper()
	tag, setup = d.made("/tags", more{"name": "tag " + word}).text("id"), d.made("/setups", more{"name": "setup " + word}).text("id")
	d.annotate(trade, more{"notes": word, "tag_ids": []string{tag}, "setup_id": setup, "emotional_state": word, "initial_risk": 10})
	attachment = d.attach("/trades/"+trade, word+".png", tinyPNG).want(http.StatusCreated).text("id")
	return tag, setup, attachment
}

// TestOrphans: what was written on a trade outlives its last fill, and comes
// back with it.
func TestOrphans(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/trades/orphans").want(http.StatusOK).is("", "[]")
		body := d.order("A", "buy 100@10", 0, more{"fees": 1})
		first := d.made("/executions", body)
		trade := first.text("trade_id")
		tag, setup, attachment := d.annotated(trade, "mine")
		note := d.made("/notes", more{"body": "b", "trade_id": trade}).text("id")
		plain := d.fill("PLAIN", "buy 1@1", 0)
		d.delete("/executions/" + plain.text("id")).wantNone() // nothing was written on it
		d.delete("/executions/" + first.text("id")).wantNone()
		d.get("/trades/"+trade).wantError(http.StatusNotFound, "not_found")
		d.get("/trades").want(http.StatusOK).is("", "[]")
		d.get("/trades/orphans").want(http.StatusOK).holds("", `[{"trade_id":"`+trade+`","account_id":"`+d.account+`","notes":"mine","tag_ids":["`+tag+`"],
			"setup_ids":["`+setup+`"],"initial_risk":10,"emotional_state":"mine","attachments":[{"id":"`+attachment+`"}],"symbol":"A","opened_at":"`+at(0)+`","orphaned_at":"2026-03-10T15:04:05Z"}]`)
		d.get("/attachments/" + attachment).want(http.StatusOK)
		d.get("/notes/"+note).want(http.StatusOK).holds("", `{"body":"b","trade_id":null}`)

		d.fill("A", "buy 99@10", 0) // another fill
		if n := d.get("/trades/orphans").count(""); n != 1 {
			t.Fatal("another fill took the annotations")
		}
		back := d.made("/executions", body).text("trade_id")
		d.get("/trades/orphans").want(http.StatusOK).is("", "[]")
		d.trade(back).holds("", `{"notes":"mine","tag_ids":["`+tag+`"],"setup_ids":["`+setup+`"],"initial_risk":10,"attachments":[{"id":"`+attachment+`"}]}`)
		d.get("/notes/"+note).want(http.StatusOK).holds("", `{"trade_id":"`+back+`"}`)
	})
}

// TestAdoptOrphans by hand, or are thrown away.
func TestAdoptOrphans(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		lost := func(word string) string {
			fill := d.fill(word, "buy 1@1", 0)
			d.annotate(fill.text("trade_id"), more{"notes": word})
			d.delete("/executions/" + fill.text("id")).wantNone()
			return fill.text("trade_id")
		}
		one, two := lost("ONE"), lost("TWO")
		home := d.roundTrip("HOME")
		d.annotate(home, more{"notes": "home"})
		if pages, _ := d.pages("/trades/orphans?limit=1", "trade_id"); !slices.Equal(pages, d.get("/trades/orphans").column("trade_id")) || len(pages) != 2 {
			t.Errorf("the pages hold %v", pages)
		}
		d.get("/trades/orphans?limit=0").wantField("limit")
		adopt := "/trades/orphans/" + one + "/adopt"
		d.post(adopt, more{"trade_id": unknown()}).wantField("trade_id")
		d.post(adopt, `{}`).wantField("trade_id")
		d.post("/trades/orphans/"+unknown()+"/adopt", more{"trade_id": home}).wantError(http.StatusNotFound, "not_found")
		d.post(adopt, more{"trade_id": home}).want(http.StatusOK).holds("", `{"id":"`+home+`","notes":"home\n\n---\n\nONE"}`)
		d.post(adopt, more{"trade_id": home}).wantError(http.StatusNotFound, "not_found")
		d.get("/trades/orphans").want(http.StatusOK).wantColumn("trade_id", two)
		d.delete("/trades/orphans/" + two).wantNone()
		d.delete("/trades/orphans/"+two).wantError(http.StatusNotFound, "not_found")
		d.get("/trades/orphans").want(http.StatusOK).is("", "[]")
		d.trade(d.fill("TWO", "buy 1@1", 0).text("trade_id")).is("notes", `""`)
	})
}
