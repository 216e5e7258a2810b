package httpapi_test

import "testing"

// A client that sends back the initial risk that it read does not state it: the
// risk goes on following the stop. Any other value is stated.
func TestDerivedRiskStaysDerived(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL") // 100 at 10
		d.annotate(trade, more{"stop_price": 9}).holds("", `{"initial_risk": 100, "initial_risk_derived": true}`)
		d.annotate(trade, more{"initial_risk": 100, "notes": "sent back"}).holds("", `{"initial_risk": 100, "initial_risk_derived": true, "notes": "sent back"}`)
		d.annotate(trade, more{"initial_risk": "100.0", "stop_price": 8}).holds("", `{"initial_risk": 200, "initial_risk_derived": true}`)
		d.annotate(trade, more{"initial_risk": 150}).holds("", `{"initial_risk": 150, "initial_risk_derived": false}`)
		d.annotate(trade, more{"initial_risk": 200}).holds("", `{"initial_risk": 200, "initial_risk_derived": false}`) // stated before
		d.annotate(trade, more{"initial_risk": nil}).holds("", `{"initial_risk": 200, "initial_risk_derived": true}`)
		d.annotate(trade, more{"stop_price": nil, "initial_risk": 200}).holds("", `{"initial_risk": null}`)
		d.annotate(trade, more{"initial_risk": 200}).holds("", `{"initial_risk": 200, "initial_risk_derived": false}`)
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
