package metatrader

import (
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// isBacktest recognizes a strategy tester's report by its title, or by deals counted from
// 1 without an account and positions.
func isBacktest(file tabular.File) string {
	const title = "strategy tester"
	if strings.Contains(strings.ToLower(file.Title), title) {
		return "the title of a strategy tester report"
	}
	first := ""
	for _, table := range file.Tables {
		for i, row := range table.Rows {
			if _, ok := accountIn(row); ok {
				return ""
			}
			if i == 0 && strings.Contains(strings.ToLower(strings.Join(row.Cells, " ")), title) {
				return "the title of a strategy tester report"
			}
			cells := visible(row)
			switch partOf(cells) {
			case dealPart:
				if first == "" {
					first = cells[1]
				}
			case closedPart, openPart:
				return ""
			case noPart, orderPart:
			}
		}
	}
	if first == "1" {
		return "deals counted from 1, without an account"
	}
	return ""
}

func refuseBacktest(*statement.Reader) error {
	return journal.Invalid("This is the report of a strategy tester: its trades were simulated. " +
		"To import real trades, save a report from the History tab of the terminal.")
}

// isOpenReport recognizes the Trade tab's report, whose rows begin with the symbol, the
// id and the time.
func isOpenReport(file tabular.File) string {
	found := strings.Contains(file.Title, "Trade Report")
	for _, table := range file.Tables {
		for _, row := range table.Rows {
			c := row.Cells
			if is := partOf(visible(row)); is == dealPart || is == closedPart {
				return ""
			}
			const fewest = 9
			if len(c) >= fewest && c[0] != "" && isID(c[1]) && isStamp(c[2]) && isTrade(strings.ToLower(c[3])) && isVolume(c[4]) {
				found = true
			}
		}
	}
	if found {
		return "rows are open positions and orders of the Trade tab"
	}
	return ""
}

func refuseOpenReport(*statement.Reader) error {
	return journal.Invalid("This report lists only open positions and pending orders. " +
		"In MetaTrader 5 open the History tab, choose Report in its menu, and import that file.")
}
