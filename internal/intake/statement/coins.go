package statement

import (
	"slices"
	"strings"
)

// dollars are the US dollar and the coins worth a dollar. An account in any of them
// treats the others as its own currency.
var dollars = strings.Fields("USD USDT USDC FDUSD BUSD TUSD USDP DAI PYUSD GUSD USDE USDD")

// fiat are the other state currencies on exchanges.
var fiat = strings.Fields(`EUR GBP CHF JPY AUD CAD NZD SEK NOK DKK PLN CZK HUF RON TRY BRL ARS MXN COP UAH RUB ZAR NGN
	INR IDR THB VND PHP KRW SGD HKD AED KZT`)

// quoteCoins are the coins used for pricing, the strongest first: between two coins, the
// first in this list is the price.
var quoteCoins = strings.Fields(`TRY BRL ARS UAH RUB ZAR NGN IDR PLN CZK RON MXN COP VND KRW JPY INR USDT FDUSD BUSD TUSD USDC USDE USDP
	DAI USD PYUSD GUSD USDD EUR GBP CHF AUD CAD SGD HKD AED BTC XBT ETH BNB HT KCS DOT TRX XRP DOGE`)

// fiatQuoteCoins is the order on exchanges that trade a stable coin for state money, and
// not the other way round: USDT/GBP, USDC/EUR, EUR/USD.
var fiatQuoteCoins = strings.Fields(`TRY BRL ARS UAH RUB ZAR NGN IDR PLN CZK RON MXN COP VND KRW INR SGD HKD AED NZD SEK NOK DKK
	JPY CHF CAD USD GBP AUD EUR USDT FDUSD BUSD TUSD USDC USDE USDP DAI PYUSD GUSD USDD BTC XBT ETH BNB CRO DOT TRX XRP DOGE`)

// IsMoney reports whether a coin counts as cash.
func IsMoney(coin string) bool { return slices.Contains(dollars, coin) || isFiat(coin) }

// isFiat reports whether a coin is a state currency.
func isFiat(coin string) bool { return coin == "USD" || slices.Contains(fiat, coin) }

// IsSameMoney reports whether amounts in both can be added.
func IsSameMoney(a, b string) bool {
	return a == b || slices.Contains(dollars, a) && slices.Contains(dollars, b)
}

// SplitPair cuts a pair into the traded coin and its quote coin. A sign between them
// decides; otherwise the longest quote coin at the end, if something is left before it.
func SplitPair(pair string) (base, quote string) {
	pair = strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(pair)), " PERPETUAL")
	const signs = "-/_:"
	at := strings.IndexAny(pair, signs)
	if at <= 0 || at == len(pair)-1 {
		return SplitPairBy(pair, quoteCoins)
	}
	base, quote = pair[:at], pair[at+1:]
	if end := strings.IndexAny(quote, signs); end >= 0 {
		quote = quote[:end] // BTC-USDT-SWAP
	}
	if !slices.Contains([]string{"PERP", "SWAP", "PERPETUAL", "UMCBL"}, quote) && strings.Trim(quote, "0123456789") != "" {
		return base, quote
	}
	if coin, ok := strings.CutSuffix(base, "USD"); ok {
		return coin, "USD" // BNBUSD_PERP is not BN in BUSD
	}
	return SplitPair(base) // BTCUSDT_230331
}

// SplitPairBy cuts a pair at the longest listed coin at its end, for markets that price
// in few coins: with all coins, DOTUSD could be DO in TUSD.
func SplitPairBy(pair string, quotes []string) (base, quote string) {
	pair = strings.ToUpper(strings.TrimSpace(pair))
	for _, q := range quotes {
		if left, ok := strings.CutSuffix(pair, q); ok && left != "" && len(q) > len(quote) {
			base, quote = left, q
		}
	}
	if quote == "" {
		return pair, ""
	}
	return base, quote
}

// orderCoins returns which coin is traded and which prices it: the first in rank is the
// price. Two unranked coins are ordered by name, so both directions are one pair.
func orderCoins(a, b string, rank []string) (base, quote string) {
	i, j := slices.Index(rank, a), slices.Index(rank, b)
	switch {
	case i < 0 && j < 0 && a < b, i < 0 && j >= 0, i >= 0 && j >= 0 && i > j:
		return a, b
	}
	return b, a
}

// coinName returns a coin's name in capitals.
func coinName(text string) string { return strings.ToUpper(strings.TrimSpace(text)) }
