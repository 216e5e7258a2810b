package tabular_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/intake/tabular"
)

const texts = `<si><t>Symbol</t></si><si><t xml:space="preserve"> AAPL </t></si>` +
	`<si><r><rPr><b/></rPr><t>Buy </t></r><r><t>to open</t></r></si>` +
	`<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si>` +
	`<si/><si><t>a_x000D_&#10;b_x0041__x00g0_ _x</t></si>`

func TestWorkbookCells(t *testing.T) {
	for _, test := range []struct {
		name, rows string
		want       []string
	}{
		{"shared strings", `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>`, []string{"Symbol|AAPL|Buy to open"}},
		{"phonetic hints", `<row r="1"><c r="A1" t="s"><v>3</v></c></row>`, []string{"東京"}},
		{"escapes", `<row r="1"><c r="A1" t="s"><v>5</v></c></row>`, []string{"a\r\nbA_x00g0_ _x"}},
		{"an empty string", `<row r="1"><c r="A1" t="s"><v>4</v></c><c r="B1"><v>5</v></c></row>`, []string{"|5"}},
		{"inline strings", `<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><r><t>b</t></r><r><t> c</t></r><rPh><t>x</t></rPh></is></c></row>`, []string{"a|b c"}},
		{"results of formulas", `<row r="1"><c r="A1" t="str"><f>CONCAT(1)</f><v> 489.21</v></c><c r="B1"><f>1+1</f><v>2</v></c></row>`, []string{"489.21|2"}},
		{"truth and errors", `<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c><c r="C1" t="b"/><c r="D1" t="e"><v>#DIV/0!</v></c><c r="E1" t="d"><v>2024-01-05T10:00:00</v></c></row>`, []string{"TRUE|FALSE|||2024-01-05T10:00:00"}},
		{"numbers", `<row r="1"><c r="A1"><v>0.88683999999999996</v></c><c r="B1" t="n"><v>1.5E-5</v></c><c r="C1"><v>489.210</v></c><c r="D1"><v>12345678901234567</v></c></row>`, []string{"0.88684|0.000015|489.210|12345678901234567"}},
		{"gaps", `<row r="2"><c r="B2"><v>1</v></c><c r="D2"><v>2</v></c></row><row r="7"><c r="A7"><v>3</v></c><c r="Z7" s="1"/></row>`, []string{"|1||2", "3"}},
		{"no references", `<row><c><v>1</v></c><c/><c><v>2</v></c></row><row><c><v>3</v></c></row>`, []string{"1||2", "3"}},
		{"references out of order", `<row r="3"><c r="B3"><v>2</v></c><c r="a3"><v>1</v></c><c><v>9</v></c></row>`, []string{"1|9"}},
		{"merged cells", `<row r="1"><c r="A1" t="str"><v>Name:</v></c><c r="B1"/><c r="C1"/><c r="D1" t="str"><v>Jane</v></c><c r="E1"/></row>`, []string{"Name:|||Jane"}},
		{"rows without text", `<row r="1"/><row r="2"><c r="A2"/><c r="B2" t="str"><v> </v></c></row><row r="3"><c r="A3"><v>1</v></c></row>`, []string{"1"}},
		{"prefixes", `<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>`, []string{"1"}},
		{"far to the right, but empty", `<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"/></row>`, []string{"1"}},
		{"far down", `<row r="1048576"><c r="A1048576"><v>1</v></c></row>`, []string{"1"}},
	} {
		file := read(t, workbook(t, parts{strings: texts, sheets: []string{test.rows}}))
		if got := cellsOf(t, file); !slices.Equal(got, test.want) || file.Kind != tabular.XLSX || file.Encoding != "UTF-8" {
			t.Errorf("%s is read as %q, want %q", test.name, got, test.want)
		}
	}
}

