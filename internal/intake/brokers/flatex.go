package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// flatexMovements are the depot's movements, whose last column is their kind. A canceled
// execution (Storno) is booked the other way.
var flatexMovements = s.Preset{
	Broker: "flatex", Export: "depot movements", Evidence: s.SampleFile, Format: s.Executions, Zone: berlin, Order: parse.DayFirst,
	Header: s.Cols("Buchungstag;Valuta;Bezeichnung;ISIN;Nominal (Stk.);Betrag;Kurs;Buchungsinformation"),
	Layout: &s.Layout{
		Key: "Buchungstag", Kind: "Buchungsinformation", Symbol: "ISIN|Bezeichnung", Namer: s.NamePlain, Name: "Bezeichnung",
		Time: "Buchungstag", Quantity: "Nominal (Stk.)", Price: "Kurs", Amount: "Betrag", Unsigned: true, HiddenCosts: s.CostFees,
		Currency: "=EUR", ID: "TA.-Nr.",
		Words: []s.Word{
			{Kind: s.KindSell, Words: "*order*verkauf*|*verkauf*order*"},
			{Kind: s.KindBuy, Words: "*order*"},
			{Kind: s.KindMovement, Words: "*"},
		},
		Adjust: undoFlatex,
	},
}

// undoFlatex books a canceled execution on the other side, with its costs
// returned.
func undoFlatex(w *s.Row, r *s.Record) {
	f := r.Fill
	if f == nil || !strings.HasPrefix(w.Text("Buchungsinformation"), "Storno") {
		return
	}
	if f.Side == matching.Buy {
		f.Side = matching.Sell
	} else {
		f.Side = matching.Buy
	}
	f.Fees, f.StatedCashFlow.Decimal = f.Fees.Neg(), f.StatedCashFlow.Decimal.Neg()
}
