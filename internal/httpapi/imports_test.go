package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/intake/statement"
)

const twoFills = "Symbol,Side,Quantity,Price,Executed At,Commission\n" +
	"AAPL,buy,100,10,2026-01-05T15:00:00Z,1\n" +
	"AAPL,sell,100,12,2026-01-05T15:10:00Z,1\n"

const headLine = "Symbol,Side,Quantity,Price,Executed At,Commission\n"

// upload sends a file to a route.
func (d trader) upload(path, content string, fields ...part) *reply {
	d.w.t.Helper()
	parts := append([]part{{"file", "fills.csv", content}, {"account_id", "", d.account}}, fields...)
	return d.form(path, parts...)
}

// imported commits a file and returns the answer.
func (d trader) imported(content string) *reply {
	d.w.t.Helper()
	return d.upload("/imports/commit", content).want(http.StatusOK)
}

var batchKeys = []string{
	"id", "user_id", "account_id", "source", "format", "broker", "filename", "column_mapping", "source_tz", "date_order",
	"row_count", "status", "created_at", "updated_at", "result", "origin", "origin_id", "progress",
}

// TestPreviewExcludesSkippedRows: a row refused by the ledger is in no previewed trade.
func TestPreviewExcludesSkippedRows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const file = "Symbol,Side,Quantity,Price,Executed At\n" +
			"AAPL,buy,5,-3,2026-11-04T10:00:00Z\n" +
			"AAPL,buy,5,50,2026-11-05T09:00:00Z\n"
		preview := d.upload("/imports", file).want(http.StatusOK)
		preview.is("new_rows", "1").is("errors.0.row", "1").is("sample_trades.1", "null")
		preview.holds("sample_trades.0", `{"quantity": 5, "avg_entry_price": 50, "opened_at": "2026-11-05T09:00:00Z", "option_right": null, "strike": null, "expiry": null}`)
		options := "symbol,side,quantity,price,executed_at,instrument_type,option_right,strike,expiry,multiplier\n" +
			"SPY,buy,1,2.5,2026-01-05T15:00:00Z,option,put,450.5,2026-06-19,100\n"
		d.upload("/imports", options).want(http.StatusOK).
			holds("sample_trades.0", `{"symbol": "SPY", "option_right": "put", "strike": 450.5, "expiry": "2026-06-19", "multiplier": 100}`)
	})
}

