package tabular

import (
	"context"
	"errors"
	"strconv"

	"fillbook/internal/base/journal"
)

// Limits bounds the size of a file and its content. A zero field means its [Default].
type Limits struct {
	// Inflated is how many bytes an archive may unpack to, in all.
	Inflated int64
	// Rows counts rows with text, or elements with attributes, over all tables.
	Rows int
	// Columns is how many columns may be used.
	Columns int
	// Cells counts the cells in those rows, empty ones between others included.
	Cells int
	// CellBytes is the maximum text length per cell.
	CellBytes int
	// Text is the maximum total number of text bytes in all cells. A text shared between
	// cells counts in each of them: this is how much there is to read.
	Text int64
}

// Default returns the import limits.
func Default() Limits {
	return Limits{Inflated: 64 << 20, Rows: 200_000, Columns: 256, Cells: 2_000_000, CellBytes: 64 << 10, Text: 32 << 20}
}

// orDefault fills in zero fields.
func (l Limits) orDefault() Limits {
	d := Default()
	if l.Inflated <= 0 {
		l.Inflated = d.Inflated
	}
	if l.Text <= 0 {
		l.Text = d.Text
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

// budget counts how much a file has used of its limits. It is shared by a workbook's
// sheets and by an archive with the workbook in it.
type budget struct {
	ctx      context.Context // ends the work when the caller has given up
	limits   Limits
	inflated int64
	rows     int
	cells    int
	seen     int
	text     int64
	steps    int
}

func newBudget(ctx context.Context, limits Limits) *budget {
	return &budget{ctx: ctx, limits: limits.orDefault()}
}

// step counts a small piece of work, such as a token or a row, and checks from time to
// time whether the caller has given up.
func (b *budget) step() error {
	const often = 1024
	if b.steps++; b.steps%often != 0 {
		return nil
	}
	return b.ctx.Err()
}

// row counts a row with so many cells, before any of it is kept.
func (b *budget) row(cells int) error {
	if err := b.step(); err != nil {
		return err
	}
	b.rows++
	b.cells += cells
	switch {
	case b.rows > b.limits.Rows:
		return journal.Invalid("The file has more than %s rows; split it and upload the parts.", formatThousands(b.limits.Rows))
	case b.cells > b.limits.Cells:
		return b.tooManyCells()
	}
	return nil
}

// cell counts a sheet cell, before it is known whether it is empty. Sheets can have
// millions of empty ones, and each takes its time.
func (b *budget) cell() error {
	if b.seen++; b.seen > b.limits.Cells {
		return b.tooManyCells()
	}
	return b.step()
}

func (b *budget) tooManyCells() error {
	return journal.Invalid("The file has more than %s cells; split it and upload the parts.", formatThousands(b.limits.Cells))
}

// checkCell checks the length of a cell's text.
func (b *budget) checkCell(length, line int) error {
	if length > b.limits.CellBytes {
		return journal.Invalid("A cell in line %d has more than %s bytes of text.", line, formatThousands(b.limits.CellBytes))
	}
	return nil
}

// countText checks the length of a cell's text and counts it.
func (b *budget) countText(length, line int) error {
	if b.text += int64(length); b.text > b.limits.Text {
		return journal.Invalid("The cells of the file have more than %d MiB of text; split it and upload the parts.", b.limits.Text>>20)
	}
	return b.checkCell(length, line)
}

// tooWide refuses a row with text beyond the last usable column.
func (b *budget) tooWide(line int) error {
	return journal.Invalid("Line %d uses more than %s columns.", line, formatThousands(b.limits.Columns))
}

// formatThousands writes a limit as a person would.
func formatThousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// newDamagedError refuses a file violating its format. An error that is a refusal
// already, such as a limit, stays unchanged, and so does the end of the caller's context.
func newDamagedError(what string, cause error) error {
	if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	var refusal *journal.Error
	if errors.As(cause, &refusal) {
		return refusal
	}
	refusal = journal.Invalid("The %s is damaged or incomplete; export it again.", what)
	refusal.Err = cause
	return refusal
}
