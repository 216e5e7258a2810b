package ibkr

import (
	"regexp"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
)

// The shape of sections. Statements come in the account's language, but a row's second
// cell, the order of columns and the form of values are always the same.

var (
	timedCell    = lazyregexp.New(`^\d{4}-\d{2}-\d{2}, \d{2}:\d{2}`)
	dayCell      = lazyregexp.New(`^\d{4}-\d{2}-\d{2}`)
	currencyCell = lazyregexp.New(`^[A-Z]{3}$`)
	accountCell  = lazyregexp.New(`^[A-Z]{1,3}[\d*]{4,10}`)
)

// cellsOf returns the cells in a part's data rows.
func (p *part) cellsOf() [][]string {
	var list [][]string
	for _, row := range p.table.Rows[p.header+1 : p.end] {
		if len(row.Cells) > 2 && row.Cells[1] == "Data" {
			list = append(list, row.Cells)
		}
	}
	return list
}

// columnCount counts the columns up to the last one with a name.
func (p *part) columnCount() int {
	cells := p.table.Rows[p.header].Cells
	n := len(cells)
	for n > 0 && strings.TrimSpace(cells[n-1]) == "" {
		n--
	}
	return n
}

// numberIn returns the number in a cell.
func numberIn(cells []string, i int) (decimal.Decimal, bool) {
	if i < 0 || i >= len(cells) || parse.Blank(cells[i]) {
		return decimal.Zero, false
	}
	n, err := parse.Number(cells[i], parse.Point)
	return n, err == nil
}

// setName names a column, unless it or another column has a name from a word table.
func (p *part) setName(i int, name string) {
	if i >= 2 && i < len(p.columns) && p.columns[i] == "" && !slices.Contains(p.columns, name) {
		p.columns[i] = name
	}
}

// nameTradeColumns names trade columns by their place and values. The order time is the
// first timed cell; the symbol is before it, and quantity, price, amount and commission
// are after it, with the exchange and the closing price between them if the statement has
// them.
func (p *part) nameTradeColumns() {
	orders := slices.DeleteFunc(p.cellsOf(), func(cells []string) bool { return findCell(cells, timedCell()) < 0 })
	if len(orders) == 0 {
		return
	}
	first := orders[0]
	at := findCell(first, timedCell())
	p.setName(at, "Date/Time")
	p.setName(at-1, "Symbol")
	if money := findCell(first[:max(at-1, 0)], currencyCell()); money > 2 {
		p.setName(money, "Currency")
		p.setName(money-1, "Asset Category")
		if money+1 < at-1 {
			p.setName(money+1, "Account")
		}
	}
	p.setName(p.columnCount()-1, "Code")
	quantity := at + 1
	if _, ok := numberIn(first, quantity); !ok {
		quantity++
	}
	p.setName(quantity, "Quantity")
	p.setName(quantity+1, "T. Price")
	amount := findAmount(orders, quantity)
	if amount < 0 {
		return
	}
	const toResult = 3 // from the amount, with the commission and the basis between them
	p.setName(amount, "Proceeds")
	p.setName(amount+1, "Comm/Fee")
	if i := amount + toResult; i < p.columnCount()-1 && strings.TrimSpace(p.table.Rows[p.header].Cells[i]) != "" {
		p.setName(i, "Realized P/L")
	}
}

// findCell returns the place of the first cell matching a pattern, -1 for none.
func findCell(cells []string, fits *regexp.Regexp) int {
	return slices.IndexFunc(cells, fits.MatchString)
}

// findAmount returns the column for order amounts, -1 if none: quantity times
// price or more, with the opposite sign. The closing price may come before it.
func findAmount(orders [][]string, quantity int) int {
	for _, column := range []int{quantity + 3, quantity + 2} {
		if isAmount(orders, quantity, column) {
			return column
		}
	}
	return -1
}

