package brokers

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// bitfinexTrades was written from code; no file was seen. The amount's sign is the side.
var bitfinexTrades = statement.Preset{
	Broker: "Bitfinex", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("#;PAIR;AMOUNT;PRICE;FEE;FEE CURRENCY;DATE;ORDER ID"), Order: parse.DayFirst, Costs: statement.CostsNegative,
	Layout: &statement.Layout{
		Coins: true, Symbol: "PAIR", Quantity: "AMOUNT", Price: "PRICE", Fees: "FEE", FeesCurrency: "FEE CURRENCY", Time: "DATE", ID: "#", Order: "ORDER ID",
	},
}
