package brokers

import "testing"

func TestKrakenPairs(t *testing.T) {
	for pair, want := range map[string]string{
		"XXBTZUSD": "BTC/USD", "XBTUSD": "BTC/USD", "XBT/EUR": "BTC/EUR", "XTZUSD": "XTZ/USD", "XETHXXBT": "ETH/BTC", "XDGUSD": "DOGE/USD",
		"ADAEUR": "ADA/EUR", "DOTUSD": "DOT/USD", "USDTZUSD": "USDT/USD", "ZETAUSD": "ZETA/USD", "DOT.S": "DOT", "ZEURZUSD": "EUR/USD",
	} {
		base, quote := splitKrakenPair(pair)
		if got := joinKrakenPair(base, quote); got != want {
			t.Errorf("%s is %s, want %s", pair, got, want)
		}
	}
}
