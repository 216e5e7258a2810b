package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// directaMovements are the account's movements, after nine lines about the
// account. A trade has an amount in euro and no price.
var directaMovements = s.Preset{
	Broker: "Directa", Export: "movements", Evidence: s.SampleFile, Format: s.Executions, Zone: rome, Order: parse.DayFirst, NewestFirst: true,
	Header: s.Cols("Data operazione;Tipo operazione;Ticker;Isin;Protocollo;Descrizione;Quantità;Importo euro"),
	Layout: &s.Layout{
		Key: "Tipo operazione|Data operazione", Kind: "Tipo operazione", Symbol: "Ticker|Isin|Descrizione", Namer: s.NamePlain,
		Time: "Data operazione", Quantity: "Quantità", Gross: "Importo euro", Currency: "=EUR",
		Note: "{Tipo operazione}: {Ticker|Isin|Descrizione}", Details: map[string]s.Col{"isin": "Isin", "name": "Descrizione"},
		Words: []s.Word{
			{Kind: s.KindTransfer, Words: "*conferimento*|*bonifico*"},
			{Kind: s.KindWithdrawal, Words: "*prelievo*|*prelevamento*"},
			{Kind: s.KindDividend, Words: "*provento*|*dividend*|*coupon*|*cedola*"},
			{Kind: s.KindAdjustment, Words: "*ritenuta*"},
			{Kind: s.KindInterest, Words: "*interess*"},
			{Kind: s.KindFee, Words: "*commission*|*bollo*|*spese*"},
		},
	},
}
