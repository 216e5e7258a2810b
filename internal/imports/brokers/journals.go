package brokers

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// journalsPresets lists presets in the order in which they are tried.
func journalsPresets() []*statement.Preset {
	return slices.Concat(fillbook(), tradervue(), tradeZella(), traderSync(), traderMemos(), tradeJourney(), spreadsheets(), []*statement.Preset{&tradesvizExecutions})
}