func isAmount(orders [][]string, quantity, column int) bool {
	found := false
	for _, cells := range orders {
		units, okUnits := numberIn(cells, quantity)
		price, okPrice := numberIn(cells, quantity+1)
		amount, okAmount := numberIn(cells, column)
		traded := units.Mul(price).Abs()
		if !okUnits || !okPrice || !okAmount || traded.IsZero() {
			continue
		}
		const almost = "0.99" // amounts are rounded
		if amount.Sign() == units.Sign() || amount.Abs().Cmp(traded.Mul(decimal.Must(almost))) < 0 {
			return false
		}
		found = true
	}
	return found
}

// isTradeShape reports whether a part has trades: order rows, or rows with a time and a
// code for opening or closing. Open positions have neither.
func (p *part) isTradeShape() bool {
	if header := p.table.Rows[p.header].Cells; len(header) < 3 || header[2] != "DataDiscriminator" {
		return false
	}
	code := p.columnCount() - 1
	return slices.ContainsFunc(p.cellsOf(), func(cells []string) bool {
		if findCell(cells, timedCell()) < 0 || code >= len(cells) {
			return false
		}
		if orderWords.find(cells[2]) != "" {
			return true
		}
		marks := splitCodes(cells[code])
		return slices.Contains(marks, "O") || slices.Contains(marks, "C")
	})
}

// nameCashColumns names the columns in a cash section by the shape of its rows: a
// currency, perhaps an account, a day, a text, an amount and perhaps a code. It reports
// whether the section has that shape.
func (p *part) nameCashColumns() bool {
	count := p.columnCount()
	for _, cells := range p.cellsOf() {
		money := findCell(cells, currencyCell())
		day := findCell(cells, dayCell())
		amount := day + 2
		if money < 2 || money > 3 || day <= money || day > money+2 || amount >= len(cells) || count-amount > 2 || count <= amount {
			continue
		}
		if _, ok := numberIn(cells, amount); !ok {
			continue
		}
		p.setName(money, "Currency")
		if day == money+2 {
			p.setName(money+1, "Account")
		}
		p.setName(day, "Date")
		p.setName(day+1, "Description")
		p.setName(amount, "Amount")
		return true
	}
	return false
}

// isPairShape reports whether a part has two columns, as facts and rates do.
func (p *part) isPairShape() bool {
	const columns = 4 // with the section and the row's kind
	return p.columnCount() == columns
}

// isRateShape reports whether a part has a rate for each currency.
func (p *part) isRateShape() bool {
	rows := p.cellsOf()
	return p.isPairShape() && len(rows) > 0 && !slices.ContainsFunc(rows, func(cells []string) bool {
		_, ok := numberIn(cells, 3)
		return !ok || !currencyCell().MatchString(cells[2])
	})
}

// nameInstrumentColumns names the columns in a section about instruments: asset class and
// symbol come first, and the multiplier is the first column with numbers after the
// contract number.
func (p *part) nameInstrumentColumns() {
	const class, symbol = 2, 3
	p.setName(class, "Asset Category")
	p.setName(symbol, "Symbol")
	contract := p.findConid()
	if i := slices.IndexFunc(p.table.Rows[p.header].Cells, isMultiplierName); i >= 0 {
		p.setName(i, "Multiplier")
	}
	const furthest = 6 // columns between the two
	rows := p.cellsOf()
	for i := contract + 1; contract >= 0 && i < min(p.columnCount(), contract+furthest); i++ {
		if len(rows) > 0 && !slices.ContainsFunc(rows, func(cells []string) bool { _, ok := numberIn(cells, i); return !ok }) {
			p.setName(i, "Multiplier")
			return
		}
	}
}

// isMultiplierName reports whether a column is named multiplier; Western languages share
// the word.
func isMultiplierName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "multipli") || strings.HasPrefix(name, "moltiplic") || name == "множитель" || name == "合约乘数"
}

// findConid returns the column with the broker's contract numbers, whose name is the same
// in all languages, -1 if none.
func (p *part) findConid() int {
	return slices.IndexFunc(p.table.Rows[p.header].Cells, func(name string) bool { return strings.EqualFold(name, "Conid") })
}
