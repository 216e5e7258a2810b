package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// closingSales sell more than they bought: 40 of 100 without a purchase, and a contract of
// which nothing was bought. A short sale is a short sale.
const closingSales = `Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency
2024-06-14T16:00:00+0000,Trade,Sell to Open,SELL_TO_OPEN,SHRT,Equity,Sold 5 SHRT @ 9.00,45.00,5,9.00,0.00,0.00,,,,,,,1,45.00,USD
2024-06-13T16:00:00+0000,Trade,Sell to Close,SELL_TO_CLOSE,OAKS  240621C00011000,Equity Option,Sold 1 OAKS,150.00,1,150.00,0.00,0.00,100,OAKS,OAKS,6/21/24,11,CALL,2,150.00,USD
2024-06-12T16:00:00+0000,Trade,Sell to Close,SELL_TO_CLOSE,ELMS,Equity,Sold 100 ELMS @ 12.00,"1,200.00",100,12.00,0.00,0.00,,,,,,,3,"1,200.00",USD
2024-06-11T16:00:00+0000,Trade,Buy to Open,BUY_TO_OPEN,ELMS,Equity,Bought 60 ELMS @ 10.00,-600.00,60,-10.00,0.00,0.00,,,,,,,4,-600.00,USD
`

// TestSalesWithoutPurchase: the preview and the commit of a file list the sales that close
// what is not held, the journal lists the short positions, and the proposals repair them.
func TestSalesWithoutPurchase(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		d := w.addUser(owner, "sales@example.org").addAccount("Main")
		isListed := func(r *reply) *reply {
			t.Helper()
			if !strings.Contains(string(r.body), "2 sales close positions by this file") {
				t.Errorf("no warning: %s", r.body)
			}
			return r.is("unmatched_closing.0.symbol", `"ELMS"`).is("unmatched_closing.0.quantity", "40").is("unmatched_closing.0.row", "3").
				is("unmatched_closing.0.proposal.kind", `"opening"`).is("unmatched_closing.0.proposal.side", `"buy"`).
				is("unmatched_closing.0.proposal.price", "12").is("unmatched_closing.0.proposal.executed_at", `"2024-06-12T15:59:59Z"`).
				is("unmatched_closing.0.proposal.basis_estimated", "true").is("unmatched_closing.0.proposal.account_id", `"`+d.account+`"`).
				is("unmatched_closing.1.symbol", `"OAKS"`).is("unmatched_closing.1.quantity", "1").
				is("unmatched_closing.1.proposal.details.strike", `"11"`).is("unmatched_closing.2", "null")
		}
		isListed(d.upload("/imports", closingSales).want(http.StatusOK))
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		done := isListed(d.imported(closingSales))
		again := d.upload("/imports", closingSales).want(http.StatusOK).is("unmatched_closing", "[]").is("completed", "0")
		if strings.Contains(string(again.body), "nothing is held then") {
			t.Errorf("a second import warns: %s", again.body)
		}
		isUnmatched := func(d trader) *reply {
			t.Helper()
			return d.get("/positions/unmatched").want(http.StatusOK).is("0.reason", `"sold_without_purchase"`).is("0.symbol", `"ELMS"`).
				is("0.quantity", "40").is("0.proposal.kind", `"opening"`).is("1.reason", `"sold_without_purchase"`).is("1.symbol", `"OAKS"`).is("2", "null")
		}
		list := isUnmatched(d)
		w.checkInstallation()

		restored := w.addUser(owner, "restored@example.org")
		restored.form("/imports/commit", part{"file", "backup.json", string(d.get("/exports?format=json").want(http.StatusOK).body)}).want(http.StatusOK)
		isUnmatched(trader{client: restored})

		d.delete("/imports/" + done.text("import_batch_id")).wantNone()
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		d.post("/history/"+d.get("/history?limit=1").want(http.StatusOK).text("0.id")+"/undo", nil).want(http.StatusOK)
		isUnmatched(d)
		var found []struct{ Proposal json.RawMessage }
		if err := json.Unmarshal(list.body, &found); err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			d.post("/executions", one.Proposal).want(http.StatusCreated)
		}
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		d.get("/trades?status=open").want(http.StatusOK).is("0.symbol", `"SHRT"`).is("1", "null")
		w.checkInstallation()
	})
}

