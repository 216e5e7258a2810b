package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// upstoxTrades is the trade report. It has the name of the company instead of a
// symbol.
var upstoxTrades = s.Preset{
	Broker: "Upstox", Export: "trade report", Evidence: s.SampleFile, Format: s.Executions, Zone: kolkata, Order: parse.DayFirst, Units: true,
	Header: s.Cols("Date;Company;Scrip Code;Instrument Type;Strike Price;Expiry;Trade Num;Trade Time;Side;Quantity;Price"),
	Layout: &s.Layout{
		Key: "Company|Quantity", Symbol: "Company", Namer: nameStock, Side: "Side", Quantity: "Quantity", Price: "Price",
		Date: "Date", Clock: "Trade Time", Currency: "=INR", Currencies: s.CurrencyOfFile,
		Adjust: func(w *s.Row, r *s.Record) {
			nameUpstox(w, r.Fill)
			adjustNSE(w, r.Fill, w.Text("Exchange"), w.Text("Trade Num"), w.Text("Segment"))
		},
	},
}

// nameStock builds a share.
func nameStock(symbol, _ string) s.Instrument { return s.NamePlain(symbol, instruments.TypeStock) }

// nameUpstox sets the contract of a future or an option from its columns.
func nameUpstox(w *s.Row, f *s.Fill) {
	company, kind := strings.ToUpper(w.Text("Company")), strings.ToUpper(w.Text("Instrument Type"))
	switch {
	case strings.HasPrefix(kind, "FUT"):
		f.Symbol, f.Type = nseFuture(company, w.Day("Expiry")), instruments.TypeFuture
	case strings.HasPrefix(kind, "OPT") || kind == "CE" || kind == "PE":
		words := strings.Fields(kind + " " + company + " " + strings.ToUpper(w.Text("Scrip Code")))
		i := slices.IndexFunc(words, func(word string) bool { return word == "CE" || word == "PE" })
		if i < 0 {
			w.Fail("The row does not say whether the option on %s is a call or a put.", company)
			return
		}
		root := strings.TrimSpace(strings.TrimSuffix(company, words[i]))
		f.Contract(instruments.Option{Root: root, Right: nseRight(words[i]), Strike: w.Required("Strike Price"), Expiry: w.Day("Expiry")})
	}
}
