package brokers

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// comdirectTransactions is the export of all accounts: a table for the depot and another
// for each cash account. Securities among the latter repeat the depot. Costs are in the
// amount only.
var comdirectTransactions = s.Preset{
	Broker: "comdirect", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: berlin, Order: parse.DayFirst,
	Header: s.Cols(comdirectDepotColumns), NewestFirst: true,
	Sections: []s.Section{
		{Header: s.Cols(comdirectDepotColumns), Layout: &s.Layout{
			Key: "Geschäftstag", Symbol: "WKN|Bezeichnung", Namer: s.NamePlain, Name: "Bezeichnung", Time: "Geschäftstag", Side: "@side",
			Quantity: "Stück / Nom.", Price: "Ausführungskurs", PriceCurrency: "Währung", Amount: "Umsatz in EUR", Unsigned: true, Currency: "=EUR",
			HiddenCosts: s.CostFees, Prepare: prepareComdirect,
		}},
		{Header: s.Cols("Buchungstag;Wertstellung (Valuta);Vorgang;Buchungstext;Umsatz in EUR"), Layout: &s.Layout{
			Key: "Vorgang|Umsatz in EUR", Kind: "Vorgang", Time: "Buchungstag", Amount: "Umsatz in EUR", Currency: "=EUR", Note: "Buchungstext",
			Words: []s.Word{
				{Kind: s.KindRepeated, Words: "wertpapiere|offen"},
				{Kind: s.KindDividend, Words: "kupon|zinsen / dividenden|zinsen/dividenden|ertrag*|erträgnis*"},
				{Kind: s.KindFee, Words: "kontoführungsentgelt|entgelte|kontoabschluss|kontoabschluß"},
				{Kind: s.KindTransfer, Words: "gutschrift*|lastschrift*|*überweisung*|kontoübertrag|auszahlung*|dauerauftrag|visa-*|bar"},
			},
		}},
	},
}

const comdirectDepotColumns = "Buchungstag;Geschäftstag;Stück / Nom.;Bezeichnung;WKN;Währung;Ausführungskurs;Umsatz in EUR"

// prepareComdirect finds a row's side. A sale has a quantity below zero, or an amount
// below zero and less than the traded value: costs make a purchase dearer.
func prepareComdirect(w *s.Row) {
	quantity, amount := w.Decimal("Stück / Nom."), w.Decimal("Umsatz in EUR")
	traded := quantity.Mul(w.Decimal("Ausführungskurs"))
	switch isContradiction := quantity.Sign() > 0 && amount.Sign() < 0; {
	case isContradiction && amount.Abs().Equal(traded):
		w.Fail("The quantity is above zero and the amount below, so that the row may be a purchase or a sale.")
	case quantity.Sign() < 0, isContradiction && amount.Abs().Cmp(traded) < 0:
		w.Set("side", "verkauf")
	case quantity.Sign() > 0 && !amount.Equal(decimal.Zero):
		w.Set("side", "kauf")
	}
}
