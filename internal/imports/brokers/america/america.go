// Package america reads the exports of the brokers of the United States that
// trade shares and options: thinkorswim, Charles Schwab, Fidelity, E*TRADE,
// Robinhood, Webull, tastytrade, Firstrade and Vanguard, and of Wealthsimple in
// Canada.
//
// Most of them do not export fills but a history of the account, in which
// trades stand among dividends, transfers and options that ended. Each preset
// turns its row into an entry, which says what the row is in words that all of
// them share; what an entry means for the journal is decided once, in entry.go.
// An option that ended does not always say whether it was held or owed: the
// fills around it tell, see endings.go.
//
// Days and times without a zone are New York's, unless the file says otherwise.
package america

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// newYork is where these brokers' clocks stand.
const newYork = "America/New_York"

// Presets returns every export that the package knows.
func Presets() []*statement.Preset {
	return slices.Concat(
		thinkorswim(), schwab(), []*statement.Preset{&fidelityHistory, &fidelityOrders, etradeTransactions, etradeSecond, etradeFirst, &robinhoodActivity, &webullOrders, &webullCombined, &webullOptions, &webullAbroad, &wealthsimpleActivities, &vanguardTransactions}, tastytrade(), firstrade(),
	)
}
