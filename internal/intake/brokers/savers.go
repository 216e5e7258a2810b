package brokers

import "fillbook/internal/intake/statement"

// saversPresets lists presets in the order in which they are tried.
func saversPresets() []*statement.Preset {
	return []*statement.Preset{
		&directaMovements, &finecoOperations, &flatexMovements, &scalableTransactions, &investEngineTrades, &finpensionTransactions, &parqetActivities,
		&vanguardUKTransactions, &comdirectTransactions, &lightyearTransactions, &sharesightTrades, &selfWealthTrades, &selfWealthCash,
	}
}

// The zones of the brokers' books.
const (
	rome   = "Europe/Rome"
	zurich = "Europe/Zurich"
)
