package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// binanceSpot has amounts with their coins attached: 0.5BTC. The amount's coin is the
// pair's quote coin.
var binanceSpot = statement.Preset{
	Broker: "Binance", Export: "spot trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Date(UTC)|Time|Date;Pair;Side;Price;Executed;Amount;Fee"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "Pair", Side: "Side", Time: "Date(UTC)|Time|Date", Quantity: "Executed", Price: "Price", PriceCurrency: "Amount$",
		Fees: "Fee",
	},
}

var binanceOldSpot = statement.Preset{
	Broker: "Binance", Export: "spot trades until 2021", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Date(UTC)|Time|Date;Market|Pair;Type|Side;Price;Amount;Total;Fee;Fee Coin"), Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Symbol: "Market|Pair", Side: "Type|Side", Time: "Date(UTC)|Time|Date", Quantity: "Amount", Price: "Price",
		Fees: "Fee", FeesCurrency: "Fee Coin",
	},
}

// binanceFutures are contracts. Coin-margined ones are settled in their coin: prices are
// in dollars, and the result is not.
var binanceFutures = statement.Preset{
	Broker: "Binance", Export: "futures trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Date(UTC)|Time(UTC)|Time|Date;Symbol;Side;Price;Quantity;Amount;Fee;Realized Profit"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "Symbol", Namer: statement.NameCoinContract, Side: "Side", Time: "Date(UTC)|Time(UTC)|Time|Date",
		Quantity: "Quantity", Price: "Price", Fees: "Fee", FeesCurrency: "Fee Coin", Result: "Realized Profit",
	},
}

// binanceAutoInvest has purchases by a plan: the amount includes the fee.
var binanceAutoInvest = statement.Preset{
	Broker: "Binance", Export: "Auto-Invest", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Auto-Invest Date(UTC);Holding Coin;Amount per period;Trading Fee;Units;Status"), Order: parse.MonthFirst,
	Layout: &statement.Layout{
		Coins: true, Only: []statement.Condition{{Col: "Status", Words: "success", Reason: statement.ReasonNotFilled}},
		Symbol: "{Holding Coin}{Amount per period$}", PriceCurrency: "Amount per period$", Side: "=buy", Time: "Auto-Invest Date(UTC)",
		Quantity: "Units", Amount: "Amount per period", Unsigned: true, Fees: "Trading Fee",
	},
}

// binanceStatement has one row for each coin in a trade. Rows within a second belong
// together.
var binanceStatement = statement.Preset{
	Broker: "Binance", Export: "account statement", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("UTC_Time|Time|Time(UTC);Account;Operation;Coin;Change;Remark"),
	Layout: &statement.Layout{
		Coins: true, Key: "Operation", Kind: "{Operation} in {Account}", Time: "UTC_Time|Time|Time(UTC)", Amount: "Change", Currency: "Coin",
		Symbol: "{@base}{@quote}", Note: "Operation", Join: []statement.Join{{By: "{Account} {UTC_Time|Time|Time(UTC)}", As: statement.JoinLegs}},
		Words: []statement.Word{
			{Kind: statement.KindResult, Words: "fee in *futures*|transaction fee in *futures*"},
			{Kind: statement.KindLeg, Words: "buy in *|sell in *|transaction related in *|transaction buy in *|transaction spend in *|transaction sold in *|" +
				"transaction revenue in *|binance convert in *|convert in *|small assets exchange bnb in *|large otc trading in *|otc trading in *|" +
				"auto-invest transaction in *"},
			{Kind: statement.KindLegFee, Words: "fee in *|transaction fee in *"},
			{Kind: statement.KindTransfer, Words: "deposit in *|withdraw in *|withdrawal in *|fiat deposit in *|fiat withdraw in *|fiat withdrawal in *|" +
				"buy crypto in *|send in *|receive in *|p2p trading in *"},
			{Kind: statement.KindResult, Words: "realized profit and loss in *|realize profit and loss in *|insurance fund in *|insurance clear in *"},
			{Kind: statement.KindInterest, Words: "funding fee in *|cash voucher distribution in *|distribution in *|referral kickback in *|commission rebate in *"},
			{Kind: statement.KindInternal, Words: "eth 2.0 staking in *|main and funding account transfer in *"},
			{Kind: statement.KindInterest, Words: "*interest* in *|*reward* in *|*airdrop* in *"},
			{Kind: statement.KindInternal, Words: "*transfer* in *|*subscription* in *|*redemption* in *|*purchase* in *"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}

// binanceWallet is the futures account's wallet. Results and commissions come with the
// fills in the futures trades.
var binanceWallet = statement.Preset{
	Broker: "Binance", Export: "futures transactions", Evidence: statement.Documented, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Date(UTC)|Time(UTC);type;Amount;Asset;Symbol;Transaction ID"),
	Layout: &statement.Layout{
		Coins: true, Kind: "type", Time: "Date(UTC)|Time(UTC)", Amount: "Amount", Currency: "Asset", Note: "{type} {Symbol}",
		Words: []statement.Word{
			{Kind: statement.KindResult, Words: "realized_pnl|commission"},
			{Kind: statement.KindTransfer, Words: "transfer|internal_transfer|cross_collateral_transfer|strategy_umfutures_transfer"},
			{Kind: statement.KindInterest, Words: "funding_fee"},
			{Kind: statement.KindAdjustment, Words: "welcome_bonus|insurance_clear|referral_kickback|*_rebate|*_reward|options_*|auto_exchange|" +
				"coin_swap_*|delivered_*|position_limit_increase_fee"},
		},
	},
}