func TestImportLife(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/imports").want(http.StatusOK).is("", "[]")

		preview := d.upload("/imports", twoFills).want(http.StatusOK)
		preview.is("headers", `["Symbol","Side","Quantity","Price","Executed At","Commission"]`)
		preview.holds("", `{"detected_broker": "", "format": "executions", "source": "csv", "row_count": 2, "import_batch_id": "",
			"new_rows": 2, "duplicates": 0, "errors": [], "missing_mapping": [], "pending_account": null}`)
		preview.is("suggested_mapping.symbol", `"Symbol"`)
		preview.is("sample_rows.1.Price", `"12"`)
		preview.holds("", `{"cash_duplicates": 0, "outcome": {"new_trades": 1, "changed_trades": 0, "open_trades": 0, "merged_trades": 0,
			"net_pnl": [{"currency": "USD", "amount": 198}]}}`)
		preview.is("sample_trades.0.net_pnl", "198").is("sample_trades.0.instrument_type", `"stock"`)
		d.get("/imports").want(http.StatusOK).is("", "[]")
		d.get("/executions").want(http.StatusOK).is("", "[]")

		done := d.imported(twoFills)
		done.holds("", `{"inserted": 2, "skipped": 0, "annotated": 0, "trades": 1, "cash_inserted": 0, "setups_upserted": 0,
			"format": "executions", "errors": []}`)
		done.is("account_id", `"`+d.account+`"`)
		batch := d.get("/imports").want(http.StatusOK).wantKeys("0", batchKeys...)
		batch.is("0.status", `"committed"`).is("0.row_count", "2").is("0.filename", `{"String":"fills.csv","Valid":true}`)
		batch.is("0.column_mapping", `{"String":"","Valid":false}`)
		id := batch.text("0.id")
		d.get("/imports/"+id).want(http.StatusOK).is("result.inserted", "2")
		d.get("/executions").want(http.StatusOK).is("0.import_batch_id", `"`+id+`"`)
		d.trades("AAPL").is("0.net_pnl", "198")

		// The same again changes nothing.
		d.upload("/imports", twoFills).want(http.StatusOK).holds("", `{"new_rows": 0, "duplicates": 2}`).
			holds("outcome", `{"new_trades": 0, "changed_trades": 0, "net_pnl": [{"currency": "USD", "amount": 0}]}`)
		second := d.imported(twoFills).holds("", `{"inserted": 0, "skipped": 2, "completed": 0, "trades": 0}`).text("import_batch_id")

		// Annotations survive a reversal and a second import.
		trade := d.trades("AAPL").text("0.id")
		d.annotate(trade, more{"notes": "kept"})
		d.delete("/imports/" + id).want(http.StatusNoContent)
		d.delete("/imports/" + id).want(http.StatusNoContent)
		// The second import brought the fills too.
		d.get("/executions").want(http.StatusOK).is("0.import_batch_id", `"`+second+`"`).is("1.import_batch_id", `"`+second+`"`)
		d.trades("AAPL").is("0.id", `"`+trade+`"`)
		d.delete("/imports/" + second).want(http.StatusNoContent)
		d.get("/executions").want(http.StatusOK).is("", "[]")
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"reversed"`).is("result", "null")
		d.imported(twoFills).holds("", `{"inserted": 2}`)
		d.trades("AAPL").is("0.notes", `"kept"`)
	})
}

// TestOverlappingExports returns the union, and keeps repeated fills.
func TestOverlappingExports(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const twice = "AAPL,buy,1,10,2026-01-05T15:00:00Z,\n"
		head := "Symbol,Side,Quantity,Price,Executed At,Commission\n"
		d.imported(head+twice+twice).holds("", `{"inserted": 2}`)
		d.imported(head+twice+twice+twice+"AAPL,sell,3,11,2026-01-05T16:00:00Z,\n").holds("", `{"inserted": 2, "skipped": 2}`)
		d.trades("AAPL").is("0.execution_count", "4").is("0.status", `"closed"`)
		// A fill entered by hand is the same fill.
		d.fill("MSFT", "buy 5@20", 0)
		d.imported(head+"MSFT,buy,5,20,2026-01-05T15:00:00Z,\n").holds("", `{"inserted": 0, "skipped": 1}`)
	})
}

func TestUnknownFileRequiresMapping(t *testing.T) {
	t.Parallel()
	const strange = "a,b,c,d\nAAPL,2026-01-05T15:00:00Z,5,10\nAAPL,2026-01-05T16:00:00Z,-5,11\n"
	const mapping = `{"symbol":"a","executed_at":"b","quantity":"c","price":"d"}`
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		preview := d.upload("/imports", strange).want(http.StatusOK).is("missing_mapping", `["symbol","quantity","price","executed_at"]`)
		preview.is("mapping_targets.0", `{"label":"Symbol","name":"symbol"}`)
		if n := preview.count("mapping_targets"); n != len(statement.Targets()) {
			t.Errorf("%d mapping targets, want %d", n, len(statement.Targets()))
		}
		refused := d.upload("/imports/commit", strange).wantError(http.StatusBadRequest, "mapping_required")
		id := refused.text("error.details.import_batch_id")
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"pending"`)
		finish := "/imports/" + id + "/commit"
		d.upload(finish, strange).wantError(http.StatusBadRequest, "mapping_required")
		d.upload(finish, strange+"AAPL,2026-01-05T17:00:00Z,5,10\n", part{"column_mapping", "", mapping}).
			wantError(http.StatusConflict, "conflict")
		done := d.upload(finish, strange, part{"column_mapping", "", mapping}).want(http.StatusOK)
		done.holds("", `{"inserted": 2, "trades": 1}`)
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"committed"`).is("column_mapping.Valid", "true")
		// A lost answer is given again, and writes nothing.
		d.upload(finish, strange).want(http.StatusOK).is("inserted", "2")
		d.get("/executions").want(http.StatusOK).wantColumn("price", "10", "11")
		d.delete("/imports/" + id).want(http.StatusNoContent)
		d.upload(finish, strange).wantError(http.StatusConflict, "conflict")
	})
}

// TestMissingDateRequiresTradeDate for files whose times have no day: DAS writes them.
func TestMissingDateRequiresTradeDate(t *testing.T) {
	t.Parallel()
	const window = "Time,Symb,Side,Price,Qty,Route,Broker,Account,Type,Cloid,P / L\n" +
		"09:45:12,ACME,S,8.20,100,SMAT,DAS,SIM1,Market,C2,20.00\n09:31:05,ACME,B,8.00,100,SMAT,DAS,SIM1,Market,C1,0\n"
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.upload("/imports", window).want(http.StatusOK).is("missing_mapping", `["trade_date"]`).is("detected_broker", `"DAS Trader"`)
		refused := d.upload("/imports/commit", window).wantError(http.StatusBadRequest, "mapping_required")
		refused.is("error.details.missing", `["trade_date"]`)
		finish := "/imports/" + refused.text("error.details.import_batch_id") + "/commit"
		d.upload(finish, window, part{"trade_date", "", "5 March"}).wantError(http.StatusBadRequest, "bad_request")
		day := part{"trade_date", "", "2026-03-05"}
		d.upload("/imports", window, day).want(http.StatusOK).is("missing_mapping", `[]`).is("new_rows", "2")
		d.upload(finish, window, day).want(http.StatusOK).holds("", `{"inserted": 2, "trades": 1}`)
		d.trades("ACME").is("0.opened_at", `"2026-03-05T14:31:05Z"`).is("0.status", `"closed"`)
	})
}

// TestPendingImportsExpire after a day.
func TestPendingImportsExpire(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		id := d.upload("/imports/commit", "a,b\n1,2\n").wantError(http.StatusBadRequest, "mapping_required").text("error.details.import_batch_id")
		sweep := func() {
			if err := w.services.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.clock.Advance(23 * time.Hour)
		sweep()
		d = trader{w.as(w.logIn(ownerEmail, ownerPassword).text("access_token")), d.account}
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"pending"`)
		w.clock.Advance(2 * time.Hour)
		sweep()
		d = trader{w.as(w.logIn(ownerEmail, ownerPassword).text("access_token")), d.account}
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"failed"`)
	})
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		commit := func(content string, fields ...part) *reply {
			return d.form("/imports/commit", append([]part{{"file", "x.csv", content}}, fields...)...)
		}
		own := part{"account_id", "", d.account}
		commit(twoFills).wantError(http.StatusBadRequest, "bad_request").wantField("account_id")
		commit(twoFills, part{"account_id", "", "nobody"}).wantError(http.StatusNotFound, "not_found")
		commit("", own).wantError(http.StatusBadRequest, "bad_request").wantField("file")
		d.form("/imports/commit", own).wantError(http.StatusBadRequest, "bad_request").wantField("file")
		commit("%PDF-1.7\x00\x01\x02", own).wantError(http.StatusBadRequest, "bad_request")
		commit("PK\x03\x04 no zip", own).wantError(http.StatusBadRequest, "bad_request")
		commit(`{"format":"fillbook","version":99}`, own).wantError(http.StatusBadRequest, "bad_request")
		commit("{", own).wantError(http.StatusBadRequest, "bad_request")
		commit(twoFills, own, part{"source_tz", "", "Mars/Olympus"}).wantError(http.StatusBadRequest, "bad_request").wantField("source_tz")
		commit(twoFills, own, part{"date_order", "", "sideways"}).wantError(http.StatusBadRequest, "bad_request").wantField("date_order")
		commit(twoFills, own, part{"column_mapping", "", "[]"}).wantError(http.StatusBadRequest, "bad_request").wantField("column_mapping")
		commit(twoFills, own, part{"column_mapping", "", `{"nonsense":"Symbol"}`}).wantError(http.StatusBadRequest, "bad_request").wantField("column_mapping")
		commit(twoFills, own, part{"column_mapping", "", `{"symbol":"Nope"}`}).wantError(http.StatusBadRequest, "bad_request").wantField("column_mapping")
		d.get("/imports").want(http.StatusOK).is("", "[]") // no import is remembered

		// A readable file without rows to import is.
		empty := commit("Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,x,10,2026-01-05T15:00:00Z\n", own)
		empty.wantError(http.StatusBadRequest, "bad_request")
		d.get("/imports").want(http.StatusOK).is("0.status", `"failed"`)
		d.upload("/imports/"+empty.text("error.details.import_batch_id")+"/commit", twoFills).wantError(http.StatusConflict, "conflict")
		d.get("/imports/nobody").wantError(http.StatusNotFound, "not_found")
		d.delete("/imports/nobody").wantError(http.StatusNotFound, "not_found")
	})
}

// TestGoodRowsAreImported even if others cannot.
func TestGoodRowsAreImported(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		done := d.imported(twoFills + "AAPL,buy,-,10,2026-01-05T17:00:00Z,\nAAPL,buy,1,Inf,2026-01-05T17:00:00Z,\nAAPL,buy,1,10,2026-13-05T17:00:00Z,\n")
		done.holds("", `{"inserted": 2, "error_count": 3}`)
		done.is("errors.0.row", "3").is("errors.1.row", "4").is("errors.2.row", "5")
		d.get("/executions").want(http.StatusOK).wantColumn("price", "10", "12")
	})
}

func TestImportsArePerUser(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills)
		id := d.get("/imports").text("0.id")
		other := trader{w.addUser(d.client, "bob@example.org"), d.account}
		other.upload("/imports", twoFills).wantError(http.StatusNotFound, "not_found")
		other.upload("/imports/commit", twoFills).wantError(http.StatusNotFound, "not_found")
		other.upload("/imports/"+id+"/commit", twoFills).wantError(http.StatusNotFound, "not_found")
		other.get("/imports/"+id).wantError(http.StatusNotFound, "not_found")
		other.delete("/imports/"+id).wantError(http.StatusNotFound, "not_found")
		other.get("/imports").want(http.StatusOK).is("", "[]")
		other.get("/exports?account_id="+d.account).wantError(http.StatusNotFound, "not_found")
		d.get("/imports/"+id).want(http.StatusOK).is("status", `"committed"`)
	})
}

// TestImportLimit is on the file, not on what is around it.
func TestImportLimit(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		padded := func(n int) string { return twoFills + strings.Repeat("\n", n-len(twoFills)) }
		d.imported(padded(4096)).is("inserted", "2")
		d.upload("/imports/commit", padded(4097)).wantError(http.StatusRequestEntityTooLarge, "too_large")
	}, func(s *settle) { s.api.ImportMaxBytes = 4096 })
}

func TestImportPages(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for range 5 {
			d.imported(twoFills)
		}
		whole := d.get("/imports").column("id")
		paged, sizes := d.pages("/imports?limit=2", "id")
		if strings.Join(whole, " ") != strings.Join(paged, " ") || len(sizes) != 3 {
			t.Errorf("pages %v of sizes %v, want %v", paged, sizes, whole)
		}
	})
}

// TestBackupRoundTrip exports everything, imports it as another user, and
// exports the same.
func TestBackupRoundTrip(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills)
		d.annotate(d.trades("AAPL").text("0.id"), more{"notes": "well done", "initial_risk": 50})
		d.made("/notes", more{"type": "note", "occurred_at": "2026-01-05", "title": "t", "body": "b"})
		d.made("/tags", more{"name": "fast"})
		exported := string(d.get("/exports").want(http.StatusOK).body)

		other := w.addUser(d.client, "bob@example.org")
		preview := other.form("/imports", part{"file", "b.json", exported}).want(http.StatusOK)
		preview.holds("", `{"source": "backup", "new_rows": 2, "account_id": ""}`).is("pending_account.name", `"Main"`).
			holds("outcome", `{"new_trades": 1, "changed_trades": 0, "net_pnl": [{"currency": "USD", "amount": 198}]}`)
		other.get("/accounts").want(http.StatusOK).is("", "[]")
		done := other.form("/imports/commit", part{"file", "b.json", exported}).want(http.StatusOK)
		done.holds("", `{"inserted": 2, "annotated": 1, "format": "backup"}`)
		if got := string(other.get("/exports").want(http.StatusOK).body); got != exported {
			t.Errorf("exported again:\n%s\nwant:\n%s", got, exported)
		}
		other.form("/imports", part{"file", "b.json", exported}).want(http.StatusOK).
			holds("outcome", `{"new_trades": 0, "changed_trades": 0, "net_pnl": [{"currency": "USD", "amount": 0}]}`)
		again := other.form("/imports/commit", part{"file", "b.json", exported}).want(http.StatusOK)
		again.holds("", `{"inserted": 0, "skipped": 2, "annotated": 0}`)
		other.delete("/imports/" + again.text("import_batch_id")).want(http.StatusNoContent)
		other.delete("/imports/" + done.text("import_batch_id")).want(http.StatusNoContent)
		other.get("/executions").want(http.StatusOK).is("", "[]")
	})
}

func TestExportFormats(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills)
		for query, begins := range map[string]string{
			"format=json": `{`, "format=csv": "Account,Symbol,", "format=csv&rows=executions": "Account,", "format=xlsx": "PK", "format=zip": "PK",
			"format=json&account_id=" + d.account: "{",
		} {
			answer := d.get("/exports?" + query).want(http.StatusOK)
			if !strings.HasPrefix(string(answer.body), begins) {
				t.Errorf("%s begins with %.40q", query, answer.body)
			}
		}
		d.get("/exports?format=doc").wantError(http.StatusBadRequest, "bad_request").wantField("format")
		d.get("/exports?rows=all").wantError(http.StatusBadRequest, "bad_request").wantField("rows")
		// What was exported as a table comes back as the same trade.
		csv := string(d.get("/exports?format=csv").body)
		other := d.addAccount("Copy")
		other.imported(csv).holds("", `{"trades": 1}`)
		d.get("/trades?account_id="+other.account).want(http.StatusOK).is("0.net_pnl", "198")
	})
}

// TestOriginOfImports checks that only import tokens set the origin, and that a watched
// file does not bring back a deleted fill.
func TestOriginOfImports(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		watch := part{"origin", "", "watch"}
		d.upload("/imports/commit", twoFills, watch).want(http.StatusOK)
		d.get("/imports").is("0.origin", `"upload"`).is("0.origin_id", `""`)
		_, secret := d.mint(map[string]any{"name": "agent", "scope": "import"})
		agent := trader{w.as(secret), d.account}
		d.delete("/executions/" + d.get("/executions").text("0.id")).wantNone()
		agent.upload("/imports/commit", twoFills, watch).want(http.StatusOK).holds("", `{"inserted": 0, "skipped": 2}`)
		d.get("/imports").is("0.origin", `"watch"`)
		agent.upload("/imports/commit", twoFills, part{"origin", "", "hook"}).want(http.StatusOK).holds("", `{"inserted": 1, "skipped": 1}`)
		d.get("/imports").is("0.origin", `"upload"`)
	})
}
