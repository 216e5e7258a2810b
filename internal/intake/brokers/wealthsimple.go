package brokers

import s "fillbook/internal/intake/statement"

// wealthsimpleActivities is the export of activities of Wealthsimple in Canada. Rows
// have days only, and are in Canadian or US dollars.
var wealthsimpleActivities = s.Preset{
	Broker: "Wealthsimple", Export: "activities", Evidence: s.Documented, Format: s.Executions, Zone: toronto, Costs: s.CostsPositive,
	Header: s.Cols("transaction_date;settlement_date;account_id;account_type;activity_type;activity_sub_type;direction;symbol;name;currency;" +
		"quantity;unit_price;commission;net_cash_amount"),
	Layout: &s.Layout{
		Key: "activity_type", Kind: "{activity_type} {activity_sub_type}", Symbol: "symbol", Name: "name", Time: "transaction_date",
		Quantity: "quantity", Price: "unit_price", Amount: "net_cash_amount", Commission: "commission", Currency: "currency",
		Account: "account_id", Note: "{activity_type} {activity_sub_type} {symbol|name}",
		Words: []s.Word{
			{Kind: s.KindBuy, Words: "trade buy|trade drip"},
			{Kind: s.KindSell, Words: "trade sell"},
			{Kind: s.KindBuyOpen, Words: "trade bto"},
			{Kind: s.KindSellOpen, Words: "trade sto"},
			{Kind: s.KindBuyClose, Words: "trade btc"},
			{Kind: s.KindSellClose, Words: "trade stc"},
			{Kind: s.KindDividend, Words: "dividend*"},
			{Kind: s.KindInterest, Words: "interest*"},
			{Kind: s.KindExchange, Words: "fxexchange*"},
			{Kind: s.KindTransfer, Words: "moneymovement*|deposit*|withdrawal*|spend*"},
			{Kind: s.KindAdjustment, Words: "administrativepayment*"},
			{Kind: s.KindMovement, Words: "securitytransfer*"},
			{Kind: s.KindCorporateAction, Words: "corporateaction*"},
		},
	},
}
