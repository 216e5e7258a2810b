package brokers

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// futuresRead reads an export in a zone.
func futuresRead(t *testing.T, data []byte, zone string) *statement.Statement {
	t.Helper()
	return brokertest.MustRead(t, data, statement.Hints{Zone: zone, Currency: "USD"}, tables())
}

// TestFuturesExportsAgree compares three exports with the same trades: fills added by one
// must not be added again by the others.
func TestFuturesExportsAgree(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/agree/tradovate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fills := map[string][]string{}
	ids := map[string][]string{}
	for _, f := range archive.Files {
		s := futuresRead(t, f.Data, "America/Los_Angeles")
		if len(s.Problems) > 0 {
			t.Errorf("%s: %v", f.Name, s.Problems)
		}
		for _, fill := range s.Fills {
			fills[f.Name] = append(fills[f.Name],
				fmt.Sprint(fill.Side, " ", fill.Quantity, " ", fill.Symbol, " ", fill.Price, " ", journal.FormatInstant(fill.At.Truncate(time.Second))))
			ids[f.Name] = append(ids[f.Name], fill.ID)
		}
	}
	for _, other := range []string{"fills.csv", "performance.csv"} {
		if diff := cmp.Diff(fills["orders.csv"], fills[other]); diff != "" {
			t.Errorf("orders and %s (-+):\n%s", other, diff)
		}
	}
	if diff := cmp.Diff(ids["fills.csv"], ids["performance.csv"]); diff != "" {
		t.Errorf("ids of fills and performance (-+):\n%s", diff)
	}
	if strings.Join(ids["orders.csv"], "") != "" {
		t.Errorf("orders have ids that no other export has: %q", ids["orders.csv"])
	}
}

// TestRithmicExportsAgree does so for the two exports with order numbers.
func TestRithmicExportsAgree(t *testing.T) {
	orders := futuresRead(t, []byte(`Completed Orders
Account,Status,Buy/Sell,Symbol,Avg Fill Price,Order Number,Update Time (EDT),Qty Filled,Commission Fill Rate
A-1,Filled,S,MNQM6,25050,503,2026-04-24 10:36:00,2,0.51
A-1,Filled,S,MNQM6,25040,502,2026-04-24 10:35:00,1,0.51
A-1,Filled,B,MNQM6,25030,501,2026-04-24 10:30:05,3,0.51
`), "")
	performance := futuresRead(t, []byte(`A-1
MNQM6
Entry Order Number,Entry Time,Entry Buy/Sell,Entry Price,Exit Order Number,Exit Time,Exit Price,Fill Size
501,2026-04-24 10:30:05,B,25030.00,502,2026-04-24 10:35:00,25040.00,1
501,2026-04-24 10:30:05,B,25030.00,503,2026-04-24 10:36:00,25050.00,2
`), "America/New_York")
	equal := cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) })
	type fill struct {
		ID, Side        string
		Quantity, Price decimal.Decimal
		At              string
	}
	list := func(s *statement.Statement) (all []fill) {
		for _, f := range s.Fills {
			all = append(all, fill{f.ID, string(f.Side), f.Quantity, f.Price, journal.FormatInstant(f.At)})
		}
		return all
	}
	if diff := cmp.Diff(list(orders), list(performance), equal); diff != "" || len(orders.Fills) != 3 {
		t.Errorf("orders and performance (-+):\n%s", diff)
	}
}

// TestFuturesWorkbook reads the ATAS journal from its sheet between others.
func TestFuturesWorkbook(t *testing.T) {
	journalSheet := `<row r="1">` + inline("Account", "Instrument", "Open time", "Open price", "Open volume", "Close time", "Close price", "Close volume",
		"Price PnL", "Profit (ticks)", "PnL", "Comment") + `</row>
<row r="2"><c t="inlineStr"><is><t>DEMO9</t></is></c><c t="inlineStr"><is><t>MESH6@CME_Ind</t></is></c><c><v>46034.604166666664</v></c><c><v>6900.25</v></c>` +
		`<c><v>-2</v></c><c><v>46034.625</v></c><c><v>6902.25</v></c><c><v>2</v></c><c><v>2</v></c><c><v>8</v></c><c><v>-20</v></c></row>`
	data := futuresWorkbook(t, map[string]string{
		"Statistics": `<row r="1">` + inline("Net profit", "-20") + `</row>`,
		"Journal":    journalSheet,
	})
	s := futuresRead(t, data, "America/New_York")
	if s.Broker != "ATAS" || len(s.Fills) != 2 || len(s.Problems) != 0 {
		t.Fatalf("%s, %d fills, %v", s.Broker, len(s.Fills), s.Problems)
	}
	if got := brokertest.Facts(s); !strings.Contains(got, "gross -20, net -20") {
		t.Error(got)
	}
	if at := journal.FormatInstant(s.Fills[0].At); at != "2026-01-12T19:30:00Z" || s.Fills[0].Side != "sell" {
		t.Errorf("opened %s at %s", s.Fills[0].Side, at)
	}
}

func inline(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(`<c t="inlineStr"><is><t>` + text + `</t></is></c>`)
	}
	return b.String()
}

// futuresWorkbook makes an XLSX file from sheets of rows.
func futuresWorkbook(t *testing.T, sheets map[string]string) []byte {
	t.Helper()
	var buffer bytes.Buffer
	z := zip.NewWriter(&buffer)
	put := func(name, text string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(`<?xml version="1.0" encoding="UTF-8"?>` + text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	book, links := "", ""
	number := 0
	for _, name := range []string{"Statistics", "Journal"} {
		number++
		book += fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, name, number, number)
		links += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, number, relations, number)
		put(fmt.Sprintf("xl/worksheets/sheet%d.xml", number), `<worksheet `+main+`><sheetData>`+sheets[name]+`</sheetData></worksheet>`)
	}
	put("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`)
	put("xl/workbook.xml", `<workbook `+main+` xmlns:r="`+relations+`"><sheets>`+book+`</sheets></workbook>`)
	put("xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+links+`</Relationships>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}
