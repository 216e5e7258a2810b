package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"fillbook/internal/figures/analytics"
)

// The fields in each answer, by the contract.
var (
	summaryKeys       = listSummaryKeys()
	summaryAnswerKeys = append(listSummaryKeys(), "unit")
	dayKeys           = []string{"date", "net_pnl", "gross_pnl", "fees", "trades", "wins", "losses", "win_rate", "volume", "cumulative_pnl", "unit"}
	curveKeys         = []string{"points", "starting_equity", "ending_equity", "max_drawdown", "max_drawdown_pct", "net_cash_flow", "currency", "marked", "unit"}
	behaviorKeys      = []string{
		"trades", "revenge", "overconfidence", "loss_aversion", "overtrading", "by_hour", "by_weekday", "by_weekday_hour", "by_session", "by_hold_time", "streaks",
		"breakeven_tolerance", "unit",
	}
	groupKeys = []string{"trades", "wins", "win_rate", "net_pnl"}
)

func listSummaryKeys() []string {
	keys := []string{"currency", "breakeven_tolerance", "excluded"}
	for _, f := range analytics.Figures() {
		keys = append(keys, f.Name)
	}
	return keys
}

// figurePaths are all the questions, with what they cannot do without.
var figurePaths = []string{
	"/analytics/summary", "/analytics/daily", "/analytics/equity-curve", "/analytics/behavior", "/analytics/breakdown?by=symbol",
	"/analytics/r", "/analytics/drawdowns", "/analytics/calendar", "/analytics/compare", "/analytics/montecarlo", "/analytics/insights",
}

// also adds a parameter to a path.
func also(path, parameter string) string {
	if strings.Contains(path, "?") {
		return path + "&" + parameter
	}
	return path + "?" + parameter
}

// nets records closed trades with these results an hour apart, and returns their ids.
func (d trader) nets(symbol string, amounts ...string) []string {
	d.w.t.Helper()
	var ids []string
	for i, amount := range amounts {
		d.fill(symbol, "buy 1@1000", 60*i)
		price := fraction(amount)
		price.Add(price, fraction("1000"))
		places, _ := price.FloatPrec()
		ids = append(ids, d.fill(symbol, "sell 1@"+price.FloatString(places), 60*i+5).text("trade_id"))
	}
	return ids
}

func TestFiguresHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "200", "-100", "300")
		// The worked vector: 200, -100, 300.
		d.get("/analytics/summary").want(http.StatusOK).wantKeys("", summaryAnswerKeys...).holds("", `{"profit_factor": 5, "payoff_ratio": 2.5,
			"avg_win": 250, "avg_loss": 100, "median_trade": 200, "expectancy": 133.333333333333, "win_rate": 0.6666666666666666,
			"largest_loss": 100, "max_drawdown": 100, "net_pnl": 400, "total_trades": 3, "currency": "USD"}`)
		explained := d.get("/analytics/summary?evidence=true&explain=true").want(http.StatusOK)
		explained.wantKeys("evidence", "n", "days", "level", "expectancy", "win_rate", "profit_factor", "generator", "seed", "draws").
			wantKeys("evidence.win_rate", "low", "high", "enough", "missing").is("evidence.generator", `"splitmix64"`).is("evidence.seed", "1")
		explained.wantKeys("explanation.0", "figure", "formula", "value", "inputs", "which", "trade_count", "trade_ids", "trades_link")
		d.get("/analytics/daily").want(http.StatusOK).wantKeys("0", dayKeys...).is("0.date", `"2026-01-05"`).is("0.cumulative_pnl", "400")
		curve := d.get("/analytics/equity-curve").want(http.StatusOK).wantKeys("", curveKeys...)
		curve.wantKeys("points.0", "at", "equity", "drawdown").is("ending_equity", "400")
		behavior := d.get("/analytics/behavior").want(http.StatusOK).wantKeys("", behaviorKeys...)
		for _, detector := range []string{"revenge", "overconfidence", "loss_aversion", "overtrading"} {
			behavior.is(detector+".insufficient_data", "true").is(detector+".events", "[]")
			behavior.wantKeys(detector+".flagged", groupKeys...).wantKeys(detector+".baseline", groupKeys...)
		}
		for name, field := range map[string]string{"by_hour": "hour", "by_weekday": "weekday", "by_session": "session", "by_hold_time": "bucket"} {
			behavior.wantKeys(name+".0", append([]string{field}, groupKeys...)...)
		}
		if behavior.count("by_hour") != 24 || behavior.count("by_weekday") != 7 || behavior.count("by_session") != 4 {
			d.w.t.Errorf("the buckets are not all there: %s", behavior.body)
		}
		d.get("/analytics/calendar").want(http.StatusOK).wantKeys("", "year", "days", "weeks", "months", "total", "breakeven_tolerance", "unit").
			is("year", "2026").is("breakeven_tolerance", "null")
	})
}

