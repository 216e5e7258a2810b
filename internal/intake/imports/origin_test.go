package imports_test

import (
	"cmp"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestWatchedFilesLeaveOutDeletedFills checks that a batch has its origin, and that an
// upload brings back a fill deleted by hand, but a watched file does not.
func TestWatchedFilesLeaveOutDeletedFills(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		account := b.account("USD")
		const file = "Symbol,Side,Quantity,Price,Executed At\nAAPL,buy,1,10,2026-01-05T15:00:00Z\nAAPL,sell,1,11,2026-01-05T15:10:00Z\n"
		commit := func(origin imports.Origin) imports.Result {
			t.Helper()
			up := imports.Upload{FileName: "fills.csv", Data: []byte(file), Account: account, Origin: origin}
			preview, err := b.Imports.Inspect(t.Context(), b.by.UserID, up)
			if err != nil {
				t.Fatal(err)
			}
			result, err := b.Imports.Commit(t.Context(), b.by, up)
			if err != nil {
				t.Fatal(err)
			}
			if preview.NewRows != result.Inserted || *preview.Rows != *result.Rows {
				t.Errorf("%s: the preview has %+v, the commit %+v", origin, preview.Rows, result.Rows)
			}
			batch, err := b.Imports.Batch(t.Context(), b.by.Principal, result.BatchID)
			if err != nil || batch.Origin != cmp.Or(origin, imports.FromUpload) || batch.OriginID != "" {
				t.Errorf("the origin is %q %q (%v), want %q", batch.Origin, batch.OriginID, err, origin)
			}
			return result
		}
		commit("")
		var first journal.ExecutionID
		err := b.Ledger.EachExecution(t.Context(), b.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			first = cmp.Or(first, e.ID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Ledger.DeleteExecution(t.Context(), b.by.UserID, first, nil); err != nil {
			t.Fatal(err)
		}
		result := commit(imports.FromWatch)
		if result.Inserted != 0 || result.Skipped != 2 || result.Rows.Skipped != 2 || result.SkippedRows[0].Reason != "deleted by hand" {
			t.Errorf("a watched file: %+v", result)
		}
		if result := commit(imports.FromCLI); result.Inserted != 1 || result.Skipped != 1 {
			t.Errorf("an import by the command: %+v", result)
		}
		if result := commit(imports.FromWatch); result.Inserted != 0 || result.SkippedRows[0].Reason != "duplicate" {
			t.Errorf("a watched file after that: %+v", result)
		}
	})
}
