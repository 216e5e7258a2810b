package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// bittrexOrders is the history of filled orders since 2018. Price is the total traded
// value.
var bittrexOrders = statement.Preset{
	Broker: "Bittrex", Export: "order history", Evidence: statement.Documented, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Uuid;Exchange;TimeStamp;OrderType;Limit;Quantity;QuantityRemaining;Commission;Price;PricePerUnit;Closed"),
	Order:  parse.MonthFirst, NewestFirst: true, Costs: statement.CostsPositive,
	Layout: &bittrexLayout,
}

// bittrexOldOrders is the history until 2017, without unit prices.
var bittrexOldOrders = statement.Preset{
	Broker: "Bittrex", Export: "order history until 2017", Evidence: statement.Documented, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("OrderUuid;Exchange;Type;Quantity;Limit;CommissionPaid;Price;Opened;Closed"), Order: parse.MonthFirst,
	Costs:  statement.CostsPositive,
	Layout: &bittrexLayout,
}

// bittrexLayout reads both histories. A market has the quote coin before the traded one:
// USD-BTC.
var bittrexLayout = statement.Layout{
	Coins: true, Orders: true, Kind: "OrderType|Type", Symbol: "{@base}-{@quote}", Time: "Closed", Quantity: "@filled|Quantity", Price: "PricePerUnit",
	Gross: "Price", Unsigned: true, Currency: "@quote", Fees: "Commission|CommissionPaid", FeesCurrency: "@quote", ID: "Uuid|OrderUuid",
	Parse: []statement.Pattern{{In: "Exchange", Re: lazyregexp.New(`^(?P<quote>\w+)-(?P<base>\w+)$`)}},
	Words: []statement.Word{{Kind: statement.KindBuy, Words: "*_buy"}, {Kind: statement.KindSell, Words: "*_sell"}},
	Prepare: func(w *statement.Row) {
		if rest := w.Decimal("QuantityRemaining"); !rest.IsZero() {
			w.Set("filled", w.Decimal("Quantity").Sub(rest).String())
		}
	},
}
