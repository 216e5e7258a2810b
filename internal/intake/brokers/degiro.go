package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// degiroTransactions is DEGIRO's trade list, in its customers' languages. It names only
// one of the two columns for an amount and its currency.
var degiroTransactions = s.Preset{
	Broker: "DEGIRO", Export: "transactions", Evidence: s.Documented, Format: s.Executions, Zone: amsterdam, Order: parse.DayFirst, NewestFirst: true,
	Header: []s.Col{degiroDate, degiroTime, degiroProduct, degiroISIN, degiroQuantity, degiroPrice, degiroLocal}, Costs: s.CostsNegative,
	Layout: &s.Layout{
		Key: degiroISIN + "|" + degiroProduct, Symbol: degiroISIN + "|" + degiroProduct, Namer: s.NamePlain, Name: degiroProduct,
		Date: degiroDate, Clock: degiroTime, Quantity: degiroQuantity, Price: degiroPrice, Gross: degiroValue, Amount: degiroTotal, Rate: degiroRate,
		Commission: degiroCosts, Fees: "…AutoFX…", Currencies: s.CurrencyOfAccount,
	},
}

// The column names in English, Dutch, German, French, Spanish, Portuguese, Italian, Czech
// and Polish.
const (
	degiroDate     = "Date|Datum|Fecha|Data"
	degiroTime     = "Time|Tijd|Uhrzeit|Heure|Hora|Ora|Čas|Czas"
	degiroProduct  = "Product|Produkt|Produit|Producto|Produto|Prodotto" //nolint:misspell // Spanish
	degiroISIN     = "ISIN|Code ISIN"
	degiroQuantity = "Quantity|Aantal|Anzahl|Quantité|Número|Quantidade|Quantità|Počet|Liczba"
	degiroPrice    = "Price|Koers|Kurs|Cours|Precio|Preços|Preço|Quotazione|Cena"
	degiroLocal    = "Local value|Lokale waarde|Wert in Lokalwährun|Wert in Lokalwährung|Montant devise locale|Valor local|Valore locale|Hodnota v domácí měně|Wartość lokalna"
	degiroValue    = "Value*|Waarde*|Wert*|Montant*|Valor*|Valore*|Hodnota*|Wartość*"
	degiroRate     = "Exchange rate|Wisselkoers|Wechselkurs|Taux de change|Tipo de cambio|Taxa de Câmbio|Tasso di cambio|Směnný kurz|Kurs wymiany"
	degiroTotal    = "Total*|Totaal*|Gesamt*|Montant négocié*|Totale*|Celkem*|Razem*"
	degiroCosts    = "Transaction and/or…|Transaction fee…|Transactiekosten…|Transaktionskost…|Transaktionsgeb…|Frais de courtage…|" +
		"Costes de transac…|Custos de transa…|Costi di transaz…|Opłata transakc…|Poplatek…"
	degiroText    = "Description|Omschrijving|Beschreibung|Descripción|Descrição|Descrizione|Popis|Opis"
	degiroChange  = "Change|Mutatie|Änderung|Mouvements|Mouvement|Variación|Mudança|Variazioni|Variazione|Změna|Zmiana"
	degiroBalance = "Balance|Saldo|Solde|Zůstatek"
	degiroOrder   = "Order Id|Order-ID|ID Ordre|ID Orden|ID da Ordem|ID Ordine|ID objednávky|Identyfikator zlecenia"
)
