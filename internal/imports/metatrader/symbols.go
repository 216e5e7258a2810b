package metatrader

import "fillbook/internal/instruments"

// InstrumentType tells currency pairs from everything else that is traded in
// lots, which is a contract for difference: metals, indices, energies, coins
// and shares alike.
func InstrumentType(symbol string) string {
	if instruments.IsCurrencyPair(symbol) {
		return instruments.TypeForex
	}
	return instruments.TypeCFD
}
