package blotters

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// proceeds reads the blotter that gives gross and net proceeds of each fill.
// TradeZero writes it, TradeStation does, and journals have taken it for their
// template; the file does not say which it is of.
func proceeds() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "TradeStation / TradeZero", Export: "executions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"T/D", "Side", "Symbol", "Qty", "Price", "Exec Time", "Comm", "Gross Proceeds", "Net Proceeds"},
		Zone:   newYork, Order: statement.MonthFirst, Costs: statement.CostsPositive,
		Each: proceedsRow,
	}}
}

var proceedsColumns = columns{
	symbol: "Symbol", side: "Side", quantity: "Qty", price: "Price", date: "T/D", tod: "Exec Time", commission: "Comm",
	fees: []string{"SEC", "TAF", "NSCC", "Nasdaq", "ECN Remove", "ECN Add", "CAT", "Misc"},
}

func proceedsRow(w *statement.Row) {
	if w.Text("Symbol") == "" && w.Text("Side") == "" {
		w.Ignore() // a line of sums
		return
	}
	f, ok := proceedsColumns.fill(w)
	if !ok {
		w.Fail("There is no quantity.")
		return
	}
	nameByType(&f, w.Text("Symbol"), w.Text("Type"))
	foreign(w, &f, w.Text("Currency"))
	gross, net := w.Null("Gross Proceeds"), w.Null("Net Proceeds")
	if gross.Valid && net.Valid {
		// What lies between the two is what was paid, also where a fee has a
		// column that nobody knows.
		f.Fees = gross.Decimal.Sub(net.Decimal).Sub(f.Commission)
	}
	f.StatedCashFlow = net
	w.Fill(f)
}

// nameByType names the instrument. The type is a word in some files and the sort
// of account, such as 2 for margin, in others.
func nameByType(f *statement.Fill, symbol, word string) {
	switch word = strings.ToLower(word); word {
	case "stock", "future":
		f.Name(symbol, word)
	case "call", "put":
		f.Name(symbol, instruments.TypeOption)
		if f.Right == "" {
			f.Right = word
		}
	default:
		f.Name(symbol, "")
	}
}
