package crypto

import (
	"testing"

	"fillbook/internal/imports/brokers/brokertest"
)

// FuzzPresets reads damaged exports: no preset panics, and every fill and every
// row of cash is a valid one.
func FuzzPresets(f *testing.F) {
	brokertest.Fuzz(f, Presets())
}
