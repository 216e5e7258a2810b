package brokers

import s "fillbook/internal/intake/statement"

// The tables that tools and brokers make of a MetaTrader history. No file was
// seen of either; the names come from programs that read them.
var (
	metaTraderConverted = s.Preset{
		Broker: "MetaTrader 4", Export: "CSV of a converter", Evidence: s.Documented, Format: s.JournalTrades, Zone: serverZone, Costs: s.CostsNegative,
		Header: s.Cols("Ticket|Order;Open Time;Type;Size|Volume|Lots;Symbol|Item;Price|Open Price;Close Time;Close Price|Price#2;Commission;Swap;Profit"),
		Layout: &s.Layout{
			Key: "Type|Symbol|Item|Profit", Kind: "Type", Words: metaTraderWords, Symbol: "Symbol|Item", Namer: nameLots, ID: "Ticket|Order",
			Quantity: "Size|Volume|Lots", Commission: "Commission", Fees: "Swap+Taxes", Result: "Profit", Details: map[string]s.Col{"comment": "Comment"},
			RoundTrip: s.RoundTrip{
				OpenTime: "Open Time", OpenPrice: "Open Price|Price", CloseTime: "Close Time", ClosePrice: "Close Price|Price#2", Lots: true,
			},
			AnnotationColumns: s.AnnotationColumns{LastStop: "S/L|S / L|SL", Target: "T/P|T / P|TP"},
			Time:              "Open Time", Amount: "Profit", Note: "Comment|Type", Adjust: noteMetaTraderCash,
		},
	}
	metaTraderUTC = s.Preset{
		Broker: "MetaTrader 5", Export: "CSV of a broker's area, times in UTC", Evidence: s.Documented, Format: s.JournalTrades, Zone: "UTC",
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
)
