package brokers

import "fillbook/internal/intake/statement"

// avanzaTransactions is the Swedish transaction list: days only, newest first, with
// prices in the instrument's currency and the rate beside them. The stated result is
// after costs already in the fills, so it is not read.
var avanzaTransactions = statement.Preset{
	Broker: "Avanza", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: stockholm,
	Header: statement.Cols("Datum;Konto;Typ av transaktion;Värdepapper/beskrivning;Antal;Kurs;Belopp"),
	Costs:  statement.CostsPositive, NewestFirst: true,
	Layout: &statement.Layout{
		Kind: "Typ av transaktion", Symbol: "ISIN|Värdepapper/beskrivning", Namer: statement.NamePlain, Name: "Värdepapper/beskrivning",
		Time: "Datum", Quantity: "Antal", Price: "Kurs", Amount: "Belopp", Commission: "Courtage (SEK)|Courtage",
		Currency: "Transaktionsvaluta", PriceCurrency: "Instrumentvaluta", Rate: "Valutakurs", Currencies: statement.CurrencyOfAccount,
		Note: "Värdepapper/beskrivning|Typ av transaktion",
	},
}
