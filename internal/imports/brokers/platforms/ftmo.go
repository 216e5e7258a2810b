package platforms

import "fillbook/internal/imports/statement"

// ftmo is the journal of an FTMO account. Its clock is that of Prague, where
// the firm is; 0 stands for a stop or target that was not set, and a ticket
// comes again for each part that was closed.
func ftmo() []*statement.Preset {
	columns := lots{
		id: "Ticket", side: "Type", volume: "Volume", symbol: "Symbol", openTime: "Open", openPrice: "Price", closeTime: "Close",
		closePrice: "Price#2", commission: "Commissions", swap: "Swap", profit: "Profit", stop: "SL", target: "TP", parts: true,
	}
	return []*statement.Preset{{
		Broker: "FTMO", Export: "MetriX journal", Evidence: statement.SampleFile, Format: statement.JournalTrades,
		Header: []string{"Ticket", "Open", "Type", "Volume", "Symbol", "Price", "SL", "TP", "Close", "Price#2", "Swap", "Commissions", "Profit"},
		Zone:   "Europe/Prague", Costs: statement.CostsNegative, NewestFirst: true,
		Each: columns.read,
	}}
}
