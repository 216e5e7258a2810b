package tabular

import (
	"bytes"
	"io"
	"strings"

	"fillbook/internal/base/journal"
)

// headBytes is how much of a file is read to detect its kind.
const headBytes = 8 << 10

// Sniff returns an upload's kind, by its content alone. Unusable files are rejected with
// a message explaining what to do.
func Sniff(data []byte) (Kind, error) {
	return sniff(string(data[:min(len(data), headBytes)]), bytes.NewReader(data), int64(len(data)))
}

// sniff is Sniff for a file whose head is already read.
func sniff(head string, file io.ReaderAt, size int64) (Kind, error) {
	if strings.HasPrefix(head, "PK\x03\x04") || strings.HasPrefix(head, "PK\x05\x06") {
		return sniffArchive(file, size)
	}
	if advice := identifyForeignFile(head); advice != "" {
		return "", journal.Invalid("%s", advice)
	}
	text, _, wide := decodeWide(head)
	if !wide {
		text = strings.TrimPrefix(head, utf8Mark)
		if looksBinary(text) {
			return "", journal.Invalid("The file is not text; export your trades as CSV, XLSX, HTML or XML.")
		}
	}
	text = strings.TrimLeftFunc(text, isTrimmed)
	switch {
	case text == "":
		if size > int64(len(head)) {
			return CSV, nil // a great many blanks, and then something
		}
		return "", journal.Invalid("The file is empty.")
	case text[0] == '<':
		return sniffMarkup(strings.ToLower(text))
	case text[0] == '{' || text[0] == '[':
		return JSON, nil
	}
	return CSV, nil
}

// identifyForeignFile lists files users upload by mistake, by their first bytes.
func identifyForeignFile(head string) string {
	for _, known := range []struct{ start, advice string }{
		{"%PDF-", "This is a PDF document; export your trades as CSV, XLSX or HTML instead."},
		{"\xd0\xcf\x11\xe0", "This is a workbook of an old Excel (.xls); open it and save it as XLSX or CSV."},
		{"\x89PNG", "This is a picture (PNG); export your trades as CSV, XLSX or HTML instead."},
		{"\xff\xd8\xff", "This is a picture (JPEG); export your trades as CSV, XLSX or HTML instead."},
		{"GIF8", "This is a picture (GIF); export your trades as CSV, XLSX or HTML instead."},
		{"\x1f\x8b", "This is a gzip archive; unpack it and upload the file inside."},
		{"Rar!", "This is a RAR archive; unpack it and upload the file inside."},
		{"7z\xbc\xaf", "This is a 7z archive; unpack it and upload the file inside."},
		{"SQLite format 3", "This is a database; export your trades as CSV, XLSX or HTML instead."},
		{`{\rtf`, "This is a word processor's document (RTF); export your trades as CSV, XLSX or HTML instead."},
	} {
		if strings.HasPrefix(head, known.start) {
			return known.advice
		}
	}
	return ""
}

// looksBinary reports whether bytes that are not UTF-16 are no text at all.
func looksBinary(head string) bool {
	controls := 0
	for i := range len(head) {
		switch b := head[i]; {
		case b == 0:
			return true
		case b < ' ' && (b < '\t' || b > '\r'):
			controls++
		}
	}
	return controls > len(head)/20
}

// sniffMarkup distinguishes XML from HTML. XHTML is HTML that begins like XML, and
// Interactive Brokers' reports are XML that may not begin like it.
func sniffMarkup(head string) (Kind, error) {
	xml := strings.HasPrefix(head, "<?xml")
	html := strings.Contains(head, "<html") || strings.Contains(head, "<!doctype html")
	switch {
	case html:
		return HTML, nil
	case xml && strings.Contains(head, "urn:schemas-microsoft-com:office:spreadsheet"):
		return "", journal.Invalid("This is a workbook of Excel 2003 (XML); open it and save it as XLSX or CSV.")
	case xml, strings.Contains(head, "<flexqueryresponse"), strings.Contains(head, "<flexstatement"):
		return XML, nil
	}
	return HTML, nil
}
