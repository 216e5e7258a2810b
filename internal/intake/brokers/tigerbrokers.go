package brokers

import (
	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// tigerTrades are the trades of Tiger Brokers. The time has its distance from UTC
// after a comma: "04:47:39,GMT-04". The net amount of a future is its costs only.
var tigerTrades = s.Preset{
	Broker: "Tiger Brokers", Export: "trades", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Costs: s.CostsNegative,
	Header: s.Cols("Symbol;Type;Trade Date;Time;Buy/Sell;Quantity;Trade Price;Net Amount;Comm/Fee/Tax"), NewestFirst: true,
	Layout: &s.Layout{
		Symbol: "Symbol", Type: "Type", Side: "Buy/Sell", Quantity: "Quantity", Price: "Trade Price", Date: "Trade Date", Clock: "Time",
		Commission: "Comm/Fee/Tax", Fees: "GST", Amount: "Net Amount", Currency: "Currency",
		Adjust: func(_ *s.Row, r *s.Record) {
			if r.Fill.Type == instruments.TypeFuture {
				r.Fill.StatedCashFlow = decimal.Null{}
			}
		},
	},
}
