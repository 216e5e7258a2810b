package statement

import (
	"slices"
	"strings"

	"fillbook/internal/trading/instruments"
)

// Names used by single exchanges, which files and connections must read alike.

// krakenOld are Kraken's old coin names, beginning with X, and state currencies,
// beginning with Z.
var krakenOld = strings.Fields("XXBT XETH XLTC XXRP XXLM XXDG XETC XREP XMLN XXMR XZEC XICN XNMC XXVN ZUSD ZEUR ZGBP ZCAD ZJPY ZAUD ZKRW ZCHF")

// krakenQuotes are what Kraken prices coins in.
var krakenQuotes = strings.Fields("USD EUR GBP CAD JPY AUD CHF USDT USDC DAI PYUSD XBT ETH DOT")

// NameKrakenCoin returns the common name for a coin at Kraken. A part after a point says
// where it is kept: DOT.S is staked.
func NameKrakenCoin(asset string) string {
	asset = strings.ToUpper(strings.TrimSpace(asset))
	if base, _, ok := strings.Cut(asset, "."); ok && base != "" {
		asset = base
	}
	if slices.Contains(krakenOld, asset) {
		asset = asset[1:]
	}
	switch asset {
	case "XBT":
		return "BTC"
	case "XDG":
		return "DOGE"
	}
	return asset
}

// splitKrakenPair cuts a pair, such as XXBTZUSD, XBTUSD, XTZUSD or XBT/USD. An old name
// at the end counts only after another one with four letters.
func splitKrakenPair(pair string) (base, quote string) {
	pair = strings.ToUpper(strings.TrimSpace(pair))
	if len(pair) == 8 && slices.Contains(krakenOld, pair[4:]) {
		return NameKrakenCoin(pair[:4]), NameKrakenCoin(pair[4:])
	}
	if strings.Contains(pair, "/") {
		base, quote = SplitPair(pair)
	} else {
		base, quote = SplitPairBy(pair, krakenQuotes)
	}
	return NameKrakenCoin(base), NameKrakenCoin(quote)
}

// NameKrakenPair builds a pair from its market name at Kraken.
func NameKrakenPair(symbol, _ string) Instrument {
	return newKrakenPair(splitKrakenPair(symbol))
}

// NewKrakenTrade returns the pair for two coins traded for each other at Kraken.
func NewKrakenTrade(a, b string) Instrument {
	return newKrakenPair(orderCoins(a, b, fiatQuoteCoins))
}

func newKrakenPair(base, quote string) Instrument {
	symbol := base
	if quote != "" {
		symbol += "/" + quote
	}
	return Instrument{Symbol: symbol, Type: instruments.TypeCrypto, Base: base, Quote: quote}
}

// NameDeribitContract builds a contract from its name at Deribit. Options are priced in
// their settlement coin, futures in dollars. BTC_USDC is a coin pair.
func NameDeribitContract(symbol, _ string) Instrument {
	coin, _, isContract := strings.Cut(strings.ToUpper(symbol), "-")
	base, quote, ok := strings.Cut(coin, "_")
	switch {
	case ok && !isContract:
		return NamePair(symbol, "")
	case ok:
		return NewCoinContract(symbol, base, quote)
	}
	i := NewCoinContract(symbol, coin, "USD")
	if i.Right != "" {
		i.Quote = coin
	}
	return i
}
