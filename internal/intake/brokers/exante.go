package brokers

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// exanteTrades is the trade list, known from other people's code only. Its time zone is
// unknown.
var exanteTrades = statement.Preset{
	Broker: "Exante", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Costs: statement.CostsPositive, NewestFirst: true,
	Header: statement.Cols("Time;Account ID;Side;Symbol ID;ISIN;Type;Price;Currency;Quantity;Commission;Commission Currency;Order Id;Order pos"),
	Layout: &statement.Layout{
		Side: "Side", Symbol: "Symbol ID", Namer: nameExante, Type: "Type", Time: "Time", Quantity: "Quantity", Price: "Price", Commission: "Commission",
		Currency: "Currency", ID: "Unique Transaction Identifier (UTI)", Order: "Order Id",
	},
}

// nameExante builds an instrument from a symbol with its exchange: AAPL.NASDAQ.
func nameExante(symbol, kind string) statement.Instrument {
	i := statement.NameAny(symbol, kind)
	if name, exchange, ok := strings.Cut(i.Symbol, "."); ok && !strings.Contains(exchange, ".") {
		i.Symbol = name
	}
	return i
}
