package brokers

import "fillbook/internal/intake/statement"

// journalsPresets lists presets in the order in which they are tried.
func journalsPresets() []*statement.Preset {
	return append(
		fillbook(), &tradervueTrades, &tradervueFills, &tradeZellaTrades, &tradeZellaFills, &traderSyncTrades, &traderMemosTrades, &tradeJourneyTrades,
		&forexSheet, &fillSheet, &tradesvizExecutions,
	)
}
