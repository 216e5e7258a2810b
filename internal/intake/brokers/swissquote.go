package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// swissquoteTransactions are in several currencies at once: each row is in its
// own.
var swissquoteTransactions = statement.Preset{
	Broker: "Swissquote", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: zurich,
	Header: statement.Cols("Date;Order #;Transaction;Symbol;Name;ISIN;Quantity;Unit price;Costs;Accrued Interest;Net Amount;Currency"),
	Order:  parse.DayFirst, NewestFirst: true, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Kind: "Transaction", Symbol: "Symbol|ISIN|Name", Namer: statement.NamePlain, Name: "Name", Time: "Date", Quantity: "Quantity",
		Price: "Unit price", Commission: "Costs", Fees: "Accrued Interest", Amount: "Net Amount", Currency: "Currency",
		Currencies: statement.CurrencyMixed, Note: "{Transaction} {Name}",
		Join: []statement.Join{{Kinds: []statement.Kind{statement.KindExchange}, By: "Order #", As: statement.JoinRates}},
	},
}
