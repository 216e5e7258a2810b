package blotters

import "fillbook/internal/imports/statement"

// lightspeed reads the blotter that Lightspeed delivers. Its net amount has the
// costs on one side for buys and on the other for sells, so that it is not
// compared with anything.
func lightspeed() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Lightspeed", Export: "blotter", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Trade Number", "Trade Date", "Execution Time", "Symbol", "Side", "Qty", "Price", "Commission Amount"},
		Zone:   newYork, Order: statement.MonthFirst, Costs: statement.CostsPositive,
		Columns: map[statement.Target]string{
			"symbol": "Symbol", "side": "Side|Buy/Sell", "quantity": "Qty", "price": "Price", "date": "Trade Date", "time": "Execution Time",
			"commission": "Commission Amount", "external_id": "Trade Number", "currency": "Currency Code|Currency",
			"fees": "FeeSEC+FeeMF+Fee1+Fee2+Fee3+Fee4+FeeStamp+FeeTAF",
		},
	}}
}
