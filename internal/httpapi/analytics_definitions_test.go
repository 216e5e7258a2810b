package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestToleranceDecidesOutcomes: results within the tolerance are breakeven in every
// answer, also in one computed before.
func TestToleranceDecidesOutcomes(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ids := d.nets("AAA", "5", "-5", "5.01", "-20", "100")
		d.annotate(ids[0], more{"initial_risk": 50})
		d.annotate(ids[2], more{"initial_risk": 50})
		stranger := w.addUser(d.client, "stranger@example.org").addAccount("Theirs")
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

// TestSummaryCountsDaysInOneZone: the evidence counts trading days in the same zone for
// every question, and rows have bounds from two days on.
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
