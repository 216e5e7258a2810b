package httpapi_test

import (
	"testing"
)

// TestDeletingATradeRegroups what is left: two flips around it meet.
func TestDeletingATradeRegroups(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fills("F", 0, "buy 100@10", "sell 150@12", "buy 150@11", "sell 100@13")
		list := d.trades("F").holds("", `[{"direction":"long","qty_opened":100},{"direction":"short","qty_opened":50},{"direction":"long","qty_opened":100}]`)
		ids := list.column("id")
		d.delete("/trades/" + ids[1]).wantNone()
		d.trades("F").holds("", `[{"id":"`+ids[0]+`","net_pnl":200,"direction":"long"},{"id":"`+ids[2]+`","net_pnl":200,"direction":"long"}]`)
		d.get("/executions").holds("", `[{"quantity":100},{"quantity":100,"side":"sell"},{"quantity":100,"side":"buy"},{"quantity":100}]`)
	})
}
