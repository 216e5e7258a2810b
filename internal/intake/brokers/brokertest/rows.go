package brokertest

import (
	"fmt"
	"slices"

	"fillbook/internal/intake/statement"
)

// LostRows checks the law of conservation: every data row is in the fills, the cash, the
// annotations, the problems, the skipped rows or joined to such a row, and skipped rows
// are nowhere else. It returns the violations.
func LostRows(s *statement.Statement) (faults []string) {
	claims := make([]int, s.Rows+1)
	claim := func(what string, row int) {
		if row < 1 || row > s.Rows {
			faults = append(faults, fmt.Sprintf("%s of row %d, but there are %d rows", what, row, s.Rows))
			return
		}
		claims[row]++
	}
	for _, f := range s.Fills {
		claim("a fill", f.Row)
	}
	for _, c := range s.Cash {
		claim("cash", c.Row)
	}
	for _, m := range s.Annotations {
		claim("annotations", m.Row)
	}
	for _, p := range s.Problems {
		claim("a problem", p.Row)
	}
	for row, into := range s.Joined {
		if into < 1 || into > s.Rows || claims[into] == 0 {
			faults = append(faults, fmt.Sprintf("row %d is joined to row %d, which emits nothing", row, into))
		}
	}
	for _, skip := range s.Skipped {
		if claims[skip.Row] > 0 || skip.Reason == "" {
			faults = append(faults, fmt.Sprintf("row %d is skipped (%q) and used", skip.Row, skip.Reason))
		}
		claim("a skip", skip.Row)
	}
	for row := 1; row <= s.Rows; row++ {
		if _, joined := s.Joined[row]; joined == (claims[row] > 0) {
			faults = append(faults, fmt.Sprintf("row %d is lost or counted twice", row))
		}
	}
	slices.Sort(faults)
	return faults
}
