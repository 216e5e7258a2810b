package crypto

import (
	"slices"
	"strings"
)

// dollars are the US dollar and the coins that stand for it. An account in one
// of them takes the others as its own money.
var dollars = strings.Fields("USD USDT USDC FDUSD BUSD TUSD USDP DAI PYUSD GUSD USDE USDD")

// fiat are the currencies of states that exchanges keep.
var fiat = strings.Fields(`EUR GBP CHF JPY AUD CAD NZD SEK NOK DKK PLN CZK HUF RON TRY BRL ARS MXN COP UAH RUB ZAR NGN
	INR IDR THB VND PHP KRW SGD HKD AED KZT`)

// quotes are the coins that others are priced in, the strongest first: of two
// coins the one that stands further in front is the price.
var quotes = strings.Fields(`TRY BRL ARS UAH RUB ZAR NGN IDR PLN CZK RON MXN COP VND KRW JPY INR USDT FDUSD BUSD TUSD USDC USDE USDP
	DAI USD PYUSD GUSD USDD EUR GBP CHF AUD CAD SGD HKD AED BTC XBT ETH BNB HT KCS DOT TRX XRP DOGE`)

// fiatQuotes is the order of exchanges on which a stable coin is traded for the
// money of a state, and not the other way round: USDT/GBP, USDC/EUR, EUR/USD.
var fiatQuotes = strings.Fields(`TRY BRL ARS UAH RUB ZAR NGN IDR PLN CZK RON MXN COP VND KRW INR SGD HKD AED NZD SEK NOK DKK
	JPY CHF CAD USD GBP AUD EUR USDT FDUSD BUSD TUSD USDC USDE USDP DAI PYUSD GUSD USDD BTC XBT ETH BNB CRO DOT TRX XRP DOGE`)

// isMoney reports whether a currency is money and not a coin that only moves.
func isMoney(coin string) bool { return slices.Contains(dollars, coin) || slices.Contains(fiat, coin) }

// isFiat reports whether a coin is money of a state.
func isFiat(coin string) bool { return coin == "USD" || slices.Contains(fiat, coin) }

// sameMoney reports whether amounts of both can be added.
func sameMoney(a, b string) bool {
	return a == b || slices.Contains(dollars, a) && slices.Contains(dollars, b)
}

// split cuts a pair into the coin that is traded and the one that it is priced
// in. A sign between them tells; otherwise the longest coin at the end that
// prices others is taken, if something is left before it.
func split(pair string) (base, quote string) {
	pair = strings.ToUpper(strings.TrimSpace(pair))
	if at := strings.IndexAny(pair, "-/_:"); at > 0 && at < len(pair)-1 {
		base, rest := pair[:at], pair[at+1:]
		if end := strings.IndexAny(rest, "-/_:"); end >= 0 {
			rest = rest[:end] // BTC-USDT-SWAP
		}
		if slices.Contains([]string{"PERP", "SWAP", "PERPETUAL"}, rest) || strings.Trim(rest, "0123456789") == "" {
			if coin, ok := strings.CutSuffix(base, "USD"); ok {
				return coin, "USD" // BNBUSD_PERP is not BN in BUSD
			}
			return split(base) // BTCUSDT_230331
		}
		return base, rest
	}
	return splitBy(pair, quotes)
}

// splitBy cuts a pair at the longest of the coins that it ends with, for markets
// that price in few coins: of all of them, DOTUSD could be DO in TUSD.
func splitBy(pair string, known []string) (base, quote string) {
	pair = strings.ToUpper(strings.TrimSpace(pair))
	for _, q := range known {
		if left, ok := strings.CutSuffix(pair, q); ok && left != "" && len(q) > len(quote) {
			base, quote = left, q
		}
	}
	if quote == "" {
		return pair, ""
	}
	return base, quote
}

// ordered returns which of two coins is traded and which prices it: the one that
// stands further in front of rank is the price. Coins of which neither prices
// others are ordered by name, so that going and coming back are one pair.
func ordered(a, b string, rank []string) (base, quote string) {
	i, j := slices.Index(rank, a), slices.Index(rank, b)
	switch {
	case i < 0 && j < 0 && a < b, i < 0 && j >= 0, i >= 0 && j >= 0 && i > j:
		return a, b
	}
	return b, a
}
