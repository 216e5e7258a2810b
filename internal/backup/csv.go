package backup

import (
	"context"
	"encoding/csv"
	"io"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// writeCSV writes a table with one row per record. It streams inside a read transaction.
func writeCSV(ctx context.Context, tx *db.Tx, r Request, of table, out io.Writer) error {
	t, err := newTableReader(ctx, tx, r)
	if err != nil {
		return err
	}
	w := csv.NewWriter(out)
	if err := w.Write(of.headers); err != nil {
		return err
	}
	record := make([]string, len(of.headers))
	err = of.rows(t, func(cells []cell) error {
		for i, c := range cells {
			record[i] = c.csv()
		}
		return w.Write(record)
	})
	if err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

func (c cell) csv() string {
	switch c.kind {
	case textCell:
		return guardFormula(c.text)
	case timeCell:
		return journal.FormatInstant(c.at)
	default:
		return c.text
	}
}

// formulaStarts are the characters by which a spreadsheet knows a formula, or
// which it passes over before it looks for one.
const formulaStarts = "=+-@\t\r"

// guardFormula keeps a spreadsheet from running a text as a formula: a leading apostrophe
// makes it a text. A text with apostrophes before such a start gets another one, so
// removing one always restores the original.
func guardFormula(text string) string {
	bare := strings.TrimLeft(text, "'")
	if bare != "" && strings.ContainsRune(formulaStarts, rune(bare[0])) {
		return "'" + text
	}
	return text
}
