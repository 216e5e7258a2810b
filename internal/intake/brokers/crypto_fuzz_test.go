package brokers

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

// FuzzCryptoPresets reads damaged exports: no preset panics, and every fill and every
// row of cash is a valid one.
func FuzzCryptoPresets(f *testing.F) {
	brokertest.Fuzz(f, cryptoPresets())
}
