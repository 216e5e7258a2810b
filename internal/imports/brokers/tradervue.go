package brokers

import (
	"strings"

	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// tradervue describes Tradervue's export of trades, in 13 and in 29 columns, and
// the file of fills that it takes, which other programs write for it.
func tradervue() []*statement.Preset {
	const broker, zone = "Tradervue", "America/New_York"
	return []*statement.Preset{
		{
			Broker: broker, Export: "trades", Evidence: statement.SampleFile, Format: statement.JournalTrades,
			Header: []string{"Open Datetime", "Close Datetime", "Symbol", "Side", "Volume", "Exec Count", "Entry Price", "Exit Price", "Gross P&L"},
			Zone:   zone, Costs: statement.CostsPositive,
			Each: tradervueTrade,
		},
		{
			// From the documentation. A file without one of the fees is like
			// any other list of fills, and is read as such.
			Broker: broker, Export: "generic import", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{"Date", "Time", "Symbol", "Quantity", "Price", "TransFee|ECNFee"},
			Zone:   zone, Costs: statement.CostsPositive,
			Columns: map[statement.Target]string{
				statement.TargetDate: "Date", statement.TargetTime: "Time", statement.TargetSymbol: "Symbol", statement.TargetSide: "Side",
				statement.TargetQuantity: "Quantity", statement.TargetPrice: "Price", statement.TargetCommission: "Commission",
				statement.TargetFees: "TransFee+ECNFee",
			},
		},
	}
}

// tradervueTrade reads a trade. Volume counts what was bought and what was
// sold, so a finished trade was half as large, unless its result says that it
// was not.
func tradervueTrade(w *statement.Row) {
	var t statement.Trip
	name(&t, w.Text("Symbol"), "")
	t.Short = isShort(w, "Side")
	t.Quantity = w.Required("Volume").Abs()
	t.Open, t.OpenPrice, t.ClosePrice = w.Moment("Open Datetime"), w.Required("Entry Price"), w.Null("Exit Price")
	t.Fees, t.Commission = w.Cost("Fees"), w.Cost("Commissions")
	t.GrossPnL, t.NetPnL = w.Null("Gross P&L"), w.Null("Net P&L")
	if w.Text("Close Datetime") != "" && t.ClosePrice.Valid {
		t.Close = w.Moment("Close Datetime")
		if whole := byPrice(&t); whole.IsZero() || !whole.Equal(t.GrossPnL.Decimal) {
			t.Quantity = t.Quantity.DivRound(decimal.New(2), 12)
		}
	}
	m := statement.Annotations{
		Fill: emit(w, t), Values: annotations.Values{
			Notes: strings.TrimSpace(w.Text("Notes")), InitialRisk: statement.NonZero(w.Null("Initial Risk")),
			MAE: w.Null("Position MAE"), MFE: w.Null("Position MFE"),
		},
	}
	tagged(&m, statement.List(w.Text("Tags")))
	w.Annotate(m)
}
