package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"testing"
)

// TestToleranceDecidesOutcomes: what is within the preference is breakeven in
// every answer, also in one that was computed before.
func TestToleranceDecidesOutcomes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ids := d.nets("AAA", "5", "-5", "5.01", "-20", "100")
		d.annotate(ids[0], more{"initial_risk": 50})
		d.annotate(ids[2], more{"initial_risk": 50})
		stranger := w.addUser(d.client, "stranger@example.org").desk("Theirs")
		stranger.nets("AAA", "5")
		token := d.made("/share-links", `{}`).text("token")
		there := newWorld(t, w.db).as(d.token)
		for _, c := range []struct{ form, wins, losses, breakeven string }{
			{"null", "3", "2", "0"},
			{"5", "2", "1", "2"},
			{`{"amount":5.01}`, "1", "1", "3"},
			{`{"r":0.1}`, "2", "2", "1"},
			{"0", "3", "2", "0"},
		} {
			d.put("/settings/journal", `{"breakeven_tolerance":`+c.form+`}`).want(http.StatusOK).is("breakeven_tolerance", c.form)
			for _, who := range []*client{d.client, there} {
				summary := who.get("/analytics/summary?explain=true").want(http.StatusOK).is("breakeven_tolerance", c.form)
				summary.is("wins", c.wins).is("losses", c.losses).is("breakeven", c.breakeven).is("net_pnl", "85.01")
				summary.is("explanation.1.figure", `"wins"`).is("explanation.1.trade_count", c.wins)
				who.get("/analytics/breakdown?by=symbol").is("0.wins", c.wins).is("0.breakeven", c.breakeven).is("0.breakeven_tolerance", c.form)
				who.get("/analytics/daily").is("0.wins", c.wins).is("0.losses", c.losses)
				who.get("/analytics/calendar").is("days.0.wins", c.wins).is("breakeven_tolerance", c.form)
				who.get("/analytics/behavior").is("by_weekday.1.wins", c.wins).is("breakeven_tolerance", c.form)
				who.get("/analytics/compare").is("a.wins", c.wins).is("b.losses", c.losses).is("a.breakeven_tolerance", c.form)
				who.get("/analytics/r").is("breakeven_tolerance", c.form)
			}
			w.anonymous().get("/public/share/"+token).want(http.StatusOK).is("summary.wins", c.wins).is("summary.breakeven", c.breakeven)
			stranger.get("/analytics/summary").is("wins", "1").is("breakeven_tolerance", "null")
		}
	}, shareLinksOn)
}

// TestToleranceIsChecked: another form is refused and changes nothing.
func TestToleranceIsChecked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.put("/settings/journal", `{"breakeven_tolerance":{"amount":2.50},"timezone":"Asia/Tokyo"}`).want(http.StatusOK)
		for _, form := range []string{`-1`, `"5"`, `true`, `[]`, `{}`, `{"amount":-1}`, `{"r":"1"}`, `{"amount":1,"r":1}`, `{"pct":1}`, `1e99`} {
			d.put("/settings/journal", `{"breakeven_tolerance":`+form+`,"timezone":"UTC"}`).wantField("breakeven_tolerance")
		}
		d.get("/settings/journal").is("", `{"breakeven_tolerance":{"amount":2.50},"timezone":"Asia/Tokyo"}`)
		d.get("/analytics/summary").is("breakeven_tolerance", `{"amount":2.50}`)
	})
}

// TestOneMaximumDrawdownEverywhere: figures, list, curve and public link show the
// same maximum, with fees in cash and with deposits.
func TestOneMaximumDrawdownEverywhere(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.put("/accounts/"+d.account, more{"starting_balance": 900}).want(http.StatusOK)
		d.nets("AAA", "100", "-20", "-100")                             // closed at minutes 5, 65 and 125
		d.made("/cash-transactions", d.cash("fee", "30", 30))           // after the peak of 1000
		d.made("/cash-transactions", d.cash("deposit", "8550", 90))     // on top of 950
		d.made("/cash-transactions", d.cash("withdrawal", "-4750", 90)) // 4750 are left
		token := d.made("/share-links", `{"show_amounts":true}`).text("token")
		figures := map[string]string{
			"/analytics/summary": "max_drawdown", "/analytics/equity-curve": "max_drawdown", "/analytics/drawdowns": "0.depth",
		}
		for path, at := range figures {
			got := d.get(path).want(http.StatusOK).is(at, "150")
			// 1 - 970/1000 * 950/970 * 4650/4750
			if pct, err := strconv.ParseFloat(got.text(at+"_pct"), 64); err != nil || math.Abs(pct-7) > 1e-9 {
				w.t.Errorf("%s: %s_pct is %v, %v", path, at, pct, err)
			}
		}
		w.anonymous().get("/public/share/"+token).want(http.StatusOK).is("summary.max_drawdown", "150")
		// With a filter no fee counts, in none of them.
		for path, at := range figures {
			d.get(path+"?symbol=AAA").want(http.StatusOK).is(at, "120")
			d.get(path+"?side=long").want(http.StatusOK).is(at, "120")
		}
		d.get("/analytics/equity-curve?status=open").is("max_drawdown", "0").is("max_drawdown_pct", "null")
		// Without capital there are no percentages.
		d.put("/accounts/"+d.account, more{"starting_balance": 0}).want(http.StatusOK)
		d.get("/analytics/summary").is("max_drawdown_pct", "null").is("basis", `"money"`)
		d.get("/analytics/equity-curve").is("max_drawdown_pct", "null")
		d.get("/analytics/drawdowns").is("0.depth_pct", "null")
	}, shareLinksOn)
}

