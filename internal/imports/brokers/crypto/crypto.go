// Package crypto holds the presets of crypto exchanges: Binance, Bybit, OKX,
// KuCoin, Coinbase, Kraken, Bitget, Hyperliquid and smaller ones.
//
// Spot markets trade a pair of coins, and the fee may be taken in either of
// them or in a third. A fee in the coin that is traded changes how much of it
// is left, and the fill has the quantity that the position really changed by,
// so that selling everything closes the trade; its value in money is the cost.
// A fee in a third coin cannot be converted without a rate: it is kept beside the
// fill, and a warning lists it.
//
// Ledgers have a row for each coin that moved. Rows of one trade are joined by the
// exchange's own number or by the second. Coins that were moved without a trade
// are not cash of the account and are skipped with a warning; dollars and the
// coins that are worth one count as one currency.
package crypto

import "fillbook/internal/imports/statement"

// Presets returns the exports that the package reads.
func Presets() []*statement.Preset {
	return []*statement.Preset{
		&binanceSpot, &binanceOldSpot, &binanceFutures, &binanceStatement, &binanceWallet, &binanceAutoInvest,
		&bybitClosed, &bybitTrades, &bybitLedger, &okxTrading, &okxOrders,
		&kucoinSpot, &kucoinCreated, &kucoinOld, &kucoinPositions, &coinbaseTransactions, &coinbaseProFills, &coinbaseProLedger,
		&krakenTrades, &krakenLedgers, &bitgetOrders, &hyperliquidTrades, &hyperliquidFunding, &bitmexWallet, &bitstampTransactions,
		&bitvavoTransactions, &blofinOrders, &cryptocomApp, &revolutCrypto, &deribitLog, &bitfinexTrades, &mexcSpot, &mexcFutures,
		&bittrexOrders, &bittrexOldOrders, &gateioBilling, &geminiHistory, &coinbaseOldTransactions, &cointrackingTrades,
	}
}
