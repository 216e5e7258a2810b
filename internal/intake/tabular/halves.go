package tabular

import (
	"strings"

	"fillbook/internal/base/parallel"
)

// minHalves is the text length from which a file is read in two halves.
const minHalves = 256 << 10

// readHalves reads the records in a long text without quotes in two halves at the same
// time: every line break in it ends a record. ok is false if nothing was read, because the
// text is short, has quotes, or exceeds a limit; then the scanner and the budget are as
// they were, and the records must be read in order.
func readHalves(s *scanner, b *budget) (rows []Row, ok bool) {
	rest := s.text[s.pos:]
	if len(rest) < minHalves || strings.IndexByte(rest, '"') >= 0 {
		return nil, false
	}
	half := s.pos + strings.LastIndexByte(rest[:len(rest)/2], '\n') + 1
	first, second := *s, *s
	first.cells, first.text = nil, s.text[:half]
	second.cells, second.pos = nil, half
	all := make([]Row, 0, min(1+strings.Count(rest, "\n"), b.limits.Rows))
	lines := min(strings.Count(s.text[s.pos:half], "\n"), cap(all))
	firstBudget, secondBudget := *b, *newBudget(b.ctx, b.limits)
	begin := collector{budget: &firstBudget, rows: all[:0:lines]}
	end := collector{budget: &secondBudget, rows: all[lines:lines]}
	var err, endErr error
	parallel.Run(
		func() { err = begin.addRecords(&first) },
		func() { endErr = end.addRecords(&second) },
	)
	if err != nil || endErr != nil || !firstBudget.add(&secondBudget) {
		return nil, false
	}
	for i := range end.rows {
		end.rows[i].Line += first.line - s.line
	}
	*b = firstBudget
	if len(begin.rows) > lines { // carriage returns alone end records too
		return append(begin.rows, end.rows...), true
	}
	return append(all[:len(begin.rows)], end.rows...), true
}

// add adds what another budget has used, and reports whether that is within the limits.
func (b *budget) add(other *budget) bool {
	b.rows += other.rows
	b.cells += other.cells
	b.text += other.text
	b.steps += other.steps
	return b.rows <= b.limits.Rows && b.cells <= b.limits.Cells && b.text <= b.limits.Text
}
