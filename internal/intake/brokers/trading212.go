package brokers

import "fillbook/internal/intake/statement"

// trading212History is the history of an account. The set of columns changes
// every year, and names carried the account's currency once: "Total (GBP)". The
// total includes the costs, and the stated result is after them.
var trading212History = statement.Preset{
	Broker: "Trading 212", Export: "history", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Action;Time;ISIN;Ticker;No. of shares;Price / share;Currency (Price / share);Exchange rate"), Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Key: "Action|Time", Kind: "Action", Symbol: "Ticker", Namer: statement.NamePlain, Name: "Name", Time: "Time", Quantity: "No. of shares",
		Price: "Price / share", Amount: "Total*", Unsigned: true, PriceCurrency: "Currency (Price / share)", NetResult: "Result*",
		Fees: "Transaction fee*+Finra fee*+Stamp duty*+Stamp duty reserve tax*+PTM levy*+French transaction tax*+Currency conversion fee*",
		ID:   "ID", IDs: statement.IDPerSide, Currencies: statement.CurrencyOfAccount, Note: "Notes|Action",
	},
}
