package instruments

import (
	"testing"
	"time"

	"fillbook/internal/base/decimal"
)

var keyTime = time.Date(2026, 11, 16, 15, 0, 0, 0, time.UTC)

func TestNotationsShareAPriceKey(t *testing.T) {
	t.Parallel()
	for want, symbols := range map[string][]string{
		"future NQ 2026-12": {"NQZ26", "NQ 12-26", "NQZ6", "/NQZ26", "nqz2026", "CME_MINI:NQZ2026", "NQ DEC 26", "/NQZ6:XCME"},
		"future ES":         {"ES1!", "/ES", "ES=F", "@ES"},
		"ES":                {"ES", "NYSE:ES", "es.us"},
		"BRK.B":             {"BRK.B", "BRK-B", "BRK/B"},
		"EURUSD":            {"EURUSD", "EUR/USD", "EUR_USD", "FX:EURUSD"},
		"BTCUSDT":           {"BTCUSDT", "BTC-USDT", "BTC/USDT"},
		"option SPXW 2026-12-18 call 5000": {
			"SPXW  261218C05000000", "SPXW261218C05000000", ".SPXW261218C5000", "O:SPXW261218C05000000",
		},
	} {
		for _, symbol := range symbols {
			if got := SeriesKey(symbol, keyTime); got != want {
				t.Errorf("SeriesKey(%q) = %q, want %q", symbol, got, want)
			}
		}
	}
}

func TestPriceKeysOfFills(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of            Priced
		own, fallback string
	}{
		{Priced{Symbol: "ES", Type: TypeStock}, "ES", ""},
		{Priced{Symbol: "ESZ6", Type: TypeFuture}, "future ES 2026-12", "future ES"},
		{Priced{Symbol: "MNQ", Type: TypeFuture}, "future MNQ", "MNQ"},
		{Priced{Symbol: "UNKNOWNZ6", Type: TypeFuture}, "UNKNOWNZ6", ""},
		{Priced{Symbol: "SPY", Type: TypeOption, Right: Put, Strike: decimal.Of(decimal.New(500)), Expiry: "2026-12-18"}, "option SPY 2026-12-18 put 500", ""},
		{Priced{Symbol: "SPY261218P00500000", Type: TypeOption}, "option SPY 2026-12-18 put 500", ""},
		{Priced{Symbol: "SPY", Type: TypeOption}, "option SPY", ""},
	} {
		own, fallbacks := test.of.PriceKeys(keyTime)
		fallback := ""
		if len(fallbacks) > 0 {
			fallback = fallbacks[0]
		}
		if own != test.own || fallback != test.fallback {
			t.Errorf("PriceKeys(%+v) = %q, %q; want %q, %q", test.of, own, fallback, test.own, test.fallback)
		}
	}
}

func TestYearOfOneDigit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		at   time.Time
		want int
	}{
		{time.Date(2025, 12, 10, 0, 0, 0, 0, time.UTC), 2025},
		{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), 2035},
		{time.Date(2019, 7, 2, 0, 0, 0, 0, time.UTC), 2025},
	} {
		if got := (Delivery{Month: time.December, Year: 5, OneDigit: true}).YearAt(test.at); got != test.want {
			t.Errorf("the year at %v is %d, want %d", test.at, got, test.want)
		}
	}
}