// TestFiguresWithoutTrades requests figures for a journal without trades, and for one
// without accounts.
func TestFiguresWithoutTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		for range 2 {
			for _, path := range figurePaths {
				owner.get(path).want(http.StatusOK)
			}
			owner.get("/analytics/summary").wantKeys("", summaryAnswerKeys...).holds("", `{"total_trades": 0, "win_rate": 0, "net_pnl": 0,
				"profit_factor": null, "payoff_ratio": null, "kelly_pct": null, "sqn": null, "sharpe": null, "sortino": null,
				"max_drawdown_pct": null, "avg_r": null, "avg_trade": 0, "std_dev": 0, "avg_hold_secs": 0}`)
			for _, list := range []string{"daily", "breakdown?by=tag", "drawdowns"} {
				owner.get("/analytics/"+list).is("", "[]")
			}
			owner.get("/analytics/equity-curve").is("points", "[]").is("max_drawdown", "0")
			owner.get("/analytics/calendar").is("days", "[]").is("months", "[]")
			owner.get("/analytics/summary?explain=true&evidence=true").want(http.StatusOK)
			owner.addAccount("Empty")
		}
	})
}

func TestFigureRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "1")
		for parameter, field := range map[string]string{
			"from=yesterday": "from", "to=2026-02-30T00:00:00Z": "to",
			"from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z": "from", "from=2026-01-02": "from", "status=half": "status",
			"date_basis=both": "date_basis", "side=up": "side",
		} {
			for _, path := range figurePaths {
				d.get(also(path, parameter)).wantField(field)
			}
		}
		for _, zone := range []string{"tz=Mars/Phobos", "tz=Local", "tz=../UTC"} {
			for _, path := range []string{"daily", "behavior", "breakdown?by=hour", "calendar", "compare"} {
				d.get(also("/analytics/"+path, zone)).wantField("tz")
			}
			// What cuts no days does not look at the zone.
			for _, path := range []string{"summary", "summary?explain=true", "summary?evidence=true", "equity-curve", "r", "drawdowns", "montecarlo"} {
				d.get(also("/analytics/"+path, zone)).want(http.StatusOK).wantSame(d.get("/analytics/" + path))
			}
		}
		for path, field := range map[string]string{
			"breakdown": "by", "breakdown?by=colour": "by", "breakdown?by=symbol&evidence=maybe": "evidence",
			"summary?explain=maybe": "explain", "summary?evidence=2": "evidence",
			"drawdowns?limit=0": "limit", "drawdowns?limit=1001": "limit", "drawdowns?limit=x": "limit", "drawdowns?limit=1.5": "limit",
			"equity-curve?max_points=7": "max_points", "equity-curve?max_points=20001": "max_points", "equity-curve?max_points=-1": "max_points",
			"calendar?year=1969": "year", "calendar?year=2200": "year", "calendar?year=x": "year",
			"montecarlo?paths=99": "paths", "montecarlo?paths=5001": "paths", "montecarlo?trades=0": "trades", "montecarlo?trades=2001": "trades",
			"montecarlo?ruin_pct=0": "ruin_pct", "montecarlo?ruin_pct=101": "ruin_pct", "montecarlo?ruin_pct=x": "ruin_pct",
			"compare?other_from=x": "other_from", "compare?other_to=x": "other_to",
			"compare?other_from=2026-01-02T00:00:00Z&other_to=2026-01-01T00:00:00Z": "other_from",
		} {
			d.get("/analytics/" + path).wantField(field)
		}
	})
}

