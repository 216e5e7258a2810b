package savers

import (
	"testing"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/brokers/brokertest"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

func TestFixtures(t *testing.T) { brokertest.Run(t, Presets()) }

func fillOf(side matching.Side, quantity, price string) *statement.Fill {
	return &statement.Fill{Side: side, Quantity: decimal.Must(quantity), Price: decimal.Must(price)}
}

// TestWorth takes the stated rate the way round that the amount proves, and the
// amount itself where no rate explains it.
func TestWorth(t *testing.T) {
	for _, c := range []struct{ gross, rate, want string }{
		{"320", "1.25", "0.8"},
		{"500", "1.25", "1.25"},
		{"500.01", "0.8", "1.25"},
		{"320", "", "0.8"},
		{"4", "1.25", "0.01"},
		{"320", "0", "0.8"},
		{"0", "1.25", "0"},
	} {
		d := deal{priced: "USD", home: "EUR", gross: decimal.Must(c.gross)}
		if c.rate != "" {
			d.rate = decimal.Of(decimal.Must(c.rate))
		}
		if got := d.worth(fillOf(matching.Buy, "4", "100")); !got.Equal(decimal.Must(c.want)) {
			t.Errorf("400 that moved %s at rate %q are worth %s each, want %s", c.gross, c.rate, got, c.want)
		}
	}
}

// TestHiddenCosts are what rounding does not explain, and never below zero or
// wider than costs can be.
func TestHiddenCosts(t *testing.T) {
	for _, c := range []struct {
		side                    matching.Side
		quantity, price, amount string
		want                    string
	}{
		{matching.Buy, "10", "134.00", "1345.90", "5.9"},
		{matching.Sell, "10", "134.00", "1334.10", "5.9"},
		{matching.Buy, "2.699055", "110.79", "299.04", "0"}, // half a cent a share
		{matching.Buy, "10", "134.00", "1330", "0"},
		{matching.Sell, "10", "134.00", "1350", "0"},
		{matching.Buy, "2000", "99.5", "1990", "0"},
		{matching.Buy, "1", "10", "30", "0"},
		{matching.Buy, "1000", "1", "1051", "0"},
		{matching.Buy, "1000", "1", "1049", "49"},
	} {
		if got := hiddenCosts(fillOf(c.side, c.quantity, c.price), decimal.Must(c.amount)); !got.Equal(decimal.Must(c.want)) {
			t.Errorf("%s %s @ %s that moved %s cost %s, want %s", c.side, c.quantity, c.price, c.amount, got, c.want)
		}
	}
}

// TestSortOf takes the first sort that fits, whatever the case of letters.
func TestSortOf(t *testing.T) {
	sorts := []sort{{"provento", dividend}, {"commission", fee}}
	for word, want := range map[string]string{"Rit.PROVENTO etf": dividend, "Commissioni su provento": dividend, "Commissioni": fee, "Acquisto": ""} {
		if got := sortOf(word, sorts); got != want {
			t.Errorf("sortOf(%q) = %q, want %q", word, got, want)
		}
	}
}

// FuzzPresets feeds any text through the presets: nothing may panic, and every
// fill that comes out is one.
func FuzzPresets(f *testing.F) {
	brokertest.Fuzz(f, Presets(),
		"Data operazione,Tipo operazione,Ticker,Isin,Protocollo,Descrizione,Quantità,Importo euro\n02-02-2026,Acquisto,GRUX,I,P,D,4,-197.82",
		"Operazione,Data valuta,Descrizione,Titolo,Isin,Segno,Quantita,Divisa,Prezzo,Cambio,Controvalore\n20/02/2026,,C,H,I,A,2,USD,175,1.25,280",
		"Buchungstag;Valuta;Bezeichnung;ISIN;Nominal (Stk.);;Betrag;;Kurs;;TA.-Nr.;Buchungsinformation\n13.01.2026;;K;I;-10;;-1,9;;134,00;;4;Storno ORDER Kauf",
		"date;time;status;reference;description;assetType;type;isin;shares;price;amount;fee;currency\n2026-02-02;13:32:02;Executed;S;D;Security;Savings plan;I;7,3;10,2;-74,9;0;EUR",
		"Security / ISIN,Transaction Type,Quantity,Share Price,Total Trade Value,Trade Date/Time\nW / ISIN I,Buy,2.6,£110.79,£299.04,23/12/25 15:18:12",
		"Date;Category;Asset Name;ISIN;Number of Shares;Asset Price in CHF;Cash Flow\n2026-05-16;Buy;M;C;0.006;1304.04;-7.8",
		"datetime;price;shares;amount;tax;fee;type;identifier;holdingname\n2026-06-04T12:04:00Z;263;6;1578;0;1;Sell;D;R",
	)
}
