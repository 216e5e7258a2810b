package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
)

// mexcSpot and mexcFutures were written from code; no file was seen.
var mexcSpot = statement.Preset{
	Broker: "MEXC", Export: "spot trades", Evidence: statement.Documented, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Pairs;Time;Side;Filled Price;Executed Amount;Total;Fee;Role"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "Pairs", Side: "Side", Time: "Time", Quantity: "Executed Amount", Price: "Filled Price", Fees: "Fee",
	},
}

var mexcFutures = statement.Preset{
	Broker: "MEXC", Export: "futures orders", Evidence: statement.Documented, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Futures Trading Pair;Direction;Filled Qty (Crypto);Average Filled Price;Closing PNL;Trading Fee;Fee-payment Crypto|Fee Crypto;Status"),
	Layout: &statement.Layout{
		Coins: true, Orders: true, Key: "Futures Trading Pair", Symbol: "@contract", Namer: statement.NameCoinContract, Side: "Direction",
		Time: "Time…", Quantity: "Filled Qty (Crypto)", Price: "Average Filled Price", Fees: "Trading Fee",
		FeesCurrency: "Fee-payment Crypto|Fee Crypto", Result: "Closing PNL",
		Parse: []statement.Pattern{{In: "Futures Trading Pair", Re: lazyregexp.New(`(?i)^(?P<contract>.*?)\s*(?:perpetual)?$`)}},
	},
}
