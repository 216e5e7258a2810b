package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestStrategyOfTrade: a trade names the strategy that it counts in, in lists, alone and
// after a change. A proposal and a cover are none.
func TestStrategyOfTrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		share := d.fill("XYZ", "buy 100@100", 0, more{"executed_at": "2026-03-02T14:00:00Z"}).text("trade_id")
		call := d.option("sell", "call", "105", "2", 0).text("trade_id")
		d.get("/trades/"+call).is("strategy_id", "null")
		id := d.get("/strategies").is("0.evidence", `"cover"`).text("0.id")
		d.patch("/strategies/"+id, more{"state": "accepted"}).want(http.StatusOK)
		d.get("/trades/"+call).is("strategy_id", `"`+id+`"`)
		d.get("/trades?instrument_type=option").is("0.strategy_id", `"`+id+`"`)
		d.get("/trades?sort=net_pnl&instrument_type=option").is("0.strategy_id", `"`+id+`"`)
		d.patch("/trades/"+call, more{"notes": "a note"}).is("strategy_id", `"`+id+`"`)
		d.get("/trades/"+share).is("strategy_id", "null")
		d.delete("/strategies/" + id).want(http.StatusNoContent)
		d.get("/trades/"+call).is("strategy_id", "null")
	})
}

// TestEveryFigureNamesItsUnit: figures of days and of prices are by trade with any unit.
func TestEveryFigureNamesItsUnit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.roundTrip("AAPL")
		for path, unit := range map[string]string{
			"summary": "strategy", "breakdown?by=symbol": "strategy", "behavior": "strategy", "r": "strategy", "montecarlo": "strategy",
			"compare?against=rest": "strategy", "daily": "trade", "equity-curve": "trade", "calendar?year=2026": "trade", "excursions": "trade", "rules": "trade",
		} {
			mark := "?"
			if strings.Contains(path, "?") {
				mark = "&"
			}
			member := "unit"
			if path == "daily" || strings.HasPrefix(path, "breakdown") {
				member = "0.unit"
			}
			d.get("/analytics/"+path+mark+"unit=strategy").is(member, `"`+unit+`"`)
			d.get("/analytics/"+path+mark+"unit=trade").is(member, `"trade"`)
			d.get("/analytics/" + path + mark + "unit=lots").wantField("unit")
		}
	})
}

// TestRatesAreNullWithoutConversion: an answer in the accounts' own currency names it, no
// rates and the accounts.
func TestRatesAreNullWithoutConversion(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/analytics/summary?currency=USD").is("rates", "null").is("accounts.0.currency", `"USD"`)
		d.roundTrip("AAPL")
		for _, path := range []string{"summary", "behavior", "r", "equity-curve", "calendar", "montecarlo"} {
			d.get("/analytics/"+path+"?currency=USD").is("currency", `"USD"`).is("rates", "null").is("accounts.0.currency", `"USD"`)
		}
		other := w.addUser(d.client, "none@example.org")
		other.get("/analytics/summary?currency=USD").is("rates", "null").is("accounts", "[]")
	})
}

// TestExportUnits: a table with unit=strategy has one row for a strategy, with the sums
// over its trades.
func TestExportUnits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		d.roundTrip("AAPL")
		d.made("/strategies", more{"trade_ids": legs, "name": "March"})
		rows := d.unitRows
		d.option("buy", "call", "105", "1", 50)
		if list := rows("&symbol=XYZ"); len(list) != 1 || !strings.Contains(list[0], "XYZ,iron_condor,March,short,open,4,") || !strings.Contains(list[0], ",0,,100,USD,750,") {
			t.Errorf("while open: %q", list)
		}
		if list := rows("&status=closed"); len(list) != 1 || !strings.HasPrefix(list[0], "trade,") {
			t.Errorf("closed ones: %q", list)
		}
		d.option("sell", "put", "90", "0.5", 51)
		d.option("buy", "put", "95", "1", 52)
		d.option("sell", "call", "115", "0.25", 53)
		if list := rows("&option_right=call&currency=USD"); len(list) != 1 || !strings.Contains(list[0], ",closed,4,") || !strings.Contains(list[0], ",125,0,125,,USD,750,") ||
			!strings.HasSuffix(list[0], ",USD,,,125,125") {
			t.Errorf("whole if one leg passes: %q", list)
		}
		if list := rows("&to=2026-03-02T15:51:30Z&symbol=XYZ"); len(list) != 0 {
			t.Errorf("before it closed: %q", list)
		}
		if list := rows(""); len(list) != 2 {
			t.Errorf("all units: %q", list)
		}
		for _, query := range []string{"format=json", "format=zip", "format=csv&rows=executions", "format=csv&rows=realized-gains"} {
			d.get("/exports?unit=strategy&" + query).wantField("unit")
		}
		d.get("/exports?unit=lots&format=csv").wantField("unit")
	})
}

