// Package america describes the exports of North American brokers for shares and
// options: thinkorswim, Charles Schwab, Fidelity, E*TRADE, Robinhood, Webull,
// Wealthsimple, Vanguard, Merrill, tastytrade and Firstrade.
//
// Most of them do not export fills but a history of the account, in which trades
// are mixed with dividends, transfers and options that ended. All are read by a
// [statement.Layout] except thinkorswim, whose statement is many tables with the
// costs of trades in another one.
//
// Days and times without a zone are New York's, unless the file says otherwise.
package america

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// newYork is where these brokers' clocks stand.
const newYork = "America/New_York"

// Presets returns the exports of the package.
func Presets() []*statement.Preset {
	return slices.Concat(
		thinkorswim(),
		[]*statement.Preset{&schwabTransactions, &schwabRealized, &fidelityHistory, &fidelityOrders, etradeTransactions, etradeSecond, etradeFirst},
		[]*statement.Preset{&robinhoodActivity, &webullOrders, &webullCombined, &webullOptions, &webullAbroad},
		[]*statement.Preset{&wealthsimpleActivities, &vanguardTransactions, &merrillActivity, &tastytradeTransactions, &tastytradeEarly, &firstradeHistory},
	)
}
