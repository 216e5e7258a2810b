package ibkr

import (
	"path/filepath"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

func TestFixtures(t *testing.T) { brokertest.Run(t, Presets()) }

func TestSamples(t *testing.T) {
	brokertest.Samples(t, filepath.Join("testdata", "samples.txt"), Presets(), "ibkr", "captrader")
}
