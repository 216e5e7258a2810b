package httpapi_test

import (
	"net/http"
	"testing"
)

// ruledTrade is an account with a setup with two rules and a closed trade.
type ruledTrade struct {
	trader
	setup, trade string
}

func newRuledTrade(d trader) *ruledTrade {
	r := &ruledTrade{trader: d}
	r.setup = d.made("/setups", more{"name": "Breakout", "checklist": []string{"Volume", "Retest"}}).text("id")
	d.fill("AAPL", "buy 1@10", 0)
	r.trade = d.fill("AAPL", "sell 1@12", 5).text("trade_id")
	d.annotate(r.trade, more{"setup_ids": []string{r.setup}})
	return r
}

// tick returns a rule state change.
func (r *ruledTrade) tick(rule string, state any) more {
	return more{"rules": []more{{"setup_id": r.setup, "rule": rule, "state": state}}}
}

// hasRules compares the trade's rule states.
func (r *ruledTrade) hasRules(want string) {
	r.w.t.Helper()
	r.get("/trades/"+r.trade).want(http.StatusOK).is("rules", want)
}

func (r *ruledTrade) stored(rule, state string) string {
	return `{"rule":"` + rule + `","setup_id":"` + r.setup + `","state":"` + state + `"}`
}

func TestRulesAreTicked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		r := newRuledTrade(w.trader())
		r.hasRules("[]")
		r.annotate(r.trade, r.tick("Volume", "followed"))
		r.annotate(r.trade, r.tick(" Retest ", "broken"))
		both := "[" + r.stored("Retest", "broken") + "," + r.stored("Volume", "followed") + "]"
		r.hasRules(both)
		r.get("/trades").want(http.StatusOK).is("0.rules", both)
		r.annotate(r.trade, r.tick("Retest", "not_applicable"))
		r.annotate(r.trade, r.tick("Volume", nil))
		r.hasRules("[" + r.stored("Retest", "not_applicable") + "]")

		other := r.made("/setups", more{"name": "Other", "checklist": []string{"Volume"}}).text("id")
		for name, rules := range map[string][]more{
			"a rule of no checklist":           {{"setup_id": r.setup, "rule": "Patience", "state": "broken"}},
			"a setup of another trade":         {{"setup_id": other, "rule": "Volume", "state": "broken"}},
			"a setup that does not exist":      {{"setup_id": "none", "rule": "Volume", "state": "broken"}},
			"a blank rule":                     {{"setup_id": r.setup, "rule": " ", "state": "broken"}},
			"a good one and one of no setting": {{"setup_id": r.setup, "rule": "Volume", "state": "broken"}, {"setup_id": r.setup, "rule": "Patience", "state": "broken"}},
		} {
			w.t.Log(name)
			r.patch("/trades/"+r.trade, more{"rules": rules}).wantField("rules")
		}
		r.patch("/trades/"+r.trade, r.tick("Volume", "kept")).wantField("rules")
		r.hasRules("[" + r.stored("Retest", "not_applicable") + "]")
		r.annotate(r.trade, more{"rules": nil})
		r.hasRules("[]")
	})
}

// TestRulesFollowTheSetup removes a setup from a trade and adds it again, and
// deletes it.
func TestRulesFollowTheSetup(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		r := newRuledTrade(w.trader())
		r.annotate(r.trade, r.tick("Volume", "broken"))
		r.patch("/trades", more{"ids": []string{r.trade}, "remove_setup_ids": []string{r.setup}}).want(http.StatusOK)
		r.hasRules("[]")
		r.patch("/trades", more{"ids": []string{r.trade}, "add_setup_ids": []string{r.setup}}).want(http.StatusOK)
		r.hasRules("[" + r.stored("Volume", "broken") + "]")
		r.patch("/trades", more{"ids": []string{r.trade}, "set": r.tick("Retest", "followed")}).want(http.StatusOK).is("updated", "1")
		r.patch("/trades", more{"ids": []string{r.trade}, "set": r.tick("Patience", "followed")}).wantField("set.rules")
		r.hasRules("[" + r.stored("Retest", "followed") + "," + r.stored("Volume", "broken") + "]")
		r.delete("/setups/" + r.setup).want(http.StatusNoContent)
		r.hasRules("[]")
	})
}

