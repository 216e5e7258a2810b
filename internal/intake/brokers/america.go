package brokers

import (
	"slices"

	"fillbook/internal/intake/statement"
)

// newYork is where these brokers' clocks stand.
const newYork = "America/New_York"

// americaPresets lists presets in the order in which they are tried.
func americaPresets() []*statement.Preset {
	return slices.Concat(
		thinkorswim(),
		[]*statement.Preset{&schwabTransactions, &schwabRealized, &fidelityHistory, &fidelityOrders, etradeTransactions, etradeSecond, etradeFirst},
		[]*statement.Preset{&robinhoodActivity, &webullOrders, &webullCombined, &webullOptions, &webullAbroad},
		[]*statement.Preset{&wealthsimpleActivities, &vanguardTransactions, &merrillActivity, &tastytradeTransactions, &tastytradeEarly, &firstradeHistory, &tdAmeritradeTransactions, &b3Trades},
	)
}
