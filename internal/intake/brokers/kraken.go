package brokers

import "fillbook/internal/intake/statement"

// krakenTrades has the same ids as the ledgers, so both give the same fills.
var krakenTrades = statement.Preset{
	Broker: "Kraken", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("txid;ordertxid;pair;time;type;ordertype;price;cost;fee;vol"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "pair", Namer: statement.NameKrakenPair, Side: "type", Time: "time", Quantity: "vol", Price: "price", Fees: "fee", ID: "txid",
	},
}

// krakenLedgers have one row for each coin in a trade. Deposits are there twice, the
// first time without an id, before they have arrived.
var krakenLedgers = statement.Preset{
	Broker: "Kraken", Export: "ledgers", Evidence: statement.RealFile, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("txid;refid;time;type;aclass;asset;amount;fee;balance"),
	Layout: &statement.Layout{
		Coins: true, Only: []statement.Condition{{Col: "txid", Words: "?*", Reason: "it has not arrived yet; another row has it"}},
		Kind: "{type} {subtype}", Time: "time", Amount: "amount", Currency: "@asset|asset", Fees: "fee", CashFees: statement.CashFeesSubtracted,
		Symbol: "{@base}/{@quote}", ID: "refid", Note: "type", Join: []statement.Join{{By: "refid", As: statement.JoinLegs, Fiat: true}},
		Prepare: func(w *statement.Row) { w.Set("asset", statement.NameKrakenCoin(w.Text("asset"))) },
		Words: []statement.Word{
			{Kind: statement.KindInternal, Words: "staking *allocation*|earn *allocation*|dividend *allocation*|reward *allocation*|transfer ?*"},
			{Kind: statement.KindLeg, Words: "trade*|spend*|receive*"},
			{Kind: statement.KindTransfer, Words: "deposit*|withdrawal*"},
			{Kind: statement.KindInterest, Words: "staking*|earn*|dividend*|reward*"},
			{Kind: statement.KindFee, Words: "rollover*"},
			{Kind: statement.KindResult, Words: "margin*|settled*"},
			{Kind: statement.KindAdjustment, Words: "transfer"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}
