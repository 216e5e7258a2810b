// Package blotters reads the execution lists of brokers and platforms for active
// traders of shares and options: TradeStation, TradeZero and what is modeled on
// them, DAS Trader, Lightspeed, Questrade, moomoo and Tiger.
//
// These lists are near to one another. A row is a fill, or an order with what
// was filled of it; sides are one or two letters of which SS and BC are the
// short ones; the costs are spread over columns of their own. What differs is
// how the file says when: day and time in two columns, in one, or the time alone
// in a file whose name has the day.
package blotters

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// newYork is the zone of nearly all of them.
const newYork = "America/New_York"

// Presets are the exports that the package knows.
func Presets() []*statement.Preset {
	return slices.Concat(
		[]*statement.Preset{&tradeZeroExecutions, &tradeStationOrders, &tradeManagerOrders, &fundTradersExecutions, &heldenTraderTrades},
		das(), []*statement.Preset{&lightspeedBlotter, &questradeExecutions, &questradeConfirmations, &questradeActivities},
		moomoo(), []*statement.Preset{&moomooTrades, &tigerTrades},
	)
}
