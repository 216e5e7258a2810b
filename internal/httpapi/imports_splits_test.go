package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// The files of two brokers with a split: one says how many shares came, the other books the
// old and the new shares.
const (
	addedShares = `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"06/12/2024","Sell","FIRS","FIRS CO","30","$11.00","","$330.00"
"06/10/2024","Stock Split","FIRS","FIRS CO","36","","",""
"06/03/2024","Buy","FIRS","FIRS CO","4","$100.00","","-$400.00"
`
	replacedShares = `Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency
2024-06-17T12:47:02+0200,Receive Deliver,Reverse Split,BUY_TO_OPEN,DILL,Equity,Reverse split: Open 20.0 DILL,"-1,100.00",20,-55.00,--,0.00,,,,,,,,"-1,100.00",USD
2024-06-17T12:47:02+0200,Receive Deliver,Reverse Split,SELL_TO_CLOSE,DILL,Equity,Reverse split: Close 400.0 DILL,"1,100.00",400,2.75,--,0.00,,,,,,,,"1,100.00",USD
2024-06-14T16:00:00+0200,Trade,Buy to Open,BUY_TO_OPEN,DILL,Equity,Bought 400 DILL @ 3.00,"-1,200.00",400,-3.00,0.00,0.00,,,,,,,,"-1,200.00",USD
`
)

// TestSplitsOfFiles: the preview proposes a file's split, a commit records it once, a
// reversal deletes it, and the undo of the reversal brings it back.
func TestSplitsOfFiles(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for name, c := range map[string]struct{ file, symbol, ratioNew, ratioOld, day, row, scope, remaining string }{
			"added":    {addedShares, "FIRS", "10", "1", "2024-06-10", "2", "all", "10"},
			"replaced": {replacedShares, "DILL", "1", "20", "2024-06-17", "1", "shares", "20"},
		} {
			d := w.addUser(owner, name+"@example.org").addAccount("Main")
			preview := d.upload("/imports", c.file).want(http.StatusOK)
			isProposed := func(r *reply, state string) *reply {
				return r.is("corporate_actions.0.state", `"`+state+`"`).is("corporate_actions.0.row", c.row).is("corporate_actions.0.proposal.symbol", `"`+c.symbol+`"`).
					is("corporate_actions.0.proposal.ratio_new", c.ratioNew).is("corporate_actions.0.proposal.ratio_old", c.ratioOld).
					is("corporate_actions.0.proposal.effective_on", `"`+c.day+`"`).is("corporate_actions.0.proposal.applies_to", `"`+c.scope+`"`)
			}
			isProposed(preview, "new").is("corporate_actions.0.action_id", "null")
			if !strings.Contains(preview.text("warnings.0"), "will be recorded") {
				t.Errorf("%s: warnings %s", name, preview.body)
			}
			d.get("/corporate-actions").want(http.StatusOK).is("", "[]")

			done := isProposed(d.imported(c.file), "new")
			action := done.text("corporate_actions.0.action_id")
			d.get("/corporate-actions").want(http.StatusOK).is("0.id", `"`+action+`"`).is("0.source", `"file"`).is("1", "null")
			isOneTrade := func() {
				t.Helper()
				d.get("/trades").want(http.StatusOK).is("0.qty_remaining", c.remaining).is("0.status", `"open"`).is("1", "null")
			}
			isOneTrade()
			again := isProposed(d.imported(c.file), "known").is("inserted", "0").is("corporate_actions.0.action_id", "null")
			isOneTrade()
			w.checkInstallation()
			d.delete("/imports/" + again.text("import_batch_id")).wantNone()
			isOneTrade()

			d.delete("/imports/" + done.text("import_batch_id")).wantNone()
			d.get("/corporate-actions").want(http.StatusOK).is("", "[]")
			d.get("/executions").want(http.StatusOK).is("", "[]")
			undone := d.post("/history/"+d.get("/history?limit=1").want(http.StatusOK).text("0.id")+"/undo", nil).want(http.StatusOK)
			d.get("/corporate-actions").want(http.StatusOK).is("0.id", `"`+action+`"`)
			isOneTrade()
			w.checkInstallation()
			d.post("/history/"+undone.text("id")+"/undo", nil).want(http.StatusOK)
			d.get("/corporate-actions").want(http.StatusOK).is("", "[]")
			d.get("/trades").want(http.StatusOK).is("", "[]")
		}
	})
}

