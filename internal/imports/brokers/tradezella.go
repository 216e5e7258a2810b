package brokers

import (
	"regexp"

	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
)

// tradeZella describes TradeZella's export of trades, which has its columns in the
// order of the alphabet with those of the user among them, and the file of
// fills that it takes.
func tradeZella() []*statement.Preset {
	const broker, zone = "TradeZella", "America/New_York"
	return []*statement.Preset{
		{
			Broker: broker, Export: "trades", Evidence: statement.RealFile, Format: statement.JournalTrades,
			Header: []string{
				"Account Name", "Avg Buy Price", "Avg Sell Price", "Close Date", "Close Time", "Entry Price", "Exit Price", "Gross P&L",
				"Net P&L", "Open Date", "Open Time", "Quantity", "Side", "Symbol",
			},
			Zone: zone,
			Each: tradeZellaTrade, Done: closeAccounts,
		},
		{
			Broker: broker, Export: "generic import", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{"Date", "Time", "Symbol", "Buy/Sell", "Quantity", "Price", "Spread", "Expiration", "Strike", "Call/Put"},
			Zone:   zone, Order: statement.MonthFirst, Costs: statement.CostsPositive,
			Columns: map[statement.Target]string{
				statement.TargetDate: "Date", statement.TargetTime: "Time", statement.TargetSymbol: "Symbol", statement.TargetSide: "Buy/Sell",
				statement.TargetQuantity: "Quantity", statement.TargetPrice: "Price", statement.TargetOptionRight: "Call/Put",
				statement.TargetStrike: "Strike", statement.TargetExpiry: "Expiration",
				statement.TargetCommission: "Commission", statement.TargetFees: "Fees",
			},
		},
	}
}

// zellaOption is how the column Instrument writes an option: 2026-03-20 540 CALL.
var zellaOption = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}) (\d+(?:\.\d+)?) (CALL|PUT)$`)

// tradeZellaTrade reads a trade. Entry and exit are the first and the last
// price; the averages are what was bought and sold at.
func tradeZellaTrade(w *statement.Row) {
	account(w, "Account Name")
	var t statement.Trip
	name(&t, w.Text("Symbol"), "")
	if parts := zellaOption.FindStringSubmatch(w.Text("Instrument")); parts != nil {
		if expiry, err := journal.ParseDay("expiry", parts[1]); err == nil {
			setOption(&t, parts[3], decimal.Of(decimal.Must(parts[2])), expiry)
		}
	}
	t.Short, t.Quantity = isShort(w, "Side"), w.Required("Quantity").Abs()
	t.Open = w.DateAndTime("Open Date", "Open Time")
	bought, sold := above(w.Null("Avg Buy Price")), above(w.Null("Avg Sell Price"))
	entry, exit := bought, sold
	if t.Short {
		entry, exit = sold, bought
	}
	if !entry.Valid {
		entry = decimal.Of(w.Required("Entry Price"))
	}
	t.OpenPrice = entry.Decimal
	if w.Text("Close Date") != "" {
		t.Close = w.DateAndTime("Close Date", "Close Time")
		if t.ClosePrice = exit; !exit.Valid {
			t.ClosePrice = w.Null("Exit Price")
		}
	}
	t.Fees, t.Commission = w.Cost("Fee").Sub(w.Decimal("Swap")), w.Cost("Commission")
	t.GrossPnL, t.NetPnL = w.Null("Gross P&L"), w.Null("Net P&L")
	m := statement.Annotations{
		Fill: emit(w, t), Setups: append(statement.List(w.Text("Setups")), statement.List(w.Text("Playbook"))...),
		Mistakes: statement.List(w.Text("Mistakes")),
		Values: annotations.Values{
			InitialRisk: statement.NonZero(w.Null("Trade Risk")), MAE: w.Null("Position MAE"), MFE: w.Null("Position MFE"),
			Notes: w.Text("Notes"), TradeQuality: statement.Grade(w.Text("Rating")),
		},
	}
	tagged(&m, statement.List(w.Text("Custom Tags")))
	w.Annotate(m)
}
