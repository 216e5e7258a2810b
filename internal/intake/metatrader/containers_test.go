package metatrader

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// fixture returns a fixture's export and the expected result.
func fixture(t testing.TB, name string) (export []byte, want string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
		}
	}
	return archive.Files[0].Data, want
}

// wide writes a text as terminals do: UTF-16, low byte first, behind a mark.
func wide(text string) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// TestUTF16 reads the bytes terminals really write, and those with a byte too many left
// behind by version control.
func TestUTF16(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mt5-hedging", "mt5-netting", "mt5-deals-only"} {
		export, want := fixture(t, name)
		text := strings.ReplaceAll(string(export), "\n", "\r\n")
		hints := statement.Hints{Currency: "USD"}
		brokertest.Check(t, wide(text), hints, Presets(), want)
		brokertest.Check(t, append(wide(text), '\n'), hints, Presets(), want)
	}
}

// TestWorkbook reads the reports' rows from workbooks: native ones, whose parts are
// UTF-16 without saying so, and those from web terminals.
func TestWorkbook(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mt5-hedging", "mt5-netting", "mt5-deals-only"} {
		export, want := fixture(t, name)
		file, err := tabular.Read(export, tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		rows := spread(file.Tables[0].Rows)
		for _, encode := range []func(string) []byte{wide, func(s string) []byte { return []byte(s) }} {
			brokertest.Check(t, workbook(t, encode, rows), statement.Hints{Currency: "USD"}, Presets(), want)
		}
	}
}

// TestSplitSheets reads a workbook in which each table was moved to a separate sheet,
// next to the original: no deal counts twice.
func TestSplitSheets(t *testing.T) {
	t.Parallel()
	export, want := fixture(t, "mt5-netting")
	file, err := tabular.Read(export, tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	rows := spread(file.Tables[0].Rows)
	var deals [][]string
	for _, cells := range rows {
		if partOf(cells) == dealPart {
			deals = append(deals, cells)
		}
	}
	data := workbook(t, wide, rows, deals)
	brokertest.Check(t, data, statement.Hints{Currency: "USD"}, Presets(), want)
}

// TestDateCells reads a workbook whose times have become spreadsheet dates, as numbers of
// days.
func TestDateCells(t *testing.T) {
	t.Parallel()
	sheet := workbook(t, func(s string) []byte { return []byte(s) }, [][]string{
		{"Time", "Position", "Symbol", "Type", "Volume", "Price", "S / L", "T / P", "Time", "Price", "Commission", "Swap", "Profit"},
		{"45306.4375", "71", "EURUSD", "buy", "0.1", "1.1", "", "", "45306.5", "1.101", "-0.7", "0", "10"},
	})
	got, _ := brokertest.Read(sheet, statement.Hints{}, Presets())
	for _, want := range []string{
		"1 buy 0.1 forex EURUSD @ 1.1 at 2024-01-15T08:30:00Z",
		"1 sell 0.1 forex EURUSD @ 1.101 at 2024-01-15T10:00:00Z x 100000 commission 0.7 pnl 10 closing lot 71",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestServerZone reads times in the user's zone: New York, seven hours on, changes its
// clocks on other days than Athens.
func TestServerZone(t *testing.T) {
	t.Parallel()
	const row = "2024.03.20 10:30:00;71;EURUSD;buy;0.1;1.1;;;2024.04.20 10:30:00;1.101;0;0;10\n"
	for zone, want := range map[string][2]string{
		"":                   {"2024-03-20T08:30:00Z", "2024-04-20T07:30:00Z"},
		"America/New_York+7": {"2024-03-20T07:30:00Z", "2024-04-20T07:30:00Z"},
		"UTC":                {"2024-03-20T10:30:00Z", "2024-04-20T10:30:00Z"},
	} {
		file, err := tabular.Read([]byte(row+row), tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		found, _ := statement.Detect(file, Presets())
		s, err := statement.Read(file, found, statement.Hints{Zone: zone})
		if err != nil {
			t.Fatal(err)
		}
		var got [2]string
		for i := range got {
			got[i] = s.Fills[i*(len(s.Fills)-1)].At.Format("2006-01-02T15:04:05Z")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", zone, diff)
		}
	}
}

// spread puts the cells in HTML rows where a sheet has them.
func spread(rows []tabular.Row) [][]string {
	var list [][]string
	for _, row := range rows {
		cells := visible(row)
		if partOf(cells) == noPart { // labels and totals span columns
			cells = nil
			for i, c := range row.Cells {
				cells = append(cells, c)
				for range max(1, row.Spans[i]) - 1 {
					cells = append(cells, "")
				}
			}
		}
		list = append(list, cells)
	}
	return list
}

// workbook builds an XLSX file from sheets with only texts.
func workbook(t *testing.T, encode func(string) []byte, sheets ...[][]string) []byte {
	t.Helper()
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	const relations = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	var names, links strings.Builder
	parts := map[string]string{"[Content_Types].xml": types}
	for i, rows := range sheets {
		fmt.Fprintf(&names, `<sheet name="Sheet%d" sheetId="%d" r:id="rId%d"/>`, i+1, i+1, i+1)
		fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relations, i+1)
		parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = sheetPart(rows)
	}
	parts["xl/workbook.xml"] = fmt.Sprintf(`<workbook xmlns:r="%s"><sheets>%s</sheets></workbook>`, relations, &names)
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships>` + links.String() + `</Relationships>`
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(encode(`<?xml version="1.0"?>` + text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sheetPart(rows [][]string) string {
	var b strings.Builder
	b.WriteString(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for i, cells := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, c := range cells {
			if c != "" {
				fmt.Fprintf(&b, `<c r="%c%d" t="str"><v>%s</v></c>`, 'A'+j, i+1, html.EscapeString(c))
			}
		}
		b.WriteString(`</row>`)
	}
	return b.String() + `</sheetData></worksheet>`
}
