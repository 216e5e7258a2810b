package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// scaledOut records a position closed on two days, a reversed one, and one that is half
// open.
func scaledOut(w *world) trader {
	const day = 24 * 60
	d := w.trader()
	d.fill("AAA", "buy 100@10", 0, more{"fees": 10})
	d.fill("AAA", "sell 40@12", day, more{"fees": 1})
	d.fill("AAA", "sell 60@9", 2*day, more{"fees": 2})
	d.fill("BBB", "sell 10@20", day)
	d.fill("BBB", "buy 20@18", 2*day, more{"commission": 4})
	d.fill("BBB", "sell 5@19", 3*day)
	return d
}

// TestRealizedDaysAgreeWithTheStatement: each closing fill counts on its own day with its
// share in the costs, before the position is flat.
func TestRealizedDaysAgreeWithTheStatement(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := scaledOut(w)
		// 40 × 2 − 1 − 40 % of 10; 60 × −1 − 2 − 60 % of 10, and 10 × 2 − half of 4; 5 × 1 − half of the other half.
		days := d.get("/analytics/daily?pnl_basis=realized").want(http.StatusOK)
		days.wantColumn("date", "2026-01-06", "2026-01-07", "2026-01-08").wantColumn("net_pnl", "75", "-50", "4").
			wantColumn("gross_pnl", "80", "-40", "5").wantColumn("fees", "5", "10", "1").wantColumn("trades", "1", "2", "1").
			wantColumn("wins", "1", "1", "1").wantColumn("losses", "0", "1", "0").wantColumn("volume", "880", "1520", "185").
			wantColumn("cumulative_pnl", "75", "25", "29")
		d.get("/analytics/daily").want(http.StatusOK).wantColumn("date", "2026-01-07").wantColumn("net_pnl", "25").wantColumn("trades", "2")
		d.get("/analytics/daily?pnl_basis=closed").wantSame(d.get("/analytics/daily"))

		all := d.get("/analytics/summary?pnl_basis=realized").want(http.StatusOK)
		all.is("total_trades", "3").is("wins", "3").is("losses", "0").is("net_pnl", "29").is("trading_days", "3").is("max_drawdown", "68")
		part := "/analytics/summary?pnl_basis=realized&from=2026-01-07T00:00:00Z&to=2026-01-07T23:59:59Z"
		d.get(part).want(http.StatusOK).is("total_trades", "2").is("wins", "1").is("losses", "1").is("net_pnl", "-50")
		d.get(part+"&date_basis=open").want(http.StatusOK).is("net_pnl", "-50")
		d.get("/analytics/summary?pnl_basis=realized&status=open").want(http.StatusOK).is("total_trades", "1").is("net_pnl", "4")
		d.get("/analytics/summary?pnl_basis=realized&status=closed").want(http.StatusOK).is("total_trades", "2").is("net_pnl", "25")
		d.get("/analytics/summary?pnl_basis=realized&symbol=AAA").want(http.StatusOK).is("total_trades", "1").is("net_pnl", "7")

		curve := d.get("/analytics/equity-curve?pnl_basis=realized").want(http.StatusOK).is("ending_equity", "29").is("max_drawdown", "68")
		if n := curve.count("points"); n != 5 {
			w.t.Errorf("the curve has %d points, want the start and 4 closings", n)
		}
		year := d.get("/analytics/calendar?year=2026&pnl_basis=realized").want(http.StatusOK)
		year.is("months.0.trades", "3").is("months.0.wins", "3").is("months.0.green_days", "2").is("months.0.red_days", "1")
		year.is("total.trades", "3").is("weeks.0.trades", "3").is("weeks.0.days_traded", "3").is("days.0.net_pnl", "75").is("days.1.unreviewed", "2")
		d.get("/analytics/breakdown?by=month&pnl_basis=realized").want(http.StatusOK).is("0.trades", "3").is("0.net_pnl", "29").is("0.evidence.days", "3")
	})
}

// TestRealizedIsRefusedWhereNotAvailable: figures without realized results refuse the
// basis, as every figure refuses an unknown word.
func TestRealizedIsRefusedWhereNotAvailable(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := scaledOut(w)
		for _, path := range []string{
			"behavior?", "r?", "drawdowns?", "compare?", "montecarlo?", "breakdown?by=symbol&", "breakdown?by=tag&", "breakdown?by=hold_time&",
			"breakdown?by=size&", "breakdown?by=account&",
		} {
			d.get("/analytics/"+path+"pnl_basis=realized").wantError(http.StatusBadRequest, "bad_request").wantField("pnl_basis")
			d.get("/analytics/" + path + "pnl_basis=closed").want(http.StatusOK)
		}
		for _, path := range []string{"summary?", "daily?", "calendar?", "equity-curve?", "breakdown?by=hour&", "behavior?", "montecarlo?"} {
			d.get("/analytics/"+path+"pnl_basis=cash").wantError(http.StatusBadRequest, "bad_request").wantField("pnl_basis")
		}
	})
}

// TestRealizedFiguresAreExplained: counts and named trades match the figures, and there
// is a link only if a list has the same trades.
func TestRealizedFiguresAreExplained(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := scaledOut(w)
		for _, c := range []struct{ query, trades, drawdown, link string }{
			{"", "3", "1", ""}, // the AAA loss is the whole drawdown
			{"&status=closed", "2", "1", "/api/v1/trades?status=closed"},
			{"&status=closed&from=2026-01-07T00:00:00Z", "2", "1", ""},
			{"&status=open", "1", "0", ""},
		} {
			answer := d.get("/analytics/summary?pnl_basis=realized&explain=true" + c.query).want(http.StatusOK)
			for i := range answer.count("explanation") {
				at := "explanation." + itoa(i) + "."
				switch answer.text(at + "figure") {
				case "total_trades":
					answer.is(at+"trade_count", c.trades).is(at+"trades_link", `"`+c.link+`"`)
					if !strings.Contains(answer.text(at+"formula"), "closing fill") {
						t.Errorf("the formula is %s", answer.text(at+"formula"))
					}
				case "max_drawdown":
					answer.is(at+"trade_count", c.drawdown)
					if linked := answer.text(at+"trades_link") != ""; linked != (c.drawdown != "0") {
						t.Errorf("%s: the drawdown has the link %q", c.query, answer.text(at+"trades_link"))
					}
				}
			}
		}
		rows := d.get("/analytics/breakdown?by=month&explain=true&pnl_basis=realized&status=closed").want(http.StatusOK)
		rows.is("0.explanation.trades_link", `""`)
	})
}
