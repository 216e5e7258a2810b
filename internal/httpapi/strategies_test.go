package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// option trades one contract of XYZ at a minute of 2026-03-02 and returns the fill.
func (d trader) option(side, right, strike, price string, minute int, extra ...more) *reply {
	d.w.t.Helper()
	values := more{
		"account_id": d.account, "symbol": "XYZ", "instrument_type": "option", "side": side, "quantity": 1, "price": price, "multiplier": 100,
		"executed_at": fmt.Sprintf("2026-03-02T15:%02d:00Z", minute),
		"details":     more{"option_right": right, "strike": strike, "expiry": "2026-06-19"},
	}
	for _, e := range extra {
		values = values.with(e)
	}
	return d.made("/executions", values)
}

// condor opens four trades that are no proposal together, and returns their ids.
func (d trader) condor() (ids []string) {
	d.w.t.Helper()
	for i, leg := range [][4]string{{"buy", "put", "90", "1"}, {"sell", "put", "95", "2"}, {"sell", "call", "105", "2"}, {"buy", "call", "115", "0.5"}} {
		ids = append(ids, d.option(leg[0], leg[1], leg[2], leg[3], 10*i).text("trade_id"))
	}
	return ids
}

func TestStrategyFromTrades(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		if n := d.get("/strategies").count(""); n != 0 {
			t.Fatalf("%d proposals for trades ten minutes apart", n)
		}
		made := d.made("/strategies", more{"trade_ids": legs, "name": "March condor"}).
			holds("", `{"kind": "iron_condor", "kind_by": "detected", "direction": "short", "state": "manual", "evidence": "user", "name": "March condor",
				"underlying": "XYZ", "credit": 250, "max_profit": 250, "max_loss": 750, "risk": 750, "net_pnl": null, "unlimited": {"profit": false, "loss": false}}`).
			is("breakevens", "[92.5,107.5]").is("legs.0.quantity", "1").is("legs.1.quantity", "-1")
		path := "/strategies/" + made.text("id")
		d.get(path+"/payoff?points=2").is("opening.1.price", "90").is("opening.1.pnl", "-250")
		d.post("/strategies", more{"trade_ids": legs[:1]}).wantError(http.StatusConflict, "conflict")
		d.patch(path, more{"notes": "calm day", "initial_risk": 500}).want(http.StatusOK).is("risk", "500").is("notes", `"calm day"`)
		d.option("buy", "call", "105", "1", 50)
		d.get(path).is("realized_open", "100").is("net_pnl", "null")
		d.option("sell", "put", "90", "0.5", 51)
		d.option("buy", "put", "95", "1", 52)
		d.option("sell", "call", "115", "0.25", 53)
		d.get(path).is("net_pnl", "125").is("r_multiple", "0.25").is("realized_open", "0")
		undone := d.delete(path).want(http.StatusNoContent)
		d.get(path).wantError(http.StatusNotFound, "not_found")
		d.post("/history/"+undone.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
		d.get(path).is("notes", `"calm day"`).is("net_pnl", "125")
		other := w.addUser(d.client, "other@example.org")
		other.get(path).wantError(http.StatusNotFound, "not_found")
		other.delete(path).wantError(http.StatusNotFound, "not_found")
		other.post("/strategies", more{"trade_ids": legs}).wantError(http.StatusNotFound, "not_found")
	})
}

func TestStrategyProposals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		long := d.option("buy", "call", "100", "3", 0).text("trade_id")
		d.option("sell", "call", "105", "1", 2)
		proposal := d.get("/strategies").is("0.kind", `"vertical"`).is("0.direction", `"bull"`).is("0.state", `"proposed"`).is("0.evidence", `"window"`)
		id := proposal.text("0.id")
		path := "/strategies/" + id
		d.post("/strategies/detect", nil).want(http.StatusOK).is("proposed", "1").is("trades", "2")
		d.patch(path, more{"notes": "kept"}).want(http.StatusOK).is("state", `"proposed"`).is("notes", `"kept"`)
		d.patch(path, more{"state": "manual"}).wantField("state")
		d.patch(path, more{"state": "accepted"}).want(http.StatusOK).is("state", `"accepted"`).is("id", `"`+id+`"`)
		d.delete(path + "/trades/" + long).want(http.StatusNoContent)
		d.get(path).is("state", `"manual"`).is("kind", `"single"`)
		d.post(path+"/trades/"+long, nil).want(http.StatusOK).is("kind", `"vertical"`).is("evidence", `"user"`)
		d.delete(path).want(http.StatusNoContent)
		if n := d.get("/strategies").count(""); n != 0 {
			t.Errorf("%d strategies after the deletion", n)
		}
		d.put("/settings/strategies", more{"detect": "sometimes"}).wantField("detect")
		d.put("/settings/strategies", more{"detect": "off"}).want(http.StatusOK).is("detect", `"off"`)
		d.get("/settings/strategies").is("detect", `"off"`)
	})
}

