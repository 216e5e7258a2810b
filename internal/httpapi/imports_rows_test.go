package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/base/db"
)

// fixture returns the export in a fixture of package imports.
func fixture(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile("../intake/" + name)
	if err != nil || len(archive.Files) == 0 {
		t.Fatal(name, err)
	}
	return string(archive.Files[0].Data)
}

// TestMissingSideRequiresMapping refuses a file without a side for
// its fills: nothing becomes a buy by default.
func TestMissingSideRequiresMapping(t *testing.T) {
	t.Parallel()
	const unsided = "Date,Symbol,Quantity,Price\n2026-01-05,AAPL,10,100\n2026-01-06,AAPL,10,110\n"
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.upload("/imports", unsided).want(http.StatusOK).is("missing_mapping", `["side"]`).
			is("row_count", "2").is("rows", "null").is("outcome", "null")
		refused := d.upload("/imports/commit", unsided).wantError(http.StatusBadRequest, "mapping_required").
			is("error.details.missing", `["side"]`)
		id := refused.text("error.details.import_batch_id")
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"pending"`).is("row_count", "2")
		done := d.upload("/imports/"+id+"/commit", unsided, part{"column_mapping", "", `{"side":"=buy"}`}).want(http.StatusOK)
		done.is("inserted", "2").
			is("warnings.0", `"Every fill in this file is a buy, so nothing in it closes a position. Check which column holds the side."`)
	})
}

// TestSideByColumnContent reads files whose side has an unknown name.
func TestSideByColumnContent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, header := range []string{"Sell/Buy", "Trans", "Deal", "Order", "Operazione", "Operación", "Vorgang"} {
			file := "Date,Symbol," + header + ",Quantity,Price\n2026-01-05,AAPL,Kauf,10,100\n2026-01-06,AAPL,Verkauf,10,110\n"
			at := d.addAccount(header)
			at.upload("/imports", file).want(http.StatusOK).is("suggested_mapping.side", `"`+header+`"`).is("outcome.open_trades", "0")
			at.imported(file).holds("", `{"inserted": 2, "trades": 1, "error_count": 0}`)
			d.get("/trades?account_id="+at.account).want(http.StatusOK).is("0.net_pnl", "100")
		}
	})
}

// TestOrdersThatWereNotFilled are skipped, each kind with its count.
func TestOrdersThatWereNotFilled(t *testing.T) {
	t.Parallel()
	const orders = "Date,Symbol,Side,Status,Qty,Filled Qty,Price\n" +
		"2026-01-05T10:00:00Z,AAPL,Buy,Filled,10,10,100\n" +
		"2026-01-05T10:01:00Z,AAPL,Buy,Cancelled,10,0,99\n" +
		"2026-01-05T10:02:00Z,AAPL,Buy,Cancelled,10,4,99\n" +
		"2026-01-05T10:03:00Z,AAPL,Sell,Cancelled,10,,105\n" +
		"2026-01-05T10:04:00Z,AAPL,Sell,Rejected,10,,105\n" +
		"2026-01-05T10:05:00Z,AAPL,Sell,Filled,14,14,101\n"
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, path := range []string{"/imports", "/imports/commit"} {
			d.upload(path, orders).want(http.StatusOK).
				holds("rows", `{"data": 6, "fills": 3, "cash": 0, "annotations": 0, "skipped": 3, "errors": 0}`).
				is("skipped_reasons", `[{"reason":"cancelled order","rows":2},{"reason":"rejected order","rows":1}]`).
				holds("skipped_rows.0", `{"row": 2, "reason": "cancelled order"}`)
		}
		d.get("/executions").want(http.StatusOK).wantColumn("quantity", "10", "4", "14")
		// A mapped column is used as well, and a constant switches it off.
		all := d.addAccount("All")
		all.upload("/imports", orders, part{
			"column_mapping", "",
			`{"symbol":"Symbol","side":"Side","quantity":"Qty","price":"Price","executed_at":"Date","status":"=filled"}`,
		}).
			want(http.StatusOK).is("rows.fills", "6")
	})
}

// TestKnownRowsAreSkipped counts the rows in a second import as duplicates.
func TestKnownRowsAreSkipped(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills).holds("rows", `{"data": 2, "fills": 2, "cash": 0, "annotations": 0, "skipped": 0, "errors": 0}`)
		for _, path := range []string{"/imports", "/imports/commit"} {
			d.upload(path, twoFills).want(http.StatusOK).
				holds("rows", `{"data": 2, "fills": 0, "cash": 0, "annotations": 0, "skipped": 2, "errors": 0}`).
				is("skipped_reasons", `[{"reason":"duplicate","rows":2}]`)
		}
	})
}

// TestFileInAnotherCurrency is refused unless its owner chooses so.
func TestFileInAnotherCurrency(t *testing.T) {
	t.Parallel()
	const euros = "Symbol,Side,Quantity,Price,Executed At,Currency\n" +
		"SAP,buy,10,100,2026-01-05T15:00:00Z,EUR\nSAP,sell,10,110,2026-01-05T16:00:00Z,EUR\n"
	mt5 := fixture(t, "metatrader/testdata/mt5-deals-only.txtar") // an account in EUR
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		fits := d.made("/accounts", more{"name": "Euros", "base_currency": "EUR"}).text("id")
		for name, file := range map[string]string{"rows": euros, "statement": mt5} {
			d.upload("/imports", file).want(http.StatusOK).
				holds("currency", `{"file": "EUR", "account": "USD", "mismatch": true, "accounts": ["`+fits+`"]}`)
			refused := d.upload("/imports/commit", file).wantError(http.StatusBadRequest, "mixed_currencies")
			refused.holds("error.details", `{"file_currency": "EUR", "account_currency": "USD", "accounts": ["`+fits+`"]}`)
			d.upload("/imports/commit", file, part{"allow_currency_mismatch", "", "yes"}).
				wantError(http.StatusBadRequest, "bad_request").wantField("allow_currency_mismatch")
			// The refused import waits: for the other account, or for leave to mix.
			id := refused.text("error.details.import_batch_id")
			d.get("/imports/"+id).want(http.StatusOK).is("status", `"pending"`)
			other := trader{d.client, fits}
			if name == "rows" {
				other.upload("/imports/"+id+"/commit", file).want(http.StatusOK).is("account_id", `"`+fits+`"`)
				other.upload("/imports", file).want(http.StatusOK).is("currency.mismatch", "false")
				continue
			}
			d.upload("/imports/"+id+"/commit", file, part{"allow_currency_mismatch", "", "true"}).want(http.StatusOK)
		}
		// Trades in several currencies inside an account are no statement in another one.
		d.imported(twoFills).is("inserted", "2")
		d.upload("/imports/commit", "Symbol,Side,Quantity,Price,Executed At,Currency\n"+
			"SAP,buy,10,100,2026-02-05T15:00:00Z,EUR\nVOD,buy,10,110,2026-02-05T16:00:00Z,GBP\n").want(http.StatusOK)
	})
}

// TestMappingForAFileWithItsOwnReader is ignored with a warning.
func TestMappingForAFileWithItsOwnReader(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		mapping := part{"column_mapping", "", `{"symbol":"Symbol","side":"Type","quantity":"Volume","price":"Price","executed_at":"Time"}`}
		for _, name := range []string{
			"metatrader/testdata/mt5-hedging.txtar", "metatrader/testdata/mt4-statement.txtar", "brokers/ibkr/testdata/flex-xml.txtar",
			"brokers/ibkr/testdata/activity.txtar", "brokers/testdata/thinkorswim-statement.txtar",
		} {
			at := d.addAccount(name)
			for _, path := range []string{"/imports", "/imports/commit"} {
				answer := at.upload(path, fixture(t, name), mapping, part{"allow_currency_mismatch", "", "true"}).want(http.StatusOK)
				if !strings.Contains(answer.json("warnings"), "column_mapping was ignored") {
					t.Errorf("%s does not say that the mapping was ignored: %s", path, answer.json("warnings"))
				}
				if details := answer.json("warning_details"); !strings.Contains(details, `"mapping_ignored"`) {
					t.Errorf("%s: details %s", path, details)
				}
			}
		}
	})
}

// TestResultsOfOlderVersions are read without row counts.
func TestResultsOfOlderVersions(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		id := d.imported(twoFills).text("import_batch_id")
		err := w.services.DB.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE import_batches SET result = $1 WHERE id = $2`,
				`{"import_batch_id":"`+id+`","inserted":2,"errors":[],"warnings":["Check it."],"reconciliation":[]}`, id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		d.get("/imports/"+id).want(http.StatusOK).is("result.inserted", "2").is("result.skipped_rows", "[]").is("result.skipped_reasons", "[]").
			is("result.warning_details", `[{"code":"","field":"","text":"Check it."}]`)
		d.get("/imports").want(http.StatusOK).is("0.result.inserted", "2")
	})
}
