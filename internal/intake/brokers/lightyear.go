package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// lightyearTransactions is Lightyear's transaction report. Trade amounts have no sign;
// the gross cash amount is what moved before tax and fees, the net amount what is left. A
// conversion has one row for each currency, with the same reference or time.
var lightyearTransactions = s.Preset{
	Broker: "Lightyear", Export: "transaction report", Evidence: s.SampleFile, Format: s.Executions, Zone: utc, Order: parse.DayFirst,
	Header: s.Cols("Date;Reference;Ticker;ISIN;Type;Quantity;CCY;Price/share;Gross Amount;FX Rate;Fee;Net Amt."), Costs: s.CostsPositive, NewestFirst: true,
	Layout: &s.Layout{
		Kind: "Type", Symbol: "@ticker", Namer: s.NamePlain, Time: "Date", Quantity: "Quantity", Price: "Price/share", Fees: "Fee", Unsigned: true,
		Amount: "@net", CashAmount: "Gross Amount", CashFees: s.CashFeesApart, Tax: "@tax", Currency: "CCY", ID: "Reference",
		Note: "{Type} {Ticker}", Details: map[string]s.Col{"isin": "ISIN"}, Prepare: prepareLightyear,
		Join: []s.Join{{By: "Date", As: s.JoinRates}},
		Words: []s.Word{
			{Kind: s.KindExchange, Words: "conversion"},
			{Kind: s.KindDividend, Words: "dividend|distribution"},
			{Kind: s.KindInterest, Words: "interest"},
			{Kind: s.KindAdjustment, Words: "reward*|referral*|bonus*"},
			{Kind: s.KindMovement, Words: "*split*|*merger*|*spin*|transfer*"},
		},
	},
}

// prepareLightyear sets what only some kinds have. A conversion's fee is in its gross
// amount already, and its ticker is a currency.
func prepareLightyear(w *s.Row) {
	switch kind := s.WordKey(w.Text("Type")); kind {
	case "conversion":
		w.Clear("Fee")
	case "buy", "sell":
		w.Set("ticker", w.Text("Ticker"))
		w.Set("net", w.Text("Net Amt."))
	default:
		w.Set("ticker", w.Text("Ticker"))
		w.Set("tax", w.Text("Tax Amt."))
	}
}
