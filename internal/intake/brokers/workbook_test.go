package brokers

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// asiaWorkbook makes an XLSX file of sheets given as text: cells separated by tabs,
// numbers as numbers.
func asiaWorkbook(t *testing.T, sheets ...string) []byte {
	t.Helper()
	var names, relations strings.Builder
	parts := map[string]string{}
	for i, text := range sheets {
		n := strconv.Itoa(i + 1)
		fmt.Fprintf(&names, `<sheet name="Sheet%s" sheetId="%s" r:id="rId%s"/>`, n, n, n)
		fmt.Fprintf(&relations, `<Relationship Id="rId%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet%s.xml"/>`, n, n)
		parts["xl/worksheets/sheet"+n+".xml"] = asiaSheet(text)
	}
	parts["[Content_Types].xml"] = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	parts["xl/workbook.xml"] = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` + names.String() + `</sheets></workbook>`
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relations.String() + `</Relationships>`
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for name, text := range parts {
		w, err := archive.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func asiaSheet(text string) string {
	var b strings.Builder
	b.WriteString(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for i, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, cell := range strings.Split(line, "\t") {
			reference := fmt.Sprintf("%c%d", 'A'+j, i+1)
			switch {
			case cell == "":
			case strings.Trim(cell, "0123456789.") == "":
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, reference, cell)
			default:
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, reference, html.EscapeString(cell))
			}
		}
		b.WriteString("</row>")
	}
	return b.String() + "</sheetData></worksheet>"
}

// The tax report is a workbook: a sheet of sums, and one of exits behind an empty
// column, of which only the exits are read.
func TestTaxReportWorkbook(t *testing.T) {
	file := asiaWorkbook(t, `
	Client ID	AB1234
	Symbol	ISIN	Quantity	Buy Value	Sell Value	Realized P&L
	ALPHA	INE000A01011	3	1000	1010.5	10.5
`, `
	Tradewise Exits from 2026-04-01
	Equity - Intraday
	Symbol	ISIN	Entry Date	Exit Date	Quantity	Buy Value	Sell Value	Profit	Brokerage	STT
	ALPHA	INE000A01011	2026-04-01	2026-04-02	4	1000	1010.5	10.5	0.6	0.25
	Equity - Short Term
	Symbol	ISIN	Entry Date	Exit Date	Quantity	Buy Value	Sell Value	Profit	Brokerage	STT
	BETA	INE000A01029	46113	46114	2	100	90	-10	0	0
`)
	brokertest.Check(t, file, statement.Hints{Currency: "INR"}, tables(), `
Zerodha / tax report, exits, journal_trades, csv, rows 2, zone Asia/Kolkata
because matched header Symbol + Entry Date + Exit Date + Quantity + Buy Value + Sell Value + Profit
account "" type "" currency "INR"
  1 buy 4 stock ALPHA @ 250 at 2026-03-31T18:30:00Z (day) x 1 opening lot 200f4e9ebd3c
  2 buy 2 stock BETA @ 50 at 2026-03-31T18:30:00Z (day) x 1 opening lot e52feec6c5a9
  1 sell 4 stock ALPHA @ 252.625 at 2026-04-01T18:30:00Z (day) x 1 fees 0.25 commission 0.6 closing lot 200f4e9ebd3c
  2 sell 2 stock BETA @ 45 at 2026-04-01T18:30:00Z (day) x 1 closing lot e52feec6c5a9
`)
}

// Groww delivers a workbook with lines about its owner on top.
func TestGrowwWorkbook(t *testing.T) {
	file := asiaWorkbook(t, `
Name	A Person
Unique Client Code	123
Order history for stocks from 01-01-2026 to 31-01-2026
Stock name	Symbol	ISIN	Type	Quantity	Value	Exchange	Exchange Order Id	Execution date and time	Order status
Alpha Ltd	ALPHA	INE000A01011	BUY	4	1000	NSE	130000000012345	05-01-2026 10:30 AM	Executed
Alpha Ltd	ALPHA	INE000A01011	SELL	4	1050.5	NSE	130000000012346	13-01-2026 02:15 PM	Executed
`)
	brokertest.Check(t, file, statement.Hints{Currency: "INR"}, tables(), `
Groww / order history, executions, csv, rows 2, zone Asia/Kolkata, day_first
because matched header Stock name + Symbol + ISIN + Type + Quantity + Value + Execution date and time + Order status
account "" type "" currency "INR"
  1 buy 4 stock ALPHA @ 250 at 2026-01-05T05:00:00Z x 1 flow -1000
  2 sell 4 stock ALPHA @ 262.625 at 2026-01-13T08:45:00Z x 1 flow 1050.5
`)
}
