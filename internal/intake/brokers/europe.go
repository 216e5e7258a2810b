package brokers

import (
	"slices"

	"fillbook/internal/intake/statement"
)

// europePresets lists presets in the order in which they are tried.
func europePresets() []*statement.Preset {
	return slices.Concat(
		[]*statement.Preset{&trading212History, &degiroTransactions, &degiroStatement, &saxoTransactions, &xtbPositions, &xtbOperations, &etoroPositions, &etoroActivity, &igHistory},
		[]*statement.Preset{&avanzaTransactions, &freetradeActivity, &hargreavesSummary, &rabobankMutations, &swissquoteTransactions},
		[]*statement.Preset{&tradeRepublicTransactions, &tradeRepublicOlder, &revolutStocks, &buxTransactions, &exanteTrades, &releveStatement, &nordnetTransactions},
	)
}

// Where the clocks of several brokers stand.
const (
	amsterdam = "Europe/Amsterdam"
	london    = "Europe/London"
)
