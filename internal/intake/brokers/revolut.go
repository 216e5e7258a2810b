package brokers

import "fillbook/internal/intake/statement"

// revolutCrypto is the crypto statement of Revolut, in the owner's currency. Many
// files have its column names, so they count only all together and in order.
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
