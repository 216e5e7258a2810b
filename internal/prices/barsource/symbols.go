package barsource

import (
	"slices"
	"strings"

	"fillbook/internal/base/lazyregexp"
)

// quotes are the currencies and coins in which coin pairs are priced. The longest one a
// pair ends with is its quote.
var quotes = strings.Fields("USDT USDC FDUSD TUSD BUSD DAI USD EUR GBP TRY BRL JPY AUD BTC ETH BNB")

var (
	// contractWords is what platforms add to the symbol of a contract without an end.
	contractWords = lazyregexp.New(`(?:\.P|[-_ ](?:PERP|PERPETUAL|SWAP))$`)
	separators    = strings.NewReplacer("/", "", "-", "", "_", "", " ", "")
	pair          = lazyregexp.New(`^[A-Z0-9]{1,15}$`)
)

// SplitPair returns the coin and the quote for a pair or a contract on one, in any
// notation platforms have: BTC and USDT for BTC/USDT, BINANCE:BTCUSDT.P, BTC-USDT-SWAP
// and BTC/USDT:USDT.
func SplitPair(symbol string) (base, quote string, ok bool) {
	text := strings.ToUpper(strings.TrimSpace(symbol))
	if before, after, found := strings.Cut(text, ":"); found {
		if text = after; strings.Contains(before, "/") {
			text = before // what follows is the coin of settlement
		}
	}
	text = separators.Replace(contractWords().ReplaceAllString(text, ""))
	for _, q := range quotes {
		if left, found := strings.CutSuffix(text, q); found && len(q) > len(quote) && pair().MatchString(left) {
			base, quote = left, q
		}
	}
	return base, quote, quote != ""
}

// IsType reports whether an instrument has one of the types, or an unknown one.
func IsType(instrumentType string, types ...string) bool {
	return instrumentType == "" || slices.Contains(types, instrumentType)
}
