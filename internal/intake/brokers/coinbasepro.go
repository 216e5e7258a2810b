package brokers

import "fillbook/internal/intake/statement"

var coinbaseProFills = statement.Preset{
	Broker: "Coinbase Pro", Export: "fills", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("portfolio;trade id;product;side;created at;size;size unit;price;fee;total"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "product", Side: "side", Time: "created at", Quantity: "size", Price: "price", Amount: "total",
		Fees: "fee", FeesCurrency: "price/fee/total unit", ID: "trade id", HiddenCosts: statement.CostFees,
	},
}

// coinbaseProLedger has one row for each coin in a trade and another for its fee; they
// share its id.
var coinbaseProLedger = statement.Preset{
	Broker: "Coinbase Pro", Export: "account ledger", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("portfolio;type;time|Timestamp;amount;balance;amount/balance unit;transfer id;trade id;order id"),
	Layout: &statement.Layout{
		Coins: true, Key: "type", Kind: "{type} {trade id}", Time: "time|Timestamp", Amount: "amount", Currency: "amount/balance unit",
		Symbol: "{@base}-{@quote}", ID: "trade id", Note: "type", Join: []statement.Join{{By: "trade id", As: statement.JoinLegs, Fiat: true}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "match ?*|conversion ?*"},
			{Kind: statement.KindLegFee, Words: "fee ?*"},
			{Kind: statement.KindTransfer, Words: "deposit*|withdrawal*"},
			{Kind: statement.KindFee, Words: "fee"},
			{Kind: statement.KindAdjustment, Words: "rebate*"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}
