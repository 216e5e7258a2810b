package brokers

import (
	"slices"

	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// futureType is the type of everything in most of these files.
const futureType = instruments.TypeFuture

// chicago is the zone of the exchanges that most of these files are of.
const chicago = "America/Chicago"

// futuresPresets lists presets in the order in which they are tried.
func futuresPresets() []*statement.Preset {
	return slices.Concat(
		tradovate(), []*statement.Preset{&topstepTrades, &projectXOrders, &propOrders},
		[]*statement.Preset{&ninjaTrades, &ninjaExecutions, &rithmicOrders, &rithmicPerformance},
		[]*statement.Preset{&quantowerTrades, &sierraActivity, &motiveWaveTrades, &atasJournal, &profitOperations},
	)
}
