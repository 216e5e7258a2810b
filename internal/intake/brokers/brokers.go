// Package brokers has the presets for all brokers, platforms, exchanges and journals
// whose files can be read without a column mapping: one file for each, named after it,
// with its fixtures in testdata. A preset is a variable named after the broker and the
// export, such as swissquoteTransactions.
//
// Interactive Brokers and MetaTrader do not write tables. They have readers in separate
// packages.
package brokers

import (
	"slices"

	"fillbook/internal/intake/brokers/ibkr"
	"fillbook/internal/intake/metatrader"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// futureType is the type of every instrument in files from futures platforms.
const futureType = instruments.TypeFuture

// All returns every preset. The order decides only among presets fitting a file equally
// well.
func All() []*statement.Preset { return slices.Concat(metatrader.Presets(), tables(), ibkr.Presets()) }

// tables returns the presets in this package.
func tables() []*statement.Preset {
	return append([]*statement.Preset{
		&tradingViewOrders, &tradingViewBalance, &tradingViewStrategy, &cTraderHistory, &dxTradeOrders, &matchTraderPositions, &avaTradeOrders,
		&ftmoJournal, &myfxbookStatement, &mql5History, &mql5Positions, &fxBlueOrders, &portalPositions, &metaTraderConverted, &metaTraderUTC,
		&thinkorswimStatement, &thinkorswimOrders, &thinkorswimCash,
		&schwabTransactions, &schwabRealized, &fidelityHistory, &fidelityOrders, etradeTransactions, etradeSecond, etradeFirst,
		&robinhoodActivity, &webullOrders, &webullCombined, &webullOptions, &webullAbroad, &wealthsimpleActivities, &vanguardTransactions,
		&merrillActivity, &tastytradeTransactions, &tastytradeEarly, &firstradeHistory, &tdAmeritradeTransactions, &b3Trades,
		&tradeZeroExecutions, &tradeStationOrders, &tradeManagerOrders, &fundTradersExecutions, &heldenTraderTrades, &dasTrades, &dasTradesWindow,
		&dasDatedTrades, &lightspeedBlotter, &questradeExecutions, &questradeConfirmations, &questradeActivities, &moomooOrders, &moomooTrades,
		&tigerTrades, &zerodhaTradebook, &zerodhaExits, &zerodhaSums, &upstoxTrades, &dhanTrades, &angelOneTrades, &growwOrders, &sbiTrades,
		&rakutenTrades, &eSmartTrades, &tonghuashunTrades, &tradovateOrders, &tradovateFills, &tradovatePerformance, &tradovatePositions,
		&tradovateCash, &topstepTrades, &projectXOrders, &propOrders, &ninjaTrades, &ninjaExecutions, &rithmicOrders, &rithmicPerformance,
		&quantowerTrades, &sierraActivity, &motiveWaveTrades, &atasJournal, &profitOperations, &binanceSpot, &binanceOldSpot, &binanceFutures,
		&binanceStatement, &binanceWallet, &binanceAutoInvest, &bybitClosed, &bybitTrades, &bybitLedger, &okxTrading, &okxOrders, &kucoinSpot,
		&kucoinCreated, &kucoinOld, &kucoinPositions, &coinbaseTransactions, &coinbaseProFills, &coinbaseProLedger, &krakenTrades, &krakenLedgers,
		&bitgetOrders, &hyperliquidTrades, &hyperliquidFunding, &bitmexWallet, &bitstampTransactions, &bitvavoTransactions, &blofinOrders,
		&cryptocomApp, &revolutCrypto, &deribitLog, &bitfinexTrades, &mexcSpot, &mexcFutures, &bittrexOrders, &bittrexOldOrders, &gateioBilling,
		&geminiHistory, &coinbaseOldTransactions, &cointrackingTrades, &bybitSpot, &poloniexTrades, &poloniexDeposits, &poloniexWithdrawals,
		&cexioHistory, &coincheckHistory, &trading212History, &degiroTransactions, &degiroStatement, &saxoTransactions, &xtbPositions,
		&xtbOperations, &etoroPositions, &etoroActivity, &igHistory, &avanzaTransactions, &freetradeActivity, &hargreavesSummary,
		&rabobankMutations, &swissquoteTransactions, &tradeRepublicTransactions, &tradeRepublicOlder, &revolutStocks, &buxTransactions,
		&exanteTrades, &releveStatement, &nordnetTransactions, &directaMovements, &finecoOperations, &flatexMovements, &scalableTransactions,
		&investEngineTrades, &finpensionTransactions, &parqetActivities, &vanguardUKTransactions, &comdirectTransactions, &lightyearTransactions,
		&sharesightTrades, &selfWealthTrades, &selfWealthCash, &fillbookFills, &fillbookTrades, &tradervueTrades, &tradervueFills, &tradeZellaTrades, &tradeZellaFills,
		&traderSyncTrades, &traderMemosTrades, &tradeJourneyTrades, &forexSheet, &fillSheet, &tradesvizExecutions,
	}, taxTools...)
}
