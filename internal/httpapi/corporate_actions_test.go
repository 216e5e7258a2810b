package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

// TestCorporateActions records a split, sees it in trades and fills, and deletes it: every
// answer is as before.
func TestCorporateActions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		fill := func(side string, quantity, price float64, at string) string {
			return d.made("/executions", more{
				"account_id": d.account, "symbol": "SPLT", "side": side, "quantity": quantity, "price": price, "executed_at": at,
			}).text("trade_id")
		}
		trade := fill("buy", 10, 100, "2026-01-02T15:00:00Z")
		fill("sell", 5, 60, "2026-01-06T15:00:00Z")
		d.patch("/trades/"+trade, more{"notes": "held through the split"}).want(http.StatusOK)
		trades, fills := string(d.get("/trades").want(http.StatusOK).body), string(d.get("/executions").want(http.StatusOK).body)
		split := more{"kind": "split", "symbol": "splt", "ratio_new": 3, "ratio_old": 2, "effective_on": "2026-01-05"}
		d.post("/corporate-actions/preview", split).want(http.StatusOK).
			is("trades_total", "1").is("trades.0.before.qty_remaining", "5").is("trades.0.after.qty_remaining", "10").is("cash_in_lieu", "[]")
		id := d.made("/corporate-actions", split).is("symbol", `"SPLT"`).is("applies_to", `"all"`).is("tz", `"America/New_York"`).text("id")
		d.get("/trades/"+trade).want(http.StatusOK).is("qty_opened", "15").is("qty_remaining", "10").is("notes", `"held through the split"`).
			is("fills.0.quantity", "10").is("fills.0.adjusted_quantity", "15").is("fills.0.adjusted_price", "66.666666666667").
			is("fills.1.adjusted_quantity", "null")
		for _, path := range []string{"/executions", "/executions?limit=10"} {
			d.get(path).want(http.StatusOK).is("0.adjusted_quantity", "15").is("1.adjusted_price", "null")
		}
		d.post("/corporate-actions", split).wantError(http.StatusConflict, "conflict")
		d.patch("/corporate-actions/"+id, more{"ratio_new": 1, "ratio_old": 4}).want(http.StatusOK)
		d.get("/trades/"+trade).want(http.StatusOK).is("qty_opened", "2.5")
		d.delete("/corporate-actions/" + id).want(http.StatusNoContent)
		d.get("/corporate-actions").want(http.StatusOK).is("", "[]")
		if got := string(d.get("/executions").want(http.StatusOK).body); got != fills {
			t.Errorf("the fills are\n%s\nbefore the split\n%s", got, fills)
		}
		if got := string(d.get("/trades").want(http.StatusOK).body); got != trades {
			t.Errorf("the trades are\n%s\nbefore the split\n%s", got, trades)
		}
	})
}

// TestCorporateActionIsRefused: bad input, open options, and other users' records.
func TestCorporateActionIsRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		split := func(fields more) *reply {
			all := more{"kind": "split", "symbol": "SPLT", "ratio_new": 2, "effective_on": "2026-01-05"}
			maps.Copy(all, fields)
			return d.post("/corporate-actions", all)
		}
		for field, value := range map[string]any{
			"kind": "merger", "symbol": "", "ratio_new": 0, "ratio_old": -1, "effective_on": "2999-01-01", "tz": "Nowhere", "applies_to": "futures",
			"account_ids": []string{"x"}, "source": "me",
		} {
			split(more{field: value}).wantField(field)
		}
		split(more{"kind": "rename"}).wantField("new_symbol")
		split(more{"ratio_new": 3, "ratio_old": 2, "applies_to": "options"}).wantField("applies_to")
		d.made("/executions", more{
			"account_id": d.account, "symbol": "SPLT", "instrument_type": "option", "side": "buy", "quantity": 1, "price": 2,
			"executed_at": "2026-01-02T15:00:00Z", "details": more{"option_right": "call", "strike": "100", "expiry": "2026-03-20"},
		})
		split(more{"ratio_new": 3, "ratio_old": 2}).wantError(http.StatusConflict, "adjusted_contract")
		id := split(more{"applies_to": "shares"}).want(http.StatusCreated).text("id")
		other := w.addUser(d.client, "other@example.org")
		other.get("/corporate-actions/"+id).wantError(http.StatusNotFound, "not_found")
		other.delete("/corporate-actions/"+id).wantError(http.StatusNotFound, "not_found")
	})
}

