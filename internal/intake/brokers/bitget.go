package brokers

import "fillbook/internal/intake/statement"

// bitgetOrders is Bitget's futures order history. It was written from code; no file was
// seen. The time is the order's.
var bitgetOrders = statement.Preset{
	Broker: "Bitget", Export: "futures orders", Evidence: statement.Documented, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Futures;Direction;Avg Price|Average Price;Filled Qty|Executed;Realized PnL|Realized P/L"),
	Layout: &statement.Layout{
		Coins: true, Orders: true, Symbol: "Futures", Namer: statement.NameCoinContract, Side: "Direction", Time: "Order Time…|Date…|Time…",
		Quantity: "Filled Qty|Executed", Price: "Avg Price|Average Price", Fees: "Fee", Result: "Realized PnL|Realized P/L", ID: "Order ID",
	},
}
