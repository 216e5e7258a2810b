package backup

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"fillbook/internal/base/db"
	"fillbook/internal/base/lazyregexp"
)

// writeXLSX writes a spreadsheet with the trades, fills and cash transactions in the
// given accounts, or in all if none is given. It streams inside a read transaction. Texts
// are text cells, which no spreadsheet runs.
func writeXLSX(ctx context.Context, tx *db.Tx, r Request, out io.Writer) error {
	t, err := newTableReader(ctx, tx, r)
	if err != nil {
		return err
	}
	sheets := []table{tradeTableOf(r), fillTable, cashTable}
	if r.Rows == GainRows {
		sheets = []table{gainTable}
	}
	archive := zip.NewWriter(out)
	for _, part := range workbookParts(sheets) {
		w, err := archive.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, xml.Header+part.content); err != nil {
			return err
		}
	}
	for i, sheet := range sheets {
		w, err := archive.Create(sheetPath(i))
		if err != nil {
			return err
		}
		if err := writeSheet(w, t, sheet); err != nil {
			return fmt.Errorf("sheet %s: %w", sheet.name, err)
		}
	}
	return archive.Close()
}

func sheetPath(i int) string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1) }

// part is a workbook file.
type part struct{ name, content string }

const (
	mainSpace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	packageSpace  = "http://schemas.openxmlformats.org/package/2006/"
	documentSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	mediaPrefix   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// workbookParts returns the files describing the sheets.
func workbookParts(sheets []table) []part {
	var types, names, relations strings.Builder
	for i, sheet := range sheets {
		fmt.Fprintf(&types, `<Override PartName="/%s" ContentType="%sworksheet+xml"/>`, sheetPath(i), mediaPrefix)
		fmt.Fprintf(&names, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, sheet.name, i+1, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, documentSpace, i+1)
	}
	return []part{
		{"[Content_Types].xml", `<Types xmlns="` + packageSpace + `content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + mediaPrefix + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + mediaPrefix + `styles+xml"/>` + types.String() + `</Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + packageSpace + `relationships">` +
			`<Relationship Id="rId1" Type="` + documentSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="` + documentSpace + `"><sheets>` + names.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packageSpace + `relationships">` + relations.String() +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(sheets)+1, documentSpace)},
		{"xl/styles.xml", stylesPart},
	}
}

// stylesPart has the style 0 for anything, 1 for instants and 2 for headers.
const stylesPart = `<styleSheet xmlns="` + mainSpace + `">` +
	`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs></styleSheet>`

// maxSheetRows is how many rows a spreadsheet program takes.
const maxSheetRows = 1 << 20

var errSheetFull = errors.New("more rows than a spreadsheet can hold")

// sheet is a worksheet on its way.
type sheet struct {
	out *bufio.Writer // it keeps its first error until the flush
	row int
}

func writeSheet(out io.Writer, t *tableReader, of table) error {
	s := &sheet{out: bufio.NewWriterSize(out, 1<<16)}
	s.write(xml.Header, `<worksheet xmlns="`, mainSpace, `"><sheetViews><sheetView workbookViewId="0">`,
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`)
	headers := make([]cell, len(of.headers))
	for i, header := range of.headers {
		headers[i] = text(header)
	}
	if err := s.writeRow(headers); err != nil {
		return err
	}
	if err := of.rows(t, s.writeRow); err != nil {
		return err
	}
	s.write(`</sheetData></worksheet>`)
	return s.out.Flush()
}

func (s *sheet) write(parts ...string) {
	for _, part := range parts {
		_, _ = s.out.WriteString(part)
	}
}

func (s *sheet) writeRow(cells []cell) error {
	if s.row++; s.row > maxSheetRows {
		return errSheetFull
	}
	row := strconv.Itoa(s.row)
	s.write(`<row r="`, row, `">`)
	for i, c := range cells {
		if c.kind != emptyCell {
			s.writeCell(columnName(i)+row, c)
		}
	}
	s.write(`</row>`)
	_, err := s.out.Write(nil) // whether the reader has gone away
	return err
}

func (s *sheet) writeCell(reference string, c cell) {
	s.write(`<c r="`, reference, `"`)
	switch c.kind {
	case numberCell:
		s.write(`><v>`, c.text, `</v></c>`)
	case timeCell:
		s.write(` s="1"><v>`, toSerial(c.at), `</v></c>`)
	case textCell, emptyCell:
		if s.row == 1 {
			s.write(` s="2"`)
		}
		s.write(` t="inlineStr"><is><t xml:space="preserve">`)
		_ = xml.EscapeText(s.out, []byte(cellText(c.text)))
		s.write(`</t></is></c>`)
	}
}

// columnName is A for 0, Z for 25, AA for 26.
func columnName(i int) string {
	const letters = 26
	name := string(rune('A' + i%letters))
	if i >= letters {
		return columnName(i/letters-1) + name
	}
	return name
}

// maxCellText is how long a text in a cell may be, in UTF-16 units.
const maxCellText = 32767

// escape matches a spreadsheet's escape for a character number.
var escape = lazyregexp.New(`^_x[0-9A-Fa-f]{4}_`)

// cellText makes a text fit into a cell and keeps it from being read as an escape: each
// underscore beginning one is itself escaped.
func cellText(text string) string {
	var b strings.Builder
	for i, r := range text {
		if r == '_' && escape().MatchString(text[i:]) {
			b.WriteString("_x005F")
		}
		b.WriteRune(r)
	}
	text = b.String()
	units := 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > maxCellText {
			return text[:i]
		}
	}
	return text
}

// toSerial returns an instant as a spreadsheet number: days since the end of 1899 with
// ten decimals, a resolution of ten microseconds.
func toSerial(at time.Time) string {
	const (
		epoch = 25569              // 1970-01-01
		day   = 86_400 * 1_000_000 // microseconds
		steps = 10_000_000_000     // per day
	)
	micros := at.UnixMicro()
	days, rest := micros/day+epoch, micros%day
	// rest × steps / day, rounded, without leaving 64 bits.
	const common = 100_000_000
	fraction := (rest*(steps/common) + day/common/2) / (day / common)
	if fraction == steps {
		days, fraction = days+1, 0
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%010d", days, fraction), "0"), ".")
}
