package httpapi_test

import (
	"fmt"
	"testing"
)

// A client sending back the initial risk it read does not state it: the risk keeps
// following the stop. Any other value is stated, and so is a value that no longer follows
// from the stop.
func TestDerivedRiskStaysDerived(t *testing.T) {
	t.Parallel()
	derived := func(risk int) string {
		return fmt.Sprintf(`{"initial_risk": %d, "initial_risk_derived": true}`, risk)
	}
	stated := func(risk int) string {
		return fmt.Sprintf(`{"initial_risk": %d, "initial_risk_derived": false}`, risk)
	}
	cases := []struct {
		name   string
		before more // the annotations on a trade with 100 at 10
		change more
		want   string
	}{
		{"sent back", more{"stop_price": 9}, more{"initial_risk": 100, "notes": "x"}, derived(100)},
		{"sent back with its stop", more{"stop_price": 9}, more{"initial_risk": 100, "stop_price": 9}, derived(100)},
		{"sent back with another stop", more{"stop_price": 9}, more{"initial_risk": "100.0", "stop_price": 8}, derived(200)},
		{"sent back without the stop", more{"stop_price": 9}, more{"initial_risk": 100, "stop_price": nil}, stated(100)},
		{"sent back with a stop at the entry", more{"stop_price": 9}, more{"initial_risk": 100, "stop_price": 10}, stated(100)},
		{"sent back with a stop on the wrong side", more{"stop_price": 9}, more{"initial_risk": 100, "stop_price": 11}, stated(100)},
		{"another value", more{"stop_price": 9}, more{"initial_risk": 150}, stated(150)},
		{"another value without the stop", more{"stop_price": 9}, more{"initial_risk": 150, "stop_price": nil}, stated(150)},
		{"stated before", more{"stop_price": 9, "initial_risk": 150}, more{"initial_risk": 100}, stated(100)},
		{"cleared", more{"stop_price": 9, "initial_risk": 150}, more{"initial_risk": nil}, derived(100)},
		{"without the stop", more{"stop_price": 9}, more{"stop_price": nil}, `{"initial_risk": null, "initial_risk_derived": false}`},
		{"no stop", more{}, more{"initial_risk": 100}, stated(100)},
	}
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL")
		for _, c := range cases {
			t.Log(c.name)
			d.annotate(trade, more{"initial_risk": nil, "stop_price": nil})
			d.annotate(trade, c.before)
			d.annotate(trade, c.change).holds("", c.want)
		}
	})
}

func TestRiskToStopOfAnOpenTrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		fill := func(side string, quantity int) {
			d.made("/executions", more{"account_id": d.account, "symbol": "AAPL", "side": side, "quantity": quantity, "price": 10, "executed_at": "2026-02-02T10:00:00Z"})
		}
		fill("buy", 100)
		trade := d.get("/trades").is("0.risk_to_stop", "null").text("0.id")
		d.annotate(trade, more{"stop_price": 9}).is("risk_to_stop", "100")
		fill("sell", 75)
		d.get("/trades").is("0.risk_to_stop", "25").is("0.initial_risk", "100")
		fill("sell", 25)
		d.get("/trades").is("0.risk_to_stop", "null")
	})
}
