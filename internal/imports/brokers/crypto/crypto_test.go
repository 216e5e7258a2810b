package crypto

import (
	"path/filepath"
	"testing"

	"fillbook/internal/imports/brokers/brokertest"
)

func TestFixtures(t *testing.T) { brokertest.Run(t, Presets()) }

func TestSamples(t *testing.T) {
	brokertest.Samples(t, filepath.Join("testdata", "samples.txt"), Presets(),
		"binance", "bitmex", "bitstamp", "bitvavo", "blofin", "coinbase", "cryptocom", "hyperliquid", "kraken", "kucoin", "revolut-crypto",
		"bybit", "okx", "bitget", "deribit", "bitfinex", "mexc")
}
