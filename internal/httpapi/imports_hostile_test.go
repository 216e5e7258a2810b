//go:build !race

// The race detector would triple the memory that these tests measure;
// scripts/test runs them without it.

package httpapi_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// What strangers upload: bombs, lies and rubbish. Whatever it is, the answer is
// a refusal in one sentence, nothing is remembered of it, and it costs little
// memory. How a file is read does not depend on the engine, so the large ones
// are sent to SQLite alone.

// enough is how much the heap may grow over one upload: the file itself some
// times over, and what is unpacked of it.
const enough = 256 << 20

// hostile is a file that must be refused.
type hostile struct {
	name   string
	make   func(t *testing.T) string
	status int // 400 where it is 0
}

func literal(content string) func(*testing.T) string {
	return func(*testing.T) string { return content }
}

// packed packs entries, given as names and contents in turn.
func packed(entries ...string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for i := 0; i < len(entries); i += 2 {
			entry, err := w.Create(entries[i])
			if err == nil {
				_, err = io.WriteString(entry, entries[i+1])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
}

// bomb is a workbook whose sheet is head, then some text over and over for so
// many MiB, then tail. Its directory may lie about the size.
func bomb(entry, head, again, tail string, mebibytes int, honest bool) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		var deflated bytes.Buffer
		w, err := flate.NewWriter(&deflated, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		size := uint64(0)
		write := func(text string) {
			n, _ := io.WriteString(w, text)
			size += uint64(n)
		}
		write(head)
		piece := strings.Repeat(again, 1<<20/len(again)+1)
		for size < uint64(mebibytes)<<20 {
			write(piece)
		}
		write(tail)
		_ = w.Close()
		if !honest {
			size = 1000
		}
		var out bytes.Buffer
		archive := zip.NewWriter(&out)
		for _, name := range []string{"[Content_Types].xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"} {
			part, err := archive.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(part, workbookParts[name])
		}
		raw, err := archive.CreateRaw(&zip.FileHeader{
			Name: entry, Method: zip.Deflate, UncompressedSize64: size, CompressedSize64: uint64(deflated.Len()),
		})
		if err == nil {
			_, err = raw.Write(deflated.Bytes())
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
}

var workbookParts = map[string]string{
	"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
	"xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

const (
	firstSheet = "xl/worksheets/sheet1.xml"
	sheetHead  = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	sheetTail  = `</sheetData></worksheet>`
	manyLaughs = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">` +
		`<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]><r x="1">&d;</r>`
)

func noise(n int) string {
	dice, out := rand.NewChaCha8([32]byte{1}), make([]byte, n)
	_, _ = dice.Read(out)
	return string(out)
}

// toss is a text of two letters in no order, one of them rare: it packs well,
// but to no less than a prose would.
func toss(n int) string {
	out := []byte(noise(n))
	for i, b := range out {
		out[i] = 'a'
		if b%16 == 0 {
			out[i] = 'b'
		}
	}
	return string(out)
}

func gzipped(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, twoFills)
	_ = w.Close()
	return out.String()
}

var hostileFiles = []hostile{
	{"a workbook of 320 MB of rows", bomb(firstSheet, sheetHead, `<row><c t="inlineStr"><is><t>x</t></is></c></row>`, sheetTail, 320, true), 0},
	{"a workbook that lies about its size", bomb(firstSheet, sheetHead, `<row><c><v>1</v></c></row>`, sheetTail, 320, false), 0},
	{"a cell of 320 MB", bomb(firstSheet, sheetHead+`<row><c t="inlineStr"><is><t>`, "x", `</t></is></c></row>`+sheetTail, 320, true), 0},
	{"a cell of 320 MB, lied about", bomb(firstSheet, sheetHead+`<row><c t="inlineStr"><is><t>`, "x", `</t></is></c></row>`+sheetTail, 320, false), 0},
	{"shared strings of 320 MB, lied about", bomb("xl/sharedStrings.xml", `<sst>`, `<si><t>x</t></si>`, `</sst>`, 320, false), 0},
	{"a zipped CSV of 320 MB", bomb("fills.csv", headLine, "AAPL,buy,1,1,2026-01-05T15:00:00Z,\n", "", 320, false), 0},
	{"a zipped backup of 320 MB", bomb("backup.json", `[`, `{},`, `{}]`, 320, true), http.StatusRequestEntityTooLarge},
	{"a zipped backup of 320 MB, lied about", bomb("backup.json", `[`, `{},`, `{}]`, 320, false), 0},
	{"a zipped backup of 40 MB", bomb("backup.json", `[`, `{},`, `{}]`, 40, true), http.StatusRequestEntityTooLarge},
	{"a zipped backup of 38 MB of text", bomb("backup.json", `{"format":"fillbook","version":1,"accounts":["`, toss(1<<20), `"]}`, 38, true), 0},
	{"JSON of three million rows", literal("[" + strings.Repeat("{},", 3_300_000) + "{}]"), 0},
	{"JSON of five million numbers", literal(`{"executions":[` + strings.Repeat("7,", 5_000_000) + "7]}"), 0},
	{"a backup of three million rows", literal(`{"format":"fillbook","version":1,"accounts":[{"executions":[` + strings.Repeat("{},", 3_300_000) + "{}]}]}"), 0},
	{"a million columns", literal(strings.Repeat("a,", 1_000_000) + "\n1,2\n"), 0},
	{"a million columns in a row", literal(headLine + strings.Repeat("1,", 1_000_000) + "\n"), 0},
	{"10 MB of commas", literal(strings.Repeat(",", 10<<20)), 0},
	{"10 MB of comma lines", literal(strings.Repeat(",\n", 5<<20)), 0},
	{"10 MB of short lines", literal("a,b\n" + strings.Repeat("1,2\n", 2_600_000)), 0},
	{"10 MB of quotes", literal(strings.Repeat(`"`, 10<<20)), 0},
	{"10 MB in one cell", literal(headLine + strings.Repeat("x", 10<<20-100)), 0},
	{"10 MB of blanks", literal(strings.Repeat(" ", 10<<20)), 0},
	{"10 MB of line ends", literal(strings.Repeat("\n", 10<<20)), 0},
	{"10 MB of CR", literal(headLine + strings.Repeat("\r", 10<<20-100)), 0},
	{"deep HTML", literal("<html><body>" + strings.Repeat("<table><tr><td>", 600_000)), 0},
	{"HTML of a million cells", literal("<html><table><tr>" + strings.Repeat("<td>x", 1_000_000)), 0},
	{"HTML of a huge attribute", literal(`<html><table title="` + strings.Repeat("x", 9<<20) + `"><tr><td>a</table>`), 0},
	{"deep XML", literal(`<?xml version="1.0"?>` + strings.Repeat("<a>", 1_000_000)), 0},
	{"XML of a million attributes", literal(`<?xml version="1.0"?><a ` + strings.Repeat(`b="" `, 1_000_000) + `/>`), 0},
	{"XML of a million elements", literal(`<?xml version="1.0"?><a>` + strings.Repeat(`<b c="1"/>`, 1_000_000) + `</a>`), 0},
	{"a billion laughs", literal(manyLaughs), 0},
	{"a billion laughs in a workbook", packed("[Content_Types].xml", workbookParts["[Content_Types].xml"], "xl/workbook.xml", manyLaughs), 0},
	{"an entity from a file", literal(`<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r x="1">&a;</r>`), 0},
	{"deep JSON arrays", literal(strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)), 0},
	{"deep JSON objects", literal(strings.Repeat(`{"a":`, 1_000_000)), 0},
	{"JSON with a key twice", literal(`{"executions":[],"executions":[]}`), 0},
	{"JSON with a key twice inside", literal(`[{"symbol":"A","symbol":"B"}]`), 0},
	{"JSON that goes on", literal(`{"executions":[]} {}`), 0},
	{"JSON of a number", literal(`{"executions":1e1000000000}`), 0},
	{"JSON with a NUL", literal(`[{"symbol":"A\u0000"}]`), 0},
	{"JSON of the wrong types", literal(`{"format":"fillbook","version":1,"accounts":{}}`), 0},
	{"JSON without rows", literal(`{}`), 0},
	{"random bytes", literal(noise(1 << 20)), 0},
	{"few random bytes", literal(noise(100)), 0},
	{"UTF-16 of random bytes", literal("\xff\xfe" + noise(99_999)), 0},
	{"only a byte order mark", literal("\xff\xfe"), 0},
	{"half a character", literal("\xff\xfe\x41"), 0},
	{"a cut zip", func(t *testing.T) string { return packed("fills.csv", twoFills)(t)[:100] }, 0},
	{"a zip whose end is cut", func(t *testing.T) string {
		whole := packed("fills.csv", twoFills)(t)
		return whole[:len(whole)-4]
	}, 0},
	{"a zip in a zip", func(t *testing.T) string {
		return packed("fills.csv", packed("fills.csv", packed("fills.csv", twoFills)(t))(t))(t)
	}, 0},
	{"an empty zip", packed(), 0},
	{"a zip of a program", packed("run.exe", "MZ"), 0},
	{"a zip with two files", packed("a.csv", twoFills, "b.csv", twoFills), 0},
	{"a zip that leads out", packed("../../etc/fills.exe", twoFills), 0},
	{"a workbook without sheets", packed("[Content_Types].xml", workbookParts["[Content_Types].xml"]), 0},
	{"a sheet with a far cell", packed("[Content_Types].xml", workbookParts["[Content_Types].xml"], "xl/workbook.xml", workbookParts["xl/workbook.xml"],
		"xl/_rels/workbook.xml.rels", workbookParts["xl/_rels/workbook.xml.rels"],
		firstSheet, sheetHead+`<row r="999999999999"><c r="ZZZZZZZZ99"><v>1</v></c></row>`+sheetTail), 0},
	{"a PDF", literal("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), 0},
	{"a PNG", literal(string(tinyPNG)), 0},
	{"a JPEG", literal(string(tinyJPEG)), 0},
	{"a gzip", gzipped, 0},
	{"an old workbook", literal("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 504)), 0},
	{"one byte", literal("x"), 0},
	{"one byte more than the limit", literal(headLine + strings.Repeat("\n", 10<<20+1-len(headLine))), http.StatusRequestEntityTooLarge},
}

// TestHostileFiles does not run beside other tests, whose memory it would
// take for its own.
func TestHostileFiles(t *testing.T) {
	w := newWorld(t, testkit.Open(t, db.SQLite))
	d := w.trader()
	for _, h := range hostileFiles {
		t.Run(h.name, func(t *testing.T) {
			d, content := d.in(t), h.make(t)
			for _, path := range []string{"/imports", "/imports/commit"} {
				var answer *reply
				grown := peak(func() { answer = d.upload(path, content) })
				answer.wantRefusal(max(h.status, http.StatusBadRequest))
				if grown > enough {
					t.Errorf("POST %s takes %d MiB", path, grown>>20)
				}
			}
			d.wantNothing()
		})
	}
}

// wantRefusal requires one clear sentence that gives nothing of the inside away.
func (r *reply) wantRefusal(status int) {
	r.t.Helper()
	code := "bad_request"
	if status == http.StatusRequestEntityTooLarge {
		code = "too_large"
	}
	r.wantError(status, code)
	message := r.text("error.message")
	for _, inside := range []string{"runtime", "goroutine", ".go:", "zip:", "XML syntax", "jsontext", "sql"} {
		if strings.Contains(message, inside) {
			r.t.Errorf("%s: the message shows internals: %s", r.call, message)
		}
	}
	if len(message) > 400 {
		r.t.Errorf("%s: a message of %d bytes", r.call, len(message))
	}
}

// wantNothing requires that nothing was written.
func (d desk) wantNothing() {
	d.w.t.Helper()
	for _, table := range []string{"import_batches", "executions", "trades", "cash_transactions", "notes", "tags", "setups"} {
		if n := d.w.count(`SELECT COUNT(*) FROM ` + table); n != 0 {
			d.w.t.Errorf("%d rows in %s", n, table)
		}
	}
	if n := d.w.count(`SELECT COUNT(*) FROM accounts`); n != 1 {
		d.w.t.Errorf("%d accounts", n)
	}
}

// peak reports how far the heap grew at most while fn ran, garbage that waits
// for its collection included.
func peak(fn func()) uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heap := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before := heap()
	most, done, ended := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			most = max(most, heap())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	fn()
	close(done)
	<-ended
	return most - before
}

// TestHostileRows: a table whose rows cannot be stored is read, told and
// refused; the import is remembered as failed, and no row is there.
func TestHostileRows(t *testing.T) {
	t.Parallel()
	row := func(symbol, side, quantity, price, at, commission string) string {
		return strings.Join([]string{symbol, side, quantity, price, at, commission}, ",") + "\n"
	}
	const now = "2026-01-05T15:00:00Z"
	rows := map[string]string{
		"a huge price":       row("AAPL", "buy", "1", "1e1000000000", now, ""),
		"a tiny price":       row("AAPL", "buy", "1", "1e-1000000000", now, ""),
		"a huge quantity":    row("AAPL", "buy", "1e1000000000", "1", now, ""),
		"a tiny quantity":    row("AAPL", "buy", "1e-1000000000", "1", now, ""),
		"many digits":        row("AAPL", "buy", strings.Repeat("9", 60_000), "1", now, ""),
		"many decimals":      row("AAPL", "buy", "0."+strings.Repeat("1", 60_000), "1", now, ""),
		"NaN":                row("AAPL", "buy", "NaN", "1", now, ""),
		"infinity":           row("AAPL", "buy", "1", "Infinity", now, ""),
		"minus infinity":     row("AAPL", "buy", "1", "-Inf", now, ""),
		"hexadecimal":        row("AAPL", "buy", "0x10", "1", now, ""),
		"underscores":        row("AAPL", "buy", "1_000", "1", now, ""),
		"a costly price":     row("AAPL", "buy", "1", "1", now, "1e400"),
		"no quantity":        row("AAPL", "buy", "0", "1", now, ""),
		"no side":            row("AAPL", "hold", "1", "1", now, ""),
		"no symbol":          row("", "buy", "1", "1", now, ""),
		"a long symbol":      row(strings.Repeat("A", 65), "buy", "1", "1", now, ""),
		"a far year":         row("AAPL", "buy", "1", "1", "9999-01-05T15:00:00Z", ""),
		"an early year":      row("AAPL", "buy", "1", "1", "0001-01-05T15:00:00Z", ""),
		"30 February":        row("AAPL", "buy", "1", "1", "2026-02-30T15:00:00Z", ""),
		"25 o'clock":         row("AAPL", "buy", "1", "1", "2026-01-05T25:00:00Z", ""),
		"an endless instant": row("AAPL", "buy", "1", "1", "2026-01-05T15:00:00."+strings.Repeat("9", 60_000)+"x", ""),
		"formulas":           row("AAPL", "buy", "=1+1", "=cmd|' /C calc'!A0", now, ""),
	}
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for name, line := range rows {
			t.Run(name, func(t *testing.T) {
				d := d.in(t)
				d.upload("/imports", headLine+line).want(http.StatusOK).holds("", `{"new_rows": 0, "row_count": 1, "error_count": 1}`)
				refused := d.upload("/imports/commit", headLine+line)
				refused.wantRefusal(http.StatusBadRequest)
				id := refused.text("error.details.import_batch_id")
				d.get("/imports/"+id).want(http.StatusOK).is("status", `"failed"`).is("result", "null")
				d.get("/executions").want(http.StatusOK).is("", "[]")
				d.get("/trades").want(http.StatusOK).is("", "[]")
			})
		}
		// In company of good rows they are left out, and the good ones go in.
		bad := ""
		for _, line := range rows {
			bad += line
		}
		d.imported(twoFills+bad).holds("", fmt.Sprintf(`{"inserted": 2, "trades": 1, "error_count": %d}`, len(rows)))
	})
}

// TestHostileJSONRows are the same in a JSON list.
func TestHostileJSONRows(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for name, quantity := range map[string]string{
			"huge": "1e1000000000", "tiny": "1e-1000000000", "text": `"NaN"`, "infinity": `"Infinity"`, "an object": `{}`, "a list": `[1]`,
			"nothing": "null", "zero": "0", "less": "-0.0", "hexadecimal": `"0x10"`, "many digits": strings.Repeat("9", 60_000),
		} {
			t.Run(name, func(t *testing.T) {
				d := d.in(t)
				content := `[{"symbol":"AAPL","side":"buy","price":1,"executed_at":"2026-01-05T15:00:00Z","quantity":` + quantity + `}]`
				d.upload("/imports", content).want(http.StatusOK).holds("", `{"new_rows": 0, "error_count": 1}`)
				d.upload("/imports/commit", content).wantRefusal(http.StatusBadRequest)
				d.get("/executions").want(http.StatusOK).is("", "[]")
			})
		}
	})
}

// TestHostileForms are forms around a good file.
func TestHostileForms(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		file, account := part{"file", "fills.csv", twoFills}, part{"account_id", "", d.account}
		crowd := []part{file, account}
		for i := range 19 {
			crowd = append(crowd, part{fmt.Sprintf("field%d", i), "", "x"})
		}
		mapping := func(text string) []part { return []part{file, account, {"column_mapping", "", text}} }
		for name, c := range map[string]struct {
			parts  []part
			field  string
			status int
		}{
			"21 parts":                   {crowd, "", 0},
			"two files":                  {[]part{file, account, file}, "file", 0},
			"two files of other names":   {[]part{file, account, {"more", "b.csv", twoFills}}, "file", 0},
			"two accounts":               {[]part{file, account, account}, "account_id", 0},
			"no file":                    {[]part{account}, "file", 0},
			"an empty file":              {[]part{{"file", "fills.csv", ""}, account}, "file", 0},
			"no account":                 {[]part{file}, "account_id", 0},
			"an account of bytes":        {[]part{file, {"account_id", "", "\xff\xfe"}}, "account_id", 0},
			"a mapping that is a list":   {mapping(`["symbol"]`), "column_mapping", 0},
			"a mapping that is a text":   {mapping(`"symbol"`), "column_mapping", 0},
			"a mapping that is a number": {mapping(`7`), "column_mapping", 0},
			"a mapping of numbers":       {mapping(`{"symbol":1}`), "column_mapping", 0},
			"a mapping of objects":       {mapping(`{"symbol":{"a":"b"}}`), "column_mapping", 0},
			"a mapping that is cut":      {mapping(`{"symbol":"Symbol"`), "column_mapping", 0},
			"a mapping that goes on":     {mapping(`{"symbol":"Symbol"} {}`), "column_mapping", 0},
			"a mapping to nowhere":       {mapping(`{"symbol":"Nope"}`), "column_mapping", 0},
			"a mapping of nonsense":      {mapping(`{"__proto__":"Symbol"}`), "column_mapping", 0},
			"a mapping with a key twice": {mapping(`{"symbol":"Symbol","symbol":"Side"}`), "column_mapping", 0},
			"a deep mapping":             {mapping(strings.Repeat(`{"symbol":`, 5_000)), "column_mapping", 0},
			"a mapping of 64 KiB and 1":  {mapping(`{"symbol":"` + strings.Repeat("x", 64<<10-11) + `"}`), "", http.StatusRequestEntityTooLarge},
			"a zone of Mars":             {[]part{file, account, {"source_tz", "", "Mars/Olympus"}}, "source_tz", 0},
			"a zone of a path":           {[]part{file, account, {"source_tz", "", "../../etc/passwd"}}, "source_tz", 0},
			"a zone called Local":        {[]part{file, account, {"source_tz", "", "Local"}}, "source_tz", 0},
			"an order of nothing":        {[]part{file, account, {"date_order", "", "mdy"}}, "date_order", 0},
		} {
			t.Run(name, func(t *testing.T) {
				d := d.in(t)
				for _, path := range []string{"/imports", "/imports/commit"} {
					refused := d.form(path, c.parts...)
					refused.wantRefusal(max(c.status, http.StatusBadRequest))
					if got := refused.text("error.details.field"); got != c.field {
						t.Errorf("the field is %q, want %q: %s", got, c.field, refused.body)
					}
				}
				d.wantNothing()
			})
		}
		d.form("/imports/commit", file, part{"account_id", "", unknown()}).wantError(http.StatusNotFound, "not_found")
		d.raw("POST", "/imports", "application/json", []byte(`{}`)).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type")
		d.raw("POST", "/imports/commit", "multipart/form-data", []byte(`x`)).wantRefusal(http.StatusBadRequest)
		d.raw("POST", "/imports/commit", "multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\ncut")).
			wantRefusal(http.StatusBadRequest)
		d.wantNothing()
		// The account may come behind the file, or in the query.
		d.form("/imports", file, account).want(http.StatusOK).is("new_rows", "2")
		d.form("/imports", account, file).want(http.StatusOK).is("new_rows", "2")
		d.form("/imports?account_id="+d.account, file).want(http.StatusOK).is("new_rows", "2")
		// A mapping of exactly 64 KiB is a mapping.
		const whole = `{"symbol":"Symbol","side":"Side","quantity":"Quantity","price":"Price","executed_at":"Executed At"`
		long := mapping(whole + strings.Repeat(" ", 64<<10-len(whole)-1) + `}`)
		d.form("/imports", long...).want(http.StatusOK).is("new_rows", "2")
		d.wantNothing()
	})
}

