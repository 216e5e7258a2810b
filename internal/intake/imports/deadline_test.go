package imports_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
)

// TestReadingEnds checks that reading stops when its time is over, or when its sender has
// gone: in a preview and in a commit.
func TestReadingEnds(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		file := imports.Upload{
			FileName: "fills.csv", Account: b.account("USD"),
			Data: []byte("Date,Symbol,Side,Quantity,Price\n" + strings.Repeat("2026-01-05 10:00:00,AAPL,buy,1,10\n", 5_000)),
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.Imports.Inspect(gone, b.by.UserID, file); !errors.Is(err, context.Canceled) {
			t.Errorf("preview after disconnect: %v", err)
		}
		if _, err := b.Imports.Commit(gone, b.by, file); !errors.Is(err, context.Canceled) {
			t.Errorf("commit after disconnect: %v", err)
		}
		b.Imports.SetReadTime(time.Nanosecond)
		_, err := b.Imports.Inspect(t.Context(), b.by.UserID, file)
		if !journal.IsKind(err, journal.KindInvalid) || !strings.Contains(err.Error(), "takes too long") {
			t.Errorf("a file that takes too long: %v", err)
		}
	})
}
