package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	s "fillbook/internal/intake/statement"
)

// saxoTransactions is the transaction list. A trade is a text, "Sell 3 @ 139.74 USD", and
// its amount is what moved after costs.
var saxoTransactions = s.Preset{
	Broker: "Saxo Bank", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: "Europe/Copenhagen", NewestFirst: true,
	Header: s.Cols("Trade Date;Value Date;Type;Instrument;Instrument ISIN;Instrument currency;Instrument Symbol;Event;Amount"),
	Layout: &s.Layout{
		Key: "Event|Trade Date", Kind: "@word|{Event} {Type}",
		Parse: []s.Pattern{{In: "Event", Re: lazyregexp.New(`^(?P<word>\p{L}+(?: \p{L}+)*?) (?P<quantity>-?[\d.,]+) @ (?P<price>[\d.,]+) (?P<currency>[A-Za-z]{3})$`)}},
		Prepare: func(w *s.Row) {
			symbol, _, _ := strings.Cut(w.Text("Instrument Symbol"), ":") // the exchange follows
			w.Set("symbol", symbol)
		},
		Symbol: "@symbol|Instrument ISIN", Namer: s.NamePlain, Name: "Instrument", Time: "Trade Date",
		Quantity: "@quantity", Price: "@price", Amount: "Amount", PriceCurrency: "@currency", Rate: "Conversion Rate", Currencies: s.CurrencyMixed,
		HiddenCosts: s.CostCommission, Decimals: s.DecimalsByValue, Note: "Event",
	},
}
