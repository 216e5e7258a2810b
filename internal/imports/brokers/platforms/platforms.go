// Package platforms holds the presets of charting and dealing platforms, and of
// the services and tools that write MetaTrader accounts down in their own way:
// TradingView, cTrader, DXtrade, Match-Trader, AvaTrade, FTMO, Myfxbook, MQL5
// Signals, FX Blue and the portals of brokers.
//
// Most of them write one row for a finished trade, in lots whose size they do
// not tell, with the result in money. That result is taken and not computed;
// see [lots]. Column names carry the account's currency or a time zone here and
// there, which [called] looks past.
package platforms

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets returns the exports that the package reads.
func Presets() []*statement.Preset {
	return slices.Concat(
		tradingView(), cTrader(), dxTrade(), []*statement.Preset{&matchTraderPositions, &avaTradeOrders},
		[]*statement.Preset{&ftmoJournal}, myfxbook(), []*statement.Preset{&mql5History, &mql5Positions, &fxBlueOrders, &portalPositions, &metaTraderConverted, &metaTraderUTC},
	)
}

// serverZone is where the clocks of most MetaTrader servers are set to. What is
// derived from MetaTrader keeps its times.
const serverZone = "Europe/Athens"

// openedUnseen returns the moments of a trade of which only the closing is known:
// both are that. They count as days, among which what opens comes first however
// the file runs.
func openedUnseen(w *statement.Row, t *statement.Trip) {
	w.Reader().Out.Warn("The file does not say when positions were opened; the time of closing was taken.")
	t.Open, t.Open.DateOnly, t.Close.DateOnly = t.Close, true, true
}
