package brokers

import (
	"slices"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/brokers/ibkr"
	"fillbook/internal/intake/metatrader"
)

// TestGrowth checks the presets in this package. Others have their own test.
func TestGrowth(t *testing.T) { // not parallel: it measures the process
	checked := map[string]bool{}
	for _, p := range slices.Concat(tables(), ibkr.Presets(), metatrader.Presets()) {
		checked[p.Broker+" "+p.Export] = true
	}
	for _, p := range All() {
		if !checked[p.Broker+" "+p.Export] {
			t.Errorf("the growth of preset %s (%s) is not tested", p.Broker, p.Export)
		}
	}
	brokertest.CheckGrowth(t, tables())
}

func TestGenericGrowth(t *testing.T) { brokertest.CheckGenericGrowth(t, All()) } // it measures the process

func TestMemory(t *testing.T) { brokertest.CheckHeap(t, tables()) } // it measures the process
