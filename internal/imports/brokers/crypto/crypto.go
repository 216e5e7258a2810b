// Package crypto holds the presets of crypto exchanges: Binance, Bybit, OKX,
// KuCoin, Coinbase, Kraken, Bitget, Hyperliquid and smaller ones.
//
// Spot markets trade a pair of coins, and the fee may be taken in either of
// them or in a third. A fee in the coin that is traded changes how much of it
// is left, and the fill has the quantity that the position really changed by,
// so that selling everything closes the trade; its worth in money is the cost.
// A fee in a third coin cannot be turned into money without a rate: it is kept
// beside the fill and told. See [deal].
//
// Ledgers write a row for each coin that moved. What belongs together is joined
// by the exchange's own number or by the second; see [ledger]. Coins that came
// or went without a trade are no cash of the account and are left out with a
// warning; dollars and the coins that stand for them count as one currency.
package crypto

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets returns the exports that the package reads.
func Presets() []*statement.Preset {
	return slices.Concat(
		binance(), bybit(), okx(), kucoin(), coinbase(), kraken(), bitget(), hyperliquid(),
		bitmex(), bitstamp(), bitvavo(), blofin(), cryptocom(), revolut(), deribit(), []*statement.Preset{&bitfinexTrades}, mexc(),
	)
}
