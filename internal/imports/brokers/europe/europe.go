// Package europe describes the exports of brokers in Europe: Trading 212, DEGIRO,
// Saxo, XTB, eToro, IG, Avanza, Freetrade, Hargreaves Lansdown, Rabobank,
// Swissquote, Trade Republic, Revolut, BUX, Exante and a French account
// statement.
//
// An account in one currency holds shares in others: prices stay as the file has
// them, pence included, and the multiplier of a fill converts them to the currency
// of the account. If a file has no ticker, the ISIN is the symbol, and the name is
// kept beside it. All files are read by a [statement.Layout] except the account of
// DEGIRO, in which a trade is several rows.
package europe

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets returns the exports of the package.
func Presets() []*statement.Preset {
	return slices.Concat(
		[]*statement.Preset{&trading212History, &degiroTransactions, &degiroStatement, &saxoTransactions, &xtbPositions, &xtbOperations, &etoroPositions, &etoroActivity, &igHistory},
		[]*statement.Preset{&avanzaTransactions, &freetradeActivity, &hargreavesSummary, &rabobankMutations, &swissquoteTransactions},
		[]*statement.Preset{&tradeRepublicTransactions, &tradeRepublicOlder, &revolutStocks, &buxTransactions, &exanteTrades, &releveStatement},
	)
}

// Where the clocks of several brokers stand.
const (
	amsterdam = "Europe/Amsterdam"
	london    = "Europe/London"
)
