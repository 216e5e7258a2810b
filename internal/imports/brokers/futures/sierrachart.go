package futures

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// sierraChart knows the Trade Activity Log. It was read in other importers; no
// file was seen. An exported log is in UTC and a saved one on the chart's
// clock, so the user is asked.
func sierraChart() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Sierra Chart", Export: "Trade Activity Log", Evidence: statement.Documented, Format: statement.Executions,
		Header:     []string{"ActivityType", "DateTime", "Symbol", "Quantity", "BuySell", "FillPrice"},
		Instrument: instruments.TypeFuture,
		Each:       sierraActivity, Done: closeBooks,
	}}
}

// sierraActivity reads a line of the log. Quantity is that of the fill;
// FilledQuantity is what the order has filled up to then.
func sierraActivity(w *statement.Row) {
	if !strings.EqualFold(w.Text("ActivityType"), "Fills") {
		w.Skip("it is not a fill")
		return
	}
	symbol, _, _ := strings.Cut(contractName(w.Text("Symbol")), "_FUT_")
	side, _ := w.Side("BuySell")
	f := statement.Fill{
		Symbol: symbol, Side: side, Quantity: w.Required("Quantity|FilledQuantity"), Price: price(w, "FillPrice", symbol),
		At: w.Moment("DateTime|TransDateTime").At, ID: w.Text("FillExecutionServiceID"),
		PositionAfter: w.Null("PositionQuantity"),
	}
	switch strings.ToLower(w.Text("OpenClose")) {
	case "open":
		f.Effect = statement.Opening
	case "close":
		f.Effect = statement.Closing
	}
	w.Fill(f)
	booksOf(w.Reader()).account(w.Text("TradeAccount"))
}
