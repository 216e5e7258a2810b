package brokers

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// portalPositions is the list of MT5 positions that the portals of some brokers
// write: one row for each leg, with the id of its position.
var portalPositions = s.Preset{
	Broker: "MetaTrader 5", Export: "position history list of a broker's portal", Evidence: s.SampleFile, Format: s.Executions, Zone: serverZone,
	Header: s.Cols("Symbol;Position;Date Time;Transaction Type;Trade Volume Lots;Open Price;Profit"), Order: parse.MonthFirst,
	Layout: &s.Layout{
		Key: "Transaction Type", Symbol: "Symbol", Namer: nameMetaTrader, Side: "Transaction Type", Quantity: "Trade Volume Lots", Price: "Open Price",
		Time: "Date Time", Lot: "Position", Result: "Profit", Results: s.ResultIfClosing, Account: "Account Number", Details: map[string]s.Col{"unit": "=lot"},
		Adjust: func(_ *s.Row, r *s.Record) {
			r.Fill.Multiplier = decimal.Of(instruments.LotMultiplier(r.Fill.Symbol, r.Fill.Quantity))
		},
	},
}
