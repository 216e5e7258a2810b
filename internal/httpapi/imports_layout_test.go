package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

const noZone = "Symbol,Side,Quantity,Price,Executed At\n" +
	"AAPL,buy,10,100,2026-03-05 09:31:00\n" +
	"AAPL,sell,10,110,2026-03-05 10:12:00\n"

// TestLayoutSignature checks that the signature depends on the file kind and the column
// names only.
func TestLayoutSignature(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		signature := func(file string, parts ...part) string {
			return d.upload("/imports", file, parts...).want(http.StatusOK).text("layout_signature")
		}
		first := signature(noZone)
		if len(first) != 32 {
			t.Errorf("the signature is %q", first)
		}
		if other := signature(noZone + "MSFT,buy,1,400,2026-04-01 12:00:00\n"); other != first {
			t.Error("another row changes the signature")
		}
		if other := signature(noZone, part{"source_tz", "", "Asia/Tokyo"}, part{"date_order", "", "day_first"},
			part{"column_mapping", "", `{"symbol":"Side","side":"=buy"}`}); other != first {
			t.Error("the settings of the request change the signature")
		}
		if other := signature("Symbol,Side,Price,Quantity,Executed At\nAAPL,buy,10,100,2026-03-05 09:31:00\n"); other == first {
			t.Error("the order of the columns does not change the signature")
		}
		// A mapping must be named first: the signature is the same before and after.
		const odd = "When,What,Way,How much,At\n2026-03-05 09:31,AAPL,buy,100,212.40\n"
		columns := part{"column_mapping", "", `{"executed_at":"When","symbol":"What","side":"Way","quantity":"How much","price":"At"}`}
		if signature(odd) != signature(odd, columns) {
			t.Error("a mapping changes the signature of an unknown table")
		}
		backup := string(d.get("/exports?format=json&account_id=" + d.account).want(http.StatusOK).body)
		d.upload("/imports", backup).want(http.StatusOK).is("layout_signature", `""`)
	})
}

// TestZoneSource checks that a preview says what decided the zone, and that default_tz
// replaces UTC only if nothing else does.
func TestZoneSource(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		tokyo, zone := part{"default_tz", "", "Asia/Tokyo"}, part{"source_tz", "", "America/New_York"}
		const zoned = "Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,10,100,2026-03-05T09:31:00Z\n"
		const inHeader = "Symbol,Side,Quantity,Price,Executed At (UTC)\nAAPL,buy,10,100,2026-03-05 09:31:00\n"
		const days = "Symbol,Side,Quantity,Price,Date\nAAPL,buy,10,100,2026-03-05\n"
		for _, c := range []struct {
			name, file string
			parts      []part
			from, at   string
		}{
			{"nothing says it", noZone, nil, "unknown", "2026-03-05T09:31:00Z"},
			{"the default", noZone, []part{tokyo}, "unknown", "2026-03-05T00:31:00Z"},
			{"the request", noZone, []part{zone, tokyo}, "request", "2026-03-05T14:31:00Z"},
			{"each time", zoned, []part{zone, tokyo}, "file", "2026-03-05T09:31:00Z"},
			{"the header", inHeader, []part{zone, tokyo}, "file", "2026-03-05T09:31:00Z"},
			{"only days", days, nil, "days", "2026-03-05T00:00:00Z"},
			{"days of the request", days, []part{zone}, "request", "2026-03-05T05:00:00Z"},
		} {
			t.Log(c.name)
			d.upload("/imports", c.file, c.parts...).want(http.StatusOK).
				is("source_tz_from", `"`+c.from+`"`).is("sample_trades.0.opened_at", `"`+c.at+`"`)
		}
		// A format with a usual zone does not use the default.
		d.upload("/imports", fixture(t, "metatrader/testdata/mt4-statement.txtar"), tokyo).want(http.StatusOK).is("source_tz_from", `"format"`).is("suggested_source_tz", `"Europe/Athens"`).
			is("source", `"statement"`).is("suggested_mapping", "{}")
		// The zone shows when the times are read.
		d.upload("/imports", "When,What,Way,How much,At\n2026-03-05 09:31,AAPL,buy,100,212.40\n", tokyo).want(http.StatusOK).is("source_tz_from", `""`)

		d.upload("/imports", noZone, tokyo).want(http.StatusOK).
			is("warnings.0", `"The times in column \"Executed At\" name no time zone and were read as Asia/Tokyo. Say which it is with source_tz."`)
		for _, path := range []string{"/imports", "/imports/commit"} {
			d.upload(path, noZone, part{"default_tz", "", "Mars/Olympus"}).wantError(http.StatusBadRequest, "bad_request").wantField("default_tz")
		}

		// The import states the zone.
		batch := d.upload("/imports/commit", noZone, tokyo).want(http.StatusOK).text("import_batch_id")
		d.get("/imports/"+batch).want(http.StatusOK).is("source_tz", `"Asia/Tokyo"`)
	})
}