// TestChecklistEditsKeepTicks reorders, renames, swaps and removes lines.
func TestChecklistEditsKeepTicks(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		r := newRuledTrade(w.trader())
		r.annotate(r.trade, r.tick("Volume", "broken"))
		r.annotate(r.trade, r.tick("Retest", "followed"))
		edit := func(lines []string, renames ...more) *reply {
			return r.patch("/setups/"+r.setup, more{"checklist": lines, "renamed_rules": renames})
		}
		rename := func(from, to string) more { return more{"from": from, "to": to} }

		edit([]string{"Retest", "Volume"}).want(http.StatusOK)
		r.hasRules("[" + r.stored("Retest", "followed") + "," + r.stored("Volume", "broken") + "]")

		edit([]string{"Retest", "High volume"}, rename("Volume", "High volume")).want(http.StatusOK)
		r.hasRules("[" + r.stored("High volume", "broken") + "," + r.stored("Retest", "followed") + "]")

		edit([]string{"Retest", "High volume"}, rename("High volume", "Retest"), rename("Retest", "High volume")).want(http.StatusOK)
		r.hasRules("[" + r.stored("High volume", "followed") + "," + r.stored("Retest", "broken") + "]")

		// A removed line keeps its history, which may still be changed.
		edit([]string{"Retest"}).want(http.StatusOK)
		r.hasRules("[" + r.stored("High volume", "followed") + "," + r.stored("Retest", "broken") + "]")
		r.annotate(r.trade, r.tick("High volume", "broken"))

		// A rename to a text with history replaces it where both are.
		edit([]string{"High volume"}, rename("Retest", "High volume")).want(http.StatusOK)
		r.hasRules("[" + r.stored("High volume", "broken") + "]")

		for name, wrong := range map[string][]more{
			"from no line":   {rename("Patience", "High volume")},
			"to no line":     {rename("High volume", "Patience")},
			"twice":          {rename("High volume", "A"), rename("High volume", "B")},
			"still a line":   {rename("High volume", "A")},
			"a blank rename": {rename("High volume", " ")},
		} {
			w.t.Log(name)
			edit([]string{"High volume", "A", "B"}, wrong...).wantField("renamed_rules")
		}
		r.get("/setups/"+r.setup).want(http.StatusOK).is("checklist", `["High volume"]`)
	})
}

// TestRuleReport checks a small journal's report by hand.
func TestRuleReport(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		r := newRuledTrade(w.trader()) // made 2, no answers
		other := r.made("/setups", more{"name": "Fade", "checklist": []string{}}).text("id")
		for i, exit := range []string{"sell 1@13", "sell 1@8", "sell 1@7"} { // 3, -2, -3
			r.fill("AAPL", "buy 1@10", 10*i+10)
			trade := r.fill("AAPL", exit, 10*i+15).text("trade_id")
			r.annotate(trade, more{"setup_ids": []string{r.setup, other}, "initial_risk": 2})
			r.annotate(trade, r.tick("Volume", []string{"followed", "broken", "broken"}[i]))
		}
		r.annotate(r.trade, r.tick("Retest", "not_applicable"))
		report := r.get("/analytics/rules").want(http.StatusOK)
		report.holds("", `{"trades":4,"followed":1,"broken":2,"not_applicable":1,"unanswered":4,"difference":5.5,"cost":11,"cost_r":5.5,
			"enough":false,"p_value":null,"significant":false,"interval":{"low":null,"high":null}}`)
		report.is("setups.0.name", `"Breakout"`).holds("setups.0.rules.0", `{"rule":"Volume","removed":false,"trades":4,"followed":1,"broken":2,
			"not_applicable":0,"unanswered":1,"when_followed":{"trades":1,"net_pnl":3,"avg_trade":3,"avg_r":1.5},
			"when_broken":{"trades":2,"net_pnl":-5,"avg_trade":-2.5,"avg_r":-1.25},"cost":11}`)
		report.holds("setups.0.rules.1", `{"rule":"Retest","followed":0,"broken":0,"not_applicable":1,"unanswered":3,"follow_rate":null,"cost":null}`)
		if report.count("setups") != 1 {
			w.t.Error("a setup without rules is listed")
		}

		// Checklist edits and renames are seen at once.
		r.patch("/setups/"+r.setup, more{"checklist": []string{"High volume"}, "renamed_rules": []more{{"from": "Volume", "to": "High volume"}}}).want(http.StatusOK)
		report = r.get("/analytics/rules").want(http.StatusOK)
		report.holds("setups.0.rules.0", `{"rule":"High volume","broken":2,"unanswered":1}`)
		report.holds("setups.0.rules.1", `{"rule":"Retest","removed":true,"not_applicable":1,"unanswered":0}`)
		r.get("/analytics/rules?pnl_basis=realized").wantField("pnl_basis")
		r.get("/analytics/rules?outcome=win").want(http.StatusOK).holds("", `{"followed":1,"broken":0}`)
		stranger := w.addUser(r.client, "other@example.org")
		stranger.get("/analytics/rules").want(http.StatusOK).holds("", `{"trades":0,"setups":[]}`)
	})
}
