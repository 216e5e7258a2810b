package httpapi_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/figures/analytics/oracle"
)

// TestExplanationsAddUp: an explanation gives the figure that it explains, the
// inputs that the summary has too, and trades of the scope that can be listed.
func TestExplanationsAddUp(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ids := d.nets("AAA", "10", "-4", "0", "2.5", "-1", "-2")
		d.annotate(ids[0], more{"initial_risk": 5})
		d.annotate(ids[1], more{"initial_risk": 8})
		d.nets("BBB", "1000")
		answer := d.get("/analytics/summary?explain=true&symbol=AAA").want(http.StatusOK)
		answer.is("total_trades", "6").is("net_pnl", "5.5")
		explained := map[string]bool{}
		for i := range answer.count("explanation") {
			path := "explanation." + itoa(i)
			e := explanation{t, d, answer, path}
			e.check()
			explained[answer.text(path+".figure")] = true
		}
		for _, figure := range summaryKeys {
			if figure != "currency" && figure != "breakeven_tolerance" && !explained[figure] {
				t.Errorf("%s is not explained", figure)
			}
		}
	})
}

// explanation is that of one figure.
type explanation struct {
	t      *testing.T
	d      desk
	answer *reply
	path   string
}

func (e explanation) at(field string) string { return e.answer.text(e.path + "." + field) }

func (e explanation) check() {
	e.answer.wantKeys(e.path, "figure", "formula", "value", "inputs", "which", "trade_count", "trade_ids", "trades_link")
	figure := e.at("figure")
	if got, want := e.answer.json(e.path+".value"), e.answer.json(figure); got != want {
		e.t.Errorf("%s is explained as %s, but is %s", figure, got, want)
	}
	for i := range e.answer.count(e.path + ".inputs") {
		name, value := e.at("inputs."+itoa(i)+".name"), e.answer.json(e.path+".inputs."+itoa(i)+".value")
		if name != "starting_balance" && value != e.answer.json(name) {
			e.t.Errorf("%s has the input %s = %s, but it is %s", figure, name, value, e.answer.json(name))
		}
	}
	e.formula()
	e.trades()
}

var simple = regexp.MustCompile(`^(\w+) ([-/]) (\w+)$`)

// formula works a formula of two inputs out.
func (e explanation) formula() {
	parts := simple.FindStringSubmatch(e.at("formula"))
	if parts == nil || e.answer.value(e.path+".value") == nil {
		return
	}
	a, b := fraction(e.at("inputs.0.value")), fraction(e.at("inputs.1.value"))
	if e.at("inputs.0.name") != parts[1] || e.at("inputs.1.name") != parts[3] {
		e.t.Errorf("the formula %q has the inputs %s", parts[0], e.answer.json(e.path+".inputs"))
	}
	result := new(big.Rat).Sub(a, b)
	if parts[2] == "/" {
		result.Quo(a, b)
	}
	want, _ := result.Float64()
	if len(oracle.Differences(want, e.answer.value(e.path+".value"))) > 0 {
		e.t.Errorf("%s = %s, which is %v and not %s", e.at("figure"), parts[0], want, e.at("value"))
	}
}

// sums are the figures that are sums over the trades they name, and the sign
// that they have.
var sums = map[string]struct {
	field string
	sign  int64
}{
	"net_pnl": {"net_pnl", 1}, "gross_pnl": {"gross_pnl", 1}, "gross_profit": {"net_pnl", 1}, "gross_loss": {"net_pnl", -1},
	"largest_win": {"net_pnl", 1}, "largest_loss": {"net_pnl", -1}, "total_fees": {"fees_total", 1}, "max_drawdown": {"net_pnl", -1},
}

// trades requires that the trades that are named are of the scope, and for sums
// that they add up.
func (e explanation) trades() {
	list := e.d.get("/trades?status=closed&symbol=AAA").want(http.StatusOK)
	listed := list.column("id")
	named, _ := e.answer.value(e.path + ".trade_ids").([]any)
	if n := e.at("trade_count"); n != itoa(len(named)) {
		e.t.Errorf("%s counts %s trades and names %d", e.at("figure"), n, len(named))
	}
	rule, isSum := sums[e.at("figure")]
	total := new(big.Rat)
	for _, id := range named {
		row := slices.Index(listed, id.(string))
		if row < 0 {
			e.t.Fatalf("%s names the trade %s, which is not of the scope", e.at("figure"), id)
		}
		if isSum {
			total.Add(total, fraction(list.text(itoa(row)+"."+rule.field)))
		}
	}
	if total.Mul(total, big.NewRat(rule.sign, 1)); isSum && total.Cmp(fraction(e.at("value"))) != 0 {
		e.t.Errorf("the trades of %s add up to %s, want %s", e.at("figure"), total.RatString(), e.at("value"))
	}
}