// TestDefaultZone checks in which zone a recognized file without zones is read, and that
// an unrecognized one does not depend on settings.
func TestDefaultZone(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		orders := fixture(t, "brokers/testdata/tradovate-orders-short.txtar")
		usual := part{"default_tz", "", "Europe/Paris"}
		check := func(zone, from, at string, parts ...part) {
			t.Helper()
			d.upload("/imports", orders, parts...).want(http.StatusOK).is("detected_broker", `"Tradovate"`).
				is("suggested_source_tz", `"`+zone+`"`).is("suggested_source_tz_note", `""`).is("source_tz_from", `"unknown"`).
				is("default_tz_from", `"`+from+`"`).is("sample_trades.0.opened_at", `"`+at+`"`).is("warning_details.0.code", `"time_zone_unknown"`)
		}
		check("America/Chicago", "market", "2025-12-29T17:00:00Z")
		check("Europe/Paris", "request", "2025-12-29T10:00:00Z", usual)
		d.put("/settings/journal", `{"timezone":"Asia/Tokyo"}`).want(http.StatusOK)
		check("Asia/Tokyo", "settings", "2025-12-29T02:00:00Z")
		check("Europe/Paris", "request", "2025-12-29T10:00:00Z", usual)
		d.upload("/imports", orders, usual, part{"source_tz", "", "America/Denver"}).want(http.StatusOK).
			is("suggested_source_tz", `"America/Denver"`).is("source_tz_from", `"request"`).is("default_tz_from", `""`)
		d.upload("/imports", noZone).want(http.StatusOK).
			is("suggested_source_tz", `""`).is("default_tz_from", `"utc"`).is("sample_trades.0.opened_at", `"2026-03-05T09:31:00Z"`)
		d.upload("/imports", fixture(t, "metatrader/testdata/mt4-statement.txtar")).want(http.StatusOK).
			is("suggested_source_tz", `"Europe/Athens"`).is("source_tz_from", `"format"`).is("default_tz_from", `""`)

		// The import states the zone, and is stored with it.
		batch := d.upload("/imports/commit", orders).want(http.StatusOK).text("import_batch_id")
		d.get("/imports/"+batch).want(http.StatusOK).is("source_tz", `"Asia/Tokyo"`)
		d.get("/executions").want(http.StatusOK).is("0.executed_at", `"2025-12-29T00:47:21Z"`)

		// Later files from this broker are read in the same zone, so the fills in both
		// are found again, until the import is undone.
		fills := d.get("/executions").count("")
		d.put("/settings/journal", `{"timezone":null}`).want(http.StatusOK)
		check("Asia/Tokyo", "import", "2025-12-29T02:00:00Z")
		check("Asia/Tokyo", "import", "2025-12-29T02:00:00Z", usual)
		d.upload("/imports/commit", orders).want(http.StatusOK).is("inserted", "0")
		if got := d.get("/executions").count(""); got != fills {
			t.Errorf("%d fills, want %d", got, fills)
		}
		list := d.get("/imports").want(http.StatusOK)
		for i := range list.count("") {
			d.delete("/imports/" + list.text(fmt.Sprintf("%d.id", i))).want(http.StatusNoContent)
		}
		check("America/Chicago", "market", "2025-12-29T17:00:00Z")
	})
}

// TestFileAccount checks that a preview has the account named in the file.
func TestFileAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const one = "Symbol,Side,Quantity,Price,Executed At,Account\nAAPL,buy,10,100,2026-03-05T09:31:00Z,U1\n"
		d.upload("/imports", one).want(http.StatusOK).is("file_account", `"U1"`)
		d.upload("/imports", one+"AAPL,sell,10,100,2026-03-05T10:31:00Z,U2\n").want(http.StatusOK).is("file_account", `""`)
		d.upload("/imports", noZone).want(http.StatusOK).is("file_account", `""`)
	})
}

// TestWarningDetails checks that each warning has a code and a text without form fields.
func TestWarningDetails(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const open = "Symbol,Side,Quantity,Price,Date,Time,Currency\nSAP,buy,10,100,05/03/2026,09:31,EUR\nSAP,sell,10,100,05/03/2026,09:32,USD\n"
		answer := w.trader().upload("/imports", open).want(http.StatusOK).is("accepts_column_mapping", "true")
		got := map[string]string{}
		for i := range answer.count("warning_details") {
			at := fmt.Sprintf("warning_details.%d.", i)
			text, field := answer.text(at+"text"), answer.text(at+"field")
			got[answer.text(at+"code")] = field
			if sentence := answer.text(fmt.Sprintf("warnings.%d", i)); !strings.HasPrefix(sentence, text) || strings.Contains(text, field) && field != "" {
				t.Errorf("text %q of the warning %q", text, sentence)
			}
		}
		want := map[string]string{
			"time_zone_unknown": "source_tz", "date_order_unknown": "date_order", "currency_not_converted": "allow_currency_mismatch",
		}
		if !maps.Equal(got, want) {
			t.Errorf("codes and fields %v, want %v", got, want)
		}
	})
}

// TestDefaultAccount checks that default_account_id is used for a table without
// account_id, and that a backup ignores it.
func TestDefaultAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.imported(twoFills)
		prop := d.made("/accounts", more{"name": "Prop"}).text("id")
		backup := string(d.get("/exports").want(http.StatusOK).body)
		byDefault, chosen := part{"default_account_id", "", prop}, part{"account_id", "", d.account}

		d.form("/imports", part{"file", "f.csv", twoFills}, byDefault).want(http.StatusOK).is("account_id", `"`+prop+`"`).is("new_rows", "2")
		d.form("/imports", part{"file", "f.csv", twoFills}, byDefault, chosen).want(http.StatusOK).is("duplicates", "2")
		d.form("/imports/commit", part{"file", "f.csv", twoFills}, byDefault).want(http.StatusOK).is("account_id", `"`+prop+`"`).is("inserted", "2")
		d.form("/imports", part{"file", "f.csv", twoFills}, part{"default_account_id", "", "unknown"}).wantError(http.StatusNotFound, "not_found")

		d.form("/imports", part{"file", "b.json", backup}, chosen).wantError(http.StatusBadRequest, "bad_request").wantField("account_id")
		d.form("/imports", part{"file", "b.json", backup}, byDefault).want(http.StatusOK).is("journal_summary.accounts", "2").is("duplicates", "2")
		d.form("/imports/commit", part{"file", "b.json", backup}, byDefault).want(http.StatusOK).is("skipped", "2").is("restored.accounts", "2")
	})
}