// TestHostileFileNames are shown, and never more than that.
func TestHostileFileNames(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for name, shown := range map[string]string{
			"../../etc/passwd":            "passwd",
			`C:\\Users\\me\\fills.csv`:    "fills.csv",
			"/absolute/fills.csv":         "fills.csv",
			"fills.xlsx":                  "fills.xlsx", // it is a CSV all the same
			"tab\tfills.csv":              "tabfills.csv",
			"Größe 日本.csv":                "Größe 日本.csv",
			strings.Repeat("n", 5000):     strings.Repeat("n", 200),
			"<script>alert(1)</script>":   "script>",
			"a;b=c.csv":                   "a;b=c.csv",
			"%2e%2e%2ffills.csv":          "%2e%2e%2ffills.csv",
			"'; DROP TABLE executions;--": "'; DROP TABLE executions;--",
		} {
			id := d.form("/imports/commit", part{"file", name, twoFills}, part{"account_id", "", d.account}).want(http.StatusOK).text("import_batch_id")
			got := d.get("/imports/" + id).want(http.StatusOK).text("filename.String")
			if got != shown {
				w.t.Errorf("%q is shown as %q, want %q", name, got, shown)
			}
		}
	})
}

// TestWideText: UTF-16 in any form is text like other text.
func TestWideText(t *testing.T) {
	t.Parallel()
	wide := func(order binary.AppendByteOrder, mark bool) string {
		var out []byte
		if mark {
			out = order.AppendUint16(out, 0xfeff)
		}
		for _, unit := range utf16.Encode([]rune(twoFills)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		for _, content := range []string{
			wide(binary.LittleEndian, true), wide(binary.BigEndian, true), wide(binary.LittleEndian, false), wide(binary.BigEndian, false),
			wide(binary.LittleEndian, true) + "\x00", wide(binary.BigEndian, false) + "x", "\xef\xbb\xbf" + twoFills,
		} {
			d.upload("/imports", content).want(http.StatusOK).holds("", `{"new_rows": 2, "error_count": 0}`)
		}
	})
}
