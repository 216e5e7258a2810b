package brokers

import (
	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// spreadsheets describes two sheets that many traders keep after the same pattern,
// read in importers; no file was seen. Others are read by the meaning of their
// column names.
func spreadsheets() []*statement.Preset {
	const broker = "Spreadsheet"
	return []*statement.Preset{
		{
			Broker: broker, Export: "forex sheet", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: []string{"Date", "Pair", "Direction", "Lot|Lots|Lot Size", "Entry|Entry Price", "Exit|Exit Price", "PnL|P&L|Profit"},
			Each:   forexSheet,
		},
		{
			Broker: broker, Export: "fills with point cost", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{"Date", "Time", "Direction", "Price", "Qty", "Ticker"},
			Each:   pointCostFill,
		},
	}
}

// forexSheet reads a trade of one day in lots.
func forexSheet(w *statement.Row) {
	if w.Text("Pair") == "" {
		w.Ignore()
		return
	}
	t := inLots(w.Text("Pair"), w.Required("Lot|Lots|Lot Size").Abs())
	t.Short = isShort(w, "Direction")
	t.Open, t.OpenPrice, t.ClosePrice = w.Moment("Date"), w.Required("Entry|Entry Price"), w.Null("Exit|Exit Price")
	if t.ClosePrice.Valid {
		t.Close = t.Open
	}
	t.Commission, t.GrossPnL = w.Cost("Commission"), w.Null("PnL|P&L|Profit")
	w.Annotate(statement.Annotations{
		Fill: emit(w, t), Values: annotations.Values{
			Notes: w.Text("Notes"), StopPrice: statement.NonZero(w.Null("SL|Stop Loss")), TargetPrice: statement.NonZero(w.Null("TP|Take Profit")),
		},
	})
}

// pointCostFill reads a fill. Where the sheet says what a point costs, it is
// the multiplier, and what has one above a unit's is a future.
func pointCostFill(w *statement.Row) {
	if w.Text("Ticker") == "" && w.Text("Price") == "" {
		w.Ignore()
		return
	}
	f := statement.Fill{}
	f.Name(w.Text("Ticker"), "")
	f.Multiplier = above(w.Null("PointCost|Point Cost"))
	if f.Type == "" && f.Multiplier.Valid && !f.Multiplier.Decimal.Equal(decimal.New(1)) {
		f.Type = instruments.TypeFuture
	}
	at := w.DateAndTime("Date", "Time")
	f.Side, f.Effect = w.Side("Direction")
	f.Quantity, f.Price, f.At, f.DateOnly = w.Required("Qty"), w.Required("Price"), at.At, at.DateOnly
	f.Commission = w.Cost("Commission")
	fill := w.Fill(f)
	w.Annotate(statement.Annotations{Fill: fill, Setups: statement.List(w.Text("Strategy"))})
}
