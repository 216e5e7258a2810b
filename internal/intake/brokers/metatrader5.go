package brokers

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// metaTraderUTC is a MetaTrader history as some brokers write it, known from programs
// reading it.
var metaTraderUTC = s.Preset{
	Broker: "MetaTrader 5", Export: "CSV of a broker's area, times in UTC", Evidence: s.Documented, Format: s.JournalTrades, Zone: utc,
	Header: s.Cols("ticket;opening_time_utc;closing_time_utc;type;lots;symbol;opening_price;closing_price"), Costs: s.CostsNegative,
	Layout: &s.Layout{
		Key: "type|symbol|profit*", Kind: "type", Words: metaTraderWords, Symbol: "symbol", Namer: nameLots, ID: "ticket", Quantity: "lots",
		Commission: "commission*", Fees: "swap*", Result: "profit*", Currencies: s.CurrencyOfAccount, Details: map[string]s.Col{"comment": "close_reason"},
		RoundTrip: s.RoundTrip{
			OpenTime: "opening_time_utc", OpenPrice: "opening_price", CloseTime: "closing_time_utc", ClosePrice: "closing_price", Lots: true,
		},
		AnnotationColumns: s.AnnotationColumns{LastStop: "stop_loss", Target: "take_profit"},
		Time:              "opening_time_utc", Amount: "profit*", Note: "close_reason|type", Adjust: noteMetaTraderCash,
	},
}

// portalPositions is the list of MT5 positions in some brokers' portals: one row for each
// leg, with its position id.
var portalPositions = s.Preset{
	Broker: "MetaTrader 5", Export: "position history list of a broker's portal", Evidence: s.SampleFile, Format: s.Executions, Zone: serverZone,
	Header: s.Cols("Symbol;Position;Date Time;Transaction Type;Trade Volume Lots;Open Price;Profit"), Order: parse.MonthFirst,
	Layout: &s.Layout{
		Key: "Transaction Type", Symbol: "Symbol", Namer: nameMetaTrader, Side: "Transaction Type", Quantity: "Trade Volume Lots", Price: "Open Price",
		Time: "Date Time", Lot: "Position", Result: "Profit", Results: s.ResultIfClosing, Account: "Account Number", Details: map[string]s.Col{"unit": "=lot"},
		Adjust: func(_ *s.Row, r *s.Record) {
			r.Fill.Multiplier = decimal.Of(instruments.LotMultiplier(r.Fill.Symbol, r.Fill.Quantity))
		},
	},
}
