package brokers

import s "fillbook/internal/intake/statement"

// finpensionTransactions are for a Swiss pension account; prices are in francs, whatever
// the fund is in.
var finpensionTransactions = s.Preset{
	Broker: "finpension", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: zurich, NewestFirst: true,
	Header: s.Cols("Date;Category;Asset Name;ISIN;Number of Shares;Asset Price in CHF;Cash Flow"),
	Layout: &s.Layout{
		Key: "Category|Date", Kind: "Category", Symbol: "ISIN|Asset Name", Namer: s.NamePlain, Name: "Asset Name", Time: "Date",
		Quantity: "Number of Shares", Price: "Asset Price in CHF", Amount: "Cash Flow", HiddenCosts: s.CostFees, Currency: "=CHF",
		Note: "{Category}: {ISIN|Asset Name}",
	},
}
