package brokers

import (
	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// traderMemos describes the table of trades that TraderMemos and Stonk Journal
// write. Date is when the trade was closed, and what it returned is after fees,
// which have no column.
func traderMemos() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "TraderMemos", Export: "trades", Evidence: statement.SampleFile, Format: statement.JournalTrades,
		Header: []string{"Date", "Symbol", "Status", "Market", "Side", "Qty", "Entry", "Exit", "Entry Total", "Return ($)", "Open Date"},
		Each:   traderMemosTrade,
	}}
}

func traderMemosTrade(w *statement.Row) {
	var t statement.Trip
	name(&t, w.Text("Symbol"), statement.InstrumentType(w.Text("Market")))
	t.Short, t.Quantity = isShort(w, "Side"), w.Required("Qty").Abs()
	t.Open, t.OpenPrice, t.ClosePrice = w.Moment("Open Date|Date"), w.Required("Entry"), w.Null("Exit")
	if total := w.Null("Entry Total"); total.Valid && !t.Multiplier.Valid {
		t.Multiplier = statement.RoundWorth(total.Decimal.Abs(), t.OpenPrice.Mul(t.Quantity).Abs())
	}
	t.NetPnL = w.Null("Return ($)")
	if t.ClosePrice.Valid && w.Text("Date") != "" {
		t.Close = w.Moment("Date")
		traderMemosDividends(w, &t)
	}
	m := statement.Annotations{
		Fill: emit(w, t), Setups: statement.List(w.Text("Setup")), Values: annotations.Values{
			Notes: w.Text("Notes"), Confidence: statement.Grade(w.Text("Confidence")),
			StopPrice: statement.NonZero(w.Null("Stop")), TargetPrice: statement.NonZero(w.Null("Target")),
		},
	}
	tagged(&m, statement.List(w.Text("Tags")))
	w.Annotate(m)
}

// traderMemosDividends reads what the position paid while it was held. It is
// cash of its own; a return that is more than the prices give has it in.
func traderMemosDividends(w *statement.Row, t *statement.Trip) {
	paid := w.Decimal("Dividends")
	if paid.IsZero() {
		return
	}
	if t.NetPnL.Valid && t.NetPnL.Decimal.Cmp(byPrice(t)) > 0 {
		t.NetPnL = decimal.Of(t.NetPnL.Decimal.Sub(paid))
	}
	w.Money(statement.Cash{Type: "dividend", Amount: paid, At: t.Close.At, Note: t.Symbol})
}
