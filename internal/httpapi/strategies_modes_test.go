package httpapi_test

import (
	"net/http"
	"testing"
)

// TestStrongProposalsAreAccepted: with accept_strong the legs of one order are accepted, those
// of some minutes stay proposed, and with off there are no proposals.
func TestStrongProposalsAreAccepted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ordered := func(strike string) more {
			return more{"details": more{"option_right": "put", "strike": strike, "expiry": "2026-07-17", "order_id": "o1"}}
		}
		strong := d.option("buy", "put", "90", "1", 0, ordered("90")).text("trade_id")
		d.option("sell", "put", "95", "2", 9, ordered("95"))
		weak := d.option("buy", "call", "100", "3", 20).text("trade_id")
		d.option("sell", "call", "105", "1", 22)
		d.get("/strategies").want(http.StatusOK).is("0.state", `"proposed"`).is("1.state", `"proposed"`).is("2", "null")
		d.trade(strong).is("strategy_id", "null")

		d.put("/settings/strategies", more{"detect": "accept_strong"}).want(http.StatusOK).is("detect", `"accept_strong"`)
		accepted := d.get("/strategies?state=accepted").want(http.StatusOK).is("0.evidence", `"order"`).is("1", "null").text("0.id")
		d.get("/strategies?state=proposed").want(http.StatusOK).is("0.evidence", `"window"`).is("1", "null")
		d.trade(strong).is("strategy_id", `"`+accepted+`"`)
		d.trade(weak).is("strategy_id", "null")

		d.put("/settings/strategies", more{"detect": "off"}).want(http.StatusOK)
		if n := d.get("/strategies").count(""); n != 0 {
			t.Errorf("%d strategies with detection off", n)
		}
		d.trade(strong).is("strategy_id", "null")
	})
}

// TestLimitedTokensNameTheAccountsOfActions: a token limited to accounts can record a corporate
// action for these only.
func TestLimitedTokensNameTheAccountsOfActions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.made("/accounts", more{"name": "Other", "base_currency": "USD"}).text("id")
		_, secret := d.mint(more{"name": "writer", "scope": "write", "account_ids": []string{d.account}})
		limited := w.as(secret)
		split := more{"kind": "split", "symbol": "SPLT", "ratio_new": 2, "effective_on": "2026-01-05"}
		limited.post("/corporate-actions", split).wantError(http.StatusForbidden, "forbidden")
		limited.post("/corporate-actions", split.with(more{"account_ids": []string{d.account, other}})).wantField("account_ids")
		limited.post("/corporate-actions", split.with(more{"account_ids": []string{d.account}})).want(http.StatusCreated)
		everywhere := d.made("/corporate-actions", split.with(more{"symbol": "OTHR"})).text("id")
		limited.delete("/corporate-actions/"+everywhere).wantError(http.StatusForbidden, "forbidden")
	})
}
