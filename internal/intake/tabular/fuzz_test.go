package tabular_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/tabular"
)

// tight are limits a short input can reach.
func tight() tabular.Limits {
	return tabular.Limits{Inflated: 1 << 16, Rows: 20, Columns: 8, Cells: 100, CellBytes: 40}
}

// checkRead reads hostile bytes: they may be refused with a sentence for a person,
// and what is let in keeps to the limits.
func checkRead(t *testing.T, data []byte, want tabular.Kind) {
	t.Helper()
	for _, limits := range []tabular.Limits{tabular.Default(), tight()} {
		file, err := tabular.Read(data, limits)
		if err != nil {
			if !journal.IsKind(err, journal.KindInvalid) {
				t.Errorf("the error is not for people: %v", err)
			}
			continue
		}
		if want != "" && file.Kind != want {
			t.Errorf("it is read as %s, want %s", file.Kind, want)
		}
		checkFile(t, file, limits)
	}
}

func FuzzSniff(f *testing.F) {
	for _, seed := range []string{"", "a,b", "<html>", "<?xml?>", "{}", "%PDF-", "\xff\xfea\x00", "a\x00b\x00", "PK\x03\x04", "\xef\xbb\xbf["} {
		f.Add([]byte(seed))
	}
	f.Add(archived(f, entry{"a.csv", "a,b\n1,2"}))
	f.Add(archived(f, parts{sheets: []string{""}}.entries()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, err := tabular.Sniff(data)
		switch {
		case err != nil && (kind != "" || !journal.IsKind(err, journal.KindInvalid)):
			t.Errorf("%s is refused with %v", kind, err)
		case kind == tabular.Zip:
			kind = "" // it is read as what is inside
		}
		checkRead(t, data, kind)
	})
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "sep=;\r\na;b\r\n", "\"a\"\"b\",\"c\nd\"\n", "\"a,b,\"\"c\"\"\"\n1,2,3", "=\"1\",'=1,'5\n", "\"open,1\n2,\"3\"\n",
		"\"\"x,1\n", "a\tb|c;d,e\n", "\xa35,1\n", "\x82\xa0\x82\xa2,1\n", "x\r\ry\n", ",,,,,,,,,\n,,,,,,,,,1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// A leading letter, so it is only CSV.
		checkRead(t, []byte("x"+text), "")
		checkRead(t, wide("x"+text, binary.LittleEndian, true), tabular.CSV)
	})
}

func FuzzXLSX(f *testing.F) {
	for _, rows := range []string{
		`<row r="1"><c r="A1" t="s"><v>0</v></c></row>`, `<row><c t="inlineStr"><is><t>a</t></is></c></row>`,
		`<row r="1048576"><c r="XFD1"/></row>`, `<row><c s="1"><v>45296.5</v></c><c t="b"><v>1</v></c></row>`,
		`<row><c><v>1.23456789012345678E-20</v></c></row>`,
	} {
		f.Add(rows, texts, `<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>`, []byte{})
	}
	f.Add("", "", `<numFmts><numFmt numFmtId="164" formatCode="[h]:mm;@"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`, archived(f, parts{sheets: []string{""}}.entries()...))
	f.Fuzz(func(t *testing.T, rows, strings, styles string, raw []byte) {
		checkRead(t, raw, "")
		checkRead(t, workbook(t, parts{strings: strings, styles: styles, sheets: []string{rows}}), tabular.XLSX)
		checkRead(t, archived(t, entry{"xl/workbook.xml", rows}, entry{"xl/_rels/workbook.xml.rels", styles}, entry{"xl/sharedStrings.xml", strings}), tabular.XLSX)
	})
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"<table><tr><td>a</td></tr></table>", "<td class=hidden>a<td title=b colspan=2>c<br>d", "<tr><td>a<table><tr><td>b</table>c",
		"<title>a</title><script><td></script><td>&nbsp;&#0;&amp", "<td/><th style='display:none'>a</th>", "<plaintext><td>", "</table></td><!-- <td>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkRead(t, []byte("<html>"+text), "") // UTF-16 with enough NUL
		checkRead(t, []byte("<html>"+strings.ReplaceAll(text, "\x00", "")), tabular.HTML)
	})
}

func FuzzXML(f *testing.F) {
	for _, seed := range []string{
		`<a b="c"/>`, `<a><b c='&amp;&#9;'>d</b></a>`, `<!DOCTYPE a><a/>`, `<a:b xmlns:a="c" a:d="e"/>`, `<?pi?><!-- c --><a><![CDATA[<]]></a>`, `</a>`, strings.Repeat("<a>", 65),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkRead(t, []byte(`<?xml version="1.0"?>`+text), "")
	})
}