// TestSplitsOfFilesThatAreNotRecorded: the caller ignores them, another ratio is recorded, or
// the ratio does not follow from the shares held.
func TestSplitsOfFilesThatAreNotRecorded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.upload("/imports/commit", addedShares, part{"corporate_actions", "", "perhaps"}).wantError(http.StatusBadRequest, "bad_request")
		d.upload("/imports/commit", addedShares, part{"corporate_actions", "", "ignore"}).want(http.StatusOK).
			is("corporate_actions.0.state", `"new"`).is("corporate_actions.0.action_id", "null")
		d.get("/corporate-actions").want(http.StatusOK).is("", "[]")
		d.made("/corporate-actions", more{"kind": "split", "symbol": "FIRS", "ratio_new": 5, "effective_on": "2024-06-07"})
		d.imported(addedShares).is("corporate_actions.0.state", `"contradicts"`).is("corporate_actions.0.action_id", "null")

		unclear := strings.ReplaceAll(strings.ReplaceAll(addedShares, "FIRS", "ELMS"), `"36"`, `"7.31"`)
		d.imported(unclear).is("corporate_actions.0.state", `"unclear"`).is("corporate_actions.0.action_id", "null")
		d.get("/corporate-actions").want(http.StatusOK).is("1", "null")
	})
}

// TestSeveralSplitsOfOneSymbol: the shares that a later split adds come to those that the
// earlier ones have made. A split whose ratio is not clear makes the later ones unclear too.
func TestSeveralSplitsOfOneSymbol(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const file = `"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"
"06/12/2024","Sell","FIRS","FIRS CO","100","$11.00","","$1100.00"
"06/10/2024","Stock Split","FIRS","FIRS CO","360","","",""
"07/20/2021","Stock Split","FIRS","FIRS CO","30","","",""
"06/03/2021","Buy","FIRS","FIRS CO","10","$400.00","","-$4000.00"
`
		d := w.trader()
		for _, path := range []string{"/imports", "/imports/commit"} {
			d.upload(path, file).want(http.StatusOK).
				is("corporate_actions.0.proposal.effective_on", `"2021-07-20"`).is("corporate_actions.0.proposal.ratio_new", "4").
				is("corporate_actions.1.proposal.effective_on", `"2024-06-10"`).is("corporate_actions.1.proposal.ratio_new", "10")
		}
		d.get("/trades").want(http.StatusOK).is("0.qty_remaining", "300").is("1", "null")
		d.upload("/imports", file).want(http.StatusOK).is("corporate_actions.0.state", `"known"`).is("corporate_actions.1.state", `"known"`)

		unclear := strings.ReplaceAll(strings.ReplaceAll(file, "FIRS", "ELMS"), `"30"`, `"7.31"`)
		d.upload("/imports", unclear).want(http.StatusOK).is("corporate_actions.0.state", `"unclear"`).is("corporate_actions.1.state", `"unclear"`)

		// A day that is still to come is refused, and the rest of the file is imported.
		future := strings.ReplaceAll(strings.ReplaceAll(addedShares, "FIRS", "PINE"), "06/10/2024", "06/10/2098")
		done := d.imported(strings.ReplaceAll(future, "06/12/2024", "06/12/2098")).is("corporate_actions.0.action_id", "null")
		if !strings.Contains(string(done.body), "must not be in the future") {
			t.Errorf("%s", done.body)
		}
	})
}
