package platforms

import "fillbook/internal/imports/statement"

// matchTrader is the list of closed positions of Match-Trader. No file was seen;
// the names come from programs that read it. Its times have no zone.
func matchTrader() []*statement.Preset {
	columns := lots{
		id: "Position|ID", side: "Side", volume: "Volume", symbol: "Symbol", openTime: "Open time", openPrice: "Open price",
		closeTime: "Close time", closePrice: "Close price", commission: "Commission", swap: "Swap", profit: "Net profit", net: true,
		stop: "SL|Stop loss", target: "TP|Take profit", parts: true,
	}
	return []*statement.Preset{{
		Broker: "Match-Trader", Export: "closed positions", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"Position|ID", "Symbol", "Side", "Volume", "Open time", "Open price", "Close time", "Close price", "Net profit"},
		Costs:  statement.CostsNegative,
		Each:   columns.read,
	}}
}
