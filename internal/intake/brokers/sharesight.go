package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// sharesightTrades is the All Trades Report from the portfolio tracker Sharesight. Price
// and brokerage are in the market's currency; the value is in the portfolio's, at a rate
// with few digits, so it is not compared. The market FX has cash accounts. Days are those
// in the user's own portfolio, so the preset has no zone.
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
