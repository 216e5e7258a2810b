package metatrader

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

// The columns in the three tables, under fixed names: the file's may be in any language,
// and Japanese has one word for Commission and Fee.
var (
	dealColumns = []string{
		"Time", "Deal", "Symbol", "Type", "Direction", "Volume", "Price", "Order",
		"Commission", "Fee", "Swap", "Profit", "Balance", "Comment",
	}
	closedColumns = []string{
		"Time", "Position", "Symbol", "Type", "Volume", "Price", "S / L", "T / P",
		"Close Time", "Close Price", "Commission", "Swap", "Profit", "Opened",
	}
	openColumns = []string{
		"Time", "Position", "Symbol", "Type", "Volume", "Price", "S / L", "T / P",
		"Market Price", "Swap", "Profit", "Comment",
	}
)

// titled returns a table with its header.
func titled(columns []string) tabular.Table {
	return tabular.Table{Rows: []tabular.Row{{Cells: columns}}}
}

// add appends a row to a table.
func add(table *tabular.Table, row tabular.Row, cells []string) {
	width := len(table.Rows[0].Cells)
	fitted := make([]string, width)
	copy(fitted, cells)
	table.Rows = append(table.Rows, tabular.Row{Line: row.Line, Cells: fitted})
}

// headerWidth returns the number of columns in a row of names, 0 for other rows.
func headerWidth(cells []string) int {
	const fewest = 10
	named, width := 0, 0
	for i, c := range cells {
		if c != "" && !isNumber(c) {
			named++
			width = i + 1
		}
	}
	if named < fewest {
		return 0
	}
	return width
}

// withFee returns a deal's cells in the order of dealColumns. Older terminals had no Fee,
// and some accounts have a column Cost.
func withFee(cells []string, width int) []string {
	const costAt, feeAt = 8, 9
	if width == 0 {
		width = len(cells)
	}
	fitted := make([]string, 0, len(dealColumns)+1)
	switch width {
	case len(dealColumns) - 1:
		fitted = append(append(append(fitted, cells[:feeAt]...), ""), cells[feeAt:]...)
	case len(dealColumns) + 1:
		fitted = append(append(fitted, cells[:costAt]...), cells[costAt+1:]...)
	default:
		return cells
	}
	return fitted
}

// splitVolume returns a position's cells with the opened volume in its own column if the
// volume is written as closed / opened.
func splitVolume(cells []string) []string {
	const volumeAt = 4
	closed, opened, two := strings.Cut(cells[volumeAt], "/")
	fitted := make([]string, len(closedColumns))
	copy(fitted[:len(fitted)-1], cells)
	if two {
		fitted[volumeAt], fitted[len(fitted)-1] = strings.TrimSpace(closed), strings.TrimSpace(opened)
	} else {
		fitted[len(fitted)-1] = ""
	}
	return fitted
}

// numbersOf returns the numbers in a row, and whether it contains nothing else.
func numbersOf(row tabular.Row) (numbers []decimal.Decimal, only bool) {
	only = true
	for _, c := range row.Cells {
		if c == "" {
			continue
		}
		n, err := parse.Number(c, parse.Unsettled)
		if err != nil {
			only = false
			continue
		}
		numbers = append(numbers, n)
	}
	return numbers, only && len(numbers) > 0
}

func lastText(row tabular.Row) string {
	for i := len(row.Cells) - 1; i > 0; i-- {
		if row.Cells[i] != "" {
			return row.Cells[i]
		}
	}
	return ""
}