// TestSummaryCountsDaysInOneZone: the days of the evidence are the trading days, whatever
// zone comes with the question, and rows have bounds from two days on.
func TestSummaryCountsDaysInOneZone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const evening = 8 * 60 // 23:00 UTC, which is another day in the east
		for i, price := range []int{110, 95, 104} {
			d.fill("AAA", "buy 1@100", evening+90*i)
			d.fill("AAA", fmt.Sprintf("sell 1@%d", price), evening+90*i+5)
		}
		plain := d.get("/analytics/summary?evidence=true").want(http.StatusOK)
		if plain.text("trading_days") != plain.text("evidence.days") || plain.text("trading_days") == "1" {
			w.t.Errorf("%s trading days, %s of the evidence", plain.text("trading_days"), plain.text("evidence.days"))
		}
		d.get("/analytics/summary?evidence=true&tz=Asia/Tokyo").wantSame(plain)
		rows := d.get("/analytics/breakdown?by=symbol").want(http.StatusOK).is("0.evidence.days", "2").is("0.p_value", "null")
		for _, figure := range []string{"expectancy", "win_rate", "profit_factor"} {
			if rows.json("0.evidence."+figure+".low") == "null" {
				w.t.Errorf("%s of a row of two days has no bound: %s", figure, rows.body)
			}
		}
		// In Tokyo it is one day, and one day has no bounds, Wilson's neither.
		d.get("/analytics/breakdown?by=symbol&tz=Asia/Tokyo").is("0.evidence.days", "1").is("0.evidence.win_rate.low", "null")
	})
}

// TestRestoredJournalHasTheSameIntervals: what looks random does not depend on
// ids, so a backup in other hands gives the same numbers.
func TestRestoredJournalHasTheSameIntervals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for i := range 30 {
			d.fill("AAA", "buy 1@100", 700*i)
			d.fill("AAA", fmt.Sprintf("sell 1@%d", 100+(i*7)%11-4), 700*i+5)
		}
		backup := string(d.get("/exports?format=json").want(http.StatusOK).body)
		other := w.addUser(d.client, "other@example.org")
		other.form("/imports/commit", part{"file", "backup.json", backup}).want(http.StatusOK)
		for path, fields := range map[string][]string{
			"/analytics/summary?evidence=true":  {"evidence"},
			"/analytics/breakdown?by=hour":      {"0.evidence", "1.evidence"},
			"/analytics/montecarlo?paths=100":   {"fan", "drawdown", "seed"},
			"/analytics/behavior":               {"revenge.expected_rate", "overtrading.expected_rate", "loss_aversion.expected_rate"},
			"/analytics/breakdown?by=hold_time": {"0.evidence"},
		} {
			mine, theirs := d.get(path).want(http.StatusOK), other.get(path).want(http.StatusOK)
			for _, field := range fields {
				if mine.json(field) != theirs.json(field) {
					t.Errorf("%s: %s is %s, restored %s", path, field, mine.json(field), theirs.json(field))
				}
			}
		}
		d.get("/analytics/summary?evidence=true").is("evidence.generator", `"splitmix64"`).is("evidence.seed", "1").is("evidence.draws", "1000")
	})
}

// TestKellyAndSQN: breakevens are neither won nor lost, and quality is on R where
// every trade has one.
func TestKellyAndSQN(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ids := d.nets("AAA", "200", "-100", "0", "0")
		// 1/4 - 1/4 / 2
		d.get("/analytics/summary").want(http.StatusOK).is("kelly_pct", "12.5")
		money := d.get("/analytics/summary").text("sqn")
		for i, id := range ids {
			d.annotate(id, more{"initial_risk": json.Number(itoa(50 * (i + 1)))})
		}
		onR, r := d.get("/analytics/summary").text("sqn"), d.get("/analytics/r").text("sqn_r")
		if onR == money || onR != r {
			t.Errorf("SQN is %s, of R %s, of money %s", onR, r, money)
		}
	})
}
