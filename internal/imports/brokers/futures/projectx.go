package futures

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// projectX knows the exports of TopstepX, of other firms on the same platform,
// and the order rows of prop dashboards.
func projectX() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "TopstepX", Export: "trades", Evidence: statement.RealFile, Format: statement.JournalTrades,
			Header:     []string{"Id", "ContractName", "EnteredAt", "ExitedAt", "EntryPrice", "ExitPrice", "PnL", "Size", "Type"},
			Instrument: instruments.TypeFuture, Order: statement.MonthFirst, Costs: statement.CostsPositive,
			Each: topstepTrade, Done: closeBooks,
		},
		{
			Broker: "ProjectX", Export: "order history", Evidence: statement.SampleFile, Format: statement.Executions,
			Header:     []string{"ContractName", "Status", "Size", "Side", "FilledAt", "ExecutePrice"},
			Instrument: instruments.TypeFuture, Order: statement.MonthFirst,
			Each: projectXOrder, Done: closeBooks,
		},
		{
			Broker: "ProjectX", Export: "prop order rows", Evidence: statement.SampleFile, Format: statement.Executions,
			Header:     []string{"order_id", "qty_done", "price_done", "last_time", "symbol"},
			Instrument: instruments.TypeFuture,
			Each:       propOrder, Done: closeBooks,
		},
	}
}

// topstepTrade reads a finished trade. Its result is before costs, and its fees
// are those of getting in and out.
func topstepTrade(w *statement.Row) {
	side, _ := w.Side("Type")
	symbol := contractName(w.Text("ContractName"))
	roundTrip(w, statement.Trip{
		Symbol: symbol, Type: instruments.TypeFuture, ID: w.Text("Id"), Short: side == matching.Sell, Quantity: w.Required("Size"),
		Open: w.Moment("EnteredAt"), Close: w.Moment("ExitedAt"),
		OpenPrice: price(w, "EntryPrice", symbol), ClosePrice: decimal.Of(price(w, "ExitPrice", symbol)),
		Fees: w.Cost("Fees"), Commission: w.Cost("Commissions"), GrossPnL: w.Null("PnL"),
	})
}

// projectXOrder reads an order. Size is what was ordered: of an order that was
// taken back after a part of it was filled, nobody can tell how much that was.
func projectXOrder(w *statement.Row) {
	if w.Text("FilledAt") == "" && w.Text("ExecutePrice") == "" {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	if status := w.Text("Status"); !strings.EqualFold(status, "filled") {
		w.Fail("The order is %s but has a fill, and the file does not say how much was filled.", strings.ToLower(status))
	}
	symbol := contractName(w.Text("ContractName"))
	side, _ := w.Side("Side")
	f := statement.Fill{
		Symbol: symbol, Side: side, Quantity: w.Required("Size"), Price: price(w, "ExecutePrice", symbol),
		At: w.Moment("FilledAt").At,
	}
	switch strings.ToLower(w.Text("PositionDisposition")) {
	case "opening":
		f.Effect = statement.Opening
	case "closing":
		f.Effect = statement.Closing
	}
	w.Fill(f)
	booksOf(w.Reader()).account(w.Text("AccountName"))
	w.Reader().Out.Warn("The order history states no commissions and fees. The list of trades does; import only one of the two.")
}

// propOrder reads an order whose sign is its side.
func propOrder(w *statement.Row) {
	quantity := w.Decimal("qty_done")
	if quantity.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	side := matching.Buy
	if quantity.Sign() < 0 {
		side = matching.Sell
	}
	symbol := contractName(w.Text("trading_symbol|symbol"))
	w.Fill(statement.Fill{
		Symbol: symbol, Side: side, Quantity: quantity, Price: price(w, "price_done", symbol),
		At: w.Moment("last_time|order_date").At, ID: w.Text("order_id|id"),
	})
	booksOf(w.Reader()).account(w.Text("account|account_id"))
}
