package backup

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// newTabledJournal returns a journal with every cell kind in its tables.
func newTabledJournal(t *testing.T, h *fixture) (owner journal.UserID, account journal.AccountID) {
	t.Helper()
	owner = h.user(t)
	account = h.account(t, owner, "=Main")
	h.fill(t, owner, account, matching.Buy, "10", "100.5", 0)
	sold := h.fill(t, owner, account, matching.Sell, "10", "99.25", 5)
	tag, err := h.playbook.CreateTag(t.Context(), owner, playbook.TagChange{Name: journal.Some("-late")})
	must(t, err)
	other, err := h.playbook.CreateTag(t.Context(), owner, playbook.TagChange{
		Name: journal.Some("gap, up; down"), Kind: journal.Some(playbook.MistakeTag),
	})
	must(t, err)
	setup, err := h.playbook.CreateSetup(t.Context(), owner, playbook.SetupChange{
		Name: journal.Some("drive"), Checklist: journal.Some([]string{"wait", "size"}),
	})
	must(t, err)
	_, err = h.playbook.Annotate(t.Context(), owner, sold.TradeIDs[0], playbook.AnnotationChange{
		ValueChange: playbook.ValueChange{Notes: journal.Some("=HYPERLINK(\"x\")\nand, more"), InitialRisk: journal.Some(decimal.Must("29")), Confidence: journal.Some(4)},
		Tags:        journal.Some([]journal.TagID{tag.ID, other.ID}), Reviewed: journal.Some(true),
		Setups: journal.Some([]journal.SetupID{setup.ID}), Rules: journal.Some([]playbook.RuleChange{
			{Setup: setup.ID, Rule: "wait", State: playbook.RuleBroken}, {Setup: setup.ID, Rule: "size", State: playbook.RuleNotApplicable},
		}),
	}, nil)
	must(t, err)
	_, err = h.ledger.AddExecution(t.Context(), owner, account, ledger.NewFill{
		Symbol: "SPY", InstrumentType: "option", Side: matching.Sell, Quantity: decimal.Must("2"), Price: decimal.Must("-0.05"),
		ExternalID: "+1", Closes: true, ExecutedAt: morning.Add(90*time.Second + 250*time.Millisecond),
		Details: map[string]string{"option_right": "put", "strike": "450", "expiry": "2026-06-19"},
	})
	must(t, err)
	_, err = h.ledger.AddCash(t.Context(), owner, account, ledger.NewCash{
		Type: ledger.Fee, Amount: decimal.Must("2.5"), OccurredAt: morning, Note: "@data feed",
	})
	must(t, err)
	return owner, account
}

const tradesGolden = `Account,Symbol,Type,Side,Status,Quantity,Open Time,Close Time,Entry Price,Exit Price,Multiplier,Gross P&L,Fees,Commission,Net P&L,Currency,Return %,Option Right,Strike,Expiry,Executions,Initial Risk,Stop,Target,R Multiple,MAE,MFE,Setups,Tags,Emotional State,Confidence,Quality,Reviewed At,Notes,Last Stop,Rules,Lowest MAE,Highest MAE,Lowest MFE,Highest MFE,Bar Coverage,Bar Seconds,Ended By
'=Main,AAPL,stock,long,closed,10,2026-03-02T14:30:00Z,2026-03-02T14:35:00Z,100.5,99.25,1,-12.5,0,2,-14.5,USD,-1.442786069652,,,,2,29,,,-0.5,,,drive,"'-late; mistake: gap, up\; down",,4,,2026-03-10T15:04:05Z,"'=HYPERLINK(""x"")
and, more",,size: not applicable; wait: broken,,,,,,,trade
'=Main,SPY,option,short,open,2,2026-03-02T14:31:30.25Z,,-0.05,,100,,0,0,,USD,,put,450,2026-06-19,1,,,,,,,,,,,,,,,,,,,,,,
`

const fillsGolden = `Account,Executed At,Symbol,Type,Side,Quantity,Price,Fees,Commission,Multiplier,Stated P&L,Currency,Option Right,Strike,Expiry,Lot,External Id,Kind,Event Id,Basis Estimated,Closes
'=Main,2026-03-02T14:30:00Z,AAPL,stock,buy,10,100.5,0,1,1,,USD,,,,,,trade,,,
'=Main,2026-03-02T14:31:30.25Z,SPY,option,sell,2,-0.05,0,0,100,,USD,put,450,2026-06-19,,'+1,trade,,,yes
'=Main,2026-03-02T14:35:00Z,AAPL,stock,sell,10,99.25,0,1,1,,USD,,,,,,trade,,,
`

func (h *fixture) table(t *testing.T, r Request) string {
	t.Helper()
	var b strings.Builder
	must(t, h.write(r, &b))
	return b.String()
}

func (h *fixture) write(r Request, out io.Writer) error {
	return h.db.View(h.ctx(), func(tx *db.Tx) error {
		_, err := Write(h.ctx(), tx, h.playbook, r, out)
		return err
	})
}

