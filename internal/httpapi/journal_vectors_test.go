package httpapi_test

import (
	"testing"
)

// TestWorkedVectors sends the worked examples of the contract through the API
// and compares every number by its digits.
func TestWorkedVectors(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, vector := range []struct {
			symbol string
			extra  more
			fills  []string
			trades string // newest first
		}{
			{"LONG", nil, []string{"buy 100@10", "sell 100@12"}, `[{"direction":"long","status":"closed","net_pnl":200,"gross_pnl":200,
				"realized_pnl":200,"fees_total":0,"qty_opened":100,"qty_remaining":0,"avg_entry_price":10,"avg_exit_price":12,
				"return_pct":20,"time_in_trade_secs":60,"execution_count":2,"multiplier":1,"pnl_currency":"USD"}]`},
			{"SHORT", nil, []string{"sell 50@20", "buy 50@18"}, `[{"direction":"short","status":"closed","net_pnl":100,"return_pct":10,
				"avg_entry_price":20,"avg_exit_price":18,"qty_opened":50}]`},
			{
				"SCALEIN", nil,
				[]string{"buy 100@10", "buy 100@20", "sell 200@25"},
				`[{"avg_entry_price":15,"net_pnl":2000,"qty_opened":200,"execution_count":3}]`,
			},
			{
				"SCALEOUT", nil,
				[]string{"buy 100@10", "sell 40@12", "sell 60@14"},
				`[{"net_pnl":320,"execution_count":3,"avg_exit_price":13.2,"time_in_trade_secs":120}]`,
			},
			{
				"FLIP", nil,
				[]string{"buy 100@10", "sell 150@12", "buy 50@11"},
				`[{"direction":"short","qty_opened":50,"net_pnl":50,"execution_count":2},{"direction":"long","net_pnl":200,"execution_count":2}]`,
			},
			{
				"ES",
				more{"instrument_type": "future"},
				[]string{"buy 2@5000", "sell 2@5010"},
				`[{"net_pnl":1000,"multiplier":50,"instrument_type":"future","avg_entry_price":5000,"return_pct":0.2}]`,
			},
			{
				"DECIMAL", nil,
				[]string{"buy 0.1@1", "buy 0.2@1", "sell 0.3@1.1"},
				`[{"status":"closed","net_pnl":0.03,"qty_opened":0.3,"qty_remaining":0,"avg_entry_price":1,"avg_exit_price":1.1}]`,
			},
			{
				"EURUSD",
				more{"instrument_type": "forex"},
				[]string{"buy 100000@1.09312", "sell 100000@1.09415"},
				`[{"avg_entry_price":1.09312,"avg_exit_price":1.09415,"net_pnl":103}]`,
			},
			{
				"THIRDS", nil,
				[]string{"buy 1@1", "buy 2@2", "sell 3@2"},
				`[{"avg_entry_price":1.666666666667,"gross_pnl":1,"net_pnl":1,"return_pct":20}]`,
			},
			{"SAMEPRICE", nil, []string{"buy 5@7", "sell 5@7"}, `[{"status":"closed","net_pnl":0,"gross_pnl":0,"return_pct":0}]`},
		} {
			for i, text := range vector.fills {
				d.fill(vector.symbol, text, i, vector.extra)
			}
			d.trades(vector.symbol).holds("", vector.trades)
		}
	})
}

// TestCostsOfAFlipAreShared is the vector of the fill that crosses zero with
// costs of 9: a third closes, two thirds open.
func TestCostsOfAFlipAreShared(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.fill("F", "buy 100@10", 0)
		flip := d.fill("F", "sell 300@11", 1, more{"fees": 9})
		d.fill("F", "buy 200@10", 2)
		list := d.trades("F").holds("", `[{"direction":"short","fees_total":6,"net_pnl":194,"gross_pnl":200},
			{"direction":"long","fees_total":3,"net_pnl":97,"gross_pnl":100}]`)
		long, short := list.text("1.id"), list.text("0.id")
		// The fill is in both trades, in the order of time, and its trade_id is
		// the trade that it opened.
		d.get("/executions/"+flip.text("id")).holds("", `{"trade_ids":["`+long+`","`+short+`"],"quantity":300,"fees":9}`)
		flip.holds("", `{"trade_ids":["`+long+`","`+short+`"],"trade_id":"`+short+`"}`)
		d.trade(long).holds("fills", `[{"trade_quantity":100,"role":"opening"},{"quantity":300,"trade_quantity":100,"trade_fees":3,"role":"closing"}]`)
		d.trade(short).holds("fills", `[{"quantity":300,"trade_quantity":200,"trade_fees":6,"role":"opening"},{"trade_quantity":200,"role":"closing"}]`)

		// Costs that do not divide still add up to the whole.
		d.fill("G", "buy 1@10", 0)
		d.fill("G", "sell 3@10", 1, more{"fees": 1, "commission": "0.1"})
		d.fill("G", "buy 2@10", 2)
		odd := d.trades("G")
		first, second := odd.text("1.fees_total"), odd.text("0.fees_total")
		if sum := add(t, first, second); sum != "1.1" {
			t.Errorf("the costs %s and %s of the parts sum to %s, want 1.1", first, second, sum)
		}
		if sum := add(t, odd.text("1.net_pnl"), odd.text("0.net_pnl")); sum != "-1.1" {
			t.Errorf("the nets sum to %s, want -1.1", sum)
		}
	})
}