// TestRowsAreExplained: the link of a row lists the trades of the row.
func TestRowsAreExplained(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ids := d.nets("AAA", "10", "-4", "0")
		d.nets("BBB", "3")
		tag := d.made("/tags", more{"name": "late", "kind": "mistake"}).text("id")
		setup := d.made("/setups", more{"name": "gap"}).text("id")
		d.annotate(ids[0], more{"tag_ids": []string{tag}, "setup_ids": []string{setup}})
		links := 0
		for _, by := range oracle.Dimensions() {
			rows := d.get("/analytics/breakdown?explain=true&evidence=false&from=2026-01-01T00:00:00Z&by=" + by).want(http.StatusOK)
			for i := range rows.count("") {
				link := rows.text(itoa(i) + ".explanation.trades_link")
				if link == "" {
					continue
				}
				links++
				if got := d.get(strings.TrimPrefix(link, "/api/v1")).want(http.StatusOK).count(""); itoa(got) != rows.text(itoa(i)+".trades") {
					t.Errorf("by %s: %s lists %d trades, the row has %s", by, link, got, rows.text(itoa(i)+".trades"))
				}
			}
		}
		if links < 8 {
			t.Errorf("only %d rows have a link", links)
		}
	})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "10", "-4")
		other, third := d.desk("Other"), d.desk("Third")
		other.nets("AAA", "3")
		third.nets("AAA", "5")
		got := d.get("/analytics/compare?account_id=" + d.account + "&other_account_id=" + other.account).want(http.StatusOK)
		got.wantKeys("", "a", "b", "difference").wantKeys("a", summaryKeys...).wantKeys("b", summaryKeys...)
		got.is("a.net_pnl", "6").is("b.net_pnl", "3").is("difference.net_pnl", "3").is("difference.expectancy", "0").is("difference.p_value", "null")
		both := "&other_account_id=" + other.account
		d.get("/analytics/compare?account_id="+d.account+both+"&other_account_id="+third.account).want(http.StatusOK).is("b.net_pnl", "8")
		d.get("/analytics/compare?account_id="+d.account+both+","+third.account).want(http.StatusOK).is("b.net_pnl", "8")
		d.get("/analytics/compare?account_id="+d.account+"&from="+at(30)+"&other_to="+at(30)).want(http.StatusOK).
			is("a.net_pnl", "-4").is("b.net_pnl", "10").is("difference.net_pnl", "-14")
	})
}

// TestCompareAgainst compares a selection with the rest and with the period before.
func TestCompareAgainst(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		const week = 60 * 24 * 7
		for i, result := range []int{5, -3, 7, 2, -1, 4} {
			symbol := []string{"AAA", "BBB"}[i%2]
			d.fill(symbol, "buy 1@100", i*week)
			d.fill(symbol, "sell 1@"+itoa(100+result), i*week+5)
		}
		compare := func(query string) *reply {
			return d.get("/analytics/compare?" + query).want(http.StatusOK)
		}
		compare("against=rest&symbol=AAA").is("a.net_pnl", "11").is("b.net_pnl", "3").is("b.total_trades", "3")
		compare("against=rest&outcome=win&from="+at(week)).is("a.net_pnl", "13").is("b.net_pnl", "-4")
		compare("against=rest").is("a.total_trades", "6").is("b.total_trades", "0")
		compare("against=rest&weekday=0").is("a.total_trades", "0").is("b.total_trades", "6").is("difference.interval", `{"high":null,"low":null}`)
		previous := "against=previous&from=" + at(4*week) + "&to=" + at(6*week-1)
		compare(previous).is("a.net_pnl", "3").is("b.net_pnl", "9").is("b.total_trades", "2").is("difference.expectancy", "-3")
		interval := compare(previous)
		low, high := fraction(interval.text("difference.interval.low")), fraction(interval.text("difference.interval.high"))
		if low.Cmp(big.NewRat(-8, 1)) < 0 || high.Cmp(big.NewRat(2, 1)) > 0 || low.Cmp(high) >= 0 {
			t.Errorf("the interval of the difference is %s to %s", low, high)
		}
		for query, field := range map[string]string{
			"against=previous": "from", "against=previous&from=" + at(0): "to", "against=all": "against",
		} {
			d.get("/analytics/compare?"+query).wantError(http.StatusBadRequest, "bad_request").wantField(field)
		}
	})
}

func TestMonteCarlo(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "10", "10", "10")
		d.get("/analytics/montecarlo").want(http.StatusOK).wantKeys("", "paths", "trades", "fan", "drawdown", "ruin", "profitable", "generator", "seed").
			is("paths", "1000").is("trades", "3").is("ruin", "null").is("profitable", "1").is("fan.2.p5", "30").is("drawdown.p95", "0")
		d.nets("BBB", "-25")
		far := d.get("/analytics/montecarlo?paths=100&trades=2000").want(http.StatusOK).is("trades", "2000").is("paths", "100")
		if far.count("fan") > 50 {
			t.Errorf("the fan has %d steps", far.count("fan"))
		}
		for i := range far.count("fan") {
			step := "fan." + itoa(i) + "."
			var before *big.Rat
			for _, p := range []string{"p5", "p25", "p50", "p75", "p95"} {
				value := fraction(far.text(step + p))
				if before != nil && value.Cmp(before) < 0 {
					t.Errorf("%s is below the quantile before it: %s", step+p, far.json("fan."+itoa(i)))
				}
				before = value
			}
		}
		d.put("/accounts/"+d.account, more{"starting_balance": json.Number("100")}).want(http.StatusOK)
		d.get("/analytics/montecarlo?ruin_pct=0.5&symbol=BBB").want(http.StatusOK).is("ruin", "1").is("profitable", "0")
		d.get("/analytics/montecarlo?ruin_pct=100&symbol=AAA").want(http.StatusOK).is("ruin", "0")
	})
}
