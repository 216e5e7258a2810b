package brokers

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

// FuzzAmericaPresets feeds damaged exports: nothing panics, and what is read as a fill
// could be one.
func FuzzAmericaPresets(f *testing.F) {
	brokertest.Fuzz(f, americaPresets())
}