func TestCSV(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner, account := newTabledJournal(t, h)
		for _, accounts := range [][]journal.AccountID{nil, {account}} {
			wantSame(t, h.table(t, Request{Owner: owner, Format: CSV, Accounts: accounts}), tradesGolden)
			wantSame(t, h.table(t, Request{Owner: owner, Format: CSV, Accounts: accounts, Rows: FillRows}), fillsGolden)
		}
		stranger := h.user(t)
		if got := h.table(t, Request{Owner: stranger, Format: CSV, Rows: FillRows}); strings.Count(got, "\n") != 1 {
			t.Errorf("an empty journal gives %q", got)
		}
		for _, rows := range []Rows{TradeRows, FillRows} {
			var b strings.Builder
			err := h.write(Request{Owner: stranger, Format: CSV, Accounts: []journal.AccountID{account}, Rows: rows}, &b)
			if !journal.IsKind(err, journal.KindNotFound) || b.Len() > 0 {
				t.Errorf("a foreign account gives %v and %q", err, b.String())
			}
		}
	})
}

// More trades than are read at once come out once each, newest first.
func TestTablesGoOn(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	owner := h.user(t)
	account := h.account(t, owner, "Main")
	const n = 2*tradeview.ChunkSize + 7
	fills := make([]ledger.NewFill, 0, 2*n)
	for i := range n {
		for j, side := range []matching.Side{matching.Buy, matching.Sell} {
			fills = append(fills, ledger.NewFill{
				Symbol: "ES", Side: side, Quantity: decimal.New(1), Price: decimal.New(int64(i + 1)),
				ExecutedAt: morning.Add(time.Duration(2*i+j) * time.Second),
			})
		}
	}
	must(t, h.db.Update(t.Context(), func(tx *db.Tx) error {
		_, err := h.ledger.InsertFills(t.Context(), tx, owner, account, "", fills)
		return err
	}))
	rows, err := csv.NewReader(strings.NewReader(h.table(t, Request{Owner: owner, Format: CSV}))).ReadAll()
	must(t, err)
	if len(rows) != n+1 {
		t.Fatalf("%d rows, want %d", len(rows), n+1)
	}
	for i, row := range rows[1:] {
		if want := decimal.New(int64(n - i)).String(); row[8] != want {
			t.Fatalf("row %d has the entry price %s, want %s", i, row[8], want)
		}
	}
	gains, err := csv.NewReader(strings.NewReader(h.table(t, Request{Owner: owner, Format: CSV, Rows: GainRows}))).ReadAll()
	must(t, err)
	if len(gains) != n+1 {
		t.Fatalf("%d gains, want %d", len(gains), n+1)
	}
	for i, row := range gains[1:] { // the oldest first
		if want := decimal.New(int64(i + 1)).String(); row[8] != want {
			t.Fatalf("gain %d has the cost %s, want %s", i, row[8], want)
		}
	}
}

// A guarded text is never a formula, and to take one apostrophe away gives the
// text back.
func TestGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "plain": "plain", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"'=1": "''=1", "''-": "'''-", "'quoted'": "'quoted'", "a=1": "a=1", "'": "'", "−1": "−1",
	} {
		if got := guardFormula(text); got != want {
			t.Errorf("guarded(%q) = %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("'=+-@\t\ra1"))).Draw(t, "text")
		got := guardFormula(text)
		if got != "" && strings.ContainsRune(formulaStarts, rune(got[0])) {
			t.Fatalf("%q is a formula", got)
		}
		bare := strings.TrimLeft(got, "'")
		if bare != got && bare != "" && strings.ContainsRune(formulaStarts, rune(bare[0])) {
			got = got[1:]
		}
		if got != text {
			t.Fatalf("%q came back as %q", text, got)
		}
	})
}

func TestColumnNames(t *testing.T) {
	t.Parallel()
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := columnName(i); got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
	}
}

func TestSerials(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1970-01-01T00:00:00Z": "25569", "2000-01-01T12:00:00Z": "36526.5", "2026-03-02T06:00:00Z": "46083.25",
		"1970-01-01T00:00:01Z": "25569.0000115741", "2026-03-02T23:59:59.999999Z": "46084", "2026-03-02T23:59:59Z": "46083.9999884259",
	} {
		at, err := journal.ParseInstant("at", text)
		must(t, err)
		if got := toSerial(at); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestCellTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": "plain", "_x0041_": "_x005F_x0041_", "_x0041_x0042_": "_x005F_x0041_x005F_x0042_", "_x41_": "_x41_", "__x00aF_": "__x005F_x00aF_",
		strings.Repeat("a", 40_000): strings.Repeat("a", maxCellText), strings.Repeat("𝄞", 20_000): strings.Repeat("𝄞", maxCellText/2),
	} {
		if got := cellText(text); got != want {
			t.Errorf("cellText(%.30q) = %.30q, want %.30q", text, got, want)
		}
	}
}

