package platforms

import "fillbook/internal/imports/statement"

// converters are what tools and brokers make of a MetaTrader history as CSV. No
// file was seen of either; the names come from programs that read them.
func converters() []*statement.Preset {
	table := lots{
		id: "Ticket|Order", side: "Type", volume: "Size|Volume|Lots", symbol: "Symbol|Item", openTime: "Open Time", openPrice: "Open Price|Price",
		closeTime: "Close Time", closePrice: "Close Price|Price#2", commission: "Commission", swap: "Swap", taxes: "Taxes",
		profit: "Profit", stop: "S/L|S / L|SL", target: "T/P|T / P|TP", comment: "Comment",
	}
	return []*statement.Preset{
		{
			Broker: "MetaTrader 4", Export: "CSV of a converter", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: []string{
				"Ticket|Order", "Open Time", "Type", "Size|Volume|Lots", "Symbol|Item", "Price|Open Price",
				"Close Time", "Close Price|Price#2", "Commission", "Swap", "Profit",
			},
			Zone: serverZone, Costs: statement.CostsNegative,
			Each: table.read,
		},
		{
			Broker: "MetaTrader 5", Export: "CSV of a broker's area, times in UTC", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: []string{"ticket", "opening_time_utc", "closing_time_utc", "type", "lots", "symbol", "opening_price", "closing_price"},
			Zone:   "UTC", Costs: statement.CostsNegative,
			Each: readUTC,
		},
	}
}

// readUTC reads a row of the export whose columns of money have the currency in
// their names.
func readUTC(w *statement.Row) {
	r := w.Reader()
	r.Out.Account.Currency = currencyOf(r, "profit")
	lots{
		id: "ticket", side: "type", volume: "lots", symbol: "symbol", openTime: "opening_time_utc", openPrice: "opening_price",
		closeTime: "closing_time_utc", closePrice: "closing_price", commission: called(r, "commission"), swap: called(r, "swap"),
		profit: called(r, "profit"), stop: "stop_loss", target: "take_profit", comment: "close_reason",
	}.read(w)
}