// TestRenamedSymbols: after a rename a trade goes on under its new symbol, is found by both,
// and is as before when the rename is deleted.
func TestRenamedSymbols(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		fill := func(symbol, side string, quantity, price float64, at string) string {
			return d.made("/executions", more{
				"account_id": d.account, "symbol": symbol, "side": side, "quantity": quantity, "price": price, "executed_at": at,
			}).text("trade_id")
		}
		trade := fill("OLD", "buy", 10, 100, "2026-01-02T15:00:00Z")
		d.patch("/trades/"+trade, more{"notes": "held through the rename"}).want(http.StatusOK)
		fill("KEPT", "buy", 1, 1, "2026-01-02T15:00:00Z")
		before := string(d.get("/trades").want(http.StatusOK).body)
		rename := more{"kind": "rename", "symbol": "OLD", "new_symbol": "new", "effective_on": "2026-01-05"}
		d.post("/corporate-actions/preview", rename).want(http.StatusOK).
			is("trades_total", "1").is("trades.0.before.symbol", `"OLD"`).is("trades.0.after.symbol", `"NEW"`)
		id := d.made("/corporate-actions", rename).is("new_symbol", `"NEW"`).is("cost_share", "null").text("id")
		fill("NEW", "sell", 10, 110, "2026-01-06T15:00:00Z")
		d.get("/trades/"+trade).want(http.StatusOK).is("symbol", `"NEW"`).is("symbols", `["NEW","OLD"]`).is("qty_remaining", "0").
			is("net_pnl", "100").is("notes", `"held through the rename"`).is("fills.0.symbol", `"OLD"`).is("fills.1.symbol", `"NEW"`)
		for _, symbol := range []string{"OLD", "NEW"} {
			for _, parameter := range []string{"symbol", "root", "q"} {
				d.get("/trades?"+parameter+"="+symbol).want(http.StatusOK).is("0.id", `"`+trade+`"`).is("1", "null")
				d.get("/analytics/summary?"+parameter+"="+symbol).want(http.StatusOK).is("total_trades", "1")
			}
		}
		sale := d.get("/executions").want(http.StatusOK).is("2.symbol", `"NEW"`).text("2.id")
		d.delete("/executions/" + sale).want(http.StatusNoContent)
		d.delete("/corporate-actions/" + id).want(http.StatusNoContent)
		if got := string(d.get("/trades").want(http.StatusOK).body); got != before {
			t.Errorf("the trades are\n%s\nbefore the rename\n%s", got, before)
		}
		for _, c := range []struct {
			field string
			body  more
		}{
			{"new_symbol", more{"kind": "split", "new_symbol": "B"}},
			{"new_symbol", more{"kind": "rename"}},
			{"new_symbol", more{"kind": "rename", "new_symbol": "OLD"}},
			{"cost_share", more{"kind": "rename", "new_symbol": "B", "cost_share": 0.5}},
			{"cost_share", more{"kind": "spin_off", "new_symbol": "B", "cost_share": 1.5}},
			{"cash_per_share", more{"kind": "spin_off", "new_symbol": "B", "cash_per_share": 1}},
			{"cash_per_share", more{"kind": "exchange", "new_symbol": "B", "cash_per_share": -1}},
			{"applies_to", more{"kind": "split", "ratio_new": 3, "ratio_old": 2, "applies_to": "options"}},
			{"kind", more{"kind": "merger"}},
		} {
			c.body["symbol"], c.body["effective_on"] = "OLD", "2026-01-05"
			d.post("/corporate-actions", c.body).wantField(c.field)
		}
	})
}

// TestPositionsAfterActions: what a position is worth and what it has realized are together
// what selling it at the mark brings, whatever actions have paid and taken.
func TestPositionsAfterActions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for symbol, c := range map[string]struct {
			fills                      []string // one each day
			action                     more
			mark                       string
			realized, unrealized, left string
		}{
			"THIRDS": {[]string{"buy 10@10"}, more{"kind": "split", "ratio_new": 3}, "5", "0", "50", "50"},
			"PARENT": {
				[]string{"buy 10@10", "sell 5@12", "buy 5@20"}, more{"kind": "spin_off", "new_symbol": "CHILD", "cost_share": "0.5"}, "10", "10", "25", "35",
			},
			"MERGED": {[]string{"buy 10@10"}, more{"kind": "exchange", "new_symbol": "MERGED2", "ratio_old": 2, "cash_per_share": 3}, "20", "0", "30", "30"},
			"BOUGHT": {[]string{"buy 10@10"}, more{"kind": "exchange", "new_symbol": "BOUGHT2", "ratio_old": 2, "cash_per_share": 30}, "20", "200", "100", "300"},
			"SHORTS": {
				[]string{"sell 10@10", "buy 5@8"}, more{"kind": "exchange", "new_symbol": "SHORTS2", "cash_per_share": 3, "cost_share": "0.5"}, "7", "20", "-10", "10",
			},
		} {
			var trade string
			for day, text := range c.fills {
				trade = d.fill(symbol, text, day*24*60, more{"executed_at": fmt.Sprintf("2026-01-%02dT15:00:00Z", day+2)}).text("trade_id")
			}
			c.action["symbol"], c.action["effective_on"] = symbol, "2026-01-20"
			d.made("/corporate-actions", c.action)
			position := d.put("/positions/"+trade+"/mark", more{"price": c.mark}).want(http.StatusOK).
				is("realized_pnl", c.realized).is("unrealized_pnl", c.unrealized)
			side, quantity := "sell", strings.TrimPrefix(position.text("quantity"), "-")
			if quantity != position.text("quantity") {
				side = "buy"
			}
			d.fill(position.text("symbol"), side+" "+quantity+"@"+c.mark, 0, more{"executed_at": "2026-02-02T15:00:00Z"}).is("trade_id", `"`+trade+`"`)
			d.trade(trade).is("net_pnl", c.left)
		}
	})
}

// TestSpunOffTradeIsNotDeleted: a trade without an opening fill goes with its action only.
func TestSpunOffTradeIsNotDeleted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("PARENT", "buy 100@10", 0, more{"executed_at": "2026-01-02T15:00:00Z"})
		action := d.made("/corporate-actions", more{
			"kind": "spin_off", "symbol": "PARENT", "new_symbol": "CHILD", "effective_on": "2026-01-05",
		}).text("id")
		child := d.trades("CHILD").text("0.id")
		d.annotate(child, more{"notes": "kept"})
		d.delete("/trades/"+child).wantError(http.StatusConflict, "conflict")
		d.trade(child).is("notes", `"kept"`)
		d.delete("/corporate-actions/" + action).want(http.StatusNoContent)
		d.get("/trades/"+child).wantError(http.StatusNotFound, "not_found")
	})
}
