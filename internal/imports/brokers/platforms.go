package brokers

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// platformsPresets lists presets in the order in which they are tried.
func platformsPresets() []*statement.Preset {
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
