package brokers

import (
	"regexp"
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// rithmic describes two exports of R|Trader Pro. Both have order numbers and none
// of fills, so a fill is an order here, with its number as the id.
func rithmic() []*statement.Preset {
	const broker = "Rithmic"
	return []*statement.Preset{
		{
			Broker: broker, Export: "completed orders", Evidence: statement.SampleFile, Format: statement.Executions,
			Header:     []string{"Buy/Sell", "Symbol", "Avg Fill Price", "Order Number", "Qty Filled"},
			Instrument: instruments.TypeFuture, Costs: statement.CostsPositive,
			Whole: rithmicOrders,
		},
		{
			// Read in another importer; no file was seen.
			Broker: broker, Export: "performance", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{
				"Entry Order Number", "Entry Buy/Sell", "Entry Price", "Exit Order Number", "Exit Price", "Fill Size",
			},
			Instrument: instruments.TypeFuture, Costs: statement.CostsPositive,
			Whole: rithmicPerformance,
		},
	}
}

// block is a part of a table below a header: rows up to the next header or
// title.
type block struct {
	table       tabular.Table
	header, end int
	titles      []string // the rows of one cell above the header
}

// blocks cuts the tables of a file at rows that have a column of a name. A row
// with one cell is a title.
func blocks(file tabular.File, column string) []block {
	var list []block
	for _, table := range file.Tables {
		var titles []string
		open := false
		for i, row := range table.Rows {
			title, single := rithmicOnlyCell(row)
			switch {
			case single:
				if open {
					list[len(list)-1].end = i
				}
				open = false
				titles = append(titles, title)
			case slices.ContainsFunc(row.Cells, func(c string) bool { return statement.HeaderKey(c) == statement.HeaderKey(column) }):
				if open {
					list[len(list)-1].end = i
				}
				open = true
				list = append(list, block{table: table, header: i, end: len(table.Rows), titles: slices.Clone(titles)})
			}
		}
	}
	return list
}

// rithmicOnlyCell returns the text of a row that has no more than one.
func rithmicOnlyCell(row tabular.Row) (text string, single bool) {
	for _, cell := range row.Cells {
		if cell == "" {
			continue
		}
		if text != "" {
			return "", false
		}
		text = cell
	}
	return text, text != ""
}

// columnLike finds the name of the column that begins with a text: the zone of
// Rithmic's times is part of the name, as in Update Time (EDT).
func (b block) columnLike(beginning string) string {
	for _, name := range b.table.Rows[b.header].Cells {
		if strings.HasPrefix(statement.HeaderKey(name), statement.HeaderKey(beginning)) {
			return name
		}
	}
	return beginning
}

// rithmicOrders reads the orders of all blocks; those that are still working
// may be partly filled too.
func rithmicOrders(r *statement.Reader) error {
	booksOf(r)
	for _, b := range blocks(r.File, "Qty Filled") {
		updated := b.columnLike("Update Time")
		r.Section(b.table, b.header, b.end).EachRow(func(w *statement.Row) { rithmicOrder(w, updated) })
	}
	r.Out.JoinParts()
	closeBooks(r)
	return nil
}

// rithmicOrder reads an order. Its commission is stated, or follows from the
// rate a contract.
func rithmicOrder(w *statement.Row, updated string) {
	quantity := w.Decimal("Qty Filled")
	if quantity.Sign() <= 0 {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	symbol := contractName(w.Text("Symbol"))
	side, _ := w.Side("Buy/Sell")
	commission := w.Cost("Commission")
	if w.Text("Commission") == "" {
		commission = w.Cost("Commission Fill Rate").Mul(quantity)
	}
	w.Fill(statement.Fill{
		Symbol: symbol, Side: side, Quantity: quantity, Price: futurePrice(w, "Avg Fill Price", symbol), Commission: commission,
		At: w.Moment(updated).At, ID: w.Text("Order Number"),
	})
	booksOf(w.Reader()).account(w.Text("Account"))
}

// dated is a contract with its month, known or not.
var dated = regexp.MustCompile(`^[A-Z0-9]{1,4}[FGHJKMNQUVXZ]\d{1,2}$`)

// rithmicPerformance reads entries with their exits, in blocks below the
// account and the contract that they are of.
func rithmicPerformance(r *statement.Reader) error {
	books := booksOf(r)
	for _, b := range blocks(r.File, "Entry Order Number") {
		symbol := ""
		for _, title := range b.titles {
			if dated.MatchString(title) {
				symbol = contractName(title)
			} else if !strings.Contains(title, " ") {
				books.account(title)
			}
		}
		entered, left := b.columnLike("Entry Time"), b.columnLike("Exit Time")
		r.Section(b.table, b.header, b.end).EachRow(func(w *statement.Row) { rithmicTrip(w, symbol, entered, left) })
	}
	r.Out.JoinParts()
	closeBooks(r)
	return nil
}

// rithmicTrip reads contracts that were bought and sold. An order that was
// closed by several is in several rows.
func rithmicTrip(w *statement.Row, symbol, entered, left string) {
	if column := contractName(w.Text("Instrument|Symbol")); column != "" {
		symbol = column
	}
	side, _ := w.Side("Entry Buy/Sell")
	quantity := w.Required("Fill Size")
	entry := w.Fill(statement.Fill{
		Symbol: symbol, Side: side, Quantity: quantity, Price: futurePrice(w, "Entry Price", symbol),
		At: w.Moment(entered).At, ID: w.Text("Entry Order Number"), PartialQuantity: true,
	})
	exit := w.Fill(statement.Fill{
		Symbol: symbol, Side: otherSide(side), Quantity: quantity, Price: futurePrice(w, "Exit Price", symbol),
		At: w.Moment(left).At, ID: w.Text("Exit Order Number"), Commission: w.Cost("Commission & Fees"), PartialQuantity: true,
	})
	points := exit.Price.Sub(entry.Price)
	if side == matching.Sell {
		points = points.Neg()
	}
	if made := w.Null("Trade P&L"); made.Valid && !w.Failed() {
		booksOf(w.Reader()).made(symbol, made.Decimal, points, quantity)
	}
}

func otherSide(side matching.Side) matching.Side {
	if side == matching.Buy {
		return matching.Sell
	}
	return matching.Buy
}
