// Package brokers gathers the presets of all brokers, platforms and journals
// whose files can be read without a column mapping. Each is in the package of
// its kind, next to its fixture.
package brokers

import (
	"slices"

	"fillbook/internal/imports/brokers/america"
	"fillbook/internal/imports/brokers/asia"
	"fillbook/internal/imports/brokers/blotters"
	"fillbook/internal/imports/brokers/crypto"
	"fillbook/internal/imports/brokers/europe"
	"fillbook/internal/imports/brokers/futures"
	"fillbook/internal/imports/brokers/ibkr"
	"fillbook/internal/imports/brokers/journals"
	"fillbook/internal/imports/brokers/platforms"
	"fillbook/internal/imports/brokers/savers"
	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
)

// All returns every preset. The order decides only among presets that fit a file
// equally well.
func All() []*statement.Preset {
	return slices.Concat(
		metatrader.Presets(), platforms.Presets(), america.Presets(), ibkr.Presets(), blotters.Presets(), asia.Presets(),
		futures.Presets(), crypto.Presets(), europe.Presets(), savers.Presets(), journals.Presets(),
	)
}
