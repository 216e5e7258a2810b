package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// sharesightTrades is the All Trades Report of the portfolio tracker Sharesight. Price and
// brokerage are in the currency of the market; the value is in that of the portfolio, at
// a rate of few digits, so that it is not compared. The market FX has accounts of money. Days
// are those of the user's own portfolio, so that the preset has no zone.
var sharesightTrades = s.Preset{
	Broker: "Sharesight", Export: "All Trades Report", Evidence: s.SampleFile, Format: s.Executions, Order: parse.DayFirst, Costs: s.CostsPositive,
	Header: s.Cols("Market;Code;Name;Type;Date;Quantity;Price *|Price;Brokerage *|Brokerage;Exchange Rate;Value"),
	Notices: []string{
		"The All Trades Report has no dividends and no deposits. Enter them by hand, or import the files of your broker instead.",
	},
	Layout: &s.Layout{
		Key: "Code|Type", Kind: "Type", Symbol: "Code", Namer: s.NamePlain, Name: "Name", Time: "Date", Quantity: "Quantity", Price: "Price *|Price",
		Commission: "Brokerage *|Brokerage", Currency: "Currency|Instrument Currency|Brokerage Currency", Details: map[string]s.Col{"exchange": "Market"},
		Words: []s.Word{
			{Kind: s.KindBuy, Words: "buy|opening balance|reinvestment|drp"},
			{Kind: s.KindSell, Words: "sell"},
			{Kind: s.KindMovement, Words: "split|bonus|consolidation|cancellation|merge*|demerge*|capital*|adjust*|transfer*"},
		},
		Prepare: func(w *s.Row) {
			if w.Text("Market") == "FX" {
				w.Skip("account of money, not a security")
			}
		},
	},
}
