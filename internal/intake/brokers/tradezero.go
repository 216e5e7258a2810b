package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// tradeZeroExecutions is the blotter with gross and net proceeds of each fill.
// TradeZero and TradeStation write it, and journals use it as their template; the
// file does not say which it is from. What lies between the two amounts was paid,
// also if a fee has a column that is not listed here.
var tradeZeroExecutions = s.Preset{
	Broker: "TradeStation / TradeZero", Export: "executions", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("T/D;Side;Symbol;Qty;Price;Exec Time;Comm;Gross Proceeds;Net Proceeds"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "Symbol|Side", Symbol: "Symbol", Namer: s.NamePlain, Side: "Side", Quantity: "Qty", Price: "Price", Date: "T/D", Clock: "Exec Time",
		Commission: "Comm", Fees: "SEC+TAF+NSCC+Nasdaq+ECN Remove+ECN Add+CAT+Misc", Amount: "Net Proceeds", Currency: "Currency",
		Adjust: func(w *s.Row, r *s.Record) {
			nameByType(r.Fill, w.Text("Symbol"), w.Text("Type"))
			if gross := w.Null("Gross Proceeds"); gross.Valid && r.Fill.StatedCashFlow.Valid {
				r.Fill.Fees = gross.Decimal.Sub(r.Fill.StatedCashFlow.Decimal).Sub(r.Fill.Commission)
			}
		},
	},
}

// nameByType sets the instrument. The type is a word in some files, and the type
// of the account, such as 2 for margin, in others.
func nameByType(f *s.Fill, symbol, word string) {
	switch word = strings.ToLower(word); word {
	case "stock", "future":
		f.Name(symbol, word)
	case "call", "put":
		f.Name(symbol, instruments.TypeOption)
		if f.Right == "" {
			f.Right = word
		}
	default:
		f.Name(symbol, "")
	}
}
