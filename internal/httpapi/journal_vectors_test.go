package httpapi_test

import (
	"testing"
)

// TestCostsOfAFlipAreShared is the vector for a fill crossing zero with costs of 9: a
// third closes, two thirds open.
func TestCostsOfAFlipAreShared(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("F", "buy 100@10", 0)
		flip := d.fill("F", "sell 300@11", 1, more{"fees": 9})
		d.fill("F", "buy 200@10", 2)
		list := d.trades("F").holds("", `[{"direction":"short","fees_total":6,"net_pnl":194,"gross_pnl":200},
			{"direction":"long","fees_total":3,"net_pnl":97,"gross_pnl":100}]`)
		long, short := list.text("1.id"), list.text("0.id")
		// The fill is in both trades, by time, and its trade_id is the trade it opened.
		d.get("/executions/"+flip.text("id")).holds("", `{"trade_ids":["`+long+`","`+short+`"],"quantity":300,"fees":9}`)
		flip.holds("", `{"trade_ids":["`+long+`","`+short+`"],"trade_id":"`+short+`"}`)
		d.trade(long).holds("fills", `[{"trade_quantity":100,"role":"opening"},{"quantity":300,"trade_quantity":100,"trade_fees":3,"role":"closing"}]`)
		d.trade(short).holds("fills", `[{"quantity":300,"trade_quantity":200,"trade_fees":6,"role":"opening"},{"trade_quantity":200,"role":"closing"}]`)
	})
}
