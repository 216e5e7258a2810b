package brokers

import (
	"slices"

	"fillbook/internal/intake/statement"
)

// asiaPresets lists presets in the order in which they are tried.
func asiaPresets() []*statement.Preset {
	return slices.Concat([]*statement.Preset{&zerodhaTradebook, &zerodhaExits, &zerodhaSums, &upstoxTrades, &dhanTrades, &angelOneTrades, &growwOrders, &sbiTrades, &rakutenTrades, &eSmartTrades, &tonghuashunTrades})
}