// TestFiguresRespectTheScope: other users' accounts are unknown, and currencies are not
// added up.
func TestFiguresRespectTheScope(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "5")
		stranger := w.addUser(d.client, "stranger@example.org").addAccount("Theirs")
		stranger.nets("AAA", "7", "9")
		for _, path := range figurePaths {
			unheard := d.get(also(path, "account_id="+unknown())).wantError(http.StatusNotFound, "not_found")
			foreign := d.get(also(path, "account_id="+stranger.account)).wantError(http.StatusNotFound, "not_found")
			if string(unheard.body) != string(foreign.body) {
				w.t.Errorf("%s: a foreign account looks other than an unknown one: %s, %s", path, foreign.body, unheard.body)
			}
			w.anonymous().get(path).wantError(http.StatusUnauthorized, "unauthorized")
		}
		d.get("/analytics/compare?other_account_id="+stranger.account).wantError(http.StatusNotFound, "not_found")
		d.get("/analytics/summary").is("total_trades", "1")
		stranger.get("/analytics/summary").is("net_pnl", "16")

		euro := d.addAccount("Euro", more{"base_currency": "EUR"})
		euro.nets("BBB", "3")
		for _, path := range figurePaths {
			d.get(path).wantError(http.StatusBadRequest, "mixed_currencies")
			d.get(also(path, "account_id="+d.account+","+euro.account)).wantError(http.StatusBadRequest, "mixed_currencies")
			d.get(also(path, "account_id="+euro.account)).want(http.StatusOK)
		}
		d.get("/analytics/summary?account_id="+euro.account).is("currency", `"EUR"`).is("net_pnl", "3")
		d.get("/analytics/compare?account_id="+d.account+"&other_account_id="+euro.account).wantError(http.StatusBadRequest, "mixed_currencies")
		d.get("/trades").want(http.StatusOK) // each row names its own
	})
}

// TestOpenTradesHaveNoFigures: who requests open trades only gets none.
func TestOpenTradesHaveNoFigures(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "5", "-2")
		d.fill("BBB", "buy 1@10", 300)
		d.get("/analytics/summary").is("total_trades", "2")
		d.get("/analytics/summary?status=closed").is("total_trades", "2")
		d.get("/analytics/summary?status=open").is("total_trades", "0").is("net_pnl", "0")
		d.get("/analytics/daily?status=open").is("", "[]")
		d.get("/analytics/behavior?status=open").is("trades", "0")
		d.get("/analytics/breakdown?by=symbol&status=open").is("", "[]")
		d.get("/analytics/r?status=open").is("trades", "0")
		d.get("/analytics/drawdowns?status=open").is("", "[]")
		d.get("/analytics/calendar?status=open").is("total.trades", "0")
		d.get("/analytics/compare?status=open").is("a.total_trades", "0").is("b.total_trades", "0")
		d.get("/analytics/equity-curve?status=open").is("ending_equity", "0")
		d.get("/analytics/montecarlo?status=open").is("profitable", "0")
	})
}

// TestFiguresHaveAnETagAndAllowReadTokens: unchanged figures need not be sent again, and
// a read-only token may read them.
func TestFiguresHaveAnETagAndAllowReadTokens(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "5", "-2", "9")
		_, secret := d.mint(map[string]any{"name": "reader", "scope": "read"})
		reader := w.as(secret)
		before := map[string]string{}
		for _, path := range figurePaths {
			first := d.get(path).want(http.StatusOK)
			before[path] = first.tag()
			d.with("If-None-Match", first.tag()).get(path).want(http.StatusNotModified)
			reader.get(path).want(http.StatusOK).wantSame(first)
		}
		d.nets("BBB", "-100")
		for _, path := range figurePaths {
			if path == "/analytics/insights" { // few trades have none
				continue
			}
			d.with("If-None-Match", before[path]).get(path).want(http.StatusOK)
		}
		reader.post("/executions", d.order("AAA", "buy 1@1", 0)).wantError(http.StatusForbidden, "insufficient_scope")
	})
}
