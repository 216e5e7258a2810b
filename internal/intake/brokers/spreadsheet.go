package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// forexSheet is a sheet with trades in lots, each within one day, a form kept by many
// traders. It is known from importers, like fillSheet. Other sheets are read by their
// column names.
var forexSheet = s.Preset{
	Broker: "Spreadsheet", Export: "forex sheet", Evidence: s.Documented, Format: s.JournalTrades,
	Header: s.Cols("Date;Pair;Direction;Lot|Lots|Lot Size;Entry|Entry Price;Exit|Exit Price;PnL|P&L|Profit"),
	Layout: &s.Layout{
		Symbol: "Pair", Namer: nameSlashedLots, Side: "Direction", Quantity: "Lot|Lots|Lot Size", Commission: "Commission", Result: "PnL|P&L|Profit",
		RoundTrip:         s.RoundTrip{OpenTime: "Date", OpenPrice: "Entry|Entry Price", ClosePrice: "Exit|Exit Price", Lots: true},
		AnnotationColumns: s.AnnotationColumns{Notes: "Notes", Stop: "SL|Stop Loss", Target: "TP|Take Profit"},
	},
}

// nameSlashedLots is [nameLots] for pairs possibly written with a slash.
func nameSlashedLots(symbol, kind string) s.Instrument {
	return nameLots(strings.ReplaceAll(symbol, "/", ""), kind)
}

// fillSheet is a sheet of fills with point values.
var fillSheet = s.Preset{
	Broker: "Spreadsheet", Export: "fills with point cost", Evidence: s.Documented, Format: s.Executions,
	Header: s.Cols("Date;Time;Direction;Price;Qty;Ticker"),
	Layout: &s.Layout{
		Key: "Ticker|Price", Symbol: "Ticker", Multiplier: "PointCost|Point Cost", Side: "Direction", Quantity: "Qty", Price: "Price", Date: "Date", Clock: "Time",
		Commission: "Commission", AnnotationColumns: s.AnnotationColumns{Setups: "Strategy"}, Adjust: setFutureByMultiplier,
	},
}

// setFutureByMultiplier makes what has a multiplier other than 1 a future.
func setFutureByMultiplier(_ *s.Row, r *s.Record) {
	if f := r.Fill; f.Type == "" && f.Multiplier.Valid && !f.Multiplier.Decimal.Equal(decimal.New(1)) {
		f.Type = instruments.TypeFuture
	}
}
