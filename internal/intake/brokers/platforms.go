package brokers

import (
	"slices"

	"fillbook/internal/intake/statement"
)

// platformsPresets lists presets in the order in which they are tried.
func platformsPresets() []*statement.Preset {
	return slices.Concat(
		[]*statement.Preset{&tradingViewOrders, &tradingViewBalance, &tradingViewStrategy, &cTraderHistory, &dxTradeOrders, &matchTraderPositions, &avaTradeOrders},
		[]*statement.Preset{&ftmoJournal, &myfxbookStatement, &mql5History, &mql5Positions, &fxBlueOrders, &portalPositions, &metaTraderConverted, &metaTraderUTC},
	)
}

// serverZone is where the clocks of most MetaTrader servers are set to. What is
// derived from MetaTrader keeps its times.
const serverZone = "Europe/Athens"
