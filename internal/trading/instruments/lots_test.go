package instruments

import (
	"testing"

	"fillbook/internal/base/decimal"
)

// TestLotSize checks the lot sizes that are the same everywhere, and that
// others are absent.
func TestLotSize(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"EURUSD": "100000", "eurusd.p": "100000", "USDJPY+": "100000", "EUR/USD": "100000", "GBPUSDm": "100000",
		"XAUUSD": "100", "xauusdm": "100", "XAUEUR": "100", "XAU/USD": "100", "XAGUSD@": "5000", "XPTUSD": "100", "XPDUSD.": "100",
		"NQ100_M": "null", "XAUTO": "null", "GOLD": "null", "BTCUSD": "null", "XA": "null", "": "null",
	} {
		if got := LotSize(symbol).String(); got != want {
			t.Errorf("a lot of %q is %s, want %s", symbol, got, want)
		}
	}
	if got := LotMultiplier("EURUSD", decimal.New(25_000)); !got.Equal(decimal.New(1)) {
		t.Errorf("25000 EURUSD are units, but their multiplier is %s", got)
	}
}
