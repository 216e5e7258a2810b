package httpapi_test

import (
	"net/http"
	"testing"
)

// TestFirstTrade walks from an empty installation to a closed, annotated trade.
func TestFirstTrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		made := w.anonymous().post("/setup", map[string]any{
			"email": ownerEmail, "password": ownerPassword, "account": map[string]any{"name": "Main", "starting_balance": 1000},
		}).want(http.StatusCreated)
		c := w.as(made.text("access_token"))
		account := made.text("account.id")
		fill := func(side string, quantity, price, at string) *reply {
			return c.post("/executions", map[string]any{
				"account_id": account, "symbol": "aapl", "side": side, "quantity": quantity, "price": price, "executed_at": at,
			}).want(http.StatusCreated)
		}
		first := fill("buy", "0.1", "1", "2026-01-05T15:00:00Z")
		fill("buy", "0.2", "1", "2026-01-05T15:01:00Z")
		trade := fill("sell", "0.3", "1.1", "2026-01-05T15:02:00Z").text("trade_id")
		if first.text("trade_id") != trade {
			t.Fatal("one round trip is two trades")
		}
		tag := c.post("/tags", map[string]any{"name": "Late"}).want(http.StatusCreated).text("id")
		c.patch("/trades/"+trade, map[string]any{"notes": "chased it", "tag_ids": []string{tag}, "stop_price": 0.9}).want(http.StatusOK)
		list := c.get("/trades").want(http.StatusOK)
		for path, want := range map[string]string{
			"0.symbol": "AAPL", "0.net_pnl": "0.03", "0.status": "closed", "0.notes": "chased it", "0.tags.0.name": "Late",
			"0.initial_risk": "0.03", "0.r_multiple": "1", "0.avg_entry_price": "1",
		} {
			if got := list.text(path); got != want {
				t.Errorf("%s is %q, want %q", path, got, want)
			}
		}
		if n := c.get("/trades/" + trade).want(http.StatusOK).count("fills"); n != 3 {
			t.Errorf("%d fills", n)
		}
		if n := c.get("/routines").want(http.StatusOK).count("items"); n != 5 {
			t.Errorf("%d items were seeded", n)
		}
	})
}
