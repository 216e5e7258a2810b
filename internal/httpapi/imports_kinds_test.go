package httpapi_test

import (
	"net/http"
	"testing"
)

const unknownWords = "Activity Date,Process Date,Settle Date,Instrument,Description,Trans Code,Quantity,Price,Amount\n" +
	`1/5/2026,1/5/2026,1/6/2026,AAPL,Apple,Buy,10,$100.00,"($1,000.00)"` + "\n" +
	`1/6/2026,1/6/2026,1/7/2026,AAPL,Apple,Sell,10,$110.00,"$1,100.00"` + "\n" +
	"1/7/2026,1/7/2026,1/7/2026,,First,ZORP,,,$5.00\n" +
	"1/8/2026,1/8/2026,1/8/2026,,Second,Zorp,,,$6.00\n" +
	"1/9/2026,1/9/2026,1/9/2026,,Third,BLIP,,,($1.00)\n"

// TestUnknownKinds checks that rows with an unknown kind are skipped until the user
// chooses one, and that a commit stores the choice for later files.
func TestUnknownKinds(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		preview := d.upload("/imports", unknownWords).want(http.StatusOK)
		preview.holds("unknown_kinds.0", `{"word": "ZORP", "rows": 2, "kind": null}`).
			holds("unknown_kinds.1", `{"word": "BLIP", "rows": 1, "kind": null}`).
			holds("rows", `{"data": 5, "fills": 2, "cash": 0, "skipped": 3, "errors": 0}`).
			is("cash_rows", "0")

		answers := part{"kinds", "", `{"zorp": "interest"}`}
		d.upload("/imports", unknownWords, answers).want(http.StatusOK).
			holds("unknown_kinds.0", `{"word": "ZORP", "rows": 2, "kind": "interest"}`).
			holds("rows", `{"data": 5, "fills": 2, "cash": 2, "skipped": 1, "errors": 0}`)
		d.get("/imports/kinds").want(http.StatusOK).is("", "[]") // a preview stores nothing

		d.upload("/imports/commit", unknownWords, answers).want(http.StatusOK).
			holds("rows", `{"data": 5, "fills": 2, "cash": 2, "skipped": 1}`)
		d.get("/cash-transactions").want(http.StatusOK).is("0.type", `"interest"`).is("0.amount", "5").is("1.amount", "6")
		stored := d.get("/imports/kinds").want(http.StatusOK)
		stored.holds("0", `{"layout": "robinhood/account activity", "word": "zorp", "kind": "interest"}`)

		// Later files use the stored kind, an upload can replace it.
		d.upload("/imports", unknownWords).want(http.StatusOK).
			is("unknown_kinds.0.kind", `"interest"`).is("unknown_kinds.1.kind", "null").is("cash_rows", "2")
		d.upload("/imports", unknownWords, part{"kinds", "", `{"ZORP": "ignore"}`}).want(http.StatusOK).
			is("unknown_kinds.0.kind", `"ignore"`).is("cash_rows", "0")

		// Other users have their own.
		other := w.addUser(d.client, "other@example.org")
		other.get("/imports/kinds").want(http.StatusOK).is("", "[]")
		other.delete("/imports/kinds/"+stored.text("0.id")).wantError(http.StatusNotFound, "not_found")

		d.delete("/imports/kinds/" + stored.text("0.id")).want(http.StatusNoContent)
		d.get("/imports/kinds").want(http.StatusOK).is("", "[]")
		d.upload("/imports", unknownWords).want(http.StatusOK).is("unknown_kinds.0.kind", "null").is("cash_rows", "0")
	})
}

// TestUnknownKindRefusals checks the errors for invalid kinds.
func TestUnknownKindRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, kinds := range []string{`{"zorp": "gift"}`, `{"zorp": "buy"}`, `{"zorp": ""}`, `{" ": "fee"}`, `["fee"]`, `{"a": "fee", "a": "tax"}`} {
			for _, path := range []string{"/imports", "/imports/commit"} {
				d.upload(path, unknownWords, part{"kinds", "", kinds}).wantError(http.StatusBadRequest, "bad_request").
					is("error.details.field", `"kinds"`)
			}
		}
		d.get("/imports").want(http.StatusOK).is("", "[]")
	})
}

// swissWords is a file in francs with an unknown kind.
const swissWords = "Date;Order #;Transaction;Symbol;Name;ISIN;Quantity;Unit price;Costs;Accrued Interest;Net Amount;Balance;Currency\n" +
	"12-08-2022 15:30:02;1;Sell;ALDR;Alder;US00FICT0125;200.0;21.00;5.96;0.00;4194.04;1.00;CHF\n" +
	"10-08-2022 15:30:02;2;Buy;ALDR;Alder;US00FICT0125;200.0;19.85;4.96;0.00;-3974.96;1.00;CHF\n" +
	"30-06-2022 18:01:13;0;ZORP;;;;1.0;50.00;0.00;0.00;50.00;1.00;CHF\n" +
	"29-06-2022 18:01:13;0;BLIP;;;;1.0;50.00;0.00;0.00;-50.00;1.00;CHF\n"

// TestBatchStoresKinds checks that an import finished later keeps its first kinds, and
// that a committed one lists the kinds used for its rows, whatever the user chooses
// later.
func TestBatchStoresKinds(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		d := owner.addAccount("Dollar")
		id := d.upload("/imports/commit", swissWords, part{"kinds", "", `{"ZORP": "interest"}`}).
			wantError(http.StatusBadRequest, "mixed_currencies").text("error.details.import_batch_id")
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"pending"`).is("kinds", `{"ZORP":"interest"}`)

		finish := "/imports/" + id + "/commit"
		francs := owner.addAccount("Franc", more{"base_currency": "CHF"})
		francs.upload(finish, swissWords).want(http.StatusOK).is("cash_inserted", "1")
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"committed"`).is("kinds", `{"zorp":"interest"}`)

		d.delete("/imports/kinds/" + d.get("/imports/kinds").text("0.id")).want(http.StatusNoContent)
		francs.upload(finish, swissWords, part{"kinds", "", `{"zorp": "fee"}`}).want(http.StatusOK).is("cash_inserted", "1")
		d.get("/imports/"+id).want(http.StatusOK).is("kinds", `{"zorp":"interest"}`)
		d.get("/imports/kinds").want(http.StatusOK).is("", "[]")

		// A stored choice counts as used, a word without a choice does not.
		francs.upload("/imports/commit", swissWords, part{"kinds", "", `{"blip": "fee"}`}).want(http.StatusOK)
		third := owner.addAccount("Third", more{"base_currency": "CHF"})
		later := third.upload("/imports/commit", swissWords).want(http.StatusOK).text("import_batch_id")
		third.get("/imports/"+later).want(http.StatusOK).is("kinds", `{"blip":"fee"}`)
	})
}
