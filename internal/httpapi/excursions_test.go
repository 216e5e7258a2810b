package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
)

var crypto = more{"instrument_type": "crypto"}

// addBars stores BTCUSD minute bars from the given minute on, for the only user. Each is
// an open, a high, a low and a close in whole units.
func (w *world) addBars(first int, prices ...[4]int64) {
	w.t.Helper()
	users, err := w.people.Users(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	start, err := time.Parse(time.RFC3339, at(first))
	if err != nil {
		w.t.Fatal(err)
	}
	block := market.Block{Secs: 60}
	for i, p := range prices {
		block.Bars = append(block.Bars, market.Bar{Time: start.Unix() + int64(i)*60, Open: p[0], High: p[1], Low: p[2], Close: p[3]})
	}
	_, _, err = bars.New(w.db, w.clock.Now, bars.DefaultLimit, nil).Commit(w.t.Context(), users[0].ID, bars.NewImport{
		FileName: "btc.csv", Layout: "TradingView", Series: []bars.NewSeries{{
			Key: bars.Key{Symbol: "BTCUSD", Secs: 60, PriceKind: market.TradePrice}, VolumeKind: market.NoVolume,
			Blocks: func(yield func(market.Block) bool) { yield(block) },
		}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestExcursion(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("BTCUSD", "buy 2@100", 1, crypto)
		id := d.fill("BTCUSD", "sell 2@103", 3, crypto).text("trade_id")
		path := "/trades/" + id + "/excursion"
		d.get(path).want(http.StatusOK).holds("", `{"available": false, "reason": "no_bars", "coverage": 0}`)
		d.trade(id).is("excursion", "null")

		w.addBars(0, [4]int64{100, 100, 100, 100}, [4]int64{100, 102, 99, 100}, [4]int64{100, 105, 98, 103}, [4]int64{103, 106, 102, 104},
			[4]int64{104, 104, 104, 104}, [4]int64{104, 104, 104, 104}, [4]int64{104, 104, 104, 104}, [4]int64{104, 104, 104, 104})
		d.annotate(id, more{"initial_risk": 4})
		d.get(path).want(http.StatusOK).holds("", `{
			"available": true, "reason": null, "coverage": 1,
			"mae": {"low": 4, "high": 4, "exact": true}, "mfe": {"low": 10, "high": 12, "exact": false},
			"mae_r": {"low": 1, "high": 1, "exact": true}, "mfe_r": {"low": 2.5, "high": 3, "exact": false},
			"mae_pct": {"low": 2, "high": 2}, "mae_ticks": null,
			"fills_checked": 2, "fills_inside": 2, "fills_without_bar": 0, "bar_secs": 60, "source": "TradingView", "price_kind": "trade",
			"gross_at_exit": 6, "best_exit": null, "given_back": {"low": 4, "high": 6},
			"entry_efficiency": {"low": 0.714286, "high": 0.75}, "exit_efficiency": {"low": 0.625, "high": 0.714286},
			"after_exit": [{"minutes": 5, "pnl": 2}, {"minutes": 15, "pnl": null}, {"minutes": 30}, {"minutes": 60}, {"minutes": null, "pnl": null}],
			"at_entry": {"atr": null, "gap_pct": null, "relative_volume": null, "opening_range_place": null}
		}`)
		const kept = `{"mae_low": 4, "mae_high": 4, "mfe_low": 10, "mfe_high": 12, "coverage": 1}`
		d.trade(id).holds("excursion", kept)
		d.trades("BTCUSD").holds("0.excursion", kept)
		d.get("/trades?limit=1&sort=net_pnl").want(http.StatusOK).holds("0.excursion", kept)
		export := string(d.get("/exports?format=csv&rows=trades").want(http.StatusOK).body)
		if want := ",4,4,10,12,1,60,trade\n"; !strings.Contains(export, want) || !strings.Contains(export, "Lowest MAE") {
			w.t.Errorf("the export has no excursion: %s", export)
		}

		figures := d.get("/analytics/excursions?explain=true").want(http.StatusOK)
		figures.holds("", `{"trades": 1, "with_excursion": 1, "exact": 0, "with_r": 1,
			"winners": {"trades": 1, "avg_mae": {"low": 4, "high": 4}, "avg_mfe": {"low": 10, "high": 12}},
			"points": [{"trade_id": "`+id+`", "net_pnl": 6, "r": 1.5, "mae_low": 4, "mfe_high": 12, "symbol": "BTCUSD", "mae_r": 1, "mfe_r": 2.5}],
			"baseline": {"stop": null, "target": null, "low": 1.5, "high": 1.5, "halves": [{"low": 1.5}, {"low": 0}]},
			"went_for_breakeven": {"low": 0, "high": 0}}`)
		// A stop at 1 R would have been hit; one at 1.5 R not.
		figures.holds("stops.3", `{"stop": 1, "low": -1, "high": -1, "winners_stopped": {"low": 1, "high": 1}}`)
		figures.holds("stops.4", `{"stop": 1.5, "low": 1.5, "high": 1.5, "winners_stopped": {"low": 0, "high": 0}}`)
		// It is unknown whether the 3 R target was reached.
		figures.holds("targets.4", `{"target": 3, "low": 1.5, "high": 3, "targets_reached": {"low": 0, "high": 1}}`)
		figures.holds("grid.3.4", `{"stop": 1, "target": 3, "low": -1, "high": 3}`)
		figures.holds("after_exit.0", `{"minutes": 5, "trades": 1, "mean": 2}`)
		figures.holds("explanation.bars", `[{"source": "TradingView", "bar_secs": 60, "price_kind": "trade", "trades": 1, "exact": 0, "not_covered": 0}]`)
		d.get("/trades?mae_r_min=1&mae_r_max=1&mfe_r_min=2.5&has_excursion=true").want(http.StatusOK).wantColumn("id", id)
		d.get("/trades?mfe_r_min=2.6").want(http.StatusOK).is("", "[]")
		row := d.get("/analytics/breakdown?by=mfe_r&explain=true").want(http.StatusOK).holds("", `[{"key": "2_3", "trades": 1}]`)
		d.get(strings.TrimPrefix(row.text("0.explanation.trades_link"), "/api/v1")).want(http.StatusOK).wantColumn("id", id)
		// Typed values count instead, also after they were removed again.
		d.annotate(id, more{"mfe": 16})
		d.get("/analytics/breakdown?by=mfe_r").want(http.StatusOK).is("0.key", `"over_3"`)
		d.annotate(id, more{"mfe": nil})
		d.get("/analytics/breakdown?by=mfe_r").want(http.StatusOK).is("0.key", `"2_3"`)

		// The exit bar counts for the trader's planned orders. The bars end before the
		// session, so it is unknown what happened to others.
		d.annotate(id, more{"stop_price": 98, "target_price": 106})
		d.get(path).want(http.StatusOK).holds("alternatives", `[
			{"kind": "stop", "price": 98, "reached": "yes", "at": "`+at(2)+`", "pnl": {"low": -4, "high": -4}, "difference": {"low": -10, "high": -10}},
			{"kind": "target", "price": 106, "reached": "yes", "at": "`+at(3)+`", "pnl": {"low": 12, "high": 12}, "difference": {"low": 6, "high": 6}},
			{"kind": "later", "minutes": 5, "reached": null, "pnl": {"low": 8, "high": 8}, "difference": {"low": 2, "high": 2}}]`)
		d.annotate(id, more{"stop_price": 97, "target_price": nil})
		d.get(path).want(http.StatusOK).is("alternatives.0.kind", `"later"`)
		rest := make([][4]int64, 9*60-8) // until midnight
		for i := range rest {
			rest[i] = [4]int64{104, 104, 104, 104}
		}
		w.addBars(8, rest...)
		whole := d.get(path).want(http.StatusOK)
		whole.holds("alternatives.0", `{"kind": "stop", "price": 97, "reached": "no", "at": null, "pnl": null, "difference": null}`)
		whole.holds("alternatives.1", `{"kind": "best", "at": null, "pnl": {"low": 12, "high": 12}, "difference": {"low": 6, "high": 6}}`)
		whole.holds("alternatives.6", `{"kind": "session_end", "at": "2026-01-06T00:00:00Z", "pnl": {"low": 8, "high": 8}}`)

		// A fill in between changes the trade, and its excursion with it.
		d.fill("BTCUSD", "buy 1@100", 2, crypto)
		d.trades("BTCUSD").holds("0.excursion", `{"mae_low": 4, "mae_high": 6, "mfe_low": 12, "mfe_high": 18}`)

		other := w.addUser(d.client, "other@example.org")
		other.get(path).wantError(http.StatusNotFound, "not_found")
	})
}

func TestRunningPnL(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("BTCUSD", "buy 2@100", 1, crypto)
		first := d.fill("BTCUSD", "sell 2@103", 3, crypto).text("trade_id")
		second := d.fill("BTCUSD", "sell 1@104", 4, crypto).text("trade_id")
		other := d.fill("ETHUSD", "sell 1@10", 2, crypto).text("trade_id")
		path := func(query string, ids ...string) string {
			return "/trades/running?trade_id=" + strings.Join(ids, ",") + query
		}
		d.get(path("", first)).want(http.StatusOK).holds("", `{"bar_secs": 0, "t": [], "position": [], "pnl": [], "r": null}`)

		w.addBars(0, [4]int64{100, 100, 100, 100}, [4]int64{100, 102, 99, 101}, [4]int64{101, 105, 98, 102}, [4]int64{102, 106, 102, 105},
			[4]int64{105, 105, 103, 104}, [4]int64{104, 104, 101, 101})
		d.annotate(first, more{"initial_risk": 4})
		// The fills count at their minute's close: 2 × (101 − 100), 2 × (102 − 100), then
		// the exit at 103.
		one := d.get(path("", first)).want(http.StatusOK)
		one.holds("", `{"bar_secs": 60, "position": [0, 2, 2, 0, 0, 0], "pnl": [0, 2, 4, 6, 6, 6], "r": [0, 0.5, 1, 1.5, 1.5, 1.5],
			"mae_low": [0, 0, 4, 4, 4, 4], "mae_high": [0, 2, 4, 4, 4, 4]}`)
		d.get(path("", first, second)).want(http.StatusOK).
			holds("", `{"position": [0, 2, 2, 0, -1, -1], "pnl": [0, 2, 4, 6, 6, 9], "r": null, "mae_low": null, "mae_high": null}`)
		// Two-minute bars; the window begins and ends with an opening.
		window := "&bar_secs=120&bars_from=" + at(2) + "&bars_to=" + at(3)
		d.get(path(window, first)).want(http.StatusOK).holds("", `{"bar_secs": 120, "position": [0], "pnl": [6]}`)

		d.get(path("", first, other)).wantField("trade_id")
		d.get(path("&bars_from="+at(3)+"&bars_to="+at(2), first)).wantField("bars_from")
		w.addUser(d.client, "other@example.org").get(path("", first)).wantError(http.StatusNotFound, "not_found")
	})
}

// wantNoMarks requires a curve without marked points.
func (r *reply) wantNoMarks() {
	r.t.Helper()
	if !r.keys("")["marked"] {
		r.t.Errorf("%s: marked is missing: %s", r.call, r.body)
	}
	r.is("marked", "null")
}

func TestMarkedEquity(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("BTCUSD", "buy 2@100", 1, crypto)
		d.fill("BTCUSD", "sell 1@101", 2, crypto)
		const midnight = 9 * 60
		d.fill("BTCUSD", "sell 1@110", midnight+5, crypto)
		d.get("/analytics/equity-curve").want(http.StatusOK).is("ending_equity", "11").wantNoMarks()
		w.addBars(0, [4]int64{100, 101, 100, 100}, [4]int64{100, 102, 99, 101}, [4]int64{101, 105, 98, 104})
		// One is left, bought for 100 + 100 - 101, and worth 104.
		const marked = `[{"at": "2026-01-06T00:00:00Z", "equity": 5}]`
		d.get("/analytics/equity-curve").want(http.StatusOK).holds("marked", marked)
		d.get("/analytics/equity-curve?max_points=3000").want(http.StatusOK).holds("marked", marked)
		d.get("/analytics/equity-curve?to=2026-01-05T23:00:00Z").want(http.StatusOK).wantNoMarks()
		d.get("/analytics/equity-curve?pnl_basis=realized").want(http.StatusOK).wantNoMarks()
		// Another trade that night has no price.
		d.fill("ETHUSD", "buy 1@10", 3, crypto)
		d.fill("ETHUSD", "sell 1@11", midnight+9, crypto)
		d.get("/analytics/equity-curve").want(http.StatusOK).wantNoMarks()
		d.get("/analytics/equity-curve?symbol=BTCUSD").want(http.StatusOK).holds("marked", marked)
		// A year without prices is null once, and null in a curve with other values.
		const year = 365 * 24 * 60
		d.fill("SOLUSD", "buy 1@10", midnight+10, crypto)
		d.fill("SOLUSD", "sell 1@11", midnight+10+year, crypto)
		d.get("/analytics/equity-curve?symbol=SOLUSD").want(http.StatusOK).wantNoMarks()
		d.get("/analytics/equity-curve?symbol=BTCUSD,SOLUSD").want(http.StatusOK).holds("marked.0", `{"equity": 5}`).holds("marked.1", `{"equity": null}`)
		other := w.addUser(d.client, "other@example.org")
		other.get("/analytics/equity-curve").want(http.StatusOK).wantNoMarks()
	})
}

