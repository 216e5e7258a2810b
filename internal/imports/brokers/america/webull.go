package america

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// webull knows the list of orders, the same with two columns in one, which is
// known from programs that read it, the list of option orders, and what its
// branches outside the United States export. An order counts with what was
// filled of it, whatever became of the rest.
func webull() []*statement.Preset {
	orders := statement.Preset{
		Broker: "Webull", Export: "orders", Evidence: statement.RealFile, Format: statement.Executions,
		Header: []string{"Symbol", "Side", "Status", "Filled", "Total Qty", "Avg Price", "Filled Time"},
		Zone:   newYork, Order: statement.MonthFirst, NewestFirst: true, Each: webullOrder,
		Columns: map[statement.Target]string{
			statement.TargetSymbol: "Symbol", statement.TargetSide: "Side", statement.TargetExecutedAt: "Filled Time",
			statement.TargetQuantity: "Filled", statement.TargetPrice: "Avg Price",
		},
	}
	combined := orders
	combined.Export, combined.Evidence = "orders with combined columns", statement.Documented
	combined.Header = []string{"Symbol", "Side", "Status", "Filled/Total Qty", "Price/Avg Price", "Filled Time"}
	combined.Columns = nil // no column is a quantity or a price alone
	return []*statement.Preset{&orders, &combined, {
		Broker: "Webull", Export: "option orders", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Symbol", "B/S", "Side Type", "Option Type", "Filled Avg Price", "Filled Qty", "Filled Time", "Traded Value"},
		Zone:   newYork, Order: statement.MonthFirst, NewestFirst: true, Costs: statement.CostsPositive, Instrument: "option",
		Each: webullOption,
		Columns: map[statement.Target]string{
			statement.TargetSymbol: "Symbol", statement.TargetSide: "B/S", statement.TargetExecutedAt: "Filled Time",
			statement.TargetQuantity: "Filled Qty", statement.TargetPrice: "Filled Avg Price",
			statement.TargetCommission: "Commission", statement.TargetFees: "Fee",
		},
	}, {
		Broker: "Webull", Export: "trades outside the United States", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Symbol & Name", "Trade Date", "Buy/Sell", "Quantity", "Traded Price", "Gross Amount", "Comm/Fee/Tax", "Net Amount"},
		Zone:   newYork, Order: statement.DayFirst, Costs: statement.CostsNegative, Each: webullAbroad,
		Columns: map[statement.Target]string{
			statement.TargetSymbol: "Symbol & Name", statement.TargetSide: "Buy/Sell", statement.TargetExecutedAt: "Trade Date",
			statement.TargetQuantity: "Quantity", statement.TargetPrice: "Traded Price", statement.TargetFees: "Comm/Fee/Tax",
		},
	}}
}

// webullOrder reads an order of either list.
func webullOrder(w *statement.Row) {
	symbol := w.Text("Symbol")
	if symbol == "" {
		w.Ignore()
		return
	}
	filled, price := w.Null("Filled"), decimal.Null{}
	if w.Reader().Has("Filled/Total Qty") {
		filled, price = part(w, "Filled/Total Qty", 0), part(w, "Price/Avg Price", -1)
		symbol = firstWord(symbol) // the name may follow
	}
	if filled.Decimal.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	if !price.Valid {
		price = decimal.Of(w.Required("Avg Price"))
	}
	f := statement.Fill{Quantity: filled.Decimal, Price: price.Decimal}
	f.Side, f.Effect = w.Side("Side")
	f.Name(symbol, "")
	at := w.Moment("Filled Time")
	f.At, f.DateOnly = at.At, at.DateOnly
	w.Fill(f)
}

// part is one of the numbers that share a cell: the first, or with -1 the last.
func part(w *statement.Row, column string, which int) decimal.Null {
	parts := strings.Split(w.Text(column), "/")
	if which < 0 {
		which = len(parts) - 1
	}
	if statement.Blank(parts[which]) {
		return decimal.Null{}
	}
	n, err := statement.Number(parts[which], statement.Point)
	if err != nil {
		w.Fail("%s: %v.", column, err)
		return decimal.Null{}
	}
	return decimal.Of(n)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// webullOption reads an order in an option, whose effect has its own column.
func webullOption(w *statement.Row) {
	filled := w.Null("Filled Qty")
	if filled.Decimal.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	f := statement.Fill{
		Quantity: filled.Decimal, Price: w.Required("Filled Avg Price"), Commission: w.Cost("Commission"), Fees: w.Cost("Fee"),
	}
	f.Side, f.Effect = w.Side("B/S")
	switch strings.ToLower(w.Text("Side Type")) {
	case "open":
		f.Effect = statement.Opening
	case "close":
		f.Effect = statement.Closing
	}
	f.Name(w.Text("Symbol"), "option")
	if f.Right == "" {
		w.Fail("Symbol: %q is not an option.", f.Symbol)
	}
	if traded := w.Null("Traded Value"); traded.Valid {
		flow := traded.Decimal
		if f.Side == matching.Buy {
			flow = flow.Neg()
		}
		f.StatedCashFlow = decimal.Of(flow.Sub(f.Commission).Sub(f.Fees))
	}
	at := w.Moment("Filled Time")
	f.At, f.DateOnly = at.At, at.DateOnly
	w.Fill(f)
}

// webullAbroad reads a trade of which the ticker is the first word of the name.
func webullAbroad(w *statement.Row) {
	name := w.Text("Symbol & Name")
	if name == "" || w.Text("Buy/Sell") == "" {
		w.Ignore()
		return
	}
	f := statement.Fill{
		Quantity: w.Required("Quantity"), Price: w.Required("Traded Price"),
		Fees: w.Cost("Comm/Fee/Tax", "VAT"), StatedCashFlow: w.Null("Net Amount"),
	}
	f.Side, f.Effect = w.Side("Buy/Sell")
	f.Name(firstWord(name), "")
	at := w.Moment("Trade Date")
	f.At, f.DateOnly = at.At, at.DateOnly
	w.Fill(f)
}
