package httpapi_test

import (
	"net/http"
	"testing"
)

// TestDeletingATradeThatSharesAFill leaves the neighbour its part.
func TestDeletingATradeThatSharesAFill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		delete int // which trade, in time order
		fills  string
		left   string
	}{
		"the one it closes": {
			0, `[{"quantity":200,"fees":6,"commission":4,"side":"sell"},{"quantity":200}]`,
			`[{"direction":"short","qty_opened":200,"fees_total":10,"net_pnl":190,"gross_pnl":200,"status":"closed"}]`,
		},
		"the one it opens": {
			1, `[{"quantity":100},{"quantity":100,"fees":3,"commission":2,"side":"sell"}]`,
			`[{"direction":"long","qty_opened":100,"fees_total":5,"net_pnl":95,"gross_pnl":100,"status":"closed"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachWorld(t, func(_ *testing.T, w *world) {
				d := w.trader()
				d.fill("F", "buy 100@10", 0)
				shared := d.fill("F", "sell 300@11", 1, more{"fees": 9, "commission": 6})
				d.fill("F", "buy 200@10", 2)
				trades := []string{shared.text("trade_ids.0"), shared.text("trade_ids.1")}
				gone, kept := trades[c.delete], trades[1-c.delete]
				d.annotate(gone, `{"notes":"gone"}`)
				d.annotate(kept, `{"notes":"kept"}`)
				d.delete("/trades/" + gone).wantNone()
				d.get("/trades/"+gone).wantError(http.StatusNotFound, "not_found")
				d.get("/executions").want(http.StatusOK).holds("", c.fills)
				d.trades("F").holds("", c.left).holds("", `[{"id":"`+kept+`","notes":"kept"}]`)
				d.get("/executions/"+shared.text("id")).want(http.StatusOK).holds("", `{"trade_ids":["`+kept+`"]}`)
			})
		})
	}
}

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

// TestFlipsAreRegrouped with what is edited around them.
func TestFlipsAreRegrouped(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		fills := d.fills("F", 0, "buy 100@10", "sell 100@12", "buy 50@11")
		path := "/executions/" + fills[1].text("id")
		d.patch(path, `{"quantity":150}`).want(http.StatusOK).holds("", `{"trade_id":"`+fills[2].text("trade_id")+`"}`)
		d.trades("F").holds("", `[{"direction":"short","net_pnl":50},{"direction":"long","net_pnl":200}]`)
		if n := d.get(path).count("trade_ids"); n != 2 {
			d.w.t.Errorf("the flip is in %d trades", n)
		}
		d.patch(path, `{"quantity":100}`).want(http.StatusOK)
		d.trades("F").holds("", `[{"direction":"long","status":"open","qty_opened":50},{"direction":"long","net_pnl":200}]`)
		d.delete(path).wantNone()
		d.trades("F").holds("", `[{"direction":"long","status":"open","qty_opened":150,"execution_count":2}]`)
	})
}
