package statement_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// TestReadStops stops reading when the client has gone.
func TestReadStops(t *testing.T) {
	t.Parallel()
	text := "Symbol,Side,Quantity,Price,Executed At\n" + strings.Repeat("AAPL,buy,1,10,2026-01-05T15:00:00Z\n", 1000)
	file, err := tabular.Read([]byte(text), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	found, _ := statement.Locate(file)
	rows := file.Tables[found.Table].Rows
	found.Preset = statement.Generic(rows[0].Cells, rows[1:], nil)
	ctx, cancel := context.WithCancel(t.Context())
	if s, err := statement.ReadContext(ctx, file, found, statement.Hints{}); err != nil || s.Rows != 1000 {
		t.Fatal(err)
	}
	cancel()
	if _, err := statement.ReadContext(ctx, file, found, statement.Hints{}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading ended with %v, want %v", err, context.Canceled)
	}
}
