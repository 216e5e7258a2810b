package metatrader

import "fillbook/internal/trading/instruments"

// InstrumentType returns forex for currency pairs. Everything else traded in lots is a
// contract for difference: metals, indices, energies, coins and shares.
func InstrumentType(symbol string) string {
	if instruments.IsCurrencyPair(symbol) {
		return instruments.TypeForex
	}
	return instruments.TypeCFD
}
