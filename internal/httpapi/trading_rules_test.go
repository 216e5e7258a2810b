package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// closeTrade enters a trade of one share that opens at an instant, lasts a minute, and
// makes so much.
func (d *trader) closeTrade(at time.Time, result int) string {
	buy := more{"symbol": "AAPL", "side": "buy", "quantity": 1, "price": 1000, "executed_at": at.Format(time.RFC3339)}
	sell := more{"symbol": "AAPL", "side": "sell", "quantity": 1, "price": 1000 + result, "executed_at": at.Add(time.Minute).Format(time.RFC3339)}
	return d.made("/trades", more{"account_id": d.account, "fills": []more{buy, sell}}).text("0.id")
}

// countIs checks how many elements a list has.
func countIs(r *reply, path string, want int) {
	r.t.Helper()
	if n := r.want(http.StatusOK).count(path); n != want {
		r.t.Errorf("%s has %d elements, not %d: %s", path, n, want, r.body)
	}
}

// TestTradingRule makes a rule, breaks it, and reads it in the results, on the trade, in
// the filter and in a breakdown.
func TestTradingRule(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
		var ids []string
		for k, result := range []int{-100, -100, 50, -200} {
			ids = append(ids, d.closeTrade(start.Add(time.Duration(k)*5*time.Minute), result))
		}
		rule := d.made("/trading-rules", more{"kind": "stop_after_losses", "params": more{"n": 2}, "valid_from": "2026-01-01", "name": "Two losses"})
		rule.is("tz", `"UTC"`).is("params", `{"n":2}`).is("account_ids", "[]").is("valid_to", "null")
		id := rule.text("id")
		d.get("/trading-rules/results").want(http.StatusOK).
			holds("0", `{"rule_id":"`+id+`","kept":2,"broken":2,"unknown":0,"days_broken":1,"days_kept":0,"net_kept":-200,"net_broken":-150,"breaks_total":2}`).
			holds("0.breaks.0", `{"trade_id":"`+ids[2]+`","day":"2026-03-02","value":2,"limit":2,"at":"2026-03-02T10:10:00Z"}`)
		d.get("/trading-rules/results?from=2026-03-02T10:12:00Z").want(http.StatusOK).holds("0", `{"kept":0,"broken":1}`)
		d.get("/trades/"+ids[3]).is("trading_rules", `{"broken":["`+id+`"],"kept":0,"unknown":0}`)
		d.get("/trades/"+ids[0]).is("trading_rules", `{"broken":[],"kept":1,"unknown":0}`)
		countIs(d.get("/trades?rule_broken="+id), "", 2)
		countIs(d.get("/trades?rule_kept="+id), "", 2)
		countIs(d.get("/trades?rule_broken=nothing"), "", 0)
		d.get("/analytics/summary?rule_broken="+id).want(http.StatusOK).is("total_trades", "2")
		rows := d.get("/analytics/breakdown?by=trading_rule").want(http.StatusOK)
		countIs(rows, "", 2)
		rows.holds("0", `{"key":"`+id+`","name":"Two losses","trades":2}`)
		d.get("/analytics/what-if?rule_id="+id).want(http.StatusOK).
			holds("", `{"effect":150,"days_touched":1,"enough":false,"in_sample":true,"unknown":0}`).
			holds("removed", `{"trades":2,"wins":1,"losses":1,"net":-150}`).
			is("removed_trades", `["`+ids[2]+`","`+ids[3]+`"]`).is("kept_rule.net_pnl", "-200").is("actual.net_pnl", "-350")
		swept := d.get("/analytics/what-if?kind=max_trades&sweep=n:1:3:1").want(http.StatusOK).is("param", `"n"`).is("points.0.effect", "250")
		countIs(swept, "points", 3)
		if strings.Contains(string(swept.body), "kept_rule") {
			t.Errorf("a sweep answers more than its curve: %s", swept.body)
		}
		other := w.addUser(d.client, "other@example.org")
		other.get("/trading-rules/"+id).wantError(http.StatusNotFound, "not_found")
		other.get("/trading-rules/results").want(http.StatusOK).is("", "[]")
	})
}

