package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
)

var kucoinSpot = statement.Preset{
	Broker: "KuCoin", Export: "spot fills", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("UID;Order ID;Symbol;Side;Avg. Filled Price|Filled Price;Filled Amount;Filled Volume;Fee;Fee Currency"),
	Layout: &kucoinFills,
}

var kucoinCreated = statement.Preset{
	Broker: "KuCoin", Export: "spot fills with tradeCreatedAt", Evidence: statement.SampleFile, Format: statement.Executions,
	Header: statement.Cols("tradeCreatedAt;symbol;side;price;size;funds;fee;feeCurrency"), Zone: shanghai, NewestFirst: true,
	Layout: &kucoinFills,
}

var kucoinOld = statement.Preset{
	Broker: "KuCoin", Export: "spot fills until 2019", Evidence: statement.SampleFile, Format: statement.Executions,
	Header: statement.Cols("Time;Pair;Side;FilledPrice;FilledPriceCoin;Amount;Volume;Fee;FeeCoin"), Zone: shanghai, NewestFirst: true,
	Layout: &kucoinFills,
}

// kucoinFills is the layout for spot fills in all generations.
var kucoinFills = statement.Layout{
	Coins: true, Orders: true, Symbol: "Symbol|Pair", Side: "Side", Time: "Filled Time…|tradeCreatedAt…|Time…",
	Quantity: "size|Filled Amount|Amount", Price: "price|Avg. Filled Price|Filled Price|FilledPrice",
	Fees: "Fee", FeesCurrency: "Fee Currency|feeCurrency|FeeCoin",
}

// kucoinPositions has results for closed positions without prices: they are adjustments.
var kucoinPositions = statement.Preset{
	Broker: "KuCoin", Export: "closed futures positions", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("UID;Symbol;Close Type;Realized PNL;Total Funding Fees;Total Trading Fees"),
	Notices: []string{
		"The file has results of positions without prices and quantities, so they were read as adjustments. Import the futures fills instead to get the trades.",
	},
	Layout: &statement.Layout{
		Coins: true, Key: "Symbol", Kind: "=closed position", Time: "Position Closing Time…", Amount: "Total Realized PNL|Realized PNL",
		Currency: "Total Realized PNL$|Realized PNL$|@coin", Note: "closed position {Symbol}",
		Parse: []statement.Pattern{{In: "Symbol", Re: lazyregexp.New(`(?i)(?P<coin>USD[TC]?)M?$`)}},
		Words: []statement.Word{{Kind: statement.KindAdjustment, Words: "closed position"}},
	},
}