func TestPositions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("BTCUSD", "buy 3@100", 1, crypto)
		id := d.fill("BTCUSD", "sell 1@102", 2, crypto).text("trade_id")
		short := d.fill("ETHUSD", "sell 1@10", 2, crypto).text("trade_id")
		d.annotate(id, more{"stop_price": 95})
		d.annotate(short, more{"stop_price": 12.5})
		d.put("/positions/"+short+"/mark", more{"price": 10}).want(http.StatusOK).
			holds("", `{"stop_distance": 2.5, "stop_distance_pct": 25, "open_risk": 2.5}`)
		list := d.get("/positions?symbol=BTCUSD").want(http.StatusOK)
		list.holds("", `[{"trade_id": "`+id+`", "quantity": 2, "avg_entry_price": 100, "mark": null, "unrealized_pnl": null, "open_risk": null,
			"root": "BTCUSD", "option_right": null, "strike": null, "expiry": null, "stop_distance": null, "stop_distance_pct": null}]`)
		d.get("/positions").want(http.StatusOK).holds("", `[{}, {}]`)

		w.addBars(0, [4]int64{100, 101, 100, 100}, [4]int64{100, 102, 99, 101}, [4]int64{101, 105, 98, 103})
		valued := d.get("/positions?symbol=BTCUSD").want(http.StatusOK)
		// 2 × (103 − 100) are not realized; the closed part realized 2.
		valued.holds("0", `{"mark": {"price": 103, "at": "2026-01-05T15:03:00Z", "source": "TradingView", "stale": true},
			"unrealized_pnl": 6, "realized_pnl": 2, "day_change": 8, "open_risk": 16, "stop_distance": 8}`).
			is("0.stop_distance_pct", "7.766990291262") // 800 / 103

		path := "/positions/" + id + "/mark"
		d.put(path, more{"price": 110}).want(http.StatusOK).
			holds("", `{"mark": {"price": 110, "source": "typed", "stale": false}, "unrealized_pnl": 20, "day_change": null, "open_risk": 30, "stop_distance": 15}`)
		// Beyond the stop there is no risk left, and the distance is negative.
		d.put(path, more{"price": 94}).want(http.StatusOK).holds("", `{"open_risk": 0, "stop_distance": -1}`)
		d.put(path, more{"price": 0}).want(http.StatusOK).holds("", `{"stop_distance": -95, "stop_distance_pct": null}`)
		d.put(path, more{"price": -1}).wantField("price")
		d.put(path, more{}).wantField("price")
		w.addUser(d.client, "other@example.org").put(path, more{"price": 1}).wantError(http.StatusNotFound, "not_found")
		d.put(path, more{"price": nil}).want(http.StatusOK).holds("mark", `{"price": 103}`)

		d.fill("BTCUSD", "sell 2@102", 3, crypto)
		d.put(path, more{"price": 110}).wantError(http.StatusConflict, "conflict")
		d.get("/positions").want(http.StatusOK).holds("", `[{"symbol": "ETHUSD", "quantity": -1}]`)
	})
}
