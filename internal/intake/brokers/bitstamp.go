package brokers

import "fillbook/internal/intake/statement"

// bitstampTransactions has amounts with their coins attached.
var bitstampTransactions = statement.Preset{
	Broker: "Bitstamp", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Type;Datetime;Account;Amount;Value;Rate;Fee;Sub Type"),
	Layout: &statement.Layout{
		Coins: true, Kind: "Type", Symbol: "{Amount$}/{Rate$}", Side: "Sub Type|Type", Time: "Datetime", Quantity: "Amount", Price: "Rate", ID: "ID",
		CashAmount: "Amount", Currency: "Amount$", Unsigned: true, Fees: "Fee", FeesCurrency: "Fee$", CashFees: statement.CashFeesApart,
		Words: []statement.Word{
			{Kind: statement.KindTrade, Words: "market|limit|stop|instant|buy|sell"},
			{Kind: statement.KindDeposit, Words: "deposit"},
			{Kind: statement.KindWithdrawal, Words: "withdrawal"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}
