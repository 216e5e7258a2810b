package httpapi_test

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"
)

// wantRefusal requires one clear sentence without internals.
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
func (d trader) wantNothing() {
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
		// Together with good rows they are left out, and the good ones are stored.
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
		// Exactly 64 KiB is allowed.
		const whole = `{"symbol":"Symbol","side":"Side","quantity":"Quantity","price":"Price","executed_at":"Executed At"`
		long := mapping(whole + strings.Repeat(" ", 64<<10-len(whole)-1) + `}`)
		d.form("/imports", long...).want(http.StatusOK).is("new_rows", "2")
		d.wantNothing()
	})
}

// TestHostileFileNames are only shown.
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
