package crypto

import (
	"testing"

	"fillbook/internal/imports/brokers/brokertest"
)

// FuzzPresets feeds damaged exports: nothing panics, and what is read as a fill
// or as cash could be one.
func FuzzPresets(f *testing.F) {
	brokertest.Fuzz(f, Presets())
}
