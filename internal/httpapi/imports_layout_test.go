package httpapi_test

import (
	"net/http"
	"testing"
)

const noZone = "Symbol,Side,Quantity,Price,Executed At\n" +
	"AAPL,buy,10,100,2026-03-05 09:31:00\n" +
	"AAPL,sell,10,110,2026-03-05 10:12:00\n"

// TestLayoutSignature checks that the signature depends on the kind of a file
// and the names of its columns, and on nothing else.
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

// TestZoneSource checks that a preview states what decided the zone of the times,
// and that default_tz replaces UTC only if nothing else does.
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
		d.upload("/imports", fixture(t, "metatrader/testdata/mt4-statement.txtar"), tokyo).want(http.StatusOK).is("source_tz_from", `"format"`).is("suggested_source_tz", `"Europe/Athens"`)
		// The zone shows when the times are read.
		d.upload("/imports", "When,What\n2026-03-05 09:31,AAPL\n", tokyo).want(http.StatusOK).is("source_tz_from", `""`)

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

// TestFileAccount checks that a preview states the account that the file names.
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
