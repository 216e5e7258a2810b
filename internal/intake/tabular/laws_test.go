package tabular_test

import (
	"encoding/binary"
	"html"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"pgregory.net/rapid"

	"fillbook/internal/intake/tabular"
)

// words draws rows with cells beginning and ending with a visible character.
func words(t *rapid.T) [][]string {
	width := rapid.IntRange(1, 6).Draw(t, "width")
	word := rapid.StringMatching(`[a-zA-Z0-9é€東😀]([a-z0-9é東<>&"' ]?[a-z0-9&é😀]){0,8}`)
	return rapid.SliceOfN(rapid.SliceOfN(word, width, width), 1, 12).Draw(t, "table")
}

// sameRows compares the only table in a file with what was written.
func sameRows(t *rapid.T, data []byte, want [][]string) {
	file, err := tabular.Read(data, tabular.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range file.Tables[0].Rows {
		got = append(got, row.Cells)
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Fatalf("%q was written and %q is read", want, got)
	}
}

func TestHTMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := words(t)
		var text strings.Builder
		text.WriteString("<html>")
		for _, row := range table {
			text.WriteString("<tr>")
			for _, cell := range row {
				text.WriteString(rapid.SampledFrom([]string{"<td>", "<TD nowrap>\n", "<td class=hidden>x</td><th>", "<td align='left'><b>"}).Draw(t, "open"))
				text.WriteString(html.EscapeString(cell))
				text.WriteString(rapid.SampledFrom([]string{"", "</td>", " </th>\n", "<!-- x -->"}).Draw(t, "close"))
			}
			text.WriteString(rapid.SampledFrom([]string{"", "</tr>\n"}).Draw(t, "end"))
		}
		data := []byte(text.String())
		if rapid.Bool().Draw(t, "wide") {
			data = wide(text.String(), binary.LittleEndian, true)
		}
		sameRows(t, data, table)
	})
}

func TestWorkbookRoundTrip(t *testing.T) {
	rapid.Check(t, func(check *rapid.T) {
		table := words(check)
		var rows, shared strings.Builder
		index := 0
		for _, row := range table {
			rows.WriteString("<row>")
			for _, cell := range row {
				escaped := html.EscapeString(cell) // the same five characters as in XML
				switch rapid.IntRange(0, 2).Draw(check, "kind") {
				case 0:
					rows.WriteString(`<c t="str"><v>` + escaped + `</v></c>`)
				case 1:
					rows.WriteString(`<c t="inlineStr"><is><r><t>` + escaped + `</t></r></is></c>`)
				default:
					shared.WriteString(`<si><t xml:space="preserve"> ` + escaped + ` </t></si>`)
					rows.WriteString(`<c t="s"><v>` + strconv.Itoa(index) + `</v></c>`)
					index++
				}
			}
			rows.WriteString("</row>")
		}
		sameRows(check, workbook(t, parts{strings: shared.String(), sheets: []string{rows.String()}}), table)
	})
}

// Words in a language are recognized in its code page, without other information.
func TestCodePages(t *testing.T) {
	for _, test := range []struct {
		name   string
		coding encoding.Encoding
		words  []string
	}{
		{"Shift_JIS", japanese.ShiftJIS, []string{"約定日", "銘柄コード", "トヨタ自動車", "買付", "売付", "数量", "株式現物買", "特定預り", "手数料", "損益", "日本電信電話", "ソフトバンク"}},
		{"GBK", simplifiedchinese.GBK, []string{"时间", "成交", "交易品种", "类型", "买入", "卖出", "手续费", "盈利", "结余", "注释", "账户", "贵州茅台", "中国平安"}},
		{"windows-1252", charmap.Windows1252, []string{"Währung", "Stück", "Größe", "Übertrag", "Opération", "créé", "Año", "España", "Köp", "Sälj", "Utländsk källskatt", "Ações", "5 £", "10 €", "½", "it\u2019s", "\u201cquoted\u201d"}},
	} {
		rapid.Check(t, func(t *rapid.T) {
			drawn := rapid.SliceOfN(rapid.SampledFrom(test.words), 3, 30).Draw(t, "words")
			text := "Date,Text\n2024-01-05," + strings.Join(drawn, "\n2024-01-05,") + "\n"
			raw, err := test.coding.NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			file, err := tabular.Read([]byte(raw), tabular.Limits{})
			if err != nil || file.Encoding != test.name || file.Tables[0].Rows[1].Cells[1] != drawn[0] {
				t.Fatalf("%q is read as %s: %+v, %v", text, file.Encoding, file.Tables, err)
			}
		})
	}
}
