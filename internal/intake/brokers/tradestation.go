package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// tradeStationOrders is the list of the web platform. A row is a whole order.
var tradeStationOrders = s.Preset{
	Broker: "TradeStation", Export: "closed orders", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Symbol;Side;Filled quantity;Avg fill price;Close time;Commission fee;Order ID"), NewestFirst: true,
	Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Side: "Side", Quantity: "Filled quantity", Price: "Avg fill price", Time: "Close time",
		Commission: "Commission fee", Fees: "Route fee", Currency: "Currency", ID: "Order ID",
	},
}

// tradeManagerOrders is the list of the desktop's TradeManager, known from other
// people's code only. Only futures have a contract date.
var tradeManagerOrders = s.Preset{
	Broker: "TradeStation", Export: "TradeManager orders", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Account;Symbol;Type;Order Status;Entered;Qty Filled;Filled Price;Commission"), Order: parse.MonthFirst, NewestFirst: true,
	Layout: &s.Layout{
		Key: "Account|Symbol", Orders: true, Symbol: "Symbol", Side: "Type", Quantity: "Qty Filled", Price: "Filled Price",
		Time: "Filled/Canceled|Entered", Commission: "Commission", ID: "Order #|Order ID",
		Adjust: func(w *s.Row, r *s.Record) {
			if r.Fill.Type == "" && w.Text("Contract Exp Date") != "" {
				r.Fill.Type = instruments.TypeFuture
			}
		},
	},
}
