package europe

import (
	"path/filepath"
	"testing"

	"fillbook/internal/imports/brokers/brokertest"
)

func TestFixtures(t *testing.T) { brokertest.Run(t, Presets()) }

// TestSamples holds real exports against what is known of them.
func TestSamples(t *testing.T) {
	brokertest.Samples(t, filepath.Join("testdata", "samples.txt"), Presets(),
		"trading212", "degiro", "saxo", "xtb", "etoro", "ig__", "avanza", "freetrade", "hargreaves", "rabobank", "swissquote",
		"traderepublic", "revolut-invest", "bux", "generic-eu")
}
