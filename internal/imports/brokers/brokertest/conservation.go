package brokertest

import (
	"testing"

	"fillbook/internal/imports/statement"
)

// checkConservation demands that every data row of a statement is accounted
// for: it gave a fill, cash or an annotation, was skipped with a reason, or is
// an error. A row number must also be one of the file's.
func checkConservation(t *testing.T, s *statement.Statement) {
	t.Helper()
	seen := make([]bool, s.Rows+1)
	note := func(row int, what string) {
		if row < 1 || row > s.Rows {
			t.Errorf("%s of row %d, but the file has %d rows", what, row, s.Rows)
			return
		}
		seen[row] = true
	}
	for _, f := range s.Fills {
		note(f.Row, "fill")
	}
	for _, c := range s.Cash {
		note(c.Row, "cash")
	}
	for _, m := range s.Marks {
		note(m.Row, "annotation")
	}
	for _, p := range s.Problems {
		note(p.Row, "problem")
	}
	for _, k := range s.Skipped {
		if k.Reason == "" {
			t.Errorf("row %d is skipped without a reason", k.Row)
		}
		note(k.Row, "skipped row")
	}
	for row := 1; row <= s.Rows; row++ {
		if !seen[row] {
			t.Errorf("row %d is neither imported, skipped nor reported", row)
		}
	}
}
