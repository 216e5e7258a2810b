package tabular_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/intake/tabular"
)

func TestCSV(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "a,b\n1,2\n", []string{"a|b", "1|2"}},
		{"no end of line at the end", "a,b\n1,2", []string{"a|b", "1|2"}},
		{"carriage returns", "a,b\r\n1,2\r3,4\r\n", []string{"a|b", "1|2", "3|4"}},
		{"empty cells", "a,b,c\n,1,\n", []string{"a|b|c", "|1|"}},
		{"blank lines", "\n a,b\n\n,,\n \n1,2\n", []string{"a|b", "1|2"}},
		{"white space", "a , b\t,\u00a0c\u00a0\n\ufeff1,2,\u30003\n", []string{"a|b|c", "1|2|3"}},
		{"uneven rows", "a,b,c\n1\n1,2,3,4\n", []string{"a|b|c", "1", "1|2|3|4"}},

		{"quotes", `a,b` + "\n" + `"1,5","say ""hi"""`, []string{"a|b", `1,5|say "hi"`}},
		{"empty quotes", "a,b\n\"\",\"\"\n1,\"\"", []string{"a|b", "1|"}},
		{"a line break in quotes", "a,b\n\"x\r\ny\",2\n3,4", []string{"a|b", "x\r\ny|2", "3|4"}},
		{"blanks around quotes", "a,b\n \"1,5\" , \"2\"\t\n", []string{"a|b", "1,5|2"}},
		{"a stray quote", "a,b\n5\" pipe,2\nx\"y\",3", []string{"a|b", `5" pipe|2`, `x"y"|3`}},
		{"stray quotes in quotes", "a,b\n\"5\" pipe, long\",2\n", []string{"a|b", `5" pipe, long|2`}},
		{"quotes that end too early", "a,b\n\"\"x1,2\n\"x\"2,\"3\"\n", []string{"a|b", "x1|2", "x2|3"}},
		{"never closed", "a,b\n\"x,2\n3,4\n", []string{"a|b", `"x|2`, "3|4"}},
		{"never closed, others are", "a,b\n\"x,2\n3,\"4\"\n\"5,5\",6\n", []string{"a|b", `"x|2`, "3|4", "5,5|6"}},
		{"never closed, before empty quotes", "a,b\n\"x,2\n3,\"\"\n4,\"\"\n", []string{"a|b", `"x|2`, "3|", "4|"}},
		{"never closed at the end", "a,b\n1,\"", []string{"a|b", `1|"`}},

		{"a line quoted as a whole", "a,b,c\n\"1,\"\"2,5\"\",3\"\n4,5,6\n", []string{"a|b|c", "1|2,5|3", "4|5|6"}},
		{"all lines quoted as a whole", "\"a;b;c\"\n\"1;2,5;3\"\n", []string{"a|b|c", "1|2,5|3"}},
		{"a quoted sentence", "\"Dear client, see below\"\na,b,c,d,e\n1,2,3,4,5\n", []string{"Dear client, see below", "a|b|c|d|e", "1|2|3|4|5"}},
		{"a quoted note of two lines", "a,b\n\"x, y\nz, z\"\n1,2\n", []string{"a|b", "x, y\nz, z", "1|2"}},

		{"text from a formula", "a,b\n=\"0012\",\"=\"\"34\"\"\"\n=\"1,5\",=\"\"\n", []string{"a|b", "0012|34", "1,5|"}},
		{"a real formula", "a,b\n=A1+B1,1\n=\"x,2\n", []string{"a|b", "=A1+B1|1", `="x|2`}},
		{"apostrophes", "a,b\n'2026-01-05 10:23:00,'007\n'=1+1,'-5\n'+5,'@x\n", []string{"a|b", "2026-01-05 10:23:00|007", "=1+1|-5", "+5|@x"}},
		{"honest apostrophes", "a,b\n'tis,114'07\n',5\n", []string{"a|b", "'tis|114'07", "'|5"}},

		{"a separator line", "sep=;\na;b,c\n1;2\n", []string{"a|b,c", "1|2"}},
		{"a quoted separator line", "\"sep=|\"\r\na|b\r\n", []string{"a|b"}},
		{"a separator line saved again", "\"sep=;\",,,,\na;b,c\n", []string{"a|b,c"}},
		{"a separator line of an odd kind", "SEP=^\na^b,c\n", []string{"a|b,c"}},
		{"a letter is no separator", "sep=a\nbac,1\n", []string{"sep=a", "bac|1"}},
		{"no separator line", "sep=a,b\n1,2\n", []string{"sep=a|b", "1|2"}},
		{"one column", "Symbol\nAAPL\n", []string{"Symbol", "AAPL"}},
	} {
		if got := cellsOf(t, read(t, []byte(test.text))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q is read as %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

func TestCSVLines(t *testing.T) {
	file := read(t, []byte("sep=,\r\n\r\na,b\r\"x\r\ny\n\rz\",1\n2,3"))
	var lines []int
	for _, row := range file.Tables[0].Rows {
		lines = append(lines, row.Line)
	}
	if !slices.Equal(lines, []int{3, 4, 8}) {
		t.Errorf("rows begin in lines %d", lines)
	}
}

func TestDelimiter(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       rune
	}{
		{"comma", "a,b,c\n1,2,3\n", ','},
		{"semicolon", "a;b;c\n1;2;3\n", ';'},
		{"tab", "a\tb\tc\n1\t2\t3\n", '\t'},
		{"bar", "a|b|c\n1|2|3\n", '|'},
		{"nothing to go by", "abc\n", ','},
		{"decimal commas", "Datum;Kurs;Summe\n05.01.2024;1,5;7,50\n06.01.2024;2,5;9,25\n", ';'},
		{"decimal commas everywhere", "Kurs;Summe\n1,5;7,50\n2,5;9,25\n", ';'},
		{"thousands", "Price;Amount\n1,000,000.00;2,500,000.00\n1,000,001.00;2,500,007.00\n", ';'},
		{"times with semicolons", "Date/Time,Quantity\n20240105;093000,5\n20240106;093000,6\n", ','},
		{"codes with semicolons", "Symbol,Quantity,Code\nX,5,O;P\nY,6,C;P;Q\n", ','},
		{"dates in words", "When\tPrice\nJan 5, 2024, 9:30\t5\nJan 6, 2024, 9:31\t6\n", '\t'},
		{"quoted commas", "a;b\n\"1,2,3,4\";5\n\"1,2,3,4\";6\n", ';'},
		{
			"a talkative preamble",
			"Report for Jane, Joe, and others, who trade, at times\nMade, as ever, with care, and love, for you\n\nA;B;C\n1;2;3\n2;3;4\n3;4;5\n", ';',
		},
		{
			"a talkative end",
			"A;B;C\n1;2;3\n2;3;4\n" + strings.Repeat("Brokerage, products, services, and more, are provided, as is\n", 3), ';',
		},
		{
			"several tables",
			"Cash\nDATE,TYPE,AMOUNT\n1/2/24,TRD,5\n\nOrders\n,,Time,Side,Qty,Symbol,Note\n,,1/2/24,BUY,+1,X,a;b;c\n\nTotals\nFees,$5\n", ',',
		},
		{"data that is wider by one", "A;B;C\n1,5;2,5;3,5;\n1,5;2,5;3,5;\n", ';'},
	} {
		if got := read(t, []byte(test.text)).Tables[0].Delimiter; got != test.want {
			t.Errorf("%s: the delimiter is %q, want %q", test.name, got, test.want)
		}
	}
}

// What is written by the rules is read back cell by cell, whatever is in it.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delim := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "delim")
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
		cell := rapid.StringMatching(`[a-zé]([a-z ,;|"'\n\t=]*[a-z])?`)
		width := rapid.IntRange(2, 6).Draw(t, "width")
		table := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 1, 20).Draw(t, "table")

		var text strings.Builder
		fmt.Fprintf(&text, "sep=%s%s", delim, end)
		for _, row := range table {
			for i, cell := range row {
				if i > 0 {
					text.WriteString(delim)
				}
				text.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
			}
			text.WriteString(end)
		}
		file, err := tabular.Read([]byte(text.String()), tabular.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]string
		for _, row := range file.Tables[0].Rows {
			got = append(got, row.Cells)
		}
		if !slices.EqualFunc(got, table, slices.Equal) {
			t.Fatalf("%q is read as %q, want %q", text.String(), got, table)
		}
	})
}
