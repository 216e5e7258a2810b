package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// hargreavesSummary is the transaction summary: days only, newest first, unit costs in
// pence, and costs only the value shows. The reference says what a row is: a contract
// note's is B or S and a number.
var hargreavesSummary = s.Preset{
	Broker: "Hargreaves Lansdown", Export: "transaction summary", Evidence: s.SampleFile, Format: s.Executions, Zone: london, Order: parse.DayFirst,
	Header: s.Cols("Trade date;Settle date;Reference;Description;Unit cost (p);Quantity"), NewestFirst: true,
	Layout: &s.Layout{
		Key: "Reference|Trade date", Kind: "@side|{Reference} {Description}", Symbol: "@name", Namer: s.NamePlain, Time: "Trade date",
		Quantity: "Quantity", Price: "Unit cost (p)", Amount: "Value (£)|Value", Currency: "=GBP", PriceCurrency: "=GBX", Currencies: s.CurrencyOfAccount,
		HiddenCosts: s.CostCommission, ID: "Reference", IDs: s.IDPerSide, Note: "Description",
		Prepare: func(w *s.Row) {
			if note := hargreavesNote().FindStringSubmatch(w.Text("Reference")); note != nil {
				w.Set("side", map[string]string{"B": "buy", "S": "sell"}[note[1]])
				w.Set("name", hargreavesTerms().ReplaceAllString(w.Text("Description"), ""))
			}
		},
	},
}

var (
	hargreavesNote  = lazyregexp.New(`^([BS])\d+$`)
	hargreavesTerms = lazyregexp.New(`\s+[\d.,]+\s+@\s+[\d.,]+$`) // quantity and price after the name
)
