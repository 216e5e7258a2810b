package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
)

// TestUnmatchedPositions makes a position of every kind that lacks something and sends what
// is proposed: nothing is left.
func TestUnmatchedPositions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		add := func(fields more) {
			all := more{"account_id": d.account, "symbol": "SPLT", "side": "buy", "quantity": 10, "price": 120, "executed_at": "2026-01-02T15:00:00Z"}
			maps.Copy(all, fields)
			d.made("/executions", all)
		}
		option := func(symbol, side string, fields more) {
			all := more{
				"symbol": symbol, "side": side, "instrument_type": "option", "quantity": 1, "price": 2,
				"details": more{"option_right": "put", "strike": "20", "expiry": "2026-01-16"},
			}
			maps.Copy(all, fields)
			add(all)
		}
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		add(nil)
		add(more{"side": "sell", "quantity": 30, "price": 45, "executed_at": "2026-01-06T15:00:00Z"})
		option("XPRD", "buy", nil)
		option("ASGN", "sell", nil)
		add(more{"symbol": "ASGN", "quantity": 100, "price": 20, "executed_at": "2026-01-17T05:00:00Z"})
		option("GONE", "buy", more{"kind": "expiry", "price": 0, "executed_at": "2026-01-16T21:00:00Z"})

		list := d.get("/positions/unmatched").want(http.StatusOK)
		var found []struct {
			Reason   string
			Proposal json.RawMessage
		}
		if err := json.Unmarshal(list.body, &found); err != nil || len(found) != 4 {
			t.Fatalf("%v: %s", err, list.body)
		}
		list.is("0.reason", `"expired_unclosed"`).is("0.proposal.kind", `"expiry"`).is("0.proposal.side", `"sell"`).is("0.quantity", "1").
			is("0.proposal.executed_at", `"2026-01-16T21:00:00Z"`).is("0.proposal.ratio_new", "null").is("0.proposal.basis_estimated", "null")
		list.is("1.reason", `"expired_unclosed"`).is("1.proposal.kind", `"assignment"`).is("1.proposal.side", `"buy"`)
		list.is("2.reason", `"split_suspected"`).is("2.quantity", "20").is("2.proposal.ratio_new", "3").is("2.proposal.ratio_old", "1").
			is("2.proposal.effective_on", `"2026-01-06"`)
		list.is("3.reason", `"nothing_to_close"`).is("3.proposal.kind", `"opening"`).is("3.proposal.side", `"sell"`).is("3.proposal.basis_estimated", "true").
			is("3.proposal.executed_at", `"2026-01-16T20:59:59Z"`)
		w.addUser(d.client, "other@example.org").get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		for _, one := range found {
			path := "/executions"
			if one.Reason == "split_suspected" {
				path = "/corporate-actions"
			}
			d.post(path, one.Proposal).want(http.StatusCreated)
		}
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
	})
}

// TestSplitIsNotSuspected: a reversal at a usual price, or of no simple multiple.
func TestSplitIsNotSuspected(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for symbol, sale := range map[string]more{
			"SAME": {"quantity": 20, "price": 118}, "ODDS": {"quantity": 17, "price": 60}, "LESS": {"quantity": 4, "price": 12},
		} {
			for _, fill := range []more{{"side": "buy", "quantity": 10, "price": 120, "executed_at": "2026-01-02T15:00:00Z"}, sale} {
				all := more{"account_id": d.account, "symbol": symbol, "side": "sell", "executed_at": "2026-01-06T15:00:00Z"}
				maps.Copy(all, fill)
				d.made("/executions", all)
			}
		}
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
	})
}

// TestRatiosAreBounded: a symbol's splits cannot make quantities of any length.
func TestRatiosAreBounded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		split := more{"kind": "split", "symbol": "SPLT", "ratio_new": 1_000_000_000_000, "effective_on": "2026-01-05"}
		d.made("/corporate-actions", split)
		split["effective_on"] = "2026-01-06"
		second := d.made("/corporate-actions", split).text("id")
		split["effective_on"], split["ratio_new"] = "2026-01-07", 2
		d.post("/corporate-actions", split).wantField("ratio_new")
		d.delete("/corporate-actions/" + second).want(http.StatusNoContent)
		d.made("/corporate-actions", split)
	})
}
