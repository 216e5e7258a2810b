package imports_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/statement"
	"fillbook/internal/testkit"
)

// exportFile is a broker's file with its upload options.
type exportFile struct {
	name  string
	data  []byte
	hints statement.Hints
}

// exportFiles reads all fixtures, and the real exports in the folder named by
// SVC_TEST_SAMPLES.
func exportFiles(t testing.TB) (list []exportFile) {
	t.Helper()
	for _, pattern := range []string{"../brokers/testdata/*.txtar", "../brokers/ibkr/testdata/*.txtar", "../metatrader/testdata/*.txtar", "../statement/testdata/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no fixtures %s: %v", pattern, err)
		}
		for _, name := range names {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) > 0 && len(archive.Files[0].Data) > 0 {
				list = append(list, exportFile{filepath.Base(name), archive.Files[0].Data, brokertest.Hints(string(archive.Comment))})
			}
		}
	}
	return append(list, samples(t)...)
}

func samples(t testing.TB) (list []exportFile) {
	t.Helper()
	folder := os.Getenv("SVC_TEST_SAMPLES")
	if folder == "" {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) == ".md" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, exportFile{entry.Name(), data, statement.Hints{FileName: entry.Name(), Currency: "USD"}})
	}
	return list
}

// currency returns the currency of the account a file belongs into: its own, as a preview
// into an account in the expected currency names it.
func (b fixture) currency(f exportFile, expected journal.AccountID) string {
	b.Helper()
	preview, err := b.Imports.Inspect(b.Context(), b.by.UserID, f.upload(expected))
	if err == nil && preview.Currency != nil && preview.Currency.Mismatch {
		return preview.Currency.File
	}
	return f.hints.Currency
}

func (f exportFile) upload(account journal.AccountID) imports.Upload {
	return imports.Upload{
		FileName: f.hints.FileName, Data: f.data, Zone: f.hints.Zone, Order: string(f.hints.Order), Account: account,
	}
}

// checkRows checks the law of conservation: every data row is in exactly one class, and
// preview and commit count alike.
func (b fixture) checkRows(preview imports.Preview, result imports.Result) {
	b.Helper()
	if preview.Rows == nil || result.Rows == nil {
		b.Errorf("rows are not counted: %v %v", preview.Rows, result.Rows)
		return
	}
	if diff := cmp.Diff(*result.Rows, *preview.Rows); diff != "" {
		b.Errorf("the preview counts other rows than the commit (-commit +preview):\n%s", diff)
	}
	if diff := cmp.Diff(result.SkippedRows, preview.SkippedRows); diff != "" {
		b.Errorf("the preview skips other rows than the commit (-commit +preview):\n%s", diff)
	}
	rows := *preview.Rows
	if sum := rows.Fills + rows.Cash + rows.Annotations + rows.Skipped + rows.Errors; rows.Data != sum || rows.Data != preview.RowCount || rows.Errors < 0 {
		b.Errorf("%d data rows (row_count %d), but %d in %+v", rows.Data, preview.RowCount, sum, rows)
	}
	reasons := 0
	for _, r := range preview.SkippedReasons {
		reasons += r.Rows
	}
	if reasons != rows.Skipped || len(preview.SkippedRows) != min(rows.Skipped, 200) {
		b.Errorf("%d rows are skipped, %d have a reason, %d are listed", rows.Skipped, reasons, len(preview.SkippedRows))
	}
	for _, skipped := range preview.SkippedRows {
		if skipped.Reason == "" || skipped.Row < 1 || skipped.Row > rows.Data {
			b.Errorf("skipped: %+v", skipped)
		}
	}
}

// TestRowsAreConserved imports every fixture and every sample into a separate account,
// and then into one shared by all files in a currency, where they meet earlier fills.
// Every data row ends in exactly one class, the preview reports what the commit does, and
// a second import changes nothing. make test imports every second file, and every eighth on
// PostgreSQL; make soak imports all.
func TestRowsAreConserved(t *testing.T) {
	t.Parallel()
	files := exportFiles(t)
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		shared := map[string]journal.AccountID{}
		imported, step := 0, testkit.Rounds(2, 1)
		if d.Engine() == db.PostgreSQL {
			step = testkit.Rounds(8, 1)
		}
		for i, f := range files {
			if i%step != 0 {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				b := b
				b.TB = t
				sharedAccount := func(currency string) journal.AccountID {
					if shared[currency] == "" {
						shared[currency] = b.account(currency)
					}
					return shared[currency]
				}
				currency := b.currency(f, sharedAccount(f.hints.Currency))
				own := b.account(currency)
				if b.holdAgainst(f.upload(own)).Inserted > 0 {
					imported++
				}
				b.holdAgainst(f.upload(sharedAccount(currency)))
				b.checkSecondImport(f.upload(own))
				b.checkSecondImport(f.upload(sharedAccount(currency)))
				// Every call reads the account list, so it is kept short.
				if err := b.Ledger.DeleteAccount(b.Context(), b.by.UserID, own, nil); err != nil {
					b.Error(err)
				}
			})
		}
		if imported < 50/step {
			t.Errorf("only %d files had something to import", imported)
		}
	})
}

// checkSecondImport imports a stored file again: nothing may change.
func (b fixture) checkSecondImport(up imports.Upload) {
	b.Helper()
	result := b.holdAgainst(up)
	if result.BatchID == "" {
		return // a file without a storable row
	}
	if result.Inserted+result.CashInserted+result.Trades+result.Rows.Fills+result.Rows.Cash != 0 {
		b.Errorf("the second import changed something: %+v, rows %+v", result, *result.Rows)
	}
}

