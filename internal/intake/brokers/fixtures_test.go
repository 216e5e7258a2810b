package brokers

import (
	"path/filepath"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

func TestFixtures(t *testing.T) { brokertest.Run(t, tables()) }

// TestSamples compares what is read from real exports with a table.
func TestSamples(t *testing.T) {
	brokertest.Samples(t, filepath.Join("testdata", "samples.txt"), tables(),
		"thinkorswim", "schwab", "fidelity", "etrade", "robinhood", "webull", "tastytrade", "firstrade", "zerodha",
		"upstox", "angelone", "tradestation", "tradenote", "das__", "lightspeed", "questrade", "tiger", "binance",
		"bitmex", "bitstamp", "bitvavo", "blofin", "coinbase", "cryptocom", "hyperliquid", "kraken", "kucoin",
		"revolut-crypto", "bybit", "okx", "bitget", "deribit", "bitfinex", "mexc", "trading212", "degiro", "saxo",
		"xtb", "etoro", "ig__", "avanza", "freetrade", "hargreaves", "rabobank", "swissquote", "traderepublic",
		"revolut-invest", "bux", "generic-eu", "tradovate", "ninjatrader", "topstep", "projectx", "rithmic",
		"tradersync", "tradezella", "generic-journal", "ctrader", "ftmo", "fxblue", "mql5signal", "mt5__",
		"myfxbook", "tradingview", "avatrade",
	)
}
