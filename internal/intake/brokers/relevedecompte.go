package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// releveStatement is a French account statement from no particular bank: a preamble,
// decimal commas, amounts without costs and without a sign, and a total.
var releveStatement = statement.Preset{
	Broker: "Relevé de compte", Export: "French account statement", Evidence: statement.SampleFile, Format: statement.Executions, Zone: "Europe/Paris",
	Header: statement.Cols("Date d'operation|Date d'opération|Date opération;Operation|Opération;ISIN|Code ISIN;Libelle|Libellé;Quantite|Quantité;Cours;Montant;Frais"), //nolint:misspell // French
	Order:  parse.DayFirst, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Kind: "Operation|Opération", Symbol: "ISIN|Code ISIN|Libelle|Libellé", Namer: statement.NamePlain, Name: "Libelle|Libellé",
		Time: "Date d'operation|Date d'opération|Date opération", Quantity: "Quantite|Quantité", Price: "Cours", Gross: "Montant", //nolint:misspell // French
		Commission: "Frais", Currency: "Devise", Currencies: statement.CurrencyOfAccount, Note: "{Operation|Opération} {Libelle|Libellé}",
	},
}
