package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestParallelFills: sixteen writers into one stream lose nothing, and the result follows
// from the fills, to the last digit.
func TestParallelFills(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		const writers = 16
		replies := atOnce(writers, func(i int) *reply {
			side, price := "buy", "10.1"
			if i%2 == 1 {
				side, price = "sell", "10.3"
			}
			return d.post("/executions", d.order("P", fmt.Sprintf("%s 0.%03d@%s", side, 100+i/2, price), i, more{"fees": "0.01"}))
		})
		if count := tally(replies); count[http.StatusCreated] != writers {
			t.Fatalf("the writers were answered %v", count)
		}
		if n := d.get("/executions").want(http.StatusOK).count(""); n != writers {
			t.Errorf("%d fills are stored", n)
		}
		// Pairs with equal size: 8 closed trades with 0.100 to 0.107 at a profit of 0.2.
		list := d.trades("P")
		if n := list.count(""); n != writers/2 {
			t.Errorf("%d trades", n)
		}
		if sum := add(t, list.column("net_pnl")...); sum != "0.0056" { // 0.2 × 0.828 − 16 × 0.01
			t.Errorf("the nets sum to %s, want 0.0056", sum)
		}
		for _, r := range replies { // each reply named the fill's trade at that time
			if r.count("trade_ids") < 1 {
				t.Errorf("no trade: %s", r.body)
			}
		}
	})
}

// TestParallelRepetition: only one of several equal fills sent at once is stored.
func TestParallelRepetition(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		count := tally(atOnce(8, func(int) *reply { return d.post("/executions", d.order("A", "buy 1@1", 0)) }))
		if count[http.StatusCreated] != 1 || count[http.StatusOK] != 7 {
			t.Errorf("eight equal fills were answered %v", count)
		}
		count = tally(atOnce(8, func(int) *reply { return d.post("/tags", more{"name": "T"}) }))
		if count[http.StatusCreated] != 1 || count[http.StatusConflict] != 7 {
			t.Errorf("eight equal tags were answered %v", count)
		}
		trade := d.get("/trades").text("0.id")
		tag := d.trade(trade).tag()
		count = tally(atOnce(8, func(i int) *reply {
			return d.with("If-Match", tag).patch("/trades/"+trade, more{"notes": fmt.Sprint(i)})
		}))
		if count[http.StatusOK] != 1 || count[http.StatusPreconditionFailed] != 7 {
			t.Errorf("eight conditional writes were answered %v", count)
		}
	})
}

// TestParallelEdits: edits and deletions of neighbors in one stream end in the trades of
// the remaining fills.
func TestParallelEdits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		var ids []string
		for i := range 12 {
			side := "buy"
			if i%2 == 1 {
				side = "sell"
			}
			ids = append(ids, d.fill("E", side+" 1@10", i).text("id"))
		}
		replies := atOnce(12, func(i int) *reply {
			path := "/executions/" + ids[i]
			switch i % 3 {
			case 0:
				return d.patch(path, more{"price": fmt.Sprint(11 + i)})
			case 1:
				return d.patch(path, more{"fees": 1})
			}
			return d.delete(path)
		})
		if count := tally(replies); count[http.StatusOK] != 8 || count[http.StatusNoContent] != 4 {
			t.Fatalf("the editors were answered %v", count)
		}
		// Left: 0 buy@11, 1 sell, 3 sell@14… by time.
		d.get("/executions").want(http.StatusOK).wantColumn("id", ids[0], ids[1], ids[3], ids[4], ids[6], ids[7], ids[9], ids[10])
		// buy@11 sell@10 · sell@14 buy@10 · buy@17 sell@10 · sell@20 buy@10, a fee of 1 each.
		d.trades("E").wantColumn("net_pnl", "9", "-8", "3", "-2")
	})
}
