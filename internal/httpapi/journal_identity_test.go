package httpapi_test

import (
	"net/http"
	"slices"
	"testing"
)

// annotated writes something of every kind on a trade.
func (d desk) annotated(trade, word string) (tag, setup, attachment string) {
	d.w.t.Helper()
	tag, setup = d.made("/tags", more{"name": "tag " + word}).text("id"), d.made("/setups", more{"name": "setup " + word}).text("id")
	d.annotate(trade, more{"notes": word, "tag_ids": []string{tag}, "setup_id": setup, "emotional_state": word, "initial_risk": 10})
	attachment = d.attach("/trades/"+trade, word+".png", tinyPNG).want(http.StatusCreated).text("id")
	return tag, setup, attachment
}

// TestATradeKeepsItsMarks through every way in which its fills can be
// regrouped.
func TestTradeKeepsItsAnnotations(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		fills := d.fills("A", 10, "buy 100@10", "buy 50@11", "sell 150@12")
		trade := fills[0].text("trade_id")
		tag, setup, attachment := d.annotated(trade, "mine")
		note := d.made("/notes", more{"body": "b", "trade_id": trade}).text("id")
		kept := func(what, figures string) {
			t.Helper()
			d.trade(trade).holds("", `{"notes":"mine","emotional_state":"mine","initial_risk":10,"tags":[{"id":"`+tag+`"}],"setup_ids":["`+setup+`"],
				"attachments":[{"id":"`+attachment+`"}]}`).holds("", figures)
			d.get("/notes/"+note).holds("", `{"trade_id":"`+trade+`"}`)
			d.get("/trades/orphans").is("", "[]")
			if t.Failed() {
				t.Fatal(what)
			}
		}
		kept("as written", `{"status":"closed","net_pnl":250}`)
		d.patch("/executions/"+fills[0].text("id"), more{"executed_at": at(5)}).want(http.StatusOK)
		kept("re-timing of the opening fill", `{"opened_at":"`+at(5)+`","net_pnl":250}`)
		older := d.fill("A", "buy 25@9", 0)
		kept("an older fill", `{"opened_at":"`+at(0)+`","execution_count":4,"status":"open"}`)
		d.fill("A", "sell 25@9", 1)
		kept("a trade before it", `{"opened_at":"`+at(5)+`","execution_count":3,"status":"closed","net_pnl":250}`)
		if older.text("trade_id") != trade {
			t.Error("the older fill opened a trade of its own")
		}
		d.delete("/executions/" + fills[0].text("id")).wantNone()
		kept("deletion of the opening fill", `{"execution_count":2,"direction":"long"}`)
		d.patch("/executions/"+fills[2].text("id"), more{"symbol": "B"}).want(http.StatusOK)
		kept("a fill that moved away", `{"symbol":"A","execution_count":1,"status":"open"}`)
		d.patch("/executions/"+fills[1].text("id"), more{"symbol": "C", "side": "sell", "quantity": 3}).want(http.StatusOK)
		kept("all its fills in another symbol", `{"symbol":"C","direction":"short","qty_opened":3}`)
		if n := d.get("/trades").want(http.StatusOK).count(""); n != 3 {
			t.Errorf("%d trades in all", n)
		}
	})
}

// TestTwoTradesBecomeOne: the one with most fills goes on and gathers what the
// other has.
func TestTwoTradesBecomeOne(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		small := d.fills("A", 0, "buy 10@10", "sell 10@11")
		big := d.fills("A", 10, "buy 10@10", "buy 10@10", "sell 20@12")
		loser, winner := small[0].text("trade_id"), big[0].text("trade_id")
		tagL, setupL, fileL := d.annotated(loser, "loser")
		tagW, setupW, fileW := d.annotated(winner, "winner")
		d.annotate(loser, `{"confidence":2,"stop_price":9,"reviewed":true}`)
		d.annotate(winner, `{"confidence":5}`)
		noteL := d.made("/notes", more{"body": "of the loser", "trade_id": loser}).text("id")
		cash := d.made("/cash-transactions", more{"account_id": d.account, "type": "dividend", "amount": 3, "occurred_at": at(0), "trade_id": loser}).text("id")
		both := d.made("/tags", more{"name": "both"}).text("id")
		for id, own := range map[string]string{loser: tagL, winner: tagW} {
			d.annotate(id, more{"tag_ids": []string{own, both}})
		}
		d.delete("/executions/" + small[1].text("id")).wantNone() // the gap between them is gone
		d.get("/trades/"+loser).wantError(http.StatusNotFound, "not_found")
		merged := d.trade(winner).holds("", `{"status":"open","execution_count":4,"qty_remaining":10,"opened_at":"`+at(0)+`",
			"notes":"winner\n\n---\n\nloser","emotional_state":"winner","confidence":5,"stop_price":9,"initial_risk":10,
			"tag_ids":["`+both+`","`+tagL+`","`+tagW+`"],"setup_ids":["`+setupW+`","`+setupL+`"],"dividend_total":3}`)
		merged.holds("", `{"attachments":[{"id":"`+fileL+`","trade_id":"`+winner+`"},{"id":"`+fileW+`"}],"reviewed_at":"2026-03-10T15:04:05Z"}`)
		d.get("/notes/"+noteL).holds("", `{"trade_id":"`+winner+`"}`)
		d.get("/cash-transactions/"+cash).holds("", `{"trade_id":"`+winner+`"}`)
		d.get("/trades/orphans").is("", "[]")

		// When it splits again the part with most fills keeps the annotations.
		d.fill("A", "sell 10@11", 1)
		parts := d.trades("A").holds("", `[{"id":"`+winner+`","notes":"winner\n\n---\n\nloser","execution_count":3},{"notes":"","tags":[],"setup_ids":[],"execution_count":2}]`)
		d.get("/trades/"+parts.text("1.id")+"/attachments").want(http.StatusOK).is("", "[]")
	})
}

// TestSplitTieKeepsTheEarlierTrade part.
func TestSplitTieKeepsTheEarlierTrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		fills := d.fills("A", 0, "buy 10@10", "buy 10@10", "sell 10@11", "sell 10@11")
		trade := fills[0].text("trade_id")
		d.annotate(trade, `{"notes":"whole"}`)
		d.patch("/executions/"+fills[1].text("id"), more{"executed_at": "2026-01-05T15:02:30Z"}).want(http.StatusOK)
		d.trades("A").holds("", `[{"notes":"","execution_count":2},{"id":"`+trade+`","notes":"whole","execution_count":2}]`)
	})
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
