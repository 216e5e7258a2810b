package metatrader

import (
	"slices"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// ticketColumns are the columns in an MT4 statement, closed and open trades alike, under
// fixed names. The last is the ticket cell's title, where the terminal puts magic number
// and comment.
var ticketColumns = []string{
	"Ticket", "Open Time", "Type", "Size", "Item", "Price", "S / L", "T / P",
	"Close Time", "Close Price", "Commission", "Taxes", "Swap", "Profit", "Comment",
}

const commentAt = 14 // in ticketColumns

// isStatement recognizes an MT4 statement by a row or by its title.
func isStatement(file tabular.File) string {
	if file.Kind != tabular.HTML {
		return ""
	}
	for _, table := range file.Tables {
		for _, row := range table.Rows {
			if isTicket(row.Cells) {
				return "rows are tickets as MetaTrader 4 writes them"
			}
		}
	}
	if strings.HasPrefix(file.Title, "Statement: ") {
		return "the title of a MetaTrader 4 statement"
	}
	return ""
}

// isTicket reports whether a row is a ticket: a number, a time and a type, which is never
// translated. Rows with only a magic number and a comment, as some builds write below
// each trade, are none.
func isTicket(cells []string) bool {
	const fewest = 4
	return len(cells) >= fewest && isID(cells[0]) && isStamp(cells[1]) && isWord(strings.ToLower(cells[2]))
}

// readStatement reads an MT4 statement, detailed or not.
func readStatement(r *statement.Reader) error {
	tickets, sum := titled(ticketColumns), summary{}
	for _, table := range r.File.Tables {
		for _, row := range table.Rows {
			switch {
			case isTicket(row.Cells):
				add(&tickets, row, ticketCells(row))
			case len(tickets.Rows) == 1 && sum.account.login == "":
				sum.account = headOf(row)
			default:
				sum.readTotals(row)
			}
		}
	}
	if len(tickets.Rows) == 1 {
		return journal.Invalid("The statement holds no transactions. Choose a longer period in the Account History tab of the terminal and save it again.")
	}
	sum.account.setAccount(r)
	l := newLedger(r, tickets, sum.account.currency)
	l.index()
	l.take()
	sum.state(r.Out, l.archived)
	return nil
}

// ticketCells returns a row's cells in the order of ticketColumns. Money has one cell for
// its comment, an unfilled order one for its end, and statements from old builds have no
// taxes.
func ticketCells(row tabular.Row) []string {
	const typeAt, taxesAt, profitAt, whole = 2, 11, 13, 14
	cells := make([]string, len(ticketColumns))
	switch kind := strings.ToLower(row.Cells[typeAt]); {
	case isSide(kind) && len(row.Cells) == whole-1:
		copy(cells, slices.Insert(slices.Clone(row.Cells), taxesAt, ""))
	case isSide(kind), isTrade(kind):
		copy(cells[:commentAt], row.Cells)
	default:
		copy(cells[:typeAt+1], row.Cells)
		cells[profitAt] = row.Cells[len(row.Cells)-1]
		if len(row.Cells) > typeAt+2 {
			cells[commentAt] = row.Cells[typeAt+1]
		}
		return cells
	}
	cells[commentAt] = row.Titles[0]
	return cells
}

// headText is a cell in the line above the tables, such as "Currency: USD".
var headText = lazyregexp.New(`^[^:：]+[:：]\s*(.+)$`)

// headOf reads the line above the tables: account, name and currency.
func headOf(row tabular.Row) (a account) {
	const fewest = 3
	var values []string
	for _, cell := range row.Cells {
		if found := headText().FindStringSubmatch(cell); found != nil {
			values = append(values, strings.TrimSpace(found[1]))
		}
	}
	if len(values) < fewest || !isID(values[0]) {
		return account{}
	}
	a.login, a.name = values[0], values[1]
	for _, v := range values[2:] {
		if isCode(v) {
			a.currency = v
			break
		}
	}
	return a
}
