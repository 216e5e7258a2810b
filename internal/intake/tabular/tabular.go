// Package tabular turns the bytes of an uploaded file into tables of text. It
// handles files and not brokers: callers decide what a column means.
//
// An upload goes through four steps. Its content, never its name, determines
// the kind of file it is. Its text is decoded, for exports come in UTF-8,
// UTF-16 and the code pages of the PC they were made on. Then it is cut into
// rows of cells, or into elements in the case of XML. And every step works
// under a budget: the file is untrusted, so nothing is allocated because a
// header says so, and a file that unpacks to more than [Limits] is refused with
// a sentence that names the limit.
//
// The readers forgive what people and spreadsheets do to files: stray quotes,
// lines quoted as a whole, "sep=" lines, unclosed cells, numbers with the noise of
// binary floats. They never guess at the meaning of a cell: its text is kept as
// it was, without the white space around it.
//
// The package is pure: no I/O, no clock, no state.
package tabular

import (
	"bytes"
	"context"
)

// Kind is what a file is, by its content.
type Kind string

// The kinds of files that can be read. Zip is an archive that contains one of
// the others.
const (
	CSV  Kind = "csv"
	XLSX Kind = "xlsx"
	HTML Kind = "html"
	XML  Kind = "xml"
	JSON Kind = "json"
	Zip  Kind = "zip"
)

// Row is a row of a table.
type Row struct {
	// Line is the position of the row: the line of the file where it begins,
	// counted from 1, the row number of the sheet, or the number of the <tr>.
	Line int
	// Cells are valid UTF-8 without NUL and without white space around them.
	Cells []string
	// Titles holds the title attributes of HTML cells, by index of the cell.
	Titles map[int]string
	// Spans holds the colspan of HTML cells that span several columns, by index
	// of the cell. A span makes no cells.
	Spans map[int]int
}

// Table is the rows that have any text, in the order of the file.
type Table struct {
	// Name is that of the sheet, and empty for other kinds.
	Name string
	Rows []Row
	// Delimiter is what separates the cells of a CSV file.
	Delimiter rune
}

// Element is an XML element that has attributes.
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
	// Tables has one table for CSV and HTML, where all rows of a document are in
	// order, and one for each sheet of a workbook that is not empty.
	Tables []Table
	// Elements are those of XML, in the order of the document.
	Elements []Element
	// Title is that of an HTML document.
	Title string
	// Text is the text of a JSON file, which is not parsed here.
	Text string
}

// Read reads an upload under the given limits. An archive must contain exactly
// one file that can be imported; the result is that of reading this file.
func Read(data []byte, limits Limits) (File, error) {
	return ReadContext(context.Background(), data, limits)
}

// ReadContext is Read that stops with the context's error when it ends.
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

// readText reads the kinds that are text.
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