// TestTradingRuleSuccessor: a change that judges differently makes a successor, from today
// while no trade was opened today.
func TestTradingRuleSuccessor(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		now := w.clock.Now()
		today, tomorrow := now.Format(time.DateOnly), now.AddDate(0, 0, 1).Format(time.DateOnly)
		yesterday := now.AddDate(0, 0, -1).Format(time.DateOnly)
		rule := d.made("/trading-rules", more{"kind": "max_trades", "params": more{"n": 3}, "valid_from": "2020-01-01"})
		id := rule.text("id")
		d.patch("/trading-rules/"+id, more{"name": "Three"}).want(http.StatusOK).is("id", `"`+id+`"`)
		d.patch("/trading-rules/"+id, more{"kind": "max_open"}).wantField("kind")
		second := d.patch("/trading-rules/"+id, more{"params": more{"n": 4}}).want(http.StatusOK)
		second.is("valid_from", `"`+today+`"`).is("predecessor_id", `"`+id+`"`)
		d.get("/trading-rules/"+id).is("valid_to", `"`+yesterday+`"`)
		d.patch("/trading-rules/"+id, more{"params": more{"n": 5}}).wantError(http.StatusConflict, "conflict")
		d.patch("/trading-rules/"+second.text("id"), more{"params": more{"n": 5}}).want(http.StatusOK).is("id", `"`+second.text("id")+`"`)
		d.closeTrade(now.Add(-time.Hour).Truncate(time.Second), 5)
		third := d.patch("/trading-rules/"+second.text("id"), more{"params": more{"n": 6}}).want(http.StatusOK)
		third.is("valid_from", `"`+tomorrow+`"`)
		d.delete("/trading-rules/" + third.text("id")).want(http.StatusNoContent)
		d.get("/trading-rules/"+third.text("id")).wantError(http.StatusNotFound, "not_found")
		countIs(d.get("/trading-rules"), "", 2)
	})
}

// TestTradingRuleRefusals: parameters that a kind does not have, or cannot have.
func TestTradingRuleRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, c := range []struct {
			kind   string
			params more
			field  string
		}{
			{"max_trades", more{}, "params.n"},
			{"max_trades", more{"n": 0}, "params.n"},
			{"max_trades", more{"n": 2, "unit": "day"}, "params.unit"},
			{"max_size", more{"quantity": 2, "unit": "strategy"}, "params.unit"},
			{"max_daily_loss", more{"amount": 0}, "params.amount"},
			{"max_daily_loss", more{"amount": 5, "unit": "trade"}, "params.unit"},
			{"give_back", more{"share": 1.5}, "params.share"},
			{"max_size", more{"quantity": 1, "risk": 2}, "params"},
			{"no_trading", more{"before": "9:30"}, "params.before"},
			{"no_trading", more{"between": []string{"09:30"}}, "params.between"},
			{"only_symbols", more{"symbols": []string{}}, "params.symbols"},
			{"checklist", more{}, "kind"},
		} {
			d.post("/trading-rules", more{"kind": c.kind, "params": c.params}).wantField(c.field)
		}
		d.get("/analytics/what-if?kind=review_by&hours=3").wantField("kind")
		d.get("/analytics/what-if?kind=max_trades&n=x").wantField("n")
		d.get("/analytics/what-if?kind=max_trades&sweep=n:1:50:1").wantField("sweep")
		d.get("/analytics/what-if?kind=max_trades&sweep=amount:1:3:1").wantField("sweep")
		d.get("/analytics/what-if").wantField("rule_id")
	})
}

// TestLimitsOfToday: what is left of a day's limits.
func TestLimitsOfToday(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.made("/trading-rules", more{"kind": "max_daily_loss", "params": more{"amount": 200}})
		d.made("/trading-rules", more{"kind": "max_trades", "params": more{"n": 2}})
		d.made("/trading-rules", more{"kind": "stop_set"})
		d.closeTrade(w.clock.Now().Add(-time.Hour).Truncate(time.Second), -170)
		today := d.get("/trading-rules/today").want(http.StatusOK)
		countIs(today, "", 2)
		today.
			holds("0", `{"kind":"max_daily_loss","state":"warning","value":170,"limit":200,"left":30,"currency":"USD"}`).
			holds("1", `{"kind":"max_trades","state":"ok","value":1,"limit":2,"left":1}`)
		d.closeTrade(w.clock.Now().Add(-30*time.Minute).Truncate(time.Second), 500)
		d.get("/trading-rules/today").holds("1", `{"state":"reached","left":0}`)
	})
}

// TestGoals: a goal, its progress, and its change.
func TestGoals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.closeTrade(time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC), 450)
		goal := d.made("/goals", more{"kind": "outcome", "metric": "net_pnl", "target": 1000, "period": "month", "starts_on": "2026-01-01"})
		d.get("/goals/progress?day=2026-03-16").want(http.StatusOK).
			holds("0", `{"goal_id":"`+goal.text("id")+`","value":450,"target":1000,"expected_by_now":500,"pace":"on","range":null,"period_from":"2026-03-01","period_to":"2026-03-31"}`)
		d.patch("/goals/"+goal.text("id"), more{"target": 450}).want(http.StatusOK).is("target", "450")
		d.get("/goals/progress?day=2026-03-16").holds("0", `{"pace":"done"}`)
		d.post("/goals", more{"kind": "process", "metric": "days_kept", "target": 0.9, "period": "week"}).wantField("rule_id")
		d.post("/goals", more{"kind": "limit", "metric": "win_rate", "target": 0.9, "period": "week"}).wantField("metric")
		d.delete("/goals/" + goal.text("id")).want(http.StatusNoContent)
		d.get("/goals").is("", "[]")
	})
}