// xlsxSheet is a sheet as a strict reader sees it.
type xlsxSheet struct {
	XMLName xml.Name `xml:"http://schemas.openxmlformats.org/spreadsheetml/2006/main worksheet"`
	Rows    []struct {
		R     int `xml:"r,attr"`
		Cells []struct {
			R     string `xml:"r,attr"`
			T     string `xml:"t,attr"`
			S     int    `xml:"s,attr"`
			Value string `xml:"v"`
			Text  string `xml:"is>t"`
		} `xml:"c"`
	} `xml:"sheetData>row"`
}

func TestXLSX(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner, _ := newTabledJournal(t, h)
		text := h.table(t, Request{Owner: owner, Format: XLSX})
		parts := unzip(t, []byte(text))
		for name, content := range parts {
			wantWellFormed(t, name, content)
		}
		checkWorkbook(t, parts)
		for path, want := range map[string]struct {
			rows  int
			cells map[string]string // texts with a quote in front, numbers without
		}{
			"xl/worksheets/sheet1.xml": {3, map[string]string{
				"A1": "'Account", "A2": "'=Main", "F2": "10", "O2": "-14.5", "G2": "46083.6041666667", "AH2": "'=HYPERLINK(\"x\")\nand, more",
				"AC2": `'-late; mistake: gap, up\; down`, "I3": "-0.05", "O3": "",
			}},
			"xl/worksheets/sheet2.xml": {4, map[string]string{"B1": "'Executed At", "G3": "-0.05", "Q3": "'+1", "N3": "450", "K2": ""}},
			"xl/worksheets/sheet3.xml": {2, map[string]string{"D2": "-2.5", "F2": "'@data feed", "C2": "'fee"}},
		} {
			cells, rows := readSheet(t, parts[path])
			if rows != want.rows {
				t.Errorf("%s has %d rows, want %d", path, rows, want.rows)
			}
			for at, value := range want.cells {
				if cells[at] != value {
					t.Errorf("%s %s is %q, want %q", path, at, cells[at], value)
				}
			}
		}
	})
}

func unzip(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	parts := map[string][]byte{}
	for _, file := range archive.File {
		in, err := file.Open()
		must(t, err)
		parts[file.Name], err = io.ReadAll(in)
		must(t, errors.Join(err, in.Close()))
	}
	return parts
}

func wantWellFormed(t *testing.T, name string, content []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(content))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// checkWorkbook follows the relations from the root to the sheets, the way
// a reader finds them.
func checkWorkbook(t *testing.T, parts map[string][]byte) {
	t.Helper()
	type relations struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	var root, book relations
	must(t, xml.Unmarshal(parts["_rels/.rels"], &root))
	must(t, xml.Unmarshal(parts["xl/_rels/workbook.xml.rels"], &book))
	targets := map[string]string{}
	for _, r := range book.List {
		targets[r.ID] = "xl/" + r.Target
		if parts["xl/"+r.Target] == nil {
			t.Errorf("%s leads nowhere", r.Target)
		}
	}
	var workbook struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	must(t, xml.Unmarshal(parts[root.List[0].Target], &workbook))
	var types struct {
		Overrides []struct {
			Part string `xml:"PartName,attr"`
		} `xml:"Override"`
	}
	must(t, xml.Unmarshal(parts["[Content_Types].xml"], &types))
	typed := map[string]bool{}
	for _, o := range types.Overrides {
		typed[strings.TrimPrefix(o.Part, "/")] = true
	}
	var names []string
	for _, sheet := range workbook.Sheets {
		names = append(names, sheet.Name)
		if !typed[targets[sheet.ID]] {
			t.Errorf("sheet %s has no content type", sheet.Name)
		}
	}
	if strings.Join(names, " ") != "Trades Fills Cash" {
		t.Errorf("sheets %v", names)
	}
}

func readSheet(t *testing.T, content []byte) (cells map[string]string, rows int) {
	t.Helper()
	var sheet xlsxSheet
	must(t, xml.Unmarshal(content, &sheet))
	cells = map[string]string{}
	for i, row := range sheet.Rows {
		if row.R != i+1 {
			t.Errorf("row %d says it is %d", i+1, row.R)
		}
		for _, c := range row.Cells {
			switch c.T {
			case "inlineStr":
				cells[c.R] = "'" + c.Text
			case "":
				cells[c.R] = c.Value
			default:
				t.Errorf("%s has the type %q", c.R, c.T)
			}
		}
	}
	return cells, len(sheet.Rows)
}

// failing is a reader that disconnects.
type failing struct{ left int }

var errGone = errors.New("the reader has gone away")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errGone
	}
	return len(p), nil
}

// Every export stops when its reader disconnects, wherever it happens.
func TestExportsStop(t *testing.T) {
	t.Parallel()
	h := oneFixture(t)
	owner, _ := newTabledJournal(t, h)
	for _, format := range []Format{JSON, CSV, XLSX, Zip} {
		for _, left := range []int{0, 100, 300} {
			err := h.write(Request{Owner: owner, Format: format, At: exportedAt}, &failing{left})
			if !errors.Is(err, errGone) {
				t.Errorf("%s after %d bytes: %v", format, left, err)
			}
		}
	}
}
