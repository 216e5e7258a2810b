package httpapi_test

import (
	"net/http"
	"testing"
)

// One rule for stops and targets: any number for a future or an option, above zero for
// everything else, and a refusal naming the field.
func TestPricesFollowTheInstrument(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		share := d.fill("AAPL", "buy 1@10", 0).text("trade_id")
		future := d.fill("CLK0", "buy 1@10", 0, more{"instrument_type": "future"}).text("trade_id")
		option := d.fill("SPY", "buy 1@10", 0, more{
			"instrument_type": "option", "details": more{"option_right": "put", "strike": "450", "expiry": "2026-06-19"},
		}).text("trade_id")
		for _, field := range []string{"stop_price", "target_price"} {
			for _, price := range []int{0, -5} {
				d.patch("/trades/"+share, more{field: price}).wantField(field)
				d.annotate(future, more{field: price}).is(field, itoa(price))
				d.annotate(option, more{field: price}).is(field, itoa(price))
			}
			d.annotate(share, more{field: 5}).is(field, "5")
			d.annotate(share, more{field: nil}).is(field, "null")
			d.post("/setups", more{"name": "share", "symbol": "AAPL", field: -5}).wantField(field)
			d.post("/setups", more{"name": "any", field: -5}).wantField(field)
			d.made("/setups", more{"name": "future " + field, "symbol": "CL", field: -5}).is(field, "-5")
		}
		setup := d.made("/setups", more{"name": "moves", "symbol": "CLK0", "stop_price": -5}).text("id")
		d.patch("/setups/"+setup, more{"symbol": "AAPL"}).wantField("stop_price")
		d.patch("/setups/"+setup, more{"symbol": "AAPL", "stop_price": nil}).want(http.StatusOK)

		missed := more{"direction": "long", "observed_at": at(0), "entry": -10, "stop": -20, "target": 0}
		d.made("/missed-trades", fieldsOf(missed, more{"symbol": "CLK0"})).holds("", `{"entry": -10, "stop": -20, "target": 0, "planned_r": 1}`)
		d.post("/missed-trades", fieldsOf(missed, more{"symbol": "AAPL"})).wantField("entry")
		d.post("/missed-trades", fieldsOf(missed, more{"symbol": "AAPL", "entry": 10})).wantField("stop")
	})
}
