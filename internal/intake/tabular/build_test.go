package tabular_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/tabular"
)

// entry is a file in an archive.
type entry struct{ name, content string }

// archived packs entries into a ZIP file.
func archived(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		part, err := w.Create(e.name)
		if err == nil {
			_, err = part.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// noise is an incompressible entry, so an archive with it may hold others that get much
// smaller.
func noise(length int) entry {
	bytes := make([]byte, length)
	dice := rand.NewChaCha8([32]byte{})
	_, _ = dice.Read(bytes)
	return entry{"noise.bin", string(bytes)}
}

// parts are the contents of a workbook's parts, without the XML around it.
type parts struct {
	properties string   // the workbook's
	strings    string   // the shared string items
	styles     string   // the whole style sheet
	sheets     []string // each sheet's rows
}

// entries writes the parts as a spreadsheet would.
func (p parts) entries() []entry {
	var list, relations strings.Builder
	var sheets []entry
	for i, rows := range p.sheets {
		fmt.Fprintf(&list, `<sheet name="Sheet %d" sheetId="%d" r:id="rId%d"/>`, i+1, i+1, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="http://example.org/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, i+1)
		sheets = append(sheets, entry{
			fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1),
			declaration + `<worksheet><cols><col min="1" max="3"/></cols><sheetData>` + rows + `</sheetData></worksheet>`,
		})
	}
	return append([]entry{
		{"[Content_Types].xml", declaration + `<Types/>`},
		{"xl/workbook.xml", declaration + `<workbook xmlns:r="http://example.org/r"><workbookPr ` + p.properties + `/><sheets>` + list.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", declaration + `<Relationships>` + relations.String() + `</Relationships>`},
		{"xl/sharedStrings.xml", declaration + `<sst>` + p.strings + `</sst>`},
		{"xl/styles.xml", declaration + `<styleSheet>` + p.styles + `</styleSheet>`},
	}, sheets...)
}

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`

// workbook packs the parts.
func workbook(t testing.TB, p parts) []byte {
	t.Helper()
	return archived(t, p.entries()...)
}

// wide writes text as UTF-16.
func wide(text string, order binary.AppendByteOrder, mark bool) []byte {
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// read reads a valid file.
func read(t testing.TB, data []byte) tabular.File {
	t.Helper()
	file, err := tabular.Read(data, tabular.Limits{})
	if err != nil {
		t.Fatalf("reading %.200q: %v", data, err)
	}
	checkFile(t, file, tabular.Default())
	return file
}

// cellsOf returns the cells in the only table, one string per row.
func cellsOf(t testing.TB, file tabular.File) []string {
	t.Helper()
	if len(file.Tables) != 1 {
		t.Fatalf("the file has %d tables", len(file.Tables))
	}
	var rows []string
	for _, row := range file.Tables[0].Rows {
		rows = append(rows, strings.Join(row.Cells, "|"))
	}
	return rows
}

// wantRefusal checks that a file is refused with the sentence.
func wantRefusal(t *testing.T, data []byte, limits tabular.Limits, sentence string) {
	t.Helper()
	_, err := tabular.Read(data, limits)
	if !journal.IsKind(err, journal.KindInvalid) || !strings.Contains(err.Error(), sentence) {
		t.Errorf("reading %.60q returns %v, want a refusal with %q", data, err, sentence)
	}
}

// checkFile checks what holds for every file, whatever was in it.
func checkFile(t testing.TB, file tabular.File, limits tabular.Limits) {
	t.Helper()
	rows, cells := len(file.Elements), 0
	for _, table := range file.Tables {
		rows += len(table.Rows)
		for _, row := range table.Rows {
			cells += len(row.Cells)
			checkRow(t, row, limits)
		}
	}
	for _, element := range file.Elements {
		cells += len(element.Attr)
		for name, value := range element.Attr {
			checkText(t, name, limits.CellBytes)
			checkText(t, value, limits.CellBytes)
		}
	}
	if rows > limits.Rows || cells > limits.Cells {
		t.Errorf("%d rows and %d cells are more than %d and %d", rows, cells, limits.Rows, limits.Cells)
	}
	checkText(t, file.Text, len(file.Text))
	checkText(t, file.Title, limits.CellBytes)
}

func checkRow(t testing.TB, row tabular.Row, limits tabular.Limits) {
	t.Helper()
	if len(row.Cells) > limits.Columns || row.Line < 1 {
		t.Errorf("row %d has %d cells", row.Line, len(row.Cells))
	}
	text := false
	for _, cell := range row.Cells {
		checkText(t, cell, limits.CellBytes)
		if trimmed := strings.Trim(cell, " \t\r\n\u00a0\ufeff"); trimmed != cell {
			t.Errorf("cell %q has white space around it", cell)
		}
		text = text || cell != ""
	}
	if !text {
		t.Errorf("row %d has no text", row.Line)
	}
	for index := range row.Titles {
		if index < 0 || index >= len(row.Cells) {
			t.Errorf("there is a title for cell %d of %d", index, len(row.Cells))
		}
	}
	for index, span := range row.Spans {
		if index < 0 || index >= len(row.Cells) || span < 2 {
			t.Errorf("cell %d of %d spans %d", index, len(row.Cells), span)
		}
	}
}

func checkText(t testing.TB, text string, longest int) {
	t.Helper()
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") || len(text) > longest {
		t.Errorf("%.100q has %d bytes, or is no proper text", text, len(text))
	}
}
