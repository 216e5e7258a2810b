package httpapi_test

import (
	"net/http"
	"slices"
	"testing"
)

// tradeKeys are the contract's trade fields in a list, and two of ours: tag_ids and
// initial_risk_derived.
var tradeKeys = []string{
	"id", "account_id", "symbol", "instrument_type", "direction", "status", "opened_at", "closed_at", "qty_opened", "qty_remaining",
	"avg_entry_price", "avg_exit_price", "gross_pnl", "fees_total", "net_pnl", "realized_pnl", "pnl_currency", "return_pct",
	"time_in_trade_secs", "multiplier", "execution_count", "option_right", "strike", "expiry", "notes", "tags", "setup_ids", "rules", "trading_rules", "risk_to_stop",
	"initial_risk", "stop_price", "target_price", "r_multiple", "planned_r", "emotional_state", "confidence", "trade_quality",
	"mae", "mfe", "reviewed_at", "excursion",
	"tag_ids", "initial_risk_derived", "last_stop", "ended_by", "outcome", "symbols", "strategy_id",
}

func TestTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.setUp().addAccount("Euro", more{"base_currency": "EUR"})
		d.get("/trades").want(http.StatusOK).is("", "[]")
		id := d.fill("A", "buy 100@10", 0, more{"fees": 1, "commission": 2}).text("trade_id")
		detailKeys := append(slices.Clone(tradeKeys), "fills", "setups", "attachments", "dividend_total", "total_pnl")
		open := `{"id":"` + id + `","account_id":"` + d.account + `","symbol":"A","instrument_type":"stock","direction":"long","status":"open",
			"opened_at":"2026-01-05T15:00:00Z","closed_at":null,"qty_opened":100,"qty_remaining":100,"avg_entry_price":10,"avg_exit_price":null,
			"gross_pnl":null,"fees_total":3,"net_pnl":null,"realized_pnl":0,"pnl_currency":"EUR","return_pct":null,"time_in_trade_secs":null,
			"multiplier":1,"execution_count":1,"option_right":null,"strike":null,"expiry":null,"notes":"","tags":[],"tag_ids":[],"setup_ids":[],"rules":[],"trading_rules":{"kept":0,"broken":[],"unknown":0},"risk_to_stop":null,
			"initial_risk":null,"initial_risk_derived":false,"stop_price":null,"target_price":null,"r_multiple":null,"planned_r":null,
			"emotional_state":"","confidence":null,"trade_quality":null,"mae":null,"mfe":null,"excursion":null,"reviewed_at":null}`
		d.get("/trades").want(http.StatusOK).wantKeys("0", tradeKeys...).holds("0", open)
		d.trade(id).wantKeys("", detailKeys...).holds("", open).holds("", `{"setups":[],"attachments":[],"dividend_total":0,"total_pnl":null,
			"fills":[{"symbol":"A","quantity":100,"fees":1,"commission":2}]}`)
		d.trade(id).wantKeys("fills.0", append([]string{"role", "trade_quantity", "trade_fees", "trade_commission"}, executionKeys...)...)

		// Scaled out: the realized result is net of the closed part's costs, with its
		// share in the entry costs.
		d.fill("A", "sell 40@12", 1, more{"fees": 1})
		d.trade(id).holds("", `{"status":"open","qty_opened":100,"qty_remaining":60,"avg_exit_price":12,"gross_pnl":null,"net_pnl":null,
			"realized_pnl":77.8,"fees_total":4,"closed_at":null}`)
		d.fill("A", "buy 20@16", 2)
		d.trade(id).holds("", `{"qty_opened":120,"qty_remaining":80,"avg_entry_price":11}`)
		d.fill("A", "sell 80@15", 3, more{"commission": 4})
		d.trade(id).holds("", `{"status":"closed","closed_at":"2026-01-05T15:03:00Z","qty_remaining":0,"avg_entry_price":11,"avg_exit_price":14,
			"gross_pnl":360,"fees_total":8,"net_pnl":352,"realized_pnl":352,"total_pnl":352,"time_in_trade_secs":180,"execution_count":4,
			"return_pct":26.666666666667}`)
		d.trade(id).holds("fills", `[{"role":"opening","side":"buy"},{"role":"closing","trade_quantity":40},{"role":"opening"},{"role":"closing","trade_commission":4}]`)

		d.delete("/trades/" + id).wantNone()
		d.get("/trades/"+id).wantError(http.StatusNotFound, "not_found")
		d.delete("/trades/"+id).wantError(http.StatusNotFound, "not_found")
		d.patch("/trades/"+id, `{"notes":"x"}`).wantError(http.StatusNotFound, "not_found")
		d.get("/executions").want(http.StatusOK).is("", "[]")
	})
}

