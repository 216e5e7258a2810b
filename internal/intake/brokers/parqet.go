package brokers

import s "fillbook/internal/intake/statement"

// parqetActivities are the portfolio tracker's exports. Taxes on a sale are no cost and
// are not read; for a dividend, what arrived counts.
var parqetActivities = s.Preset{
	Broker: "Parqet", Export: "activities", Evidence: s.SampleFile, Format: s.Executions, Zone: berlin, NewestFirst: true,
	Header: s.Cols("datetime;price;shares;amount;tax;fee;type;identifier;holdingname"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "type|datetime", Kind: "type", Symbol: "identifier|holdingname", Namer: s.NamePlain, Name: "holdingname", Time: "datetime",
		Quantity: "shares", Price: "price", Gross: "amount", Unsigned: true, Fees: "fee", Currency: "currency", Note: "{type}: {identifier|holdingname}",
		Words: []s.Word{
			{Kind: s.KindMovement, Words: "*transferin*|*transferout*"},
			{Kind: s.KindWithdrawal, Words: "*withdrawal*"},
			{Kind: s.KindFee, Words: "*cost*"},
		},
	},
}
