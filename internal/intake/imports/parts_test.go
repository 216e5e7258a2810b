package imports_test

import (
	"context"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
)

// TestOthersWriteDuringImport writes in the middle of a long import. Before imports were
// stored in parts, SQLite's writing connection was not free until their end.
func TestOthersWriteDuringImport(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	user := newFixture(t, d)
	written := false
	up := imports.Upload{FileName: "x.csv", Data: manyFills(), Account: user.account("USD"), Watch: func(p imports.Progress) {
		if p.Stage != "writing" {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := d.Update(ctx, func(tx *db.Tx) error { return tx.QueryRow(ctx, `SELECT 1`).Scan(new(int)) }); err != nil {
			t.Errorf("another write during the import: %v", err)
		}
		written = true
	}}
	if _, err := user.Imports.Commit(t.Context(), user.by, up); err != nil || !written {
		t.Fatal(written, err)
	}
}
