package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"fillbook/internal/httpapi"
)

// fillValues has a value for each field in POST /executions.
var fillValues = more{
	"symbol": "SPY", "side": "sell", "quantity": json.Number("3"), "price": json.Number("2.5"), "executed_at": at(0),
	"instrument_type": "option", "fees": json.Number("0"), "commission": json.Number("-0.25"), "multiplier": json.Number("10"),
	"stated_pnl": json.Number("12.5"), "external_id": "E 1", "kind": "opening", "event_id": "V 1", "basis_estimated": true,
	"details": more{"option_right": "put", "strike": "450.5", "expiry": "2026-06-19", "lot": "L1", "order_id": "O 7", "note": " as sent "},
}

// notInJSONRows are the POST /executions fields without a counterpart in rows, and why.
var notInJSONRows = map[string]string{
	"account_id":      "the upload or the file names the account",
	"allow_duplicate": "in a file every repetition is a fill",
}

// importRows imports a plain JSON file with some rows into the trader's account.
func (d trader) importRows(rows ...more) *reply {
	d.w.t.Helper()
	return d.imported(jsonText(rows))
}

// exportedFills returns the fills in the account's backup, with the ledger's facts about
// each, and without values depending on the write order.
func (d trader) exportedFills() string {
	d.w.t.Helper()
	var backup struct {
		Executions []map[string]any `json:"executions"`
	}
	if err := json.Unmarshal(d.get("/exports?format=json&account_id="+d.account).want(http.StatusOK).body, &backup); err != nil {
		d.w.t.Fatal(err)
	}
	for _, fill := range backup.Executions {
		delete(fill, "arrival")
		delete(fill, "created_at")
	}
	return jsonText(backup.Executions)
}

// TestJSONRowsHoldEveryField stores the same fill with POST /executions and with a plain
// JSON file. It fails if rows do not read a new POST /executions field.
func TestJSONRowsHoldEveryField(t *testing.T) {
	t.Parallel()
	for _, name := range jsonNames(httpapi.NewExecutionType) {
		if fillValues[name] == nil && notInJSONRows[name] == "" {
			t.Errorf("%s: add a value to fillValues, and read it in plain JSON files", name)
		}
	}
	required := more{}
	for _, name := range []string{"symbol", "side", "quantity", "price", "executed_at"} {
		required[name] = fillValues[name]
	}
	rows := []more{
		fillValues,
		fieldsOf(required, more{"symbol": "MSFT"}),
		fieldsOf(required, more{"symbol": "MESH6", "instrument_type": "future"}),
		fieldsOf(required, more{"instrument_type": "option"}),
		fieldsOf(required, more{"symbol": "AAPL", "fees": nil, "commission": 0, "multiplier": nil, "details": nil}),
	}
	eachWorld(t, func(t *testing.T, w *world) {
		byHand := w.trader()
		byFile, inObject := byHand.addAccount("File"), byHand.addAccount("Object")
		for _, row := range rows {
			byHand.made("/executions", fieldsOf(row, more{"account_id": byHand.account}))
			byFile.importRows(row).is("inserted", "1").is("error_count", "0")
		}
		file := jsonText(more{"account": more{"name": "Object"}, "executions": rows})
		inObject.form("/imports/commit", part{"file", "b.json", file}).want(http.StatusOK).is("inserted", fmt.Sprint(len(rows)))
		want := byHand.exportedFills()
		for _, d := range []trader{byFile, inObject} {
			if got := d.exportedFills(); got != want {
				t.Errorf("the file stored\n%s\nwant\n%s", got, want)
			}
		}
		stored := byFile.get("/executions?account_id=" + byFile.account).want(http.StatusOK)
		for name, value := range fillValues {
			stored.is("0."+name, jsonText(value))
		}
	})
}

// TestStrikesOfJSONRows uploads two strikes with different details only.
func TestStrikesOfJSONRows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		row := func(strike any) more {
			return fieldsOf(fillValues, more{"external_id": nil, "details": more{"option_right": "put", "strike": strike, "expiry": "2026-06-19"}})
		}
		rows := []more{row("450"), row(460), row([]int{470})}
		preview := d.upload("/imports", jsonText(rows)).want(http.StatusOK)
		preview.is("outcome.new_trades", "2").is("error_count", "1")
		d.importRows(rows...).is("inserted", "2").is("trades", "2").is("error_count", "1").
			holds("errors.0", `{"row": 3, "message": "Row 3: details.strike must be a text or a number."}`)
	})
}

// TestJSONRowsCompleteFills uploads a fill again with more values: unknown ones are
// completed, and a stated 0 stays.
func TestJSONRowsCompleteFills(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		fill := more{"symbol": "MESH6", "instrument_type": "future", "side": "buy", "quantity": 2, "price": 6900, "executed_at": at(0)}
		stored := func(want string) {
			t.Helper()
			d.get("/executions?account_id="+d.account).want(http.StatusOK).holds("0", want)
		}
		d.importRows(fieldsOf(fill, more{"fees": 0})).is("inserted", "1")
		stored(`{"fees": 0, "commission": 0, "multiplier": 5, "external_id": null}`)
		d.importRows(fieldsOf(fill, more{"fees": 0, "commission": 1.5, "multiplier": 50, "external_id": "7", "stated_pnl": 3})).holds("", `{"inserted": 0, "completed": 1}`)
		stored(`{"fees": 0, "commission": 1.5, "multiplier": 50, "external_id": "7", "stated_pnl": 3}`)
		d.importRows(fieldsOf(fill, more{"fees": 9, "commission": 9, "multiplier": 9, "stated_pnl": 9})).holds("", `{"inserted": 0, "completed": 0}`)
		d.post("/executions", fieldsOf(fill, more{"account_id": d.account, "fees": 9, "multiplier": 9})).want(http.StatusOK)
		stored(`{"fees": 0, "commission": 1.5, "multiplier": 50, "external_id": "7", "stated_pnl": 3}`)
	})
}

// TestPrecisionOfJSONRows completes a fill whose time is written to the minute.
func TestPrecisionOfJSONRows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		for written, exact := range map[string]string{"2026-01-05 15:07": "2026-01-05T15:07:31Z", "2026-01-06": "2026-01-06T15:07:31Z"} {
			d := owner.addAccount(written)
			fill := more{"symbol": "AAPL", "side": "buy", "quantity": 2, "price": 69}
			d.importRows(fieldsOf(fill, more{"executed_at": written})).is("inserted", "1")
			d.importRows(fieldsOf(fill, more{"executed_at": exact})).holds("", `{"inserted": 0, "completed": 1}`)
			d.get("/executions?account_id="+d.account).want(http.StatusOK).is("0.executed_at", jsonText(exact))
		}
	})
}
