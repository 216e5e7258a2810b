//go:build !race

// The race detector would triple the measured memory.

package hostiletest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
)

// hostileFile is an upload to be refused with a status.
type hostileFile struct {
	name    string
	content func() string
	status  int
}

const (
	headLine = "Symbol,Side,Quantity,Price,Executed At,Commission\n"
	twoFills = headLine + "AAPL,buy,100,10,2026-01-05T15:00:00Z,1\nAAPL,sell,100,12,2026-01-05T15:10:00Z,1\n"
)

const (
	contentTypes = "[Content_Types].xml"
	workbook     = "xl/workbook.xml"
	relations    = "xl/_rels/workbook.xml.rels"
	firstSheet   = "xl/worksheets/sheet1.xml"
	sheetHead    = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	sheetTail    = `</sheetData></worksheet>`
	manyLaughs   = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">` +
		`<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]><r x="1">&d;</r>`
)

var workbookParts = map[string]string{
	contentTypes: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
	workbook: `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	relations: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

func literal(content string) func() string { return func() string { return content } }

// cut returns the first n bytes, or all but the last -n.
func cut(content func() string, n int) func() string {
	return func() string {
		whole := content()
		if n < 0 {
			n += len(whole)
		}
		return whole[:n]
	}
}

// packed returns a zip file with names and contents in turn.
func packed(entries ...string) func() string {
	return func() string {
		var out bytes.Buffer
		archive := zip.NewWriter(&out)
		for i := 0; i < len(entries); i += 2 {
			entry, _ := archive.Create(entries[i])
			_, _ = io.WriteString(entry, entries[i+1])
		}
		_ = archive.Close()
		return out.String()
	}
}

// bomb returns a workbook with an entry consisting of head, the repeated text up to this
// many MiB, and tail. Its directory may lie about the size.
func bomb(entry, head, repeated, tail string, mebibytes int, honest bool) func() string {
	return func() string {
		deflated, size := deflateRepeated(head, strings.Repeat(repeated, 1<<20/len(repeated)+1), tail, mebibytes<<20)
		if !honest {
			size = 1000
		}
		var out bytes.Buffer
		archive := zip.NewWriter(&out)
		for _, name := range []string{contentTypes, workbook, relations} {
			part, _ := archive.Create(name)
			_, _ = io.WriteString(part, workbookParts[name])
		}
		raw, _ := archive.CreateRaw(&zip.FileHeader{
			Name: entry, Method: zip.Deflate, UncompressedSize64: uint64(size), CompressedSize64: uint64(len(deflated)),
		})
		_, _ = raw.Write(deflated)
		_ = archive.Close()
		return out.String()
	}
}

// deflateRepeated compresses head, the piece until there are at least size bytes, and tail.
// From its second time on, a flushed piece follows the same window and compresses to the
// same bytes, so they are copied.
func deflateRepeated(head, piece, tail string, size int) (deflated []byte, length int) {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestSpeed)
	flush := func(text string) {
		_, _ = io.WriteString(w, text)
		_ = w.Flush()
	}
	flush(head)
	flush(piece)
	start := out.Len()
	flush(piece)
	again := bytes.Clone(out.Bytes()[start:])
	length = len(head) + 2*len(piece)
	for ; length < size; length += len(piece) {
		_, _ = out.Write(again)
	}
	_, _ = io.WriteString(w, tail)
	_ = w.Close()
	return out.Bytes(), length + len(tail)
}

func noise(n int) string {
	out := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(out)
	return string(out)
}

// lopsided returns random letters, one rare, which compress about as well as prose.
func lopsided(n int) string {
	out := []byte(noise(n))
	for i, b := range out {
		out[i] = 'a'
		if b%16 == 0 {
			out[i] = 'b'
		}
	}
	return string(out)
}

func gzipped() string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, twoFills)
	_ = w.Close()
	return out.String()
}

func picture(encode func(io.Writer, image.Image) error) func() string {
	return func() string {
		var out bytes.Buffer
		_ = encode(&out, image.NewGray(image.Rect(0, 0, 1, 1)))
		return out.String()
	}
}

func encodeJPEG(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }

var hostileFiles = []hostileFile{
	{"a workbook of 320 MB of rows", bomb(firstSheet, sheetHead, `<row><c t="inlineStr"><is><t>x</t></is></c></row>`, sheetTail, 320, true), http.StatusBadRequest},
	{"a workbook that lies about its size", bomb(firstSheet, sheetHead, `<row><c><v>1</v></c></row>`, sheetTail, 320, false), http.StatusBadRequest},
	{"a cell of 320 MB", bomb(firstSheet, sheetHead+`<row><c t="inlineStr"><is><t>`, "x", `</t></is></c></row>`+sheetTail, 320, true), http.StatusBadRequest},
	{"a cell of 320 MB, lied about", bomb(firstSheet, sheetHead+`<row><c t="inlineStr"><is><t>`, "x", `</t></is></c></row>`+sheetTail, 320, false), http.StatusBadRequest},
	{"shared strings of 320 MB, lied about", bomb("xl/sharedStrings.xml", `<sst>`, `<si><t>x</t></si>`, `</sst>`, 320, false), http.StatusBadRequest},
	{"a zipped CSV of 320 MB", bomb("fills.csv", headLine, "AAPL,buy,1,1,2026-01-05T15:00:00Z,\n", "", 320, false), http.StatusBadRequest},
	{"a zipped backup of 320 MB", bomb("backup.json", `[`, `{},`, `{}]`, 320, true), http.StatusRequestEntityTooLarge},
	{"a zipped backup of 320 MB, lied about", bomb("backup.json", `[`, `{},`, `{}]`, 320, false), http.StatusBadRequest},
	{"a zipped backup of 40 MB", bomb("backup.json", `[`, `{},`, `{}]`, 40, true), http.StatusRequestEntityTooLarge},
	{"a zipped backup of 38 MB of text", bomb("backup.json", `{"format":"fillbook","version":1,"accounts":["`, lopsided(1<<20), `"]}`, 38, true), http.StatusBadRequest},
	{"JSON of three million rows", func() string { return "[" + strings.Repeat("{},", 3_300_000) + "{}]" }, http.StatusBadRequest},
	{"JSON of five million numbers", func() string { return `{"executions":[` + strings.Repeat("7,", 5_000_000) + "7]}" }, http.StatusBadRequest},
	{"a backup of three million rows", func() string {
		return `{"format":"fillbook","version":1,"accounts":[{"executions":[` + strings.Repeat("{},", 3_300_000) + "{}]}]}"
	}, http.StatusBadRequest},
	{"a million columns", func() string { return strings.Repeat("a,", 1_000_000) + "\n1,2\n" }, http.StatusBadRequest},
	{"a million columns in a row", func() string { return headLine + strings.Repeat("1,", 1_000_000) + "\n" }, http.StatusBadRequest},
	{"10 MB of commas", func() string { return strings.Repeat(",", 10<<20) }, http.StatusBadRequest},
	{"10 MB of comma lines", func() string { return strings.Repeat(",\n", 5<<20) }, http.StatusBadRequest},
	{"10 MB of short lines", func() string { return "a,b\n" + strings.Repeat("1,2\n", 2_600_000) }, http.StatusBadRequest},
	{"10 MB of quotes", func() string { return strings.Repeat(`"`, 10<<20) }, http.StatusBadRequest},
	{"10 MB in one cell", func() string { return headLine + strings.Repeat("x", 10<<20-100) }, http.StatusBadRequest},
	{"10 MB of blanks", func() string { return strings.Repeat(" ", 10<<20) }, http.StatusBadRequest},
	{"10 MB of line ends", func() string { return strings.Repeat("\n", 10<<20) }, http.StatusBadRequest},
	{"10 MB of CR", func() string { return headLine + strings.Repeat("\r", 10<<20-100) }, http.StatusBadRequest},
	{"deep HTML", func() string { return "<html><body>" + strings.Repeat("<table><tr><td>", 600_000) }, http.StatusBadRequest},
	{"HTML of a million cells", func() string { return "<html><table><tr>" + strings.Repeat("<td>x", 1_000_000) }, http.StatusBadRequest},
	{"HTML of a huge attribute", func() string { return `<html><table title="` + strings.Repeat("x", 9<<20) + `"><tr><td>a</table>` }, http.StatusBadRequest},
	{"deep XML", func() string { return `<?xml version="1.0"?>` + strings.Repeat("<a>", 1_000_000) }, http.StatusBadRequest},
	{"XML of a million attributes", func() string { return `<?xml version="1.0"?><a ` + strings.Repeat(`b="" `, 1_000_000) + `/>` }, http.StatusBadRequest},
	{"XML of a million elements", func() string { return `<?xml version="1.0"?><a>` + strings.Repeat(`<b c="1"/>`, 1_000_000) + `</a>` }, http.StatusBadRequest},
	{"a billion laughs", literal(manyLaughs), http.StatusBadRequest},
	{"a billion laughs in a workbook", packed(contentTypes, workbookParts[contentTypes], workbook, manyLaughs), http.StatusBadRequest},
	{"an entity from a file", literal(`<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r x="1">&a;</r>`), http.StatusBadRequest},
	{"deep JSON arrays", func() string { return strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) }, http.StatusBadRequest},
	{"deep JSON objects", func() string { return strings.Repeat(`{"a":`, 1_000_000) }, http.StatusBadRequest},
	{"JSON with a key twice", literal(`{"executions":[],"executions":[]}`), http.StatusBadRequest},
	{"JSON with a key twice inside", literal(`[{"symbol":"A","symbol":"B"}]`), http.StatusBadRequest},
	{"JSON that goes on", literal(`{"executions":[]} {}`), http.StatusBadRequest},
	{"JSON of a number", literal(`{"executions":1e1000000000}`), http.StatusBadRequest},
	{"JSON with a NUL", literal(`[{"symbol":"A\u0000"}]`), http.StatusBadRequest},
	{"JSON of the wrong types", literal(`{"format":"fillbook","version":1,"accounts":{}}`), http.StatusBadRequest},
	{"JSON without rows", literal(`{}`), http.StatusBadRequest},
	{"random bytes", func() string { return noise(1 << 20) }, http.StatusBadRequest},
	{"few random bytes", func() string { return noise(100) }, http.StatusBadRequest},
	{"UTF-16 of random bytes", func() string { return "\xff\xfe" + noise(99_999) }, http.StatusBadRequest},
	{"only a byte order mark", literal("\xff\xfe"), http.StatusBadRequest},
	{"half a character", literal("\xff\xfe\x41"), http.StatusBadRequest},
	{"a cut zip", cut(packed("fills.csv", twoFills), 100), http.StatusBadRequest},
	{"a zip whose end is cut", cut(packed("fills.csv", twoFills), -4), http.StatusBadRequest},
	{"a zip in a zip", packed("fills.csv", packed("fills.csv", packed("fills.csv", twoFills)())()), http.StatusBadRequest},
	{"an empty zip", packed(), http.StatusBadRequest},
	{"a zip of a program", packed("run.exe", "MZ"), http.StatusBadRequest},
	{"a zip with two files", packed("a.csv", twoFills, "b.csv", twoFills), http.StatusBadRequest},
	{"a zip that leads out", packed("../../etc/fills.exe", twoFills), http.StatusBadRequest},
	{"a workbook without sheets", packed(contentTypes, workbookParts[contentTypes]), http.StatusBadRequest},
	{"a sheet with a far cell", packed(contentTypes, workbookParts[contentTypes], workbook, workbookParts[workbook],
		relations, workbookParts[relations], firstSheet, sheetHead+`<row r="999999999999"><c r="ZZZZZZZZ99"><v>1</v></c></row>`+sheetTail), http.StatusBadRequest},
	{"a PDF", literal("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), http.StatusBadRequest},
	{"a PNG", picture(png.Encode), http.StatusBadRequest},
	{"a JPEG", picture(encodeJPEG), http.StatusBadRequest},
	{"a gzip", gzipped, http.StatusBadRequest},
	{"an old workbook", func() string { return "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 504) }, http.StatusBadRequest},
	{"one byte", literal("x"), http.StatusBadRequest},
	{"one byte more than the limit", func() string { return headLine + strings.Repeat("\n", 10<<20+1-len(headLine)) }, http.StatusRequestEntityTooLarge},
}
