package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// lightspeedBlotter is the blotter delivered by Lightspeed. Its net amount adds the costs
// on one side and subtracts them on the other, so it is not read.
var lightspeedBlotter = s.Preset{
	Broker: "Lightspeed", Export: "blotter", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Trade Number;Trade Date;Execution Time;Symbol;Side;Qty;Price;Commission Amount"), Order: parse.MonthFirst,
	Layout: &s.Layout{
		Symbol: "Symbol", Side: "Side|Buy/Sell", Quantity: "Qty", Price: "Price", Date: "Trade Date", Clock: "Execution Time",
		Commission: "Commission Amount", Fees: "FeeSEC+FeeMF+Fee1+Fee2+Fee3+Fee4+FeeStamp+FeeTAF",
		ID: "Trade Number", Currency: "Currency Code|Currency",
	},
}
