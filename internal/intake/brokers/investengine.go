package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// investEngineTrades is the trading statement, in which the ISIN follows the name.
var investEngineTrades = s.Preset{
	Broker: "InvestEngine", Export: "trading statement", Evidence: s.SampleFile, Format: s.Executions, Zone: london, Order: parse.DayFirst,
	Header: s.Cols("Security / ISIN;Transaction Type;Quantity;Share Price;Total Trade Value;Trade Date/Time"),
	Layout: &s.Layout{
		Key: "Transaction Type|Trade Date/Time", Kind: "Transaction Type", Symbol: "@isin|Security / ISIN", Name: "@name", Namer: s.NamePlain,
		Prepare: func(w *s.Row) {
			if name, isin, ok := strings.Cut(strings.ToUpper(w.Text("Security / ISIN")), " / ISIN "); ok {
				w.Set("name", name)
				w.Set("isin", isin)
			}
		},
		Time: "Trade Date/Time", Quantity: "Quantity", Price: "Share Price", Amount: "Total Trade Value", Unsigned: true,
		HiddenCosts: s.CostFees, Currency: "=GBP",
	},
}
