// Package brokers has the presets of all brokers, platforms, exchanges and
// journals whose files can be read without a column mapping: one file for each of
// them, named after it, with its fixtures in testdata. A preset is a variable
// named after the broker and the export, such as swissquoteTransactions.
//
// Interactive Brokers and MetaTrader write files that are not tables. Their
// readers are packages of their own.
package brokers

import (
	"slices"

	"fillbook/internal/intake/brokers/ibkr"
	"fillbook/internal/intake/metatrader"
	"fillbook/internal/intake/statement"
)

// All returns every preset. The order decides only among presets that fit a file
// equally well.
func All() []*statement.Preset {
	return slices.Concat(
		metatrader.Presets(), platformsPresets(), americaPresets(), ibkr.Presets(), blottersPresets(), asiaPresets(),
		futuresPresets(), cryptoPresets(), europePresets(), saversPresets(), journalsPresets(),
	)
}

// tables returns the presets of this package.
func tables() []*statement.Preset {
	return slices.Concat(
		platformsPresets(), americaPresets(), blottersPresets(), asiaPresets(), futuresPresets(), cryptoPresets(), europePresets(),
		saversPresets(), journalsPresets(),
	)
}