// TestShareUnits: a link with unit=strategy counts strategies in its summary; days stay by
// trade.
func TestShareUnits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		d.made("/strategies", more{"trade_ids": legs})
		for i, leg := range [][4]string{{"sell", "put", "90", "0.5"}, {"buy", "put", "95", "1"}, {"buy", "call", "105", "1"}, {"sell", "call", "115", "0.25"}} {
			d.option(leg[0], leg[1], leg[2], leg[3], 50+i)
		}
		link := d.made("/share-links", more{"unit": "strategy", "show_amounts": true}).is("scope.unit", `"strategy"`)
		w.visit(link.text("token")).is("unit", `"strategy"`).is("summary.total_trades", "1").is("summary.net_pnl", "125").
			is("top_symbols.0.trades", "1").is("days.0.trades", "4")
		link = d.made("/share-links", more{"unit": "trade"})
		w.visit(link.text("token")).is("unit", `"trade"`).is("summary.total_trades", "4")
		d.post("/share-links", more{"unit": "lots"}).wantField("unit")
	}, shareLinksOn)
}

// TestViewsKeepUnitAndCurrency: a view keeps what its figures count and their currency.
func TestViewsKeepUnitAndCurrency(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		view := d.made("/views", more{"name": "In euro", "filter": more{"unit": "strategy", "currency": "EUR"}})
		d.get("/views/"+view.text("id")).is("filter", `{"currency":"EUR","unit":"strategy"}`)
		d.get("/analytics/compare?against=view&view_id=" + view.text("id")).want(http.StatusOK)
		d.post("/views", more{"name": "Wrong", "filter": more{"unit": "lots"}}).wantField("unit")
	})
}

// TestRemoveAssignedShares: shares that an assignment brought belong to the strategy and
// cannot leave it by themselves.
func TestRemoveAssignedShares(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		short := d.option("sell", "put", "95", "2", 0).text("trade_id")
		d.option("buy", "put", "90", "1", 1)
		id := d.get("/strategies").is("0.kind", `"vertical"`).text("0.id")
		path := "/strategies/" + id
		d.patch(path, more{"state": "accepted"}).want(http.StatusOK)
		d.option("buy", "put", "95", "0", 50, more{"kind": "assignment", "event_id": "e1"})
		shares := d.fill("XYZ", "buy 100@95", 0, more{"executed_at": "2026-03-02T15:50:00Z", "event_id": "e1"}).text("trade_id")
		d.get(path).is("kind", `"vertical"`).is("legs.2.role", `"stock"`).is("legs.2.trade_id", `"`+shares+`"`).is("realized_open", "200")
		d.get("/trades/"+shares).is("strategy_id", `"`+id+`"`)
		d.delete(path+"/trades/"+shares).wantError(http.StatusConflict, "conflict")
		d.get("/trades/"+short).is("ended_by", `"assignment"`).is("net_pnl", "200")
	})
}

