package tabular_test

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/intake/tabular"
)

// export returns a file with so many trades, in twelve columns.
func export(rows int) string {
	var text strings.Builder
	text.WriteString("Time,Symbol,Side,Quantity,Price,Commission,Fee,Currency,Account,Order,Execution,Note\n")
	for i := range rows {
		fmt.Fprintf(&text, "2024-01-05 09:%02d:%02d,AAPL,Buy,%d,\"1,%03d.50\",-1.25,0.00,USD,U1234567,%d,%d.01, opened \n", i/60%60, i%60, i%500, i%1000, 100_000+i, 900_000+i)
	}
	return text.String()
}

func BenchmarkCSV(b *testing.B) {
	data := []byte(export(100_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		file, err := tabular.Read(data, tabular.Limits{})
		if err != nil || len(file.Tables[0].Rows) != 100_001 {
			b.Fatal(err)
		}
	}
}

func BenchmarkXLSX(b *testing.B) {
	const row = `<row><c t="s"><v>0</v></c><c t="str"><v>2024.01.05 09:30:00</v></c><c><v>0.88683999999999996</v></c><c s="1"><v>45296.396122685182</v></c><c><v>5</v></c><c><v>1</v></c></row>`
	data := workbook(b, parts{
		strings: `<si><t>Symbol</t></si>`, styles: `<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>`,
		sheets: []string{strings.Repeat(row, 20_000)},
	})
	data = archived(b, append(parts{
		strings: `<si><t>Symbol</t></si>`, styles: `<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>`,
		sheets: []string{strings.Repeat(row, 20_000)},
	}.entries(), noise(len(data)))...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tabular.Read(data, tabular.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
