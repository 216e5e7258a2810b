package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// blofinOrders is Blofin's order history. The file does not state its zone.
var blofinOrders = statement.Preset{
	Broker: "Blofin", Export: "order history", Evidence: statement.SampleFile, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Underlying Asset;Margin Mode;Leverage;Order Time;Side;Avg Fill;Filled;Total;PNL;Fee;Reduce-only;Status"),
	Order:  parse.MonthFirst, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Orders: true, Symbol: "Underlying Asset", Namer: statement.NameCoinContract, Side: "Side", Effect: "Reduce-only",
		Time: "Order Time", Quantity: "Filled", Price: "Avg Fill", Fees: "Fee", Result: "PNL",
	},
}