// TestGoalGoesOnWithSuccessors: days_kept counts the days of the rule and of those that
// continue it.
func TestGoalGoesOnWithSuccessors(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		rule := d.made("/trading-rules", more{"kind": "max_trades", "params": more{"n": 1}, "valid_from": "2020-01-01"}).text("id")
		d.made("/goals", more{"kind": "process", "metric": "days_kept", "target": 0.9, "period": "year", "rule_id": rule})
		kept := func(day time.Time, want string) {
			d.get("/goals/progress?day="+day.Format(time.DateOnly)).want(http.StatusOK).is("0.value", want)
		}
		now := w.clock.Now().Truncate(time.Second)
		d.closeTrade(now.Add(-time.Minute), 5)
		kept(now, "1")
		next := d.patch("/trading-rules/"+rule, more{"params": more{"n": 2}}).want(http.StatusOK).text("id")
		d.patch("/trading-rules/"+next, more{"params": more{"n": 0}}).want(http.StatusBadRequest)
		w.clock.Advance(24 * time.Hour)
		d.client = w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		for i := range 3 {
			d.closeTrade(now.Add(24*time.Hour+time.Duration(i-4)*time.Minute), 5)
		}
		kept(w.clock.Now(), "0.5")
	})
}

// TestSuccessorsJudgeNoDayAgain: a successor does not begin before the last day of its
// predecessor, and trades in accounts that a token does not see count as well.
func TestSuccessorsJudgeNoDayAgain(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		tomorrow := w.clock.Now().AddDate(0, 0, 1).Format(time.DateOnly)
		d.closeTrade(w.clock.Now().Add(-time.Hour).Truncate(time.Second), 5)
		newRule := func() string {
			return "/trading-rules/" + d.made("/trading-rules", more{"kind": "max_trades", "params": more{"n": 3}, "valid_from": "2020-01-01"}).text("id")
		}
		next := d.patch(newRule(), more{"params": more{"n": 4}}).want(http.StatusOK).is("valid_from", `"`+tomorrow+`"`)
		d.patch("/trading-rules/"+next.text("id"), more{"valid_from": "2020-01-01", "params": more{"n": 5}}).want(http.StatusOK).
			is("valid_from", `"`+tomorrow+`"`).is("params.n", "5")
		second := d.made("/accounts", more{"name": "Second", "base_currency": "USD"}).text("id")
		limited := w.as(d.made("/access-tokens", more{"name": "limited", "scope": "write", "account_ids": []string{second}}).text("token"))
		limited.patch(newRule(), more{"params": more{"n": 4}}).want(http.StatusOK).is("valid_from", `"`+tomorrow+`"`)
	})
}

// TestRulesAndGoalsNameTheirRecords: a setup, tag, rule or account that a request names must
// exist; one that was deleted since does not prevent other changes.
func TestRulesAndGoalsNameTheirRecords(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := w.addUser(d.client, "other@example.org")
		foreign := other.made("/setups", more{"name": "gap"}).text("id")
		d.post("/trading-rules", more{"kind": "only_setups", "params": more{"setup_ids": []string{foreign}}}).wantField("params.setup_ids")
		d.post("/trading-rules", more{"kind": "avoid_tags", "params": more{"tag_ids": []string{unknown()}}}).wantField("params.tag_ids")
		setup, second := d.made("/setups", more{"name": "gap"}).text("id"), d.made("/setups", more{"name": "break"}).text("id")
		rule := "/trading-rules/" + d.made("/trading-rules", more{"kind": "only_setups", "params": more{"setup_ids": []string{setup}}}).text("id")
		d.patch(rule, more{"account_ids": []string{unknown()}}).wantField("account_ids")
		d.patch(rule, more{"params": more{"setup_ids": []string{setup, unknown()}}}).wantField("params.setup_ids")
		d.delete("/setups/" + setup).want(http.StatusNoContent)
		countIs(d.patch(rule, more{"params": more{"setup_ids": []string{setup, second}}}), "params.setup_ids", 2)

		extra := d.made("/accounts", more{"name": "Extra", "base_currency": "USD"}).text("id")
		kept := d.made("/trading-rules", more{"kind": "stop_set"}).text("id")
		body := more{"kind": "process", "metric": "days_kept", "target": 0.9, "period": "week", "rule_id": unknown()}
		d.post("/goals", body).wantField("rule_id")
		body["rule_id"], body["account_ids"] = kept, []string{d.account, extra}
		goal := "/goals/" + d.made("/goals", body).text("id")
		d.patch(goal, more{"rule_id": unknown()}).wantField("rule_id")
		d.patch(goal, more{"account_ids": []string{unknown()}}).wantField("account_ids")
		d.delete("/accounts/" + extra).want(http.StatusNoContent)
		d.delete("/trading-rules/" + kept + "?purge=true").want(http.StatusNoContent)
		body["target"] = 0.8
		d.patch(goal, body).want(http.StatusOK).is("target", "0.8")
	})
}
