package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// projectXOrders is the order history from other firms on the same platform. Size is the
// ordered quantity: a canceled order's filled quantity is not in the file.
var projectXOrders = s.Preset{
	Broker: "ProjectX", Export: "order history", Evidence: s.SampleFile, Format: s.Executions, MarketZone: chicago, Instrument: futureType, Order: parse.MonthFirst,
	Header:  s.Cols("ContractName;Status;Size;Side;FilledAt;ExecutePrice"),
	Notices: []string{"The order history states no commissions and fees. The list of trades does; import only one of the two."},
	Layout: &s.Layout{
		Key: "ContractName|Status", Only: []s.Condition{{Col: "FilledAt|ExecutePrice", Words: "?*", Reason: s.ReasonNotFilled}},
		Symbol: "ContractName", Namer: s.NameFuture, Side: "Side", Effect: "PositionDisposition", Quantity: "Size", Price: "ExecutePrice",
		Time: "FilledAt", Account: "AccountName",
		Prepare: func(w *s.Row) {
			if status := w.Text("Status"); w.Text("FilledAt|ExecutePrice") != "" && !strings.EqualFold(status, "filled") {
				w.Fail("The order is %s but has a fill, and the file does not say how much was filled.", strings.ToLower(status))
			}
		},
	},
}

// propOrders are the order rows in prop firms' dashboards. The quantity's sign is the
// side.
var propOrders = s.Preset{
	Broker: "ProjectX", Export: "prop order rows", Evidence: s.SampleFile, Format: s.Executions, MarketZone: chicago, Instrument: futureType,
	Header: s.Cols("order_id;qty_done;price_done;last_time;symbol"),
	Layout: &s.Layout{
		Key: "order_id|symbol", Orders: true, Symbol: "trading_symbol|symbol", Namer: s.NameFuture, Quantity: "qty_done", Price: "price_done",
		Time: "last_time|order_date", ID: "order_id|id", Account: "account|account_id",
	},
}
