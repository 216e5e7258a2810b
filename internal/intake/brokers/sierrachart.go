package brokers

import (
	"strings"

	s "fillbook/internal/intake/statement"
)

// sierraActivity is the Trade Activity Log, read in other importers; no file was seen. An
// exported log is in UTC and a saved one in the chart's zone, so the user is asked.
// Quantity is the fill's; FilledQuantity is the order's up to then.
var sierraActivity = s.Preset{
	Broker: "Sierra Chart", Export: "Trade Activity Log", Evidence: s.Documented, Format: s.Executions, MarketZone: chicago, Instrument: futureType,
	Header: s.Cols("ActivityType;DateTime;Symbol;Quantity;BuySell;FillPrice"),
	Layout: &s.Layout{
		Key: "ActivityType", Only: []s.Condition{{Col: "ActivityType", Words: "fills", Reason: "it is not a fill"}},
		Symbol: "Symbol", Namer: nameSierra, Side: "BuySell", Effect: "OpenClose", Quantity: "Quantity|FilledQuantity", Price: "FillPrice",
		Time: "DateTime|TransDateTime", ID: "FillExecutionServiceID", Account: "TradeAccount",
		Adjust: func(w *s.Row, r *s.Record) { r.Fill.PositionAfter = w.Null("PositionQuantity") },
	},
}

// nameSierra builds a future from a symbol with its exchange: ESM6_FUT_CME.
func nameSierra(symbol, kind string) s.Instrument {
	i := s.NameFuture(symbol, kind)
	i.Symbol, _, _ = strings.Cut(i.Symbol, "_FUT_")
	return i
}
