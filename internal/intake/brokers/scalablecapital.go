package brokers

import s "fillbook/internal/intake/statement"

// scalableTransactions are Scalable Capital's. Only executed ones count.
var scalableTransactions = s.Preset{
	Broker: "Scalable Capital", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: berlin, NewestFirst: true,
	Header: s.Cols("date;time;status;reference;description;assetType;type;isin;shares"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "type|date", Only: []s.Condition{{Col: "status", Words: "executed", Reason: s.ReasonNotFilled}},
		Kind: "type", Symbol: "isin|description", Namer: s.NamePlain, Name: "description", Date: "date", Clock: "time",
		Quantity: "shares", Price: "price", Gross: "amount", Fees: "fee", Currency: "currency", ID: "reference", Note: "{type}: {isin|description}",
		Words: []s.Word{
			{Kind: s.KindBuy, Words: "savings plan"},
			{Kind: s.KindDividend, Words: "*distribution*|*dividend*"},
			{Kind: s.KindDeposit, Words: "*deposit*"},
			{Kind: s.KindWithdrawal, Words: "*withdrawal*"},
			{Kind: s.KindInterest, Words: "*interest*"},
			{Kind: s.KindTax, Words: "*tax*"},
			{Kind: s.KindFee, Words: "*fee*"},
			{Kind: s.KindMovement, Words: "*transfer*|*corporate*"},
		},
	},
}
