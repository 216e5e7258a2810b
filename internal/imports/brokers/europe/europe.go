// Package europe knows the exports of brokers in Europe: Trading 212, DEGIRO,
// Saxo, XTB, eToro, IG, Avanza, Freetrade, Hargreaves Lansdown, Rabobank,
// Swissquote, Trade Republic, Revolut, BUX, Exante and a French account
// statement.
//
// They have two things in common that decide how they are read. An account in
// one currency holds shares in others: prices stay as the file and the chart
// have them, pence included, and what one unit of such a price was worth in the
// account's money becomes the fill's multiplier, see worth.go. And most exports
// are histories of an account in the language of its owner, in which trades
// stand among dividends and transfers: a row becomes an event, which says what
// it is in words that all of them share, see event.go and words.go.
//
// Where a file has no ticker the ISIN is the symbol, and the name is kept beside
// it.
package europe

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets returns every export that the package knows.
func Presets() []*statement.Preset {
	return slices.Concat(
		[]*statement.Preset{&trading212History, &degiroTransactions, &degiroStatement, &saxoTransactions, &xtbPositions, &xtbOperations}, etoro(), ig(),
		[]*statement.Preset{&avanzaTransactions, &freetradeActivity, &hargreavesSummary, &rabobankMutations, &swissquoteTransactions},
		[]*statement.Preset{&tradeRepublicTransactions, &tradeRepublicOlder, &revolutStocks, &buxTransactions, &exanteTrades, &releveStatement},
	)
}

// Where the clocks of several brokers stand.
const (
	amsterdam = "Europe/Amsterdam"
	london    = "Europe/London"
)
