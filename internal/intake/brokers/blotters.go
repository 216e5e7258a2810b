package brokers

import (
	"slices"

	"fillbook/internal/intake/statement"
)

// blottersPresets lists presets in the order in which they are tried.
func blottersPresets() []*statement.Preset {
	return slices.Concat(
		[]*statement.Preset{&tradeZeroExecutions, &tradeStationOrders, &tradeManagerOrders, &fundTradersExecutions, &heldenTraderTrades},
		das(), []*statement.Preset{&lightspeedBlotter, &questradeExecutions, &questradeConfirmations, &questradeActivities},
		[]*statement.Preset{&moomooOrders, &moomooTrades, &tigerTrades},
	)
}