// TestPartlyClosedPayoff: the picture of what is open and the chain have the quantity that
// is left, and the chain what its closed part realized.
func TestPartlyClosedPayoff(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.option("sell", "put", "95", "2", 0, more{"quantity": 2})
		d.option("buy", "put", "95", "3", 30, more{"quantity": 2})
		d.option("sell", "put", "90", "4", 31, more{"quantity": 2})
		d.option("buy", "put", "90", "1", 40) // half, a win of 300
		list := d.get("/strategies").is("0.legs.0.strike", "90").is("0.credit", "800").is("0.realized_open", "0")
		d.get("/strategies/"+list.text("0.id")+"/payoff?points=2").is("opening.2.pnl", "800").is("open.2.pnl", "400")
		d.get("/chains/"+list.text("0.chain_id")).is("realized", "100").is("steps.1.realized", "300").is("open.0.quantity", "-1").
			is("breakevens", "[85]")
	})
}

// TestDecisionsAreUndoneAndRedone undoes and redoes each kind of decision.
func TestDecisionsAreUndoneAndRedone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		state := func() string { return string(d.get("/strategies").body) }
		revert := func(answer *reply) {
			t.Helper()
			after := state()
			undone := d.post("/history/"+answer.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
			if state() == after {
				t.Error("the undo changed nothing")
			}
			d.post("/history/"+undone.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
			if again := state(); again != after {
				t.Errorf("after the redo\n%s\nbefore the undo\n%s", again, after)
			}
		}
		made := d.post("/strategies", more{"trade_ids": legs[:3]}).want(http.StatusCreated)
		path := "/strategies/" + made.text("id")
		revert(made)
		revert(d.post(path+"/trades/"+legs[3], nil).want(http.StatusOK))
		revert(d.patch(path, more{"name": "March", "kind": "custom", "notes": "kept", "initial_risk": 500}).want(http.StatusOK))
		revert(d.delete(path + "/trades/" + legs[0]).want(http.StatusNoContent))
		revert(d.delete(path).want(http.StatusNoContent))
		d.option("buy", "call", "100", "3", 40)
		d.option("sell", "call", "110", "1", 41)
		revert(d.patch("/strategies/"+d.get("/strategies?state=proposed").text("0.id"), more{"state": "accepted"}).want(http.StatusOK))
	})
}

// TestTokensLimitedToAccountsSeeTheirStrategies: a token reads and changes the strategies of
// its accounts only.
func TestTokensLimitedToAccountsSeeTheirStrategies(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		path := "/strategies/" + d.made("/strategies", more{"trade_ids": legs}).text("id")
		second := d.made("/accounts", more{"name": "Second", "base_currency": "USD"}).text("id")
		token := d.made("/access-tokens", more{"name": "limited", "scope": "write", "account_ids": []string{second}}).text("token")
		limited := w.as(token)
		if n := limited.get("/strategies").count(""); n != 0 {
			t.Errorf("%d strategies of another account", n)
		}
		limited.get(path).wantError(http.StatusNotFound, "not_found")
		limited.patch(path, more{"name": "mine"}).wantError(http.StatusNotFound, "not_found")
		limited.delete(path).wantError(http.StatusNotFound, "not_found")
		limited.delete(path+"/trades/"+legs[0]).wantError(http.StatusNotFound, "not_found")
		limited.post("/strategies", more{"trade_ids": legs}).wantError(http.StatusNotFound, "not_found")
		limited.get(path+"/payoff").wantError(http.StatusNotFound, "not_found")
		limited.post("/strategies/detect", nil).want(http.StatusOK).is("manual", "0")
		figures := w.as(d.made("/access-tokens", more{"name": "figures", "scope": "analytics"}).text("token"))
		figures.get("/strategies").want(http.StatusForbidden)
		figures.get("/analytics/summary?unit=strategy").is("unit", `"strategy"`)
	})
}

// exactNumber returns a member as an exact fraction.
func (r *reply) exactNumber(path string) *big.Rat {
	number, ok := new(big.Rat).SetString(r.value(path).(json.Number).String())
	if !ok {
		panic("no number: " + path)
	}
	return number
}

