package brokers

import "fillbook/internal/intake/statement"

// gateioBilling is an account ledger: a row for each coin an order took or brought, and
// another for its fee. They share the order number.
var gateioBilling = statement.Preset{
	Broker: "Gate.io", Export: "billing details", Evidence: statement.Documented, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("no;time;action_desc;action_data;type;change_amount;amount;total"),
	Layout: &statement.Layout{
		Coins: true, Key: "action_desc", Kind: "action_desc", Time: "time", Amount: "change_amount", Currency: "type", Symbol: "{@base}_{@quote}",
		ID: "action_data", Note: "action_desc", Join: []statement.Join{{By: "action_data", As: statement.JoinLegs}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "order placed|order filled|order fullfilled|order fulfilled"}, //nolint:misspell // as the exchange spells it
			{Kind: statement.KindLegFee, Words: "trade fee|trading fee|trading fees"},
			{Kind: statement.KindTransfer, Words: "deposit|deposits|withdraw|withdrawal|withdrawals"},
			{Kind: statement.KindInterest, Words: "*interest*|*rebate*|airdrop*"},
			{Kind: statement.KindMovement, Words: "dust swap*"},
		},
	},
}
