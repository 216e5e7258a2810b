package crypto

import (
	"testing"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

func TestSplit(t *testing.T) {
	for pair, want := range map[string][2]string{
		"BTCUSDT": {"BTC", "USDT"}, "btc-usd": {"BTC", "USD"}, "KCS/BTC": {"KCS", "BTC"}, "ADA_USDT": {"ADA", "USDT"},
		"ETHBTC": {"ETH", "BTC"}, "BTCFDUSD": {"BTC", "FDUSD"}, "BTCUSD_PERP": {"BTC", "USD"}, "BTCUSD_230331": {"BTC", "USD"},
		"ETH-USDT-SWAP": {"ETH", "USDT"}, "1INCHUSDT": {"1INCH", "USDT"}, "USDTTRY": {"USDT", "TRY"}, "PEAR": {"PEAR", ""},
		"BNBUSD_PERP": {"BNB", "USD"}, "BTCUSDT_230331": {"BTC", "USDT"}, "USDT": {"USDT", ""}, "": {"", ""}, "-": {"-", ""}, "BTC-": {"BTC-", ""},
	} {
		if base, quote := split(pair); base != want[0] || quote != want[1] {
			t.Errorf("split(%q) is %q and %q, want %q", pair, base, quote, want)
		}
	}
}

func TestOrdered(t *testing.T) {
	for _, c := range [][3]string{
		{"BTC", "USDT", "BTC"},
		{"ETH", "BTC", "ETH"},
		{"EUR", "USDT", "EUR"},
		{"USDC", "USDT", "USDC"},
		{"PEAR", "PLUM", "PEAR"},
		{"PEAR", "ETH", "PEAR"},
		{"USDT", "TRY", "USDT"},
	} {
		there, _ := ordered(c[0], c[1], quotes)
		back, _ := ordered(c[1], c[0], quotes)
		if there != c[2] || back != c[2] {
			t.Errorf("of %s and %s, %s and %s are traded, want %s", c[0], c[1], there, back, c[2])
		}
	}
}

func TestKrakenNames(t *testing.T) {
	for pair, want := range map[string]string{
		"XXBTZUSD": "BTC/USD", "XBTUSD": "BTC/USD", "XBT/EUR": "BTC/EUR", "XTZUSD": "XTZ/USD", "XETHXXBT": "ETH/BTC", "XDGUSD": "DOGE/USD",
		"ADAEUR": "ADA/EUR", "DOTUSD": "DOT/USD", "USDTZUSD": "USDT/USD", "ZETAUSD": "ZETA/USD", "DOT.S": "DOT", "ZEURZUSD": "EUR/USD",
	} {
		base, quote := krakenPair(pair)
		if got := krakenSymbol(base, quote); got != want {
			t.Errorf("%s is %s, want %s", pair, got, want)
		}
	}
}

func TestNameOption(t *testing.T) {
	for symbol, want := range map[string]string{
		"BTC-27JUN25-100000-C": "BTC call 100000 2025-06-27", "ETH-5DEC25-3000-P": "ETH put 3000 2025-12-05",
		"BTC-260626-120000-C": "BTC call 120000 2026-06-26", "XRP_USDC-30JUN25-0d625-P": "XRP_USDC-30JUN25-0d625-P   ",
		"XRP_USDC-30JUN25-0D625-P": "XRP put 0.625 2025-06-30", "BTC-26JUN26-120000-C-USDT": "BTC call 120000 2026-06-26",
		"BTC-PERPETUAL": "BTC-PERPETUAL   ", "BTC-99JUN25-100000-C": "BTC-99JUN25-100000-C   ",
	} {
		f := statement.Fill{Symbol: symbol, Type: instruments.TypeFuture}
		nameOption(&f)
		strike := ""
		if f.Strike.Valid {
			strike = f.Strike.String()
		}
		if got := f.Symbol + " " + f.Right + " " + strike + " " + string(f.Expiry); got != want {
			t.Errorf("%s is %q, want %q", symbol, got, want)
		}
	}
}
