// Package europe holds the presets of European brokers and banks: Trading 212,
// DEGIRO, Saxo, XTB, eToro, IG, Avanza, Freetrade, Hargreaves Lansdown,
// Rabobank, Swissquote, Trade Republic, Revolut, BUX, Directa, Fineco, flatex,
// Scalable Capital, InvestEngine, finpension and Parqet.
//
// Three things set them apart. Their exports are accounts of money in which
// trades stand among deposits and dividends, and most can be told by one table
// of columns and words; see [ledger]. Their prices are often in other money
// than their amounts: the price stays as it is written, and the multiplier of
// the fill says what it is worth in the account's money; see [deal]. And many
// name securities by ISIN alone, which is then the symbol, with the name kept
// beside it.
package europe

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets gives the exports that the package reads.
func Presets() []*statement.Preset {
	return slices.Concat(
		trading212(), degiro(), degiroAccount(), saxo(), xtb(), etoro(), ig(), avanza(), freetrade(),
		hargreavesLansdown(), rabobank(), swissquote(), tradeRepublic(), revolut(), bux(),
		directa(), fineco(), flatex(), scalable(), investEngine(), finpension(), parqet(),
	)
}

// The zones that more than one of the brokers keeps its books in.
const (
	london    = "Europe/London"
	amsterdam = "Europe/Amsterdam"
	berlin    = "Europe/Berlin"
	rome      = "Europe/Rome"
	zurich    = "Europe/Zurich"
)
