package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
)

// openVertical opens a call vertical at a minute of 2026-03-02, of two trades that are one
// strategy if accepted, and returns the trades' ids.
func (d trader) openVertical(strike, other string, minute int) (ids []string) {
	d.w.t.Helper()
	return []string{
		d.option("buy", "call", strike, "3", minute).text("trade_id"),
		d.option("sell", "call", other, "1", minute+1).text("trade_id"),
	}
}

// closeVertical closes it for so much a share.
func (d trader) closeVertical(strike, other, price string, minute int) {
	d.w.t.Helper()
	d.option("sell", "call", strike, price, minute)
	d.option("buy", "call", other, "1", minute+1)
}

// TestRuleCountsStrategies: with unit=strategy a vertical is one opening and one close, and
// all its trades have its verdict.
func TestRuleCountsStrategies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		first := d.openVertical("100", "105", 0)
		d.closeVertical("100", "105", "2", 5) // loses 100
		second := d.openVertical("110", "115", 10)
		d.closeVertical("110", "115", "4", 15) // makes 100
		third := d.option("buy", "call", "120", "1", 20).text("trade_id")
		d.option("sell", "call", "120", "0.5", 21) // loses 50
		rule := func(kind string, n int, unit string) string {
			return d.made("/trading-rules", more{"kind": kind, "params": more{"n": n, "unit": unit}, "valid_from": "2026-01-01"}).
				is("params.unit", `"`+unit+`"`).text("id")
		}
		trades, units := rule("max_trades", 2, "trade"), rule("max_trades", 2, "strategy")
		stop := rule("stop_after_losses", 1, "strategy")
		d.get("/trading-rules/results").want(http.StatusOK).
			holds("0", `{"rule_id":"`+trades+`","kept":2,"broken":3}`).
			holds("1", `{"rule_id":"`+units+`","kept":2,"broken":3}`) // proposals do not count
		strategy := d.made("/strategies", more{"trade_ids": first}).text("id")
		other := d.made("/strategies", more{"trade_ids": second}).text("id")
		results := d.get("/trading-rules/results").want(http.StatusOK)
		results.holds("0", `{"kept":2,"broken":3,"net_kept":-100}`).
			holds("1", `{"kept":2,"broken":1,"net_kept":0,"net_broken":-50,"days_broken":1}`).
			holds("1.breaks.0", `{"trade_id":"`+third+`","strategy_id":null,"value":3,"limit":2}`).
			holds("2", `{"rule_id":"`+stop+`","kept":1,"broken":2,"net_kept":-100,"net_broken":50}`).
			holds("2.breaks.0", `{"trade_id":"`+second[0]+`","strategy_id":"`+other+`","value":1,"limit":1,"at":"2026-03-02T15:10:00Z"}`)
		for _, id := range second {
			d.get("/trades/"+id).is("trading_rules.kept", "1").holds("trading_rules", `{"broken":["`+trades+`","`+stop+`"]}`)
		}
		countIs(d.get("/trades?rule_broken="+stop), "", 3)
		countIs(d.get("/trades?rule_kept="+stop), "", 2)
		// One trade selects its unit, which counts whole.
		d.get("/trading-rules/results?pnl_max=-75").holds("2", `{"kept":1,"broken":0,"net_kept":-100}`)
		whatIf := "/analytics/what-if?rule_id=" + stop
		d.get(whatIf).want(http.StatusOK).is("unit", `"strategy"`).is("removed_trades", `["`+second[0]+`","`+third+`"]`).
			holds("removed", `{"trades":2,"wins":1,"losses":1,"net":50}`).is("effect", "-50").
			is("actual.total_trades", "3").is("kept_rule.total_trades", "1").is("kept_rule.net_pnl", "-100")
		d.get("/analytics/what-if?kind=stop_after_losses&n=1&unit=strategy").want(http.StatusOK).is("removed.trades", "2").is("unit", `"strategy"`)
		d.get("/analytics/what-if?kind=stop_after_losses&n=1").want(http.StatusOK).is("unit", `"trade"`).is("actual.total_trades", "5")
		d.get(whatIf + "&unit=strategy").want(http.StatusOK)
		d.get(whatIf + "&unit=trade").wantField("unit")
		d.get(whatIf + "&n=2").wantField("n")
		d.get("/analytics/what-if?kind=stop_set&unit=trade").wantField("unit")
		d.get("/analytics/what-if?kind=max_trades&n=2&unit=day").wantField("unit")
		// A decision changes the verdicts at once, and so does its undo.
		undone := d.delete("/strategies/" + strategy).want(http.StatusNoContent)
		d.get("/trading-rules/results").holds("1", `{"kept":2,"broken":2}`)
		d.post("/history/"+undone.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
		d.get("/trading-rules/results").wantSame(results)
	})
}

// TestHalfClosedUnitsAreOpen: a strategy has no result before its last trade is closed, and
// counts as open until then.
func TestHalfClosedUnitsAreOpen(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		ids := d.openVertical("100", "105", 0)
		d.made("/strategies", more{"trade_ids": ids})
		d.option("sell", "call", "100", "1", 5) // the long call loses 200
		later := d.option("buy", "put", "90", "1", 10).text("trade_id")
		for _, kind := range []string{"max_losses", "max_open"} {
			d.made("/trading-rules", more{"kind": kind, "params": more{"n": 1, "unit": "strategy"}, "valid_from": "2026-01-01"})
		}
		d.get("/trading-rules/results").want(http.StatusOK).
			holds("0", `{"kept":2,"broken":0}`).
			holds("1", `{"kept":1,"broken":1}`).holds("1.breaks.0", `{"trade_id":"`+later+`","value":2,"limit":1}`)
		countIs(d.get("/analytics/what-if?kind=max_losses&n=1&unit=strategy"), "removed_trades", 0)
		d.get("/analytics/what-if?kind=max_losses&n=1&unit=strategy").is("actual.total_trades", "0")
		d.option("buy", "call", "105", "1.5", 12) // closes the vertical
		d.option("buy", "call", "130", "1", 15)
		d.get("/trading-rules/results").holds("0", `{"kept":2,"broken":1}`).holds("1", `{"kept":1,"broken":2}`)
	})
}

// TestAlertsCountStrategies: with unit=strategy the second trade of a strategy is no second
// opening, for alerts and for what is left today.
func TestAlertsCountStrategies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		params := more{"n": 1, "unit": "strategy"}
		d.made("/trading-rules", more{"kind": "max_trades", "params": params, "valid_from": "2026-01-01"})
		today := func(minute int) more { return more{"executed_at": fmt.Sprintf("2026-03-10T14:%02d:00Z", minute)} }
		ids := []string{
			d.option("buy", "call", "100", "3", 0, today(0)).text("trade_id"), d.option("sell", "call", "105", "1", 0, today(1)).text("trade_id"),
		}
		d.get("/trading-rules/today").is("0.value", "2")
		d.made("/strategies", more{"trade_ids": ids})
		d.get("/trading-rules/today").is("0.value", "1").is("0.state", `"reached"`)
		d.evaluate()
		d.get("/alerts").want(http.StatusOK).is("", "[]")
		third := d.option("buy", "call", "120", "1", 0, today(2)).text("trade_id")
		d.evaluate()
		d.get("/alerts").wantColumn("kind", "rule_broken").wantColumn("trade_id", third)
	})
}
