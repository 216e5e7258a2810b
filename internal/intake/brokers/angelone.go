package brokers

import (
	"fmt"
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// angelOneTrades is the trades history: a column each for buying and selling prices, and
// a column for each charge.
var angelOneTrades = s.Preset{
	Broker: "Angel One", Export: "trades history", Evidence: s.SampleFile, Format: s.Executions, Zone: kolkata, Order: parse.MonthFirst, Units: true,
	Header: s.Cols("Scrip/Contract;Buy/Sell;Buy Price;Sell Price;Quantity;Brokerage;Trade ID;Date"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Symbol: "Scrip/Contract", Namer: nameAngelOne, Side: "Buy/Sell", Quantity: "Quantity", Price: "Buy Price|Sell Price", Time: "Date", Midnight: true,
		Commission: "Brokerage", Fees: "GST+STT+Sebi Tax+Exchange Turnover Charges+Stamp Duty+Other Charges+IPFT Charges",
		Currency: "=INR", Currencies: s.CurrencyOfFile,
		Adjust: func(w *s.Row, r *s.Record) {
			r.Fill.Price = w.Required(map[matching.Side]string{matching.Buy: "Buy Price", matching.Sell: "Sell Price"}[r.Fill.Side])
			class, _, _ := strings.Cut(w.Text("Scrip/Contract"), " ")
			adjustNSE(w, r.Fill, w.Text("Exchange"), w.Text("Trade ID"), class)
		},
	},
}

// nameAngelOne builds an instrument from a contract written out: FUTIDX NIFTY Oct 28
// 2026, OPTCUR EURINR Oct 28 2026 90.50 PE.
func nameAngelOne(symbol, kind string) s.Instrument {
	text := strings.ToUpper(symbol)
	if o, ok := instruments.ParseOption(text); ok {
		return s.NewOption(o)
	}
	class, rest, _ := strings.Cut(text, " ")
	if !strings.HasPrefix(class, "FUT") || len(class) != len("FUTIDX") {
		return nameNSE(text, kind)
	}
	// The option parser reads every way to write a day, so the future is completed to an
	// option.
	o, ok := instruments.ParseOption(rest + " 1 CE")
	if !ok {
		return s.Instrument{Problem: fmt.Sprintf("%q is not a contract that can be read.", text)}
	}
	return s.Instrument{Symbol: nseFuture(o.Root, o.Expiry), Type: instruments.TypeFuture}
}
