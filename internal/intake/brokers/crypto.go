package brokers

import "fillbook/internal/intake/statement"

// cryptoPresets lists presets in the order in which they are tried.
func cryptoPresets() []*statement.Preset {
	return append([]*statement.Preset{
		&binanceSpot, &binanceOldSpot, &binanceFutures, &binanceStatement, &binanceWallet, &binanceAutoInvest,
		&bybitClosed, &bybitTrades, &bybitLedger, &okxTrading, &okxOrders,
		&kucoinSpot, &kucoinCreated, &kucoinOld, &kucoinPositions, &coinbaseTransactions, &coinbaseProFills, &coinbaseProLedger,
		&krakenTrades, &krakenLedgers, &bitgetOrders, &hyperliquidTrades, &hyperliquidFunding, &bitmexWallet, &bitstampTransactions,
		&bitvavoTransactions, &blofinOrders, &cryptocomApp, &revolutCrypto, &deribitLog, &bitfinexTrades, &mexcSpot, &mexcFutures,
		&bittrexOrders, &bittrexOldOrders, &gateioBilling, &geminiHistory, &coinbaseOldTransactions, &cointrackingTrades,
		&bybitSpot, &poloniexTrades, &poloniexDeposits, &poloniexWithdrawals, &cexioHistory, &coincheckHistory,
	}, taxTools...)
}
