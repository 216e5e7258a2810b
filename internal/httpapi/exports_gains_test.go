package httpapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
)

// sumGains reads the realized gains table and returns the sum of its gains. Each row with
// proceeds and cost must add up.
func sumGains(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, c *client, query string,
) *big.Rat {
	t.Helper()
	answer := c.get("/exports?format=csv&rows=realized-gains&" + query).want(http.StatusOK)
	rows, err := csv.NewReader(bytes.NewReader(answer.body)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	sum := new(big.Rat)
	for _, row := range rows[1:] {
		const proceeds, cost, fees, gain = 7, 8, 9, 10
		sum.Add(sum, fraction(row[gain]))
		if row[proceeds] == "" && row[cost] == "" {
			continue
		}
		computed := new(big.Rat).Sub(fraction(row[proceeds]), fraction(row[cost]))
		if computed.Sub(computed, fraction(row[fees])).Cmp(fraction(row[gain])) != 0 {
			t.Fatalf("%s: the row %v does not add up", query, row)
		}
	}
	return sum
}

// TestRealizedGains: a position closed on two days, a reversed one, a half-open one, and
// one whose result the broker states in another currency.
func TestRealizedGains(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := scaledOut(w)
		const day = 24 * 60
		d.fill("EURJPY", "buy 1@160", 4*day, more{"instrument_type": "forex"})
		d.fill("EURJPY", "sell 1@161", 5*day, more{"instrument_type": "forex", "stated_pnl": "6.21"})
		d.fill("ZZZ", "buy 3@1.111", 6*day)
		d.fill("ZZZ", "sell 3@2.222", 7*day, more{"stated_pnl": "3.33"}) // rounded to cents
		const head = "Account,Symbol,Type,Side,Opened,Closed,Quantity,Proceeds,Cost,Fees,Gain,Currency,Option Right,Strike,Expiry,Lot\n"
		const all = head +
			"Main,AAA,stock,long,2026-01-05T15:00:00Z,2026-01-06T15:00:00Z,40,480,400,5,75,USD,,,,\n" +
			"Main,AAA,stock,long,2026-01-05T15:00:00Z,2026-01-07T15:00:00Z,60,540,600,8,-68,USD,,,,\n" +
			"Main,BBB,stock,short,2026-01-06T15:00:00Z,2026-01-07T15:00:00Z,10,200,180,2,18,USD,,,,\n" +
			"Main,BBB,stock,long,2026-01-07T15:00:00Z,2026-01-08T15:00:00Z,5,95,90,1,4,USD,,,,\n" +
			"Main,EURJPY,forex,long,2026-01-09T15:00:00Z,2026-01-10T15:00:00Z,1,,,0,6.21,USD,,,,\n" +
			"Main,ZZZ,stock,long,2026-01-11T15:00:00Z,2026-01-12T15:00:00Z,3,6.663,3.333,0,3.33,USD,,,,\n"
		table := func(query string) string {
			return string(d.get("/exports?format=csv&rows=realized-gains" + query).want(http.StatusOK).body)
		}
		if got := table(""); got != all {
			t.Errorf("the table is\n%s\nwant\n%s", got, all)
		}
		lines := strings.SplitAfter(all, "\n")
		if got, want := table("&from=2026-01-06T15:00:00Z&to=2026-01-07T14:59:59Z"), head+lines[1]; got != want {
			t.Errorf("one day is\n%s\nwant\n%s", got, want)
		}
		if got, want := table("&side=short&status=closed"), head+lines[3]; got != want {
			t.Errorf("short trades are\n%s\nwant\n%s", got, want)
		}
		if got, want := table("&status=open"), head+lines[4]; got != want {
			t.Errorf("open trades are\n%s\nwant\n%s", got, want)
		}
		empty := d.addAccount("Empty")
		if got := table("&account_id=" + empty.account); got != head {
			t.Errorf("an empty account has %s", got)
		}
		book := d.get("/exports?format=xlsx&rows=realized-gains").want(http.StatusOK)
		if name := book.header.Get("Content-Disposition"); !strings.Contains(name, "realized-gains") {
			t.Errorf("the file is %s", name)
		}
		if sheet := readSheet(t, book.body, 1); strings.Count(sheet, "<row ") != 7 || !strings.Contains(sheet, "Proceeds") {
			t.Errorf("the sheet is %.300s", sheet)
		}
		if got := string(d.get("/exports?format=csv&rows=executions&from=2026-01-11T00:00:00Z&to=2026-01-11T23:59:59Z").want(http.StatusOK).body); strings.Count(got, "\n") != 2 || !strings.Contains(got, "ZZZ") {
			t.Errorf("the fills of a day are %s", got)
		}
		day11 := d.get("/exports?format=xlsx&from=2026-01-11T00:00:00Z&to=2026-01-12T14:00:00Z").want(http.StatusOK)
		if trades, fills := readSheet(t, day11.body, 1), readSheet(t, day11.body, 2); strings.Count(trades, "<row ") != 1 || strings.Count(fills, "<row ") != 2 {
			t.Errorf("the sheets of a day are %s and %s", trades, fills)
		}
		d.get("/exports?format=csv&rows=executions&side=long").wantError(http.StatusBadRequest, "bad_request").wantField("side")
		for _, format := range []string{"json", "zip"} {
			d.get("/exports?rows=realized-gains&format="+format).wantError(http.StatusBadRequest, "bad_request").wantField("rows")
		}
	})
}

// readSheet returns a workbook sheet.
func readSheet(t *testing.T, book []byte, number int) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open("xl/worksheets/sheet" + itoa(number) + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