// TestTradeFilters requests trades by each filter, alone and together.
func TestTradeFilters(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		tag, other := d.made("/tags", more{"name": "Late"}).text("id"), d.made("/tags", more{"name": "Early"}).text("id")
		setup, second := d.made("/setups", more{"name": "ORB"}).text("id"), d.made("/setups", more{"name": "VWAP"}).text("id")
		ids := map[string]string{}
		ids["A"] = d.roundTrip("A")                                                                // closed at 1
		ids["B"] = d.fills("B", 5, "sell 1@1", "buy 1@2")[1].text("trade_id")                      // closed at 6
		ids["C"] = d.fill("C", "buy 1@1", 10, more{"instrument_type": "crypto"}).text("trade_id")  // opened at 10
		ids["D"] = d.fill("D", "sell 1@1", 20, more{"instrument_type": "Future"}).text("trade_id") // opened at 20
		ids["E"] = d.fills("E", 2, "buy 1@1")[0].text("trade_id")                                  // opened at 2 …
		d.fill("E", "sell 1@1", 30)                                                                // … closed at 30
		d.annotate(ids["A"], more{"tag_ids": []string{tag, other}, "setup_ids": []string{setup, second}})
		d.annotate(ids["B"], more{"tag_ids": []string{other}, "setup_id": second})
		for _, filter := range []struct{ query, want string }{
			{"", "EDCBA"},
			{"date_basis=close", "EDCBA"},
			{"date_basis=open", "DCBEA"},
			{"status=open", "DC"},
			{"status=closed", "EBA"},
			{"symbol=A", "A"},
			{"symbol=a,%20b", "BA"},
			{"symbol=A&symbol=C,D", "DCA"},
			{"symbol=NOPE", ""},
			{"side=long", "ECA"},
			{"side=short", "DB"},
			{"side=short&status=closed", "B"},
			{"setup_id=" + setup, "A"},
			{"setup_id=" + second, "BA"},
			{"setup_id=" + setup + "," + second, "BA"},
			{"tag_id=" + tag, "A"},
			{"tag_id=" + other, "BA"},
			{"tag_id=" + tag + "&tag_id=" + other, "BA"},
			{"tag_id=" + tag + "&setup_id=" + second, "A"},
			{"tag_id=" + unknown(), ""},
			{"setup_id=" + unknown(), ""},
			{"instrument_type=crypto", "C"},
			{"instrument_type=FUTURE", "D"},
			{"instrument_type=stock&status=closed", "EBA"},
			{"from=" + at(6) + "&to=" + at(20), "DCB"}, // when closed trades closed, and open ones opened
			{"from=" + at(6) + "&to=" + at(20) + "&date_basis=open", "DC"},
			{"to=" + at(2) + "&date_basis=open", "EA"},
			{"from=" + at(30), "E"},
			{"from=" + at(30) + "&date_basis=open", ""},
			{"to=" + at(1), "A"},
		} {
			want := []string{}
			for _, symbol := range filter.want {
				want = append(want, ids[string(symbol)])
			}
			d.get("/trades?"+filter.query).want(http.StatusOK).wantColumn("id", want...)
			if filter.query == "" {
				continue
			}
			// A page counts what the filter leaves.
			paged, _ := d.pages("/trades?limit=1&"+filter.query, "id")
			if total := d.get("/trades?limit=1&" + filter.query).header.Get("X-Total-Count"); !slices.Equal(paged, want) && len(want) > 0 || total != itoa(len(want)) {
				t.Errorf("%s in pages: %v of %s, want %v", filter.query, paged, total, want)
			}
		}
		for query, field := range map[string]string{
			"status=OPEN": "status", "status=won": "status", "status=open,closed": "status", "side=buy": "side", "date_basis=settle": "date_basis",
			"status=open&status=closed": "status",
		} {
			d.get("/trades?" + query).wantField(field)
		}
	})
}
