package httpapi_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.nets("AAA", "10", "-4")
		other, third := d.addAccount("Other"), d.addAccount("Third")
		other.nets("AAA", "3")
		third.nets("AAA", "5")
		got := d.get("/analytics/compare?account_id=" + d.account + "&other_account_id=" + other.account).want(http.StatusOK)
		got.wantKeys("", "unit", "a", "b", "difference", "curve_a", "curve_b").wantKeys("a", summaryKeys...).wantKeys("b", summaryKeys...)
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
		d.get("/analytics/montecarlo").want(http.StatusOK).wantKeys("", "paths", "trades", "fan", "drawdown", "ruin", "profitable", "generator", "seed", "unit").
			is("paths", "1000").is("trades", "3").is("ruin", "null").is("profitable", "1").is("fan.2.p5", "30").is("drawdown.p95", "0")
		d.nets("BBB", "-25")
		far := d.get("/analytics/montecarlo?paths=100&trades=2000").want(http.StatusOK).is("trades", "2000").is("paths", "100")
		if far.count("fan") > 50 {
			t.Errorf("the fan has %d steps", far.count("fan"))
		}
		d.put("/accounts/"+d.account, more{"starting_balance": json.Number("100")}).want(http.StatusOK)
		d.get("/analytics/montecarlo?ruin_pct=0.5&symbol=BBB").want(http.StatusOK).is("ruin", "1").is("profitable", "0")
		d.get("/analytics/montecarlo?ruin_pct=100&symbol=AAA").want(http.StatusOK).is("ruin", "0")
	})
}
