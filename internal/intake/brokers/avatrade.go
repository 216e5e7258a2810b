package brokers

import (
	"strings"

	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// avaTradeOrders is the order list in German. An order was filled as far as its
// Erfüllungsmenge says, whatever happened to the rest.
var avaTradeOrders = s.Preset{
	Broker: "AvaTrade", Export: "orders", Evidence: s.SampleFile, Format: s.Executions, Costs: s.CostsPositive, NewestFirst: true,
	Header: s.Cols("Symbol;Seite;Anz.;Erfüllungsmenge;Durchschnittlicher Erfüllungspreis;Status Zeit;Order-Nummer"),
	Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Namer: nameAvaTrade, Side: "Seite", Quantity: "Erfüllungsmenge", Price: "Durchschnittlicher Erfüllungspreis",
		Time: "Status Zeit|Platzierungszeit", Commission: "Kommission", ID: "Order-Nummer",
	},
}

// nameAvaTrade builds a future, which is written F.US.MESM26, or a contract for
// difference.
func nameAvaTrade(symbol, kind string) s.Instrument {
	symbol = strings.ToUpper(symbol)
	bare := strings.TrimPrefix(symbol, "F.US.")
	if _, ok := instruments.ParseFuture(bare); ok && bare != symbol {
		return s.Instrument{Symbol: bare, Type: instruments.TypeFuture}
	}
	return nameLots(symbol, kind)
}
