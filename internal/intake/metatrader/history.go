package metatrader

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// report is an MT5 report, cut into its tables. Sheets split by hand and sections without
// a title make no difference to it.
type report struct {
	deals, closed, open tabular.Table
	account             account
	totals              dealTotals
	netProfit           decimal.Null // in the results
}

func isHistory(file tabular.File) string {
	for _, table := range file.Tables {
		for _, row := range table.Rows {
			switch partOf(visible(row)) {
			case dealPart:
				return "rows are deals as MetaTrader 5 writes them"
			case closedPart:
				return "rows are positions as MetaTrader 5 writes them"
			case noPart, openPart, orderPart:
			}
			if _, ok := accountIn(row); ok {
				return "the account line of a MetaTrader 5 report"
			}
		}
	}
	return ""
}

// readHistory reads an account history report.
func readHistory(r *statement.Reader) error {
	rep := gather(r.File)
	if rep.empty() {
		return journal.Invalid("The report holds no deals and no positions. Choose a longer period in the History tab of the terminal and save it again.")
	}
	rep.account.setAccount(r)
	b := newBook(r, rep)
	b.index()
	b.join()
	b.readDeals()
	b.readPositions()
	rep.state(r.Out)
	return nil
}

// gather sorts a file's rows into the report's tables.
func gather(file tabular.File) *report {
	rep := &report{deals: titled(dealColumns), closed: titled(closedColumns), open: titled(openColumns)}
	seen := map[string]bool{} // deals by id, as people copy sheets inside a workbook
	for _, table := range file.Tables {
		s := scan{rep: rep}
		for _, row := range table.Rows {
			s.take(row, seen)
		}
	}
	return rep
}

// scan reads one table.
type scan struct {
	rep    *report
	width  int // the last header's
	before tabular.Row
	last   part
}

func (s *scan) take(row tabular.Row, seen map[string]bool) {
	cells := visible(row)
	is := partOf(cells)
	switch is {
	case dealPart:
		if !seen[cells[1]] {
			seen[cells[1]] = true
			add(&s.rep.deals, row, withFee(cells, s.width))
		}
	case closedPart:
		add(&s.rep.closed, row, splitVolume(cells))
	case openPart:
		add(&s.rep.open, row, cells)
	case noPart:
		if n := headerWidth(cells); n > 0 {
			s.width = n
		}
		s.readOther(row)
	case orderPart:
	}
	s.before, s.last = row, is
}

// readOther reads account and totals from a row without data.
func (s *scan) readOther(row tabular.Row) {
	if a, ok := accountIn(row); ok {
		a.name = lastText(s.before)
		s.rep.account = a
		return
	}
	numbers, only := numbersOf(row)
	if s.last == dealPart && only && row.Cells[0] == "" {
		s.rep.totals = totalsOf(numbers)
		return
	}
	// The first result is for all trades: profits and losses.
	const profit, loss = 1, 2
	if len(numbers) == 3 && !only && !s.rep.netProfit.Valid && numbers[0].Equal(numbers[profit].Add(numbers[loss])) && numbers[loss].Sign() <= 0 {
		s.rep.netProfit = decimal.Of(numbers[0])
	}
}

func (rep *report) empty() bool {
	return len(rep.deals.Rows)+len(rep.closed.Rows)+len(rep.open.Rows) == 3 // the titles
}
