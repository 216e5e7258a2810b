package backup

import (
	"context"
	"encoding/csv"
	"io"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// WriteTradesCSV writes the trades of some accounts, or of all where none is
// named, with their annotations, one row a trade. It is one step of a
// reading transaction and streams.
func WriteTradesCSV(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []journal.AccountID, out io.Writer) error {
	return writeCSV(ctx, tx, Request{Owner: owner, Accounts: accounts}, tradeTable, out)
}

// WriteFillsCSV is [WriteTradesCSV] for the fills, one row each.
func WriteFillsCSV(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []journal.AccountID, out io.Writer) error {
	return writeCSV(ctx, tx, Request{Owner: owner, Accounts: accounts}, fillTable, out)
}

func writeCSV(ctx context.Context, tx *db.Tx, r Request, of table, out io.Writer) error {
	t, err := newTabler(ctx, tx, r)
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
		return guarded(c.text)
	case timeCell:
		return journal.FormatInstant(c.at)
	default:
		return c.text
	}
}

// formulaStarts are the characters by which a spreadsheet knows a formula, or
// which it passes over before it looks for one.
const formulaStarts = "=+-@\t\r"

// guarded keeps a spreadsheet from running a text as a formula: an apostrophe
// in front makes it a text. One that has apostrophes before such a start gets
// one more, so that to take one away always gives the text back.
func guarded(text string) string {
	bare := strings.TrimLeft(text, "'")
	if bare != "" && strings.ContainsRune(formulaStarts, rune(bare[0])) {
		return "'" + text
	}
	return text
}
