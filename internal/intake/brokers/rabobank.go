package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// rabobankMutations is the Dutch list of mutations, with a time for trades and a
// day for money.
var rabobankMutations = statement.Preset{
	Broker: "Rabobank", Export: "mutations", Evidence: statement.SampleFile, Format: statement.Executions, Zone: amsterdam, Order: parse.DayFirst,
	Header: statement.Cols("Portefeuille;Naam;Datum;Type mutatie;Valuta mutatie;Volume;Koers;Waarde;Bedrag;Isin code"), NewestFirst: true,
	Layout: &statement.Layout{
		Kind: "Type mutatie", Words: []statement.Word{{Kind: statement.KindBuy, Words: "koop *"}, {Kind: statement.KindSell, Words: "verkoop *"}},
		Symbol: "Isin code|Naam", Namer: statement.NamePlain, Name: "Naam", Date: "Datum", Clock: "Tijd", Quantity: "Volume", Price: "Koers",
		Amount: "Bedrag", Gross: "Waarde", Currency: "Valuta mutatie", PriceCurrency: "Valuta koers", Currencies: statement.CurrencyOfAccount,
		Hidden: statement.Hidden{Into: statement.CostCommission}, Note: "{Type mutatie} {Naam}",
	},
}

// swissquoteTransactions are in several currencies at once: each row is in its
// own.
var swissquoteTransactions = statement.Preset{
	Broker: "Swissquote", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: "Europe/Zurich",
	Header: statement.Cols("Date;Order #;Transaction;Symbol;Name;ISIN;Quantity;Unit price;Costs;Accrued Interest;Net Amount;Currency"),
	Order:  parse.DayFirst, NewestFirst: true, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Kind: "Transaction", Symbol: "Symbol|ISIN|Name", Namer: statement.NamePlain, Name: "Name", Time: "Date", Quantity: "Quantity",
		Price: "Unit price", Commission: "Costs", Fees: "Accrued Interest", Amount: "Net Amount", Currency: "Currency",
		Currencies: statement.CurrencyMixed, Note: "{Transaction} {Name}",
		Join: []statement.Join{{Kinds: []statement.Kind{statement.KindExchange}, By: "Order #", As: statement.JoinRates}},
	},
}

// revolutStocks is the statement of a stock account. Amounts carry the sign of
// their currency, and those of trades no sign for the side.
var revolutStocks = statement.Preset{
	Broker: "Revolut", Export: "stocks", Evidence: statement.SampleFile, Format: statement.Executions, Zone: "UTC",
	Header: statement.Cols("Date;Ticker;Type;Quantity;Price per share;Total Amount;Currency;FX Rate"),
	Layout: &statement.Layout{
		Kind: "Type", Symbol: "Ticker", Namer: statement.NamePlain, Time: "Date", Quantity: "Quantity", Price: "Price per share", Amount: "Total Amount",
		Unsigned: true, Currency: "Currency", Currencies: statement.CurrencyOfAccount, Hidden: statement.Hidden{Into: statement.CostFees},
		Decimals: statement.DecimalsByValue,
	},
}

// exanteTrades is the list of trades, known from other people's code only. The
// zone of its times is not known.
var exanteTrades = statement.Preset{
	Broker: "Exante", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Costs: statement.CostsPositive, NewestFirst: true,
	Header: statement.Cols("Time;Account ID;Side;Symbol ID;ISIN;Type;Price;Currency;Quantity;Commission;Commission Currency;Order Id;Order pos"),
	Layout: &statement.Layout{
		Side: "Side", Symbol: "Symbol ID", Namer: nameExante, Type: "Type", Time: "Time", Quantity: "Quantity", Price: "Price", Commission: "Commission",
		Currency: "Currency", ID: "Unique Transaction Identifier (UTI)",
	},
}

// nameExante builds an instrument from a symbol with its exchange: AAPL.NASDAQ.
func nameExante(symbol, kind string) statement.Instrument {
	i := statement.NameAny(symbol, kind)
	if name, exchange, ok := strings.Cut(i.Symbol, "."); ok && !strings.Contains(exchange, ".") {
		i.Symbol = name
	}
	return i
}

// releveStatement is a French account statement of no particular bank: a preamble,
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