// TestBackupRowsAreConserved counts the records in JSON files: own backups, foreign ones
// and bare lists.
func TestBackupRowsAreConserved(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		for name, text := range map[string]string{
			"list": `[{"symbol":"AAPL","side":"buy","quantity":1,"price":10,"executed_at":"2026-01-05T15:00:00Z"},
				{"symbol":"AAPL","side":"sell","quantity":1,"price":11,"executed_at":"2026-01-05T16:00:00Z"}, {"symbol":"","side":"buy"}]`,
			"foreign": `{"account":{"name":"Main","currency":"USD"},
				"executions":[{"symbol":"MSFT","side":"buy","quantity":2,"price":300,"executed_at":"2026-01-05T15:00:00Z"}],
				"cash_transactions":[{"type":"deposit","amount":100,"date":"2026-01-02"},{"type":"gift","amount":1,"date":"2026-01-02"}]}`,
		} {
			t.Run(name, func(t *testing.T) {
				b := b
				b.TB = t
				up := imports.Upload{FileName: "backup.json", Data: []byte(text), Account: b.account("USD")}
				for range 2 {
					preview, err := b.Imports.Inspect(t.Context(), b.by.UserID, up)
					if err != nil {
						t.Fatal(err)
					}
					result, err := b.Imports.Commit(t.Context(), b.by, up)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(*result.Rows, *preview.Rows); diff != "" {
						t.Error(diff)
					}
					rows := *result.Rows
					if rows.Data != 3 && rows.Data != 4 || rows.Data != rows.Fills+rows.Cash+rows.Annotations+rows.Skipped+rows.Errors || rows.Errors != 1 {
						t.Errorf("%+v", rows)
					}
				}
			})
		}
	})
}

// TestMappingForEveryFile sends a column_mapping with every file: it is used,
// refused or ignored with a warning, and never a fault.
func TestMappingForEveryFile(t *testing.T) {
	t.Parallel()
	b := newFixture(t, testkit.Open(t, db.SQLite))
	account, ignored := b.account("USD"), 0
	for _, f := range exportFiles(t) {
		t.Run(f.name, func(t *testing.T) {
			b := b
			b.TB = t
			plain, err := b.Imports.Inspect(t.Context(), b.by.UserID, f.upload(account))
			if err != nil {
				return // refused with or without a mapping
			}
			for _, mapping := range mappingsFor(plain) {
				up := f.upload(account)
				up.Mapping = mapping
				preview, err := b.Imports.Inspect(t.Context(), b.by.UserID, up)
				if _, refused := errors.AsType[*journal.Error](err); err != nil && !refused {
					t.Errorf("%v: %v", mapping, err)
				}
				if err == nil && plain.MappingNote != "" && hasWarning(preview.Sentences, "column_mapping was ignored") {
					ignored++
				}
			}
		})
	}
	if ignored < 10 {
		t.Errorf("a mapping was ignored for %d files only", ignored)
	}
}

// mappingsFor makes mappings with a file's columns, and one with missing columns.
func mappingsFor(p imports.Preview) []map[string]string {
	wrong := map[string]string{"symbol": "no such column", "side": "=buy", "quantity": "x", "price": "y", "executed_at": "z"}
	list := []map[string]string{wrong, {"symbol": "=AAPL"}, {"notes": ""}, p.SuggestedMapping}
	if len(p.Headers) > 0 {
		all := map[string]string{"external_id": ""}
		for i, target := range []string{"symbol", "side", "quantity", "price", "executed_at", "fees", "status", "account"} {
			all[target] = p.Headers[i%len(p.Headers)]
		}
		list = append(list, all)
	}
	return list
}

func hasWarning(warnings []string, part string) bool {
	for _, w := range warnings {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

// TestSuggestionsForEveryFile demands from every preview a suggestion for mapping and
// zone, or a note explaining why it has none, and the source statement only for
// documents with their own shape. They have no mapping.
func TestSuggestionsForEveryFile(t *testing.T) {
	t.Parallel()
	b := newFixture(t, testkit.Open(t, db.SQLite))
	account := b.account("USD")
	for _, f := range exportFiles(t) {
		p, err := b.Imports.Inspect(t.Context(), b.by.UserID, f.upload(account))
		if err != nil {
			continue // refused
		}
		if isStatement := p.Source == "statement"; p.DetectedBroker != "" && isStatement != (len(p.SuggestedMapping) == 0) {
			t.Errorf("%s: source %s, suggested mapping %v", f.name, p.Source, p.SuggestedMapping)
		}
		if len(p.SuggestedMapping) == 0 && p.MappingNote == "" {
			t.Errorf("%s: no mapping is suggested, and the preview has no note", f.name)
		}
		if (p.SuggestedZone == "") == (p.ZoneNote == "") {
			t.Errorf("%s: zone %q, note %q", f.name, p.SuggestedZone, p.ZoneNote)
		}
		if p.RowCount == 0 && len(p.SampleRows) > 0 {
			t.Errorf("%s: no rows are counted, missing mapping %v", f.name, p.MissingMapping)
		}
		document := strings.Contains(p.Reason, "MetaTrader") || strings.Contains(string(f.data[:min(len(f.data), 500)]), "<FlexQueryResponse")
		if want := map[bool]string{true: "statement", false: "csv"}[document]; p.Source != want {
			t.Errorf("%s: the source is %s, want %s", f.name, p.Source, want)
		}
	}
}
