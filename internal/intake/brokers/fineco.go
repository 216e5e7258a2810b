package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// finecoOperations is the list of securities and operations. A (acquisto) buys and V
// (vendita) sells; a redemption sells too, and new shares without a side are no trade.
var finecoOperations = s.Preset{
	Broker: "Fineco", Export: "securities operations", Evidence: s.SampleFile, Format: s.Executions, Zone: rome, Order: parse.DayFirst,
	Header: s.Cols("Operazione;Data valuta;Descrizione;Titolo;Isin;Segno;Prezzo;Controvalore"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "Segno|Descrizione|Operazione", Kind: "Segno|Descrizione", Symbol: "Isin|Titolo", Namer: s.NamePlain, Name: "Titolo",
		Time: "Operazione", Quantity: "Quantita|Quantità", Price: "Prezzo", Gross: "Controvalore",
		Fees:     "Commissioni Fondi Sw/Ingr/Uscita+Commissioni Fondi Banca Corrispondente+Spese Fondi Sgr+Commissioni amministrato",
		Currency: "=EUR", PriceCurrency: "Divisa", Rate: "Cambio", Currencies: s.CurrencyOfPrice, Note: "{Segno|Descrizione}: {Isin|Titolo}",
		Words: []s.Word{
			{Kind: s.KindBuy, Words: "a"},
			{Kind: s.KindSell, Words: "v|rimborso"},
			{Kind: s.KindDividend, Words: "*dividendo*|*cedole*"},
			{Kind: s.KindMovement, Words: "*aumento*|*frazion*"},
		},
	},
}