// TestUnitIdentityOfAnyJournal draws journals, decisions, dates and filters: the net of
// closed units and what open units realized is the net of closed trades.
func TestUnitIdentityOfAnyJournal(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		var trades []string
		for i, leg := range []string{"put 90", "put 95", "call 105", "call 115", "put 85", "call 120"} {
			right, strike, _ := strings.Cut(leg, " ")
			side := []string{"buy", "sell"}[i%2]
			trades = append(trades, d.option(side, right, strike, fmt.Sprintf("%d.%d", 1+i, i), 7*i).text("trade_id"))
			if i == 4 {
				continue // it stays open
			}
			d.option([]string{"sell", "buy"}[i%2], right, strike, fmt.Sprintf("%d.37", 1+i/2), 50+i, more{"fees": "1.25"})
		}
		d.roundTrip("AAPL")
		filters := []string{"", "&symbol=XYZ", "&option_right=call", "&option_right=put", "&side=short", "&outcome=win", "&outcome=loss", "&pnl_min=0", "&instrument_type=option"}
		rapid.Check(t, func(r *rapid.T) {
			list := d.get("/strategies?state=manual")
			for i := range list.count("") {
				d.delete("/strategies/" + list.text(fmt.Sprint(i, ".id"))).want(http.StatusNoContent)
			}
			order := rapid.Permutation(trades).Draw(r, "order")
			first := rapid.IntRange(1, 5).Draw(r, "first")
			d.made("/strategies", more{"trade_ids": order[:first]})
			if rest := order[first:]; len(rest) > 1 && rapid.Bool().Draw(r, "second") {
				d.made("/strategies", more{"trade_ids": rest})
			}
			for range 4 {
				query := rapid.SampledFrom(filters).Draw(r, "filter")
				if rapid.Bool().Draw(r, "from") {
					query += fmt.Sprintf("&from=2026-03-02T15:%02d:30Z", rapid.IntRange(0, 54).Draw(r, "minute"))
				} else if rapid.Bool().Draw(r, "to") {
					query += fmt.Sprintf("&to=2026-03-02T15:%02d:30Z", rapid.IntRange(0, 56).Draw(r, "minute"))
				}
				units, all := d.get("/analytics/summary?unit=strategy"+query), d.get("/analytics/summary?unit=trade"+query)
				sum := units.exactNumber("net_pnl")
				if sum.Add(sum, units.exactNumber("realized_in_open_units")).Cmp(all.exactNumber("net_pnl")) != 0 {
					r.Fatalf("%s: units %s + %s, trades %s", query, units.value("net_pnl"), units.value("realized_in_open_units"), all.value("net_pnl"))
				}
			}
		})
	})
}

// TestUnitsUnderSeveralConditions: a trade by itself passes all conditions beside units.
func TestUnitsUnderSeveralConditions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		d.roundTrip("AAPL")
		d.made("/strategies", more{"trade_ids": legs})
		d.get("/analytics/summary?unit=strategy&symbol=AAPL&side=long").is("total_trades", "1")
		d.get("/analytics/summary?unit=strategy&symbol=AAPL&side=short").is("total_trades", "0")
	})
}

// unitRows returns the rows of an export with units.
func (d trader) unitRows(query string) []string {
	d.w.t.Helper()
	text := string(d.get("/exports?format=csv&unit=strategy" + query).want(http.StatusOK).body)
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n")[1:]
}

// TestSequenceOfUnits: with unit=strategy, a strategy is one opening and one result of its day.
func TestSequenceOfUnits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		for i, end := range [][4]string{{"sell", "put", "90", "0.5"}, {"buy", "call", "105", "3"}, {"sell", "call", "115", "0.5"}, {"buy", "put", "95", "1"}} {
			d.option(end[0], end[1], end[2], end[3], 50+i)
		}
		for i, side := range []string{"buy 1@10", "sell 1@11"} {
			d.fill("AAA", side, 0, more{"executed_at": fmt.Sprintf("2026-03-02T15:%d:00Z", 55+i)})
		}
		d.made("/strategies", more{"trade_ids": legs})
		for _, c := range []struct {
			query                     string
			trades, units, strategies int
		}{
			{"after_losses=1", 0, 1, 0}, {"after_wins=1", 1, 0, 0}, {"nth_of_day_min=5", 1, 0, 0}, {"nth_of_day_min=2&nth_of_day_max=2", 1, 1, 0},
			{"nth_of_day_max=1", 1, 1, 1}, {"nth_of_day_max=1&option_right=call", 0, 1, 1}, {"nth_of_day_max=2", 2, 2, 1}, {"after_losses=1&symbol=XYZ", 0, 0, 0},
		} {
			d.get("/analytics/summary?"+c.query).is("total_trades", strconv.Itoa(c.trades))
			d.get("/analytics/summary?unit=strategy&"+c.query).is("total_trades", strconv.Itoa(c.units))
			if n := len(d.unitRows("&" + c.query)); n != c.units {
				t.Errorf("%s: %d rows in the export, expected %d", c.query, n, c.units)
			}
			if n := d.get("/strategies?" + c.query).want(http.StatusOK).count(""); n != c.strategies {
				t.Errorf("%s: %d strategies are listed, expected %d", c.query, n, c.strategies)
			}
		}
		d.get("/strategies?status=open").is("", "[]")
		d.get("/strategies?status=closed").is("0.kind", `"iron_condor"`)
	})
}