// TestDecisionsSurviveReversal: decisions and annotations come back with the fills of a
// reversed import.
func TestDecisionsSurviveReversal(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		leg := func(side, strike, minute string) more {
			return more{
				"symbol": "XYZ", "instrument_type": "option", "side": side, "quantity": 1, "price": 2, "multiplier": 100,
				"executed_at": "2026-03-02T15:" + minute + ":00Z", "details": more{"option_right": "put", "strike": strike, "expiry": "2026-06-19"},
			}
		}
		rows := []more{leg("buy", "90", "00"), leg("sell", "95", "30")}
		d.importRows(rows...)
		batch := d.get("/imports").text("0.id")
		trades := d.get("/trades")
		made := d.made("/strategies", more{"trade_ids": []string{trades.text("0.id"), trades.text("1.id")}, "name": "kept"})
		path := "/strategies/" + made.text("id")
		d.delete("/imports/" + batch).want(http.StatusNoContent)
		d.get(path).is("name", `"kept"`).is("legs", "[]")
		if n := d.get("/strategies").count(""); n != 0 {
			t.Errorf("%d strategies without trades", n)
		}
		d.importRows(rows...)
		d.get(path).is("name", `"kept"`).is("kind", `"vertical"`).is("legs.1.strike", "95")
	})
}

// TestStrategyChain rolls a short put: the chain has both steps.
func TestStrategyChain(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.option("sell", "put", "95", "2", 0)
		d.option("buy", "put", "95", "3", 30)
		d.option("sell", "put", "90", "4", 31)
		chain := d.get("/strategies").is("0.kind", `"single"`).text("0.chain_id")
		d.get("/chains/"+chain).is("realized", "-100").is("steps.0.credit", "200").is("steps.1.credit", "400").is("open.0.strike", "90").
			is("breakevens", "[87]")
		d.get("/chains/nothing").wantError(http.StatusNotFound, "not_found")
	})
}

// TestCoveredChain rolls a covered call: the shares count once, and what was realized lowers
// their breakeven.
func TestCoveredChain(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("XYZ", "buy 100@100", 0, more{"executed_at": "2026-03-02T14:00:00Z"})
		d.option("sell", "call", "105", "2", 0)
		d.option("buy", "call", "105", "3", 30)
		d.option("sell", "call", "110", "4", 31)
		chain := "/chains/" + d.get("/strategies").is("0.kind", `"covered_call"`).text("0.chain_id")
		d.get(chain).is("realized", "-100").is("breakevens", "[97]")
		d.option("buy", "call", "110", "1", 50)
		d.get(chain).is("realized", "200").is("breakevens", "[98]")
	})
}

// TestUnitsInOneCurrency: each trade of a unit is converted with the rate of its own closing
// day.
func TestUnitsInOneCurrency(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		d.made("/strategies", more{"trade_ids": legs})
		on := func(day string) more { return more{"executed_at": day + "T16:00:00Z"} }
		d.option("buy", "call", "105", "1", 50, on("2026-03-03")) // a win of 100
		d.option("sell", "call", "115", "0.25", 53, on("2026-03-04"))
		const inEUR = "/analytics/summary?currency=EUR"
		d.get(inEUR+"&unit=strategy").wantError(http.StatusConflict, "rates_missing").
			is("error.details.missing", `[{"base":"USD","from":"2026-03-03","quote":"EUR","to":"2026-03-04"}]`)
		d.made("/rates", more{"base": "USD", "quote": "EUR", "on": "2026-03-03", "rate": "0.5"})
		d.made("/rates", more{"base": "USD", "quote": "EUR", "on": "2026-03-09", "rate": "0.8"})
		d.get(inEUR+"&unit=strategy").is("total_trades", "0").is("realized_in_open_units", "37.5")
		d.option("sell", "put", "90", "0.5", 51, on("2026-03-09"))
		d.option("buy", "put", "95", "1", 52, on("2026-03-09"))
		d.get(inEUR+"&unit=strategy").is("total_trades", "1").is("net_pnl", "77.5").is("realized_in_open_units", "0").is("currency", `"EUR"`)
		d.get(inEUR).is("total_trades", "4").is("net_pnl", "77.5")
		d.get("/analytics/r?currency=EUR&unit=strategy").is("trades_with_r", "1")
		d.get("/analytics/compare?against=rest&currency=EUR&unit=strategy&symbol=XYZ").is("a.net_pnl", "77.5").is("b.total_trades", "0")
		d.get("/analytics/breakdown?by=strategy_kind&currency=EUR&unit=strategy").is("0.key", `"iron_condor"`).is("0.net_pnl", "77.5")
	})
}

