// Package savers holds the presets of brokers and banks in Italy, Germany,
// Britain and Switzerland: Directa, Fineco, flatex, Scalable Capital,
// InvestEngine, Vanguard and finpension, and of the tracker Parqet. Their files are account
// histories that name securities by ISIN.
package savers

import "fillbook/internal/imports/statement"

// Presets lists the exports that the package reads.
func Presets() []*statement.Preset {
	return []*statement.Preset{
		&directaMovements, &finecoOperations, &flatexMovements, &scalableTransactions, &investEngineTrades, &finpensionTransactions, &parqetActivities,
		&vanguardUKTransactions,
	}
}

// The zones of the brokers' books.
const (
	london = "Europe/London"
	berlin = "Europe/Berlin"
	rome   = "Europe/Rome"
	zurich = "Europe/Zurich"
)