// TestPurchaseWithoutSale: an option that a closing purchase seems to have opened lacks its
// beginning, not its expiry. The proposal repairs it.
func TestPurchaseWithoutSale(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		const file = `Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency
2024-06-13T16:00:00+0000,Trade,Buy to Close,BUY_TO_CLOSE,OAKS  240621C00011000,Equity Option,Bought 3 OAKS,-450.00,3,-150.00,0.00,0.00,100,OAKS,OAKS,6/21/24,11,CALL,2,-450.00,USD
2024-06-12T16:00:00+0000,Trade,Sell to Open,SELL_TO_OPEN,OAKS  240621C00011000,Equity Option,Sold 1 OAKS,200.00,1,200.00,0.00,0.00,100,OAKS,OAKS,6/21/24,11,CALL,1,200.00,USD
2024-06-11T16:00:00+0000,Trade,Buy to Open,BUY_TO_OPEN,ELMS  240621C00011000,Equity Option,Bought 1 ELMS,-100.00,1,-100.00,0.00,0.00,100,ELMS,ELMS,6/21/24,11,CALL,3,-100.00,USD
`
		d := w.trader()
		d.imported(file)
		list := d.get("/positions/unmatched").want(http.StatusOK).is("0.reason", `"expired_unclosed"`).is("0.symbol", `"ELMS"`).
			is("1.reason", `"nothing_to_close"`).is("1.symbol", `"OAKS"`).is("1.quantity", "2").is("2", "null").
			is("1.proposal.kind", `"opening"`).is("1.proposal.side", `"sell"`).is("1.proposal.price", "1.5").
			is("1.proposal.executed_at", `"2024-06-13T15:59:59Z"`).is("1.proposal.basis_estimated", "true")
		d.made("/executions", list.value("1.proposal"))
		d.get("/positions/unmatched").want(http.StatusOK).is("0.symbol", `"ELMS"`).is("1", "null")
		d.get("/trades?symbol=OAKS").want(http.StatusOK).is("0.status", `"closed"`).is("0.direction", `"short"`).is("0.net_pnl", "50").is("1", "null")
	})
}

// TestPlainSaleOfABrokerWithShortSales: Schwab writes Sell Short for a short sale, so its
// Sell closes. What a split in the file brought is no sale without a purchase.
func TestPlainSaleOfABrokerWithShortSales(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		const file = `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"06/13/2024","Sell Short","SHRT","SHORT CO","7","$20.00","","$140.00"
"06/12/2024","Sell","ELMS","ELMS CO","30","$11.00","","$330.00"
`
		d := w.trader()
		d.upload("/imports", file).want(http.StatusOK).is("unmatched_closing.0.symbol", `"ELMS"`).is("unmatched_closing.0.quantity", "30").
			is("unmatched_closing.0.row", "2").is("unmatched_closing.1", "null")
		d.imported(file).is("unmatched_closing.0.symbol", `"ELMS"`).is("unmatched_closing.1", "null")
		d.get("/positions/unmatched").want(http.StatusOK).is("0.symbol", `"ELMS"`).is("0.reason", `"sold_without_purchase"`).is("1", "null")
		for _, path := range []string{"/imports", "/imports/commit"} {
			d.upload(path, addedShares).want(http.StatusOK).is("unmatched_closing", "[]")
		}
		d.get("/positions/unmatched").want(http.StatusOK).is("1", "null")
	})
}

// TestUnknownEffectStaysUnknown: a file of a version that did not store what closes is
// imported again, and then the journal knows.
func TestUnknownEffectStaysUnknown(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		sale := more{"account_id": d.account, "symbol": "ELMS", "side": "sell", "quantity": 30, "price": 11, "executed_at": "2024-06-12T16:00:00Z"}
		id := d.made("/executions", sale).text("id")
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		const file = `Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency
2024-06-12T16:00:00+0000,Trade,Sell to Close,SELL_TO_CLOSE,ELMS,Equity,Sold 30 ELMS @ 11.00,330.00,30,11.00,0.00,0.00,,,,,,,3,330.00,USD
`
		done := d.imported(file).is("inserted", "0").is("completed", "1").is("unmatched_closing", "[]")
		d.get("/positions/unmatched").want(http.StatusOK).is("0.reason", `"sold_without_purchase"`).is("0.fills.0", `"`+id+`"`).is("1", "null")
		w.checkInstallation()
		d.delete("/imports/" + done.text("import_batch_id")).wantNone()
		d.get("/positions/unmatched").want(http.StatusOK).is("", "[]")
		w.checkInstallation()
	})
}
