package httpapi_test

import (
	"maps"
	"net/http"
	"testing"
)

// with returns the values with others added.
func (m more) with(others more) more {
	both := maps.Clone(m)
	maps.Copy(both, others)
	return both
}

// putDetails returns an option's contract.
func putDetails() more {
	return more{"option_right": "put", "strike": "50", "expiry": "2026-03-20"}
}

// TestAssignmentKeepsPremiumAndStrike: the option keeps its premium, the stock is bought
// at the strike, and both together are the money that moved.
func TestAssignmentKeepsPremiumAndStrike(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		option := more{"account_id": d.account, "symbol": "XYZ", "instrument_type": "option", "details": putDetails()}
		d.made("/executions", option.with(more{"side": "sell", "quantity": 1, "price": 2.5, "commission": 1, "executed_at": "2026-03-02T15:00:00Z"}))
		assigned := d.made("/executions", option.with(more{
			"side": "buy", "quantity": 1, "price": 0, "fees": 5, "executed_at": "2026-03-20T20:00:00Z", "kind": "assignment", "event_id": "A1",
		})).is("kind", `"assignment"`).is("event_id", `"A1"`)
		d.get("/trades/"+assigned.text("trade_id")).holds("", `{"ended_by": "assignment", "outcome": "win", "net_pnl": 244, "symbols": ["XYZ"], "status": "closed"}`)
		stock := more{"account_id": d.account, "symbol": "XYZ"}
		d.made("/executions", stock.with(more{
			"side": "buy", "quantity": 100, "price": 50, "executed_at": "2026-03-20T20:00:00Z", "event_id": "A1",
		})).is("kind", `"trade"`)
		sold := d.made("/executions", stock.with(more{"side": "sell", "quantity": 100, "price": 47, "executed_at": "2026-03-24T15:00:00Z"}))
		d.get("/trades/"+sold.text("trade_id")).holds("", `{"ended_by": "trade", "outcome": "loss", "net_pnl": -300, "avg_entry_price": 50}`)
		d.get("/analytics/summary").is("net_pnl", "-56").is("total_trades", "2")
	})
}

// TestWhatEndsNeverOpens: an expiry without a position belongs to no trade until one
// arrives, and what exceeds the position never does.
func TestWhatEndsNeverOpens(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		option := more{"account_id": d.account, "symbol": "XYZ", "instrument_type": "option", "details": putDetails()}
		expiry := d.made("/executions", option.with(more{
			"side": "buy", "quantity": 3, "price": 0, "executed_at": "2026-03-20T20:00:00Z", "kind": "expiry",
		})).is("trade_ids", "[]").is("trade_id", "null")
		path := "/executions/" + expiry.text("id")
		if n := d.get("/trades").count(""); n != 0 {
			t.Errorf("an expiry opened %d trades", n)
		}
		opened := d.made("/executions", option.with(more{"side": "sell", "quantity": 2, "price": 1.35, "executed_at": "2026-03-02T15:00:00Z"}))
		trade := opened.text("trade_id")
		d.get(path).is("trade_ids.0", `"`+trade+`"`)
		d.get("/trades/"+trade).holds("", `{"status": "closed", "ended_by": "expiry", "net_pnl": 270, "execution_count": 2}`)
		d.delete("/executions/" + opened.text("id")).want(http.StatusNoContent)
		d.get(path).is("trade_ids", "[]")
		d.get("/executions").is("0.trade_ids", "[]")
		d.patch(path, more{"kind": "trade"}).want(http.StatusOK).is("kind", `"trade"`)
		d.get("/trades").is("0.direction", `"long"`)
	})
}

