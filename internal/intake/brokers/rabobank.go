package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// rabobankMutations is the Dutch mutation list, with a time for trades and a day for
// money.
var rabobankMutations = statement.Preset{
	Broker: "Rabobank", Export: "mutations", Evidence: statement.SampleFile, Format: statement.Executions, Zone: amsterdam, Order: parse.DayFirst,
	Header: statement.Cols("Portefeuille;Naam;Datum;Type mutatie;Valuta mutatie;Volume;Koers;Waarde;Bedrag;Isin code"), NewestFirst: true,
	Layout: &statement.Layout{
		Kind: "Type mutatie", Words: []statement.Word{{Kind: statement.KindBuy, Words: "koop *"}, {Kind: statement.KindSell, Words: "verkoop *"}},
		Symbol: "Isin code|Naam", Namer: statement.NamePlain, Name: "Naam", Date: "Datum", Clock: "Tijd", Quantity: "Volume", Price: "Koers",
		Amount: "Bedrag", Gross: "Waarde", Currency: "Valuta mutatie", PriceCurrency: "Valuta koers", Currencies: statement.CurrencyOfAccount,
		HiddenCosts: statement.CostCommission, Note: "{Type mutatie} {Naam}",
	},
}