// TestUnitsHaveTheirOwnLabels: a strategy's own tags, setups and grade select it, as those of
// its trades do, so each row of a breakdown is what its filter selects.
func TestUnitsHaveTheirOwnLabels(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		legs := d.condor()
		for i, end := range [][4]string{{"sell", "put", "90", "1"}, {"buy", "put", "95", "2"}, {"buy", "call", "105", "2"}, {"sell", "call", "115", "0.5"}} {
			d.option(end[0], end[1], end[2], end[3], 50+i)
		}
		d.roundTrip("AAPL")
		tag := d.made("/tags", more{"name": "late", "kind": "mistake"}).text("id")
		legTag := d.made("/tags", more{"name": "leg", "kind": "custom"}).text("id")
		setup := d.made("/setups", more{"name": "income"}).text("id")
		path := "/strategies/" + d.made("/strategies", more{"trade_ids": legs}).text("id")
		d.patch(path, more{"tag_ids": []string{tag}, "setup_ids": []string{setup}, "trade_quality": 4}).want(http.StatusOK)
		d.patch("/trades", more{"ids": legs[:1], "add_tag_ids": []string{legTag}}).want(http.StatusOK)
		net := d.get("/analytics/breakdown?by=tag&unit=strategy&symbol=XYZ").text("0.net_pnl")
		for query, trades := range map[string]string{
			"tag_id=" + tag: "1", "tag_id=" + legTag: "1", "tag_id=" + tag + "," + legTag + "&tag_mode=all": "1", "setup_id=" + setup: "1",
			"trade_quality=4": "1", "mistake=true": "1", "mistake=false": "1", "tag_mode=none": "1", "setup_mode=none": "1",
			"tag_id=" + tag + "&option_right=call": "1", "tag_id=" + tag + "&symbol=AAPL": "0", "trade_quality=3": "0",
		} {
			got := d.get("/analytics/summary?unit=strategy&"+query).want(http.StatusOK).is("total_trades", trades)
			if strings.HasPrefix(query, "tag_id="+tag) && trades == "1" && got.text("net_pnl") != net {
				t.Errorf("%s: %s, the breakdown has %s", query, got.text("net_pnl"), net)
			}
			d.get("/analytics/compare?against=rest&unit=strategy&"+query).is("a.total_trades", trades)
			if n := len(d.unitRows("&" + query)); strconv.Itoa(n) != trades {
				t.Errorf("%s: %d rows in the export, the summary has %s", query, n, trades)
			}
			listed := 0
			if trades == "1" && !strings.Contains(query, "none") && !strings.Contains(query, "false") {
				listed = 1
			}
			if n := d.get("/strategies?" + query).want(http.StatusOK).count(""); n != listed {
				t.Errorf("%s: %d strategies are listed, expected %d", query, n, listed)
			}
		}
		d.get("/analytics/summary?tag_id="+tag).is("total_trades", "0")
		d.get("/analytics/breakdown?by=symbol&explain=true").want(http.StatusOK)
		if link := d.get("/analytics/breakdown?by=tag&unit=strategy&explain=true").text("0.explanation.trades_link"); link != "" {
			t.Errorf("a list of trades for a row of strategies: %s", link)
		}
	})
}
