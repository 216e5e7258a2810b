package brokers

import "fillbook/internal/intake/statement"

// revolutCrypto is Revolut's crypto statement, in the owner's currency. Many files have
// its column names, so they count only all together and in order.
var revolutCrypto = statement.Preset{
	Broker: "Revolut", Export: "crypto statement", Evidence: statement.SampleFile, Format: statement.Executions, Costs: statement.CostsPositive,
	Header: statement.Cols("Symbol;Type;Quantity;Price;Value;Fees;Date"), Exact: true,
	Layout: &statement.Layout{
		Coins: true, Kind: "Type", Symbol: "Symbol", Namer: statement.NameCoin, Time: "Date", Quantity: "Quantity", Price: "Price",
		PriceCurrency: "Price$", Fees: "Fees",
		Words: []statement.Word{
			{Kind: statement.KindBuy, Words: "buy"},
			{Kind: statement.KindSell, Words: "sell"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}

// revolutStocks is a stock account's statement. Amounts carry their currency sign, and
// trade amounts no sign for the side.
var revolutStocks = statement.Preset{
	Broker: "Revolut", Export: "stocks", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Date;Ticker;Type;Quantity;Price per share;Total Amount;Currency;FX Rate"),
	Layout: &statement.Layout{
		Kind: "Type", Symbol: "Ticker", Namer: statement.NamePlain, Time: "Date", Quantity: "Quantity", Price: "Price per share", Amount: "Total Amount",
		Unsigned: true, Currency: "Currency", Currencies: statement.CurrencyOfAccount, HiddenCosts: statement.CostFees,
		Decimals: statement.DecimalsByValue, SplitsAdd: true,
	},
}