// TestRemovalHasNoResult: shares that leave do so at cost, and their trade does not count.
func TestRemovalHasNoResult(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		stock := more{"account_id": d.account, "symbol": "XYZ"}
		d.made("/executions", stock.with(more{"side": "buy", "quantity": 30, "price": 10, "fees": 1, "executed_at": "2026-03-02T15:00:00Z"}))
		d.made("/executions", stock.with(more{"side": "buy", "quantity": 10, "price": 14, "executed_at": "2026-03-03T15:00:00Z"}))
		gone := d.made("/executions", stock.with(more{
			"side": "sell", "quantity": 40, "price": 999, "executed_at": "2026-03-04T15:00:00Z", "kind": "removal",
		})).is("price", "11")
		d.get("/trades/"+gone.text("trade_id")).holds("", `{"status": "closed", "ended_by": "removal", "gross_pnl": 0, "net_pnl": -1, "avg_exit_price": 11}`).is("outcome", "null")
		d.get("/analytics/summary").holds("", `{"total_trades": 0, "losses": 0, "breakeven": 0, "net_pnl": -1, "total_fees": 1, "avg_trade": 0, "trading_days": 0, "volume": 440}`).is("excluded.removals", "1")
		d.get("/analytics/equity-curve").is("ending_equity", "-1")
		if n := d.get("/trades?outcome=loss,breakeven,win").count(""); n != 0 {
			t.Errorf("%d removed trades have an outcome", n)
		}
		// An earlier purchase changes the average at which they left.
		d.made("/executions", stock.with(more{"side": "buy", "quantity": 40, "price": 1, "executed_at": "2026-03-01T15:00:00Z"}))
		d.get("/executions/"+gone.text("id")).is("price", "6")
	})
}

// TestOpeningMovesNoCash: shares that came count with their cost, without volume and fees.
func TestOpeningMovesNoCash(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		stock := more{"account_id": d.account, "symbol": "XYZ"}
		d.made("/executions", stock.with(more{
			"side": "buy", "quantity": 10, "price": 40, "fees": 9, "executed_at": "2026-03-02T15:00:00Z", "kind": "opening", "basis_estimated": true,
		})).is("basis_estimated", "true")
		sold := d.made("/executions", stock.with(more{"side": "sell", "quantity": 10, "price": 45, "fees": 1, "executed_at": "2026-03-04T15:00:00Z"}))
		d.get("/trades/"+sold.text("trade_id")).holds("", `{"ended_by": "trade", "net_pnl": 49, "outcome": "win"}`)
		d.get("/analytics/summary").holds("", `{"total_fees": 1, "volume": 450, "total_trades": 1}`)
	})
}

// TestKindsAreChecked: an instrument has only the kinds that it can have.
func TestKindsAreChecked(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		fill := more{
			"account_id": d.account, "symbol": "XYZ", "side": "sell", "quantity": 1, "price": 0, "executed_at": "2026-03-02T15:00:00Z",
		}
		option := more{"instrument_type": "option", "details": putDetails()}
		for _, c := range []struct {
			values more
			field  string
		}{
			{more{"kind": "assignment"}, "kind"},
			{more{"kind": "exercise", "instrument_type": "future"}, "kind"},
			{option.with(more{"kind": "assignment", "price": 1}), "price"},
			{option.with(more{"kind": "exercise", "price": 1}), "price"},
			{more{"kind": "expiry"}, "kind"},
			{more{"kind": "expiry", "instrument_type": "forex"}, "kind"},
			{more{"kind": "expiry", "instrument_type": "crypto"}, "kind"},
			{more{"basis_estimated": true}, "basis_estimated"},
			{more{"kind": "removal", "basis_estimated": true}, "basis_estimated"},
			{more{"kind": "gift"}, "kind"},
		} {
			d.post("/executions", fill.with(c.values)).wantField(c.field)
		}
		made := d.made("/executions", fill.with(option).with(more{"price": 2}))
		d.patch("/executions/"+made.text("id"), more{"kind": "exercise"}).wantField("price")
		d.patch("/executions/"+made.text("id"), more{"kind": "exercise", "price": 0}).want(http.StatusOK).is("trade_ids", "[]")
		d.patch("/executions/"+made.text("id"), more{"kind": nil, "event_id": "E"}).want(http.StatusOK).is("kind", `"trade"`).is("event_id", `"E"`)
		d.made("/trades", more{"account_id": d.account, "fills": []more{
			{"symbol": "F", "instrument_type": "future", "side": "buy", "quantity": 1, "price": 5, "executed_at": "2026-03-02T15:00:00Z"},
			{"symbol": "F", "instrument_type": "future", "side": "sell", "quantity": 1, "price": 7, "executed_at": "2026-03-03T15:00:00Z", "kind": "settlement"},
		}}).is("0.ended_by", `"settlement"`)
	})
}
