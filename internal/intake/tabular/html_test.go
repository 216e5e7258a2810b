package tabular_test

import (
	"maps"
	"slices"
	"testing"

	"fillbook/internal/intake/tabular"
)

func TestHTML(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "<table><tr><td>a</td><th>b</th></tr><tr><td>1</td><td></td></tr></table>", []string{"a|b", "1|"}},
		{"upper case", "<TABLE><TR ALIGN=right><TD NOWRAP>a<TD>b</TABLE>", []string{"a|b"}},
		{"nothing is closed", "<table><tr><td>a<td>b<tr><td>1<td>2", []string{"a|b", "1|2"}},
		{"cells without a row", "<td>a<td>b</tr><td>c", []string{"a|b", "c"}},
		{"ends of nothing", "<html></td></tr></table></table><tr><td>a</table></table>", []string{"a"}},
		{"two tables", "<table><tr><td>a</table><p>between<table><tr><td>b</table>", []string{"a", "b"}},
		{"rows without text", "<tr><td>&nbsp;</td><td><img src=x></td></tr><tr></tr><tr><td>a</tr>", []string{"a"}},
		{"an empty element", "<tr><td/><td>a</td></tr>", []string{"|a"}},

		{"entities", "<td>a &amp; b&nbsp;&lt;c&gt; &#8364; &eacute;</td>", []string{"a & b\u00a0<c> € é"}},
		{"breaks", "<td>a<br>b<br/><div>c</div>d</td>", []string{"a b c d"}},
		{"white space", "<td>\n   a\t b\n</td><td>&nbsp;c&nbsp;</td>", []string{"a b|c"}},
		{"inline tags", "<td><b>1</b><i>2</i> <font color=red>3</font></td>", []string{"12 3"}},
		{"comments", "<td>a<!-- <td>x</td> --><!--LEVERAGE-->b</td>", []string{"ab"}},
		{"scripts", "<style>td { } <td>x</style><td>a<script>if (1<2) { '<td>' }</script>b<style><!-- x --></style></td>", []string{"ab"}},
		{"text around the table", "<html>a<table>b<tr>c<td>d</td>e</tr>f</table>", []string{"d"}},

		{"hidden by class", `<tr><td>a</td><td class="hidden" colspan="8">x</td><td>b</td></tr>`, []string{"a|b"}},
		{"hidden by one of its classes", `<tr><td>a</td><td class="num Hidden">x<td>b</tr>`, []string{"a|b"}},
		{"hidden by style", `<tr><td>a</td><td style="color:red; DISPLAY : none">x</td><td style="display:block">b</td></tr>`, []string{"a|b"}},
		{"a table in a hidden cell", `<tr><td class=hidden>x<table><tr><td>y</table>z</td><td>b</td></tr>`, []string{"b"}},

		{"a table in a cell", "<table><tr><td>a<table><tr><td>b</td></tr><tr><td>c</table>d</td><td>e</td></tr><tr><td>f</table>", []string{"a d|e", "b", "c", "f"}},
		{"a table for the layout", "<table><tr><td><table><tr><td>a<td>b</table></table>", []string{"a|b"}},
		{"XHTML", `<?xml version="1.0"?><html xmlns="x"><body><table><tr><td>a</td></tr></table></body></html>`, []string{"a"}},
		{"nothing", "<html><p>There is no table.", nil},
	} {
		file := read(t, []byte(test.text))
		if got := cellsOf(t, file); !slices.Equal(got, test.want) || file.Kind != tabular.HTML {
			t.Errorf("%s: %q is read as %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

func TestHTMLAttributes(t *testing.T) {
	file := read(t, []byte(`<title> Statement:
		1 - Jane </title><svg><title>other</title></svg><tr><td>x</td></tr><tr></tr>
		<tr><td class=hidden title=no>x<td title="#7 tp&amp;sl">5<td colspan=4 TITLE=' '>cancelled<td colspan="1">6<td colspan=x>7<td colspan=99999999999999999999>8<td colspan=5000>9</tr>`))
	if file.Title != "Statement: 1 - Jane" {
		t.Errorf("the title is %q", file.Title)
	}
	row := file.Tables[0].Rows[1]
	if row.Line != 3 || !slices.Equal(row.Cells, []string{"5", "cancelled", "6", "7", "8", "9"}) {
		t.Errorf("the row is %+v", row)
	}
	if !maps.Equal(row.Titles, map[int]string{0: "#7 tp&sl"}) || !maps.Equal(row.Spans, map[int]int{1: 4, 5: 1000}) {
		t.Errorf("titles are %v, spans are %v", row.Titles, row.Spans)
	}
	if first := file.Tables[0].Rows[0]; first.Titles != nil || first.Spans != nil || first.Line != 1 {
		t.Errorf("the first row is %+v", first)
	}
}
