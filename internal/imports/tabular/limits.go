package tabular

import (
	"errors"
	"strconv"

	"fillbook/internal/journal"
)

// Limits bounds what a file may make of itself. A field that is zero means that
// of [Default].
type Limits struct {
	// Inflated is how many bytes an archive may unpack to, in all.
	Inflated int64
	// Rows counts rows with text, or elements with attributes, over all tables.
	Rows int
	// Columns is how many columns may be used.
	Columns int
	// Cells counts the cells of those rows, empty ones between others included.
	Cells int
	// CellBytes is how long the text of one cell may be.
	CellBytes int
}

// Default are the limits of an import.
func Default() Limits {
	return Limits{Inflated: 64 << 20, Rows: 200_000, Columns: 256, Cells: 2_000_000, CellBytes: 64 << 10}
}

// orDefault fills in the fields that are zero.
func (l Limits) orDefault() Limits {
	d := Default()
	if l.Inflated <= 0 {
		l.Inflated = d.Inflated
	}
	for _, field := range []struct {
		value *int
		deflt int
	}{{&l.Rows, d.Rows}, {&l.Columns, d.Columns}, {&l.Cells, d.Cells}, {&l.CellBytes, d.CellBytes}} {
		if *field.value <= 0 {
			*field.value = field.deflt
		}
	}
	return l
}

// budget counts what a file has used of its limits. It is shared by the sheets of
// a workbook and by an archive with the workbook in it.
type budget struct {
	limits   Limits
	inflated int64
	rows     int
	cells    int
	seen     int
}

func newBudget(limits Limits) *budget { return &budget{limits: limits.orDefault()} }

// row counts a row of so many cells, before anything is kept of it.
func (b *budget) row(cells int) error {
	b.rows++
	b.cells += cells
	switch {
	case b.rows > b.limits.Rows:
		return journal.Invalid("The file has more than %s rows; split it and upload the parts.", thousands(b.limits.Rows))
	case b.cells > b.limits.Cells:
		return b.tooManyCells()
	}
	return nil
}

// cell counts a cell of a sheet, before it is known whether there is anything in
// it. Sheets can have millions that are empty, and each takes its time.
func (b *budget) cell() error {
	if b.seen++; b.seen > b.limits.Cells {
		return b.tooManyCells()
	}
	return nil
}

func (b *budget) tooManyCells() error {
	return journal.Invalid("The file has more than %s cells; split it and upload the parts.", thousands(b.limits.Cells))
}

// text checks the length of a cell's text.
func (b *budget) text(length, line int) error {
	if length > b.limits.CellBytes {
		return journal.Invalid("A cell in line %d has more than %s bytes of text.", line, thousands(b.limits.CellBytes))
	}
	return nil
}

// tooWide refuses a row with text beyond the last column that may be used.
func (b *budget) tooWide(line int) error {
	return journal.Invalid("Line %d uses more than %s columns.", line, thousands(b.limits.Columns))
}

// thousands writes a limit as a person would.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// damaged refuses a file that breaks the rules of its format. An error that is
// a refusal already, such as a limit met while reading, stays what it is.
func damaged(what string, cause error) error {
	var refusal *journal.Error
	if errors.As(cause, &refusal) {
		return refusal
	}
	refusal = journal.Invalid("The %s is damaged or incomplete; export it again.", what)
	refusal.Err = cause
	return refusal
}
