package statement

import (
	"fmt"
	"testing"
)

func TestNameKrakenPair(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string]string{
		"XXBTZUSD": "BTC/USD", "XBTUSD": "BTC/USD", "XBT/EUR": "BTC/EUR", "XTZUSD": "XTZ/USD", "XETHXXBT": "ETH/BTC", "XDGUSD": "DOGE/USD",
		"ADAEUR": "ADA/EUR", "DOTUSD": "DOT/USD", "USDTZUSD": "USDT/USD", "ZETAUSD": "ZETA/USD", "DOT.S": "DOT", "ZEURZUSD": "EUR/USD",
	} {
		if got := NameKrakenPair(pair, "").Symbol; got != want {
			t.Errorf("%s is %s, want %s", pair, got, want)
		}
	}
}

func TestNewKrakenTrade(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"BTC", "USD", "BTC/USD"}, {"USD", "BTC", "BTC/USD"}, {"USDT", "GBP", "USDT/GBP"}, {"EUR", "USD", "EUR/USD"}} {
		if got := NewKrakenTrade(c[0], c[1]).Symbol; got != c[2] {
			t.Errorf("%s for %s is %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func TestNameDeribitContract(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"BTC-PERPETUAL":      "future BTC-PERPETUAL of BTC in USD true ",
		"SOL_USDC-PERPETUAL": "future SOL_USDC-PERPETUAL of SOL in USDC true ",
		"btc_usdc":           "crypto BTC_USDC of BTC in USDC false ",
		"ETH-27JUN26-3000-P": "option ETH of ETH in ETH true put",
	} {
		i := NameDeribitContract(symbol, "")
		if got := fmt.Sprintf("%s %s of %s in %s %v %s", i.Type, i.Symbol, i.Base, i.Quote, i.IsContract, i.Right); got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}
