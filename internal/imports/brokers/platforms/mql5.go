package platforms

import "fillbook/internal/imports/statement"

// signals are the two exports of a signal of mql5.com. They have no tickets, and
// times and prices of opening and closing under the same names.
func signals() []*statement.Preset {
	history := lots{
		side: "Type", volume: "Volume", symbol: "Symbol", openTime: "Time", openPrice: "Price", closeTime: "Time#2", closePrice: "Price#2",
		commission: "Commission", swap: "Swap", profit: "Profit", stop: "S/L", target: "T/P", comment: "Comment",
	}
	positions := history
	positions.stop, positions.target, positions.comment = "", "", ""
	return []*statement.Preset{
		{
			Broker: "MQL5 Signals", Export: "history", Evidence: statement.SampleFile, Format: statement.JournalTrades,
			Header: []string{"Time", "Type", "Volume", "Symbol", "Price", "S/L", "T/P", "Time#2", "Price#2", "Commission", "Swap", "Profit"},
			Zone:   serverZone, Costs: statement.CostsNegative,
			Each: history.read,
		},
		{
			Broker: "MQL5 Signals", Export: "positions", Evidence: statement.SampleFile, Format: statement.JournalTrades,
			Header: []string{"Time", "Type", "Volume", "Symbol", "Price", "Volume#2", "Time#2", "Price#2", "Commission", "Swap", "Profit"},
			Zone:   serverZone, Costs: statement.CostsNegative,
			Each: positions.read,
		},
	}
}
