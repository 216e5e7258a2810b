package httpapi_test

import (
	"net/http"
	"testing"
)

// TestEditsOfAFill changes each field alone and looks at what it does to the
// trade.
func TestEditsOfAFill(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		fills := d.fills("A", 0, "buy 100@10", "sell 100@12")
		open, end := "/executions/"+fills[0].text("id"), "/executions/"+fills[1].text("id")
		trade := fills[0].text("trade_id")
		for _, edit := range []struct {
			path   string
			fields string
			fill   string // from the answer
			trade  string
		}{
			{end, `{"price":13}`, `{"price":13,"quantity":100}`, `{"net_pnl":300,"avg_exit_price":13}`},
			{end, `{"price":"12"}`, `{"price":12}`, `{"net_pnl":200}`},
			{open, `{"fees":1.5}`, `{"fees":1.5,"commission":0}`, `{"net_pnl":198.5,"fees_total":1.5,"gross_pnl":200}`},
			{open, `{"commission":2}`, `{"fees":1.5,"commission":2}`, `{"net_pnl":196.5,"fees_total":3.5}`}, // what is not sent stays
			{open, `{"fees":null,"commission":null}`, `{"fees":0,"commission":0}`, `{"net_pnl":200,"fees_total":0}`},
			{end, `{"quantity":60}`, `{"quantity":60}`, `{"status":"open","qty_remaining":40,"net_pnl":null,"realized_pnl":120}`},
			{end, `{"quantity":100}`, `{"quantity":100}`, `{"status":"closed","net_pnl":200}`},
			{open, `{"side":"sell"}`, `{"side":"sell"}`, `{"status":"open","direction":"short","qty_opened":200}`},
			{open, `{"side":"buy"}`, `{"side":"buy"}`, `{"status":"closed","direction":"long","net_pnl":200}`},
			{end, `{"executed_at":"2026-01-05T15:00:30Z"}`, `{"executed_at":"2026-01-05T15:00:30Z"}`, `{"time_in_trade_secs":30}`},
			{end, `{"executed_at":"2026-01-05T14:00:00Z"}`, `{}`, `{"direction":"short","opened_at":"2026-01-05T14:00:00Z","net_pnl":200}`},
			{end, `{"executed_at":"2026-01-05T15:01:00Z"}`, `{}`, `{"direction":"long","net_pnl":200}`},
			{end, `{"multiplier":2}`, `{"multiplier":2}`, `{"gross_pnl":1400}`}, // each fill's own multiplier prices it
			{end, `{"multiplier":null}`, `{"multiplier":1}`, `{"gross_pnl":200}`},
			{open, `{"external_id":"x"}`, `{"external_id":"x"}`, `{"net_pnl":200}`},
			{open, `{"external_id":null}`, `{"external_id":null}`, `{"net_pnl":200}`},
			{open, `{"details":{"source":"phone"}}`, `{"details":{"source":"phone"}}`, `{"net_pnl":200}`},
			{open, `{"details":null}`, `{"details":{}}`, `{"net_pnl":200}`},
			{open, `{}`, `{"price":10}`, `{"net_pnl":200,"execution_count":2}`},
			{open, `{"id":"x","account_id":"x","trade_ids":[],"import_batch_id":"x","unknown":1}`, `{"account_id":"` + d.account + `","import_batch_id":null}`, `{"net_pnl":200}`},
		} {
			answer := d.patch(edit.path, edit.fields).want(http.StatusOK).holds("", edit.fill)
			answer.wantKeys("", append([]string{"execution_id", "trade_id"}, executionKeys...)...).holds("", `{"trade_id":"`+trade+`"}`)
			answer.wantTag(d.get(edit.path))
			d.trade(trade).holds("", edit.trade)
			if t.Failed() {
				t.Fatalf("after %s", edit.fields)
			}
		}
	})
}

// TestConditionalEditsOfFills uses tags from reads and from writes.
func TestConditionalEditsOfFills(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		made := d.fill("A", "buy 100@10", 0)
		path := "/executions/" + made.text("id")
		first := d.with("If-Match", made.tag()).patch(path, `{"price":11}`).want(http.StatusOK)
		d.with("If-Match", made.tag()).patch(path, `{"price":12}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.with("If-Match", made.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.get(path).is("price", "11")
		d.with("If-Match", `"no", W/`+first.tag()).patch(path, `{"price":12}`).want(http.StatusOK)
		d.with("If-None-Match", d.get(path).tag()).get(path).want(http.StatusNotModified)
		d.with("If-Match", d.get(path).tag()).delete(path).wantNone()
	})
}

// TestAFillIsSentOnce under one key, however often.
func TestAFillIsSentOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		keyed := trader{d.with("Idempotency-Key", "k-1"), d.account}
		body := d.order("A", "buy 1@1", 0, more{"allow_duplicate": true})
		first := keyed.made("/executions", body)
		again := keyed.made("/executions", body)
		if string(first.body) != string(again.body) || again.tag() != first.tag() {
			t.Errorf("the same key returned %s and then %s", first.body, again.body)
		}
		keyed.post("/executions", d.order("A", "buy 2@1", 0)).wantError(http.StatusConflict, "conflict")
		retry := trader{d.with("Idempotency-Key", "k-2"), d.account}
		retry.post("/executions", d.order("A", "buy 0@1", 0)).wantField("quantity") // a refusal is not kept
		retry.made("/executions", d.order("A", "buy 3@1", 0))
		d.get("/executions").want(http.StatusOK).wantColumn("quantity", "1", "3")
		// A deduped answer is kept as well.
		dup := trader{d.with("Idempotency-Key", "k-3"), d.account}
		dup.post("/executions", d.order("A", "buy 3@1", 0)).want(http.StatusOK).is("deduped", "true")
		d.delete("/executions/" + d.get("/executions").text("1.id")).wantNone()
		dup.post("/executions", d.order("A", "buy 3@1", 0)).want(http.StatusOK).is("deduped", "true")
	})
}