func TestWorkbookRowNumbers(t *testing.T) {
	const cell = `<c><v>1</v></c></row>`
	file := read(t, workbook(t, parts{sheets: []string{`<row r="3">` + cell + `<row>` + cell + `<row r="900000">` + cell}}))
	var lines []int
	for _, row := range file.Tables[0].Rows {
		lines = append(lines, row.Line)
	}
	if !slices.Equal(lines, []int{3, 4, 900_000}) {
		t.Errorf("the rows are %d", lines)
	}
}

func TestWorkbookSheets(t *testing.T) {
	book := parts{sheets: []string{`<row><c><v>1</v></c></row>`, ``, `<row><c><v>3</v></c></row>`}}
	entries := book.entries()
	one, three := `name="Sheet 1" sheetId="1" r:id="rId1"`, `name="Sheet 3" sheetId="3" state="veryHidden" r:id="rId3"`
	entries[1].content = `<workbook><sheets><sheet ` + three + `/><sheet name="Sheet 2" r:id="rId2"/><sheet ` + one + `/><sheet name="again" r:id="rId1"/><sheet name="lost" r:id="rId9"/></sheets></workbook>`
	file := read(t, archived(t, entries...))
	if len(file.Tables) != 2 || file.Tables[0].Name != "Sheet 3" || file.Tables[1].Name != "Sheet 1" || file.Tables[0].Rows[0].Cells[0] != "3" {
		t.Errorf("the tables are %+v", file.Tables)
	}
}