// TestStrategyLosesDeletedTags: deleted tags and setups leave strategies and their figures,
// merged tags follow, and undoing it brings them back.
func TestStrategyLosesDeletedTags(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		for i, close := range [][4]string{{"sell", "put", "90", "1"}, {"buy", "put", "95", "2"}, {"buy", "call", "105", "2"}, {"sell", "call", "115", "0.5"}} {
			d.option(close[0], close[1], close[2], close[3], 50+i)
		}
		tag := func(name string) string { return d.made("/tags", more{"name": name, "kind": "custom"}).text("id") }
		first, second := tag("first"), tag("second")
		setup := d.made("/setups", more{"name": "income"}).text("id")
		path := "/strategies/" + d.made("/strategies", more{"trade_ids": legs}).text("id")
		d.patch(path, more{"tag_ids": []string{first}, "setup_ids": []string{setup}}).want(http.StatusOK)
		const byTag = "/analytics/breakdown?by=tag&unit=strategy"
		d.get(byTag).is("0.key", `"`+first+`"`)
		d.post("/tags/"+first+"/merge", more{"into": second}).want(http.StatusOK)
		d.get(path).is("tag_ids", `["`+second+`"]`)
		d.get(byTag).is("0.key", `"`+second+`"`)
		deleted := d.delete("/tags/" + second).want(http.StatusNoContent)
		d.get(path).is("tag_ids", `[]`)
		d.get(byTag).is("0.key", `""`)
		d.post("/history/"+deleted.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
		d.get(path).is("tag_ids", `["`+second+`"]`)
		d.get(byTag).is("0.key", `"`+second+`"`)
		d.delete("/setups/" + setup).want(http.StatusNoContent)
		d.get(path).is("setup_ids", `[]`)
	})
}

// TestUnitIdentity: the net of closed units and what open units realized is the net of
// closed trades, for any dates and filter, and a unit counts whole if one of its trades is
// selected.
func TestUnitIdentity(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		d.roundTrip("AAPL")
		d.made("/strategies", more{"trade_ids": legs})
		d.option("buy", "call", "105", "1", 50) // a win of 100, and three legs stay open
		identity := func(query string) {
			t.Helper()
			units := d.get("/analytics/summary?unit=strategy"+query).is("unit", `"strategy"`)
			trades := d.get("/analytics/summary?"+query).is("unit", `"trade"`)
			sum := units.value("net_pnl").(json.Number).String() + " " + units.value("realized_in_open_units").(json.Number).String()
			var net, open, all float64
			if _, err := fmt.Sscan(sum, &net, &open); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(trades.value("net_pnl").(json.Number).String(), &all); err != nil || net+open != all {
				t.Errorf("%s: units %v, open units %v, trades %v", query, net, open, all)
			}
		}
		identity("")
		identity("&symbol=XYZ")
		d.get("/analytics/summary?unit=strategy&symbol=XYZ").is("total_trades", "0").is("realized_in_open_units", "100")
		d.option("sell", "put", "90", "0.5", 51)
		d.option("buy", "put", "95", "1", 52)
		d.option("sell", "call", "115", "0.25", 53)
		for _, query := range []string{"", "&symbol=XYZ", "&option_right=call", "&to=2026-03-02T15:51:30Z", "&from=2026-03-02T15:51:30Z"} {
			identity(query)
		}
		d.get("/analytics/summary?unit=strategy&option_right=call").is("total_trades", "1").is("net_pnl", "125").is("wins", "1")
		d.get("/analytics/r?unit=strategy").is("unit", `"strategy"`)
		d.get("/analytics/breakdown?by=strategy_kind&unit=strategy&symbol=XYZ").is("0.key", `"iron_condor"`).is("0.trades", "1").is("0.unit", `"strategy"`)
		d.get("/analytics/breakdown?by=dte_at_open&unit=strategy&symbol=XYZ").is("0.key", `"over-90"`)
		d.get("/analytics/breakdown?by=legs&unit=strategy&symbol=XYZ").is("0.key", `"4"`)
		d.get("/analytics/breakdown?by=credit_debit&unit=strategy&symbol=XYZ").is("0.key", `"credit"`)
		d.get("/analytics/breakdown?by=defined_risk&unit=strategy&symbol=XYZ").is("0.key", `"defined"`)
		d.get("/analytics/breakdown?by=ended_by&unit=strategy&symbol=XYZ").is("0.key", `"trade"`)
		d.get("/analytics/daily?unit=strategy").want(http.StatusOK)
		d.get("/analytics/summary?unit=strategy&pnl_basis=realized").wantField("unit")
	})
}
