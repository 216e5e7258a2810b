package brokers

import (
	"strings"

	"fillbook/internal/annotations"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// traderSync describes TraderSync's trade_data.csv, read in three importers that do
// not know each other; no whole file was seen. It spells commission in its own
// way.
func traderSync() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "TraderSync", Export: "trade_data", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"Status", "Symbol", "Size", "Open Date", "Close Date", "Open Time", "Close Time", "Entry Price", "Exit Price", "Return $"},
		Zone:   "America/New_York",
		Each:   traderSyncTrade, Done: closeAccounts,
	}}
}

func traderSyncTrade(w *statement.Row) {
	account(w, "Portfolio")
	var t statement.Trip
	traderSyncInstrument(w, &t)
	t.Quantity = w.Required("Size").Abs()
	t.Open, t.OpenPrice = w.DateAndTime("Open Date", "Open Time"), w.Required("Entry Price")
	if !strings.EqualFold(w.Text("Status"), "open") && w.Text("Close Date") != "" {
		t.Close, t.ClosePrice = w.DateAndTime("Close Date", "Close Time"), w.Null("Exit Price")
	}
	t.Commission = w.Cost("Commision|Commission") //nolint:misspell // as the vendor spells it
	t.Fees = w.Cost("Fees").Sub(w.Decimal("Swap"))
	t.GrossPnL, t.NetPnL = w.Null("Return $"), w.Null("Net Return")
	if w.Text("Side") != "" {
		t.Short = isShort(w, "Side")
	} else {
		// A shortened export has no side: the trade was short if it made money
		// where prices fell.
		t.Short = byPrice(&t).Sign()*t.GrossPnL.Decimal.Sign() < 0
	}
	m := statement.Annotations{
		Fill: emit(w, t), Setups: statement.List(w.Text("Setups")), Mistakes: statement.List(w.Text("Mistakes")),
		Values: annotations.Values{
			Notes: w.Text("Notes"), InitialRisk: statement.NonZero(w.Null("Risk|risk1")), StopPrice: statement.NonZero(w.Null("stop1")),
			TargetPrice: statement.NonZero(w.Null("target1")), MAE: w.Null("MAE"), MFE: w.Null("MFE"),
		},
	}
	w.Annotate(m)
}

// traderSyncInstrument reads what was traded. For an option the contract may be
// in the symbol, or in columns with its right in one of two.
func traderSyncInstrument(w *statement.Row, t *statement.Trip) {
	kind := strings.ToLower(w.Text("Type"))
	right := kind
	switch kind {
	case "call", "put":
		kind = instruments.TypeOption
	case "option":
		right = w.Text("Spread")
	}
	name(t, w.Text("Symbol"), statement.InstrumentType(kind))
	if t.Type == instruments.TypeOption && t.Right == "" {
		setOption(t, right, w.Null("Strike"), w.Day("Expire"))
	}
}