// Writers put the parts where they like.
func TestWorkbookParts(t *testing.T) {
	usual := parts{strings: texts, sheets: []string{`<row><c t="s"><v>0</v></c></row>`}}.entries()
	moved := func(change func(entries []entry) []entry) []byte {
		return archived(t, change(slices.Clone(usual))...)
	}
	for name, data := range map[string][]byte{
		"no relations": moved(func(e []entry) []entry { return slices.Delete(e, 2, 3) }),
		"other names": moved(func(e []entry) []entry {
			e[1].name, e[3].name, e[5].name = "xl/workbook2.xml", "xl/texts/all.xml", "xl/one.xml"
			e[2].content = `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="/xl/one.xml"/><Relationship Id="rId2" Type="x/sharedStrings" Target="texts\all.xml"/></Relationships>`
			return e
		}),
		"backslashes and capitals": moved(func(e []entry) []entry {
			for i := range e {
				e[i].name = strings.ToUpper(strings.ReplaceAll(e[i].name, "/", `\`))
			}
			return e
		}),
		"directories": moved(func(e []entry) []entry { return append([]entry{{"xl/", ""}, {"xl/worksheets/", ""}}, e...) }),
		"byte order marks": moved(func(e []entry) []entry {
			for i := range e {
				e[i].content = "\xef\xbb\xbf" + e[i].content
			}
			return e
		}),
	} {
		if got := cellsOf(t, read(t, data)); !slices.Equal(got, []string{"Symbol"}) {
			t.Errorf("%s is read as %q", name, got)
		}
	}
}

// MetaTrader's terminals write every part in UTF-16 and do not say so.
func TestWorkbookUTF16(t *testing.T) {
	for name, test := range map[string]struct {
		order binary.AppendByteOrder
		mark  bool
	}{
		"UTF-16LE": {binary.LittleEndian, true}, "UTF-16BE": {binary.BigEndian, true}, "UTF-16LE without mark": {binary.LittleEndian, false}, "UTF-16BE without mark": {binary.BigEndian, false},
	} {
		entries := parts{strings: texts, sheets: []string{`<row><c t="s"><v>3</v></c><c t="str"><v>Čas</v></c></row>`}}.entries()
		for i, e := range entries {
			text := strings.Replace(e.content, declaration, `<?xml version="1.0"?>`, 1)
			entries[i].content = string(wide(text, test.order, test.mark)) + "\n" // and an odd byte
		}
		file := read(t, archived(t, entries...))
		if got := cellsOf(t, file); !slices.Equal(got, []string{"東京|Čas"}) || !strings.HasPrefix(name, file.Encoding) {
			t.Errorf("%s is read as %q in %s", name, got, file.Encoding)
		}
	}
}

func TestWorkbookDates(t *testing.T) {
	const styles = `<numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
		`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="21"/><xf numFmtId="46"/></cellXfs>`
	cells := func(number string, styles ...string) string {
		var row strings.Builder
		for _, style := range styles {
			row.WriteString(`<c s="` + style + `"><v>` + number + `</v></c>`)
		}
		return `<row>` + row.String() + `</row>`
	}
	rows := cells("45296.396122685182", "0", "1", "2", "3", "4", "5") + cells("45296", "1", "2", "9", "-1", "x") + cells("0.5", "4", "5", "1", "2")
	for _, test := range []struct {
		properties string
		want       []string
	}{
		{``, []string{
			"45296.3961226852|2024-01-05 09:30:25|2024-01-05 09:30:25|45296.3961226852|2024-01-05 09:30:25|1087113:30:25",
			"2024-01-05|2024-01-05 00:00:00|45296|45296|45296", "12:00:00|12:00:00|0.5|12:00:00",
		}},
		{`date1904="1"`, []string{
			"45296.3961226852|2028-01-06 09:30:25|2028-01-06 09:30:25|45296.3961226852|2028-01-06 09:30:25|1087113:30:25",
			"2028-01-06|2028-01-06 00:00:00|45296|45296|45296", "12:00:00|12:00:00|1904-01-01 12:00:00|1904-01-01 12:00:00",
		}},
	} {
		file := read(t, workbook(t, parts{properties: test.properties, styles: styles, sheets: []string{rows}}))
		if got := cellsOf(t, file); !slices.Equal(got, test.want) {
			t.Errorf("%s is read as %q, want %q", test.properties, got, test.want)
		}
	}
}

func TestWorkbookRefusals(t *testing.T) {
	var long strings.Builder
	for range 32_768 {
		long.WriteString("é")
	}
	for _, test := range []struct{ name, rows, sentence string }{
		{"row 0", `<row r="0"><c><v>1</v></c></row>`, "damaged"},
		{"a row that no sheet has", `<row r="1048577"><c><v>1</v></c></row>`, "damaged"},
		{"a row beyond all numbers", `<row r="99999999999999999999"><c><v>1</v></c></row>`, "damaged"},
		{"a column that no sheet has", `<row><c r="XFE1"><v>1</v></c></row>`, "damaged"},
		{"a column of many letters", `<row><c r="ZZZZZZZZZZZZZZZZ1"><v>1</v></c></row>`, "damaged"},
		{"no column", `<row><c r="1"><v>1</v></c></row>`, "damaged"},
		{"the 257th column", `<row><c r="IW1"><v>1</v></c></row>`, "more than 256 columns"},
		{"more columns than there are", `<row>` + strings.Repeat(`<c/>`, 16_385) + `</row>`, "damaged"},
		{"a string that is not there", `<row><c t="s"><v>6</v></c></row>`, "damaged"},
		{"a string below zero", `<row><c t="s"><v>-1</v></c></row>`, "damaged"},
		{"a string that is no number", `<row><c t="s"><v>x</v></c></row>`, "damaged"},
		{"a long text", `<row><c t="str"><v>` + long.String() + `</v></c></row>`, "more than 32,767 characters"},
		{"a very long text", `<row><c t="str"><v>` + strings.Repeat("x", 140_000) + `</v></c></row>`, "more than 32,767 characters"},
		{"a text without end", `<row>` + strings.Repeat("x", 1<<20) + `</row>`, "more than 1,048,576 bytes"},
		{"deep nesting", `<row>` + strings.Repeat("<a>", 70) + strings.Repeat("</a>", 70) + `</row>`, "nested more than 64 deep"},
		{"a document type", `<!DOCTYPE a>`, "document type"},
		{"broken XML", `<row><c>`, "damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantRefusal(t, workbook(t, parts{strings: texts, sheets: []string{test.rows}}), tabular.Limits{}, test.sentence)
		})
	}
	fits := long.String()[:2*32_767]
	read(t, workbook(t, parts{sheets: []string{`<row><c t="str"><v>` + fits + `</v></c><c><v>1e1000000000</v></c></row>`}}))
	wantRefusal(t, workbook(t, parts{strings: `<si><t>` + long.String() + `</t></si>`, sheets: []string{`<row><c t="s"><v>0</v></c></row>`}}), tabular.Limits{}, "more than 32,767 characters")
	wantRefusal(t, archived(t, append(parts{strings: strings.Repeat(`<si/>`, 500_001)}.entries(), noise(64<<10))...), tabular.Limits{}, "more than 500,000 different texts")
	wantRefusal(t, workbook(t, parts{sheets: slices.Repeat([]string{""}, 201)}), tabular.Limits{}, "more than 200 entries")
	wantRefusal(t, workbook(t, parts{}), tabular.Limits{}, "damaged")
	wantRefusal(t, archived(t, entry{"[Content_Types].xml", ""}, entry{"word/document.xml", ""}), tabular.Limits{}, "not a workbook")
	wantRefusal(t, archived(t, entry{"[Content_Types].xml", ""}, entry{"xl/workbook.bin", ""}), tabular.Limits{}, ".xlsb")
	wantRefusal(t, archived(t, entry{"xl/workbook.xml", strings.Repeat(`<sheet/>`, 201)}), tabular.Limits{}, "more than 200 sheets")
}

func TestArchive(t *testing.T) {
	book := workbook(t, parts{sheets: []string{`<row><c t="str"><v>a</v></c></row>`}})
	for _, test := range []struct {
		entries []entry
		kind    tabular.Kind
	}{
		{[]entry{{"trades/", ""}, {"trades/Trades.CSV", "a"}, {"readme.md", "x"}, {"__MACOSX/trades/._Trades.CSV", "x"}, {".hidden.csv", "x"}}, tabular.CSV},
		{[]entry{{"a.txt", "<table><tr><td>a"}}, tabular.HTML},
		{[]entry{{"a.html", "<table><tr><td>a"}}, tabular.HTML},
		{[]entry{{"a.xlsx", string(book)}, {"b.pdf", "%PDF"}}, tabular.XLSX},
	} {
		file := read(t, archived(t, test.entries...))
		if got := cellsOf(t, file); file.Kind != test.kind || !slices.Equal(got, []string{"a"}) {
			t.Errorf("%v is read as %s with %q", test.entries, file.Kind, got)
		}
	}
	flex := read(t, archived(t, entry{"a.xml", `<?xml version="1.0"?><a b="c"/>`}))
	if len(flex.Elements) != 1 {
		t.Errorf("the XML has %d elements", len(flex.Elements))
	}
	for sentence, entries := range map[string][]entry{
		"several files":   {{"a.csv", "a"}, {"b.csv", "b"}},
		"no file":         {{"a.pdf", "%PDF"}, {"b.zip", "x"}},
		"another archive": {{"a.csv", string(archived(t, entry{"b.csv", "b"}))}},
		"PDF":             {{"a.csv", "%PDF-1.4"}},
		"empty":           {{"a.csv", ""}},
	} {
		wantRefusal(t, archived(t, entries...), tabular.Limits{}, sentence)
	}
	wantRefusal(t, archived(t), tabular.Limits{}, "no file")
}

func TestArchiveDamage(t *testing.T) {
	good := archived(t, entry{"a.csv", strings.Repeat("Symbol,Price\n", 50)})
	broken := bytes.Clone(good)
	for i := 40; i < 60; i++ {
		broken[i] ^= 0x55
	}
	wantRefusal(t, broken, tabular.Limits{}, "damaged")
	wantRefusal(t, good[:len(good)-30], tabular.Limits{}, "damaged")

	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if _, err := w.CreateHeader(&zip.FileHeader{Name: "a.csv", Flags: 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, out.Bytes(), tabular.Limits{}, "password")
}
