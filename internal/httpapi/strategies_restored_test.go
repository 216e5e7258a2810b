package httpapi_test

import (
	"net/http"
	"testing"
)

// TestRestoredDecisionsAreSeen restores a backup into the journal that it came from: a decision
// that was deleted since is back in the next answer.
func TestRestoredDecisionsAreSeen(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := d.made("/executions", more{
			"account_id": d.account, "symbol": "XYZ", "instrument_type": "option", "multiplier": 100, "quantity": 1, "price": 2, "side": "buy",
			"executed_at": "2026-01-05T15:00:00Z", "details": more{"option_right": "call", "strike": "95", "expiry": "2026-06-19"},
		}).text("trade_id")
		made := d.made("/strategies", more{"trade_ids": []string{trade}, "name": "Kept"})
		backup := string(d.get("/exports?format=json").want(http.StatusOK).body)
		d.post("/history/"+made.changeOf()+"/undo", nil).want(http.StatusOK)
		d.get("/strategies").want(http.StatusOK).is("", "[]")
		d.form("/imports/commit", part{"file", "backup.json", backup}).want(http.StatusOK)
		d.get("/strategies").want(http.StatusOK).is("0.name", `"Kept"`).is("1", "null")
		d.trade(trade).is("strategy_id", d.get("/strategies").json("0.id"))
	})
}
