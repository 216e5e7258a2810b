// Package savers holds the presets of brokers and banks in Italy, Germany,
// Britain and Switzerland at which people save rather than trade: Directa,
// Fineco, flatex, Scalable Capital, InvestEngine and finpension, and of the
// tracker Parqet.
//
// All of them write an account of money in which trades stand among deposits
// and dividends, so that one table of columns and words says how to read it; see
// [ledger]. They name securities by ISIN, which is the symbol then, with the
// name kept beside it. A price in other money than the amounts stays as it is
// written, and the multiplier of the fill says what it is worth; see [deal].
package savers

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets gives the exports that the package reads.
func Presets() []*statement.Preset {
	return slices.Concat(directa(), fineco(), flatex(), scalable(), investEngine(), finpension(), parqet())
}

// The zones that the books are kept in.
const (
	london = "Europe/London"
	berlin = "Europe/Berlin"
	rome   = "Europe/Rome"
	zurich = "Europe/Zurich"
)
