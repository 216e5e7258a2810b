// Package tabular turns an uploaded file's bytes into tables of text. It handles files
// and not brokers: callers decide what a column means.
//
// An upload goes through four steps. Its content, never its name, determines its kind.
// Its text is decoded, for exports come in UTF-8, UTF-16 and the code pages of the PC
// they were made on. Then it is cut into rows of cells, or into elements in the case of
// XML. And every step works under a budget: the file is untrusted, so nothing is
// allocated because a header says so, and a file unpacking to more than [Limits] is
// refused with a sentence naming the limit.
//
// The readers forgive what people and spreadsheets do to files: stray quotes, lines
// quoted as a whole, "sep=" lines, unclosed cells, numbers with binary float noise. They
// never guess at a cell's meaning: its text is kept as it was, without surrounding white
// space.
//
// The package is pure: no I/O, no clock, no state.
package tabular

import (
	"bytes"
	"context"
)

// Kind is what a file is, by its content.
type Kind string

// The readable file kinds. Zip is an archive containing one of the others.
const (
	CSV  Kind = "csv"
	XLSX Kind = "xlsx"
	HTML Kind = "html"
	XML  Kind = "xml"
	JSON Kind = "json"
	Zip  Kind = "zip"
)

// Row is a table row.
type Row struct {
	// Line is the row's position: the line in the file where it begins, counted from 1,
	// the row number in the sheet, or the <tr>'s number.
	Line int
	// Cells are valid UTF-8 without NUL and without white space around them.
	Cells []string
	// Titles holds the title attributes in HTML cells, by cell index.
	Titles map[int]string
	// Spans holds the colspan of HTML cells spanning several columns, by cell index. A
	// span makes no cells.
	Spans map[int]int
}

// Table is the rows with any text, in file order.
type Table struct {
	// Name is the sheet's name, and empty for other kinds.
	Name string
	Rows []Row
	// Delimiter separates the cells in a CSV file.
	Delimiter rune
}

// Element is an XML element with attributes.
type Element struct {
	Name, Parent string
	Attr         map[string]string
	// Line is where the element begins, counted from 1.
	Line int
}

// File is an upload, read.
type File struct {
	Kind Kind
	// Encoding is how the text was written, such as UTF-8 or Shift_JIS.
	Encoding string
	// Tables has one table for CSV and HTML, where all rows in a document are in order,
	// and one for each non-empty sheet in a workbook.
	Tables []Table
	// Elements are the XML elements, in document order.
	Elements []Element
	// Title is an HTML document's title.
	Title string
	// Text is a JSON file's text, which is not parsed here.
	Text string
}

// Read reads an upload under the given limits. An archive must contain exactly one
// importable file, which is read.
func Read(data []byte, limits Limits) (File, error) {
	return ReadContext(context.Background(), data, limits)
}

// ReadContext is Read, stopping with the context's error when it ends.
func ReadContext(ctx context.Context, data []byte, limits Limits) (File, error) {
	kind, err := Sniff(data)
	if err != nil {
		return File{}, err
	}
	b := newBudget(ctx, limits)
	switch kind {
	case XLSX, Zip:
		a, err := openArchive(bytes.NewReader(data), int64(len(data)), b)
		if err != nil {
			return File{}, err
		}
		if kind == XLSX {
			return readWorkbook(a)
		}
		return readOnlyFile(a)
	default:
		return readText(kind, string(data), b)
	}
}

// readText reads the text kinds.
func readText(kind Kind, raw string, b *budget) (File, error) {
	charset := ""
	if kind == HTML {
		charset = metaCharset(raw)
	}
	text, encoding := decode(raw, charset)
	file := File{Kind: kind, Encoding: encoding}
	var err error
	switch kind {
	case HTML:
		err = readHTML(&file, text, b)
	case XML:
		file.Elements, err = readXML(text, b)
	case JSON:
		file.Text = text
	default:
		err = readCSV(&file, text, b)
	}
	if err != nil {
		return File{}, err
	}
	return file, nil
}
