package brokers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// moved is what a fill moves in the account's money.
func moved(f *statement.Fill) decimal.Decimal {
	n := f.Quantity.Mul(f.Price).Mul(f.Multiplier.Or(decimal.New(1)))
	if f.Side == matching.Buy {
		n = n.Neg()
	}
	return n.Sub(f.Fees).Sub(f.Commission)
}

// degiroTrades draws trades in dollars for a file from each DEGIRO export.
func degiroTrades(t *rapid.T) (transactions, account string, total decimal.Decimal) {
	var a, b []string
	comma := func(d decimal.Decimal) string { return `"` + strings.ReplaceAll(d.String(), ".", ",") + `"` }
	start := time.Date(2024, 2, 5, 9, 0, 0, 0, time.UTC)
	for i := range rapid.IntRange(1, 8).Draw(t, "trades") {
		at := start.Add(time.Duration(i) * time.Hour).Format("02-01-2006,15:04")
		day, _, _ := strings.Cut(at, ",")
		quantity := decimal.New(rapid.Int64Range(10, 900).Draw(t, "quantity"))
		price := decimal.FromScaled(rapid.Int64Range(10001, 999999).Draw(t, "price"), 3)
		rate := decimal.FromScaled(rapid.Int64Range(10500, 12500).Draw(t, "rate"), 4)
		local := quantity.Mul(price).Round(2)
		value := local.DivRound(rate, 2)
		word, sign := "Koop", decimal.New(-1)
		if rapid.Bool().Draw(t, "sell") {
			word, sign = "Verkoop", decimal.New(1)
		}
		net := value.Mul(sign).Sub(decimal.New(2))
		total = total.Add(net)
		a = append(a, fmt.Sprintf("%s,FIR,US00FICT0043,NDQ,XNAS,%s,%s,USD,%s,USD,%s,EUR,%s,\"-2,00\",EUR,%s,EUR,o-%d\n", at,
			quantity.Mul(sign).Neg(), comma(price), comma(local.Mul(sign)), comma(value.Mul(sign)), comma(rate), comma(net), i))
		row := func(text, rate, currency string, amount decimal.Decimal) {
			b = append(b, fmt.Sprintf("%s,%s,FIR,US00FICT0043,%q,%s,%s,%s,%s,\"0,00\",o-%d\n", at, day, text, rate, currency, comma(amount), currency, i))
		}
		row("Valuta Creditering", comma(rate), "USD", local.Mul(sign).Neg())
		row("Valuta Debitering", "", "EUR", value.Mul(sign))
		row("DEGIRO Transactiekosten en/of kosten van derden", "", "EUR", decimal.New(-2))
		row(fmt.Sprintf("%s %s @ %s USD", word, quantity, strings.Trim(comma(price), `"`)), "", "USD", local.Mul(sign))
	}
	slices.Reverse(a)
	slices.Reverse(b)
	return "Datum,Tijd,Product,ISIN,Beurs,Uitvoeringsplaats,Aantal,Koers,,Lokale waarde,,Waarde,,Wisselkoers,Transactiekosten,,Totaal,,Order ID\n" + strings.Join(a, ""),
		"Datum,Tijd,Valutadatum,Product,ISIN,Omschrijving,FX,Mutatie,,Saldo,,Order Id\n" + strings.Join(b, ""), total
}

// TestDegiroExportsAgree checks that both exports with the same trades give the same
// fills, moving the same money, but for rounded rates.
func TestDegiroExportsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		transactions, account, total := degiroTrades(t)
		var shown [2][]string
		for i, text := range []string{transactions, account} {
			sum, size := decimal.Zero, decimal.New(1)
			s := mustRead(t, text, tables())
			for _, f := range s.Fills {
				shown[i] = append(shown[i], fmt.Sprint(f.At, f.Symbol, f.Side, f.Quantity, f.Price, f.Commission, f.ID))
				sum, size = sum.Add(moved(f)), size.Add(moved(f).Abs())
			}
			if off := sum.Sub(total).Abs(); off.Cmp(size.Mul(decimal.Must("0.0001"))) > 0 {
				t.Errorf("fills sum to %s, the file to %s\n%s", sum, total, text)
			}
			if len(s.Cash) > 0 || len(s.Warnings) > 0 {
				t.Errorf("unexpected cash %v or warnings %q", s.Cash, s.Warnings)
			}
		}
		if !slices.Equal(shown[0], shown[1]) {
			t.Errorf("transactions %q\naccount      %q", shown[0], shown[1])
		}
	})
}

// TestEuropeOrderOfRowsDoesNotMatter checks that a file with a time in every row says the
// same whichever way it is sorted.
func TestEuropeOrderOfRowsDoesNotMatter(t *testing.T) {
	const header = "Date,Ticker,Type,Quantity,Price per share,Total Amount,Currency,FX Rate\n"
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2025, 10, 24, 9, 30, 0, 0, time.UTC)
		var rows []string
		for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
			quantity, price := rapid.Int64Range(1, 99).Draw(t, "quantity"), rapid.Int64Range(1, 999).Draw(t, "price")
			rows = append(rows, fmt.Sprintf("%s,FIR,%s - MARKET,%d,$%d,$%d,USD,1.1\n", start.Add(time.Duration(i)*time.Minute).Format(time.RFC3339),
				rapid.SampledFrom([]string{"BUY", "SELL"}).Draw(t, "side"), quantity, price, quantity*price))
		}
		shown := func() (list []string) {
			for _, f := range mustRead(t, header+strings.Join(rows, ""), tables()).Fills {
				list = append(list, fmt.Sprint(f.At, f.Side, f.Quantity, f.Price, f.Fees))
			}
			return list
		}
		forwards := shown()
		slices.Reverse(rows)
		if backwards := shown(); !slices.Equal(forwards, backwards) {
			t.Errorf("forwards %q\nbackwards %q", forwards, backwards)
		}
	})
}

// netBySymbol reads a fixture and returns each symbol's result after costs.
func netBySymbol(t *testing.T, fixture string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + fixture + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := brokertest.MustRead(t, archive.Files[0].Data, brokertest.Hints(string(archive.Comment)), tables())
	net := map[string]decimal.Decimal{}
	for trade := range s.Trades() {
		if trade.IsClosed() {
			net[trade.Fill.Symbol] = net[trade.Fill.Symbol].Add(trade.NetPnL.Decimal)
		}
	}
	texts := map[string]string{}
	for symbol, n := range net {
		texts[symbol] = n.String()
	}
	return texts
}

// TestTrading212CountsCostsOnce checks that a trade's net result is the stated one.
func TestTrading212CountsCostsOnce(t *testing.T) {
	t.Parallel()
	want := map[string]string{"BRCH": "46.29", "MAPL": "75.08", "AMZN": "1448.41"}
	if diff := cmp.Diff(want, netBySymbol(t, "trading212-costs")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDegiroItalian checks that changed money is no cost, whatever the language calls it.
func TestDegiroItalian(t *testing.T) {
	t.Parallel()
	net := decimal.Must(netBySymbol(t, "degiro-account-it")["US0378331005"])
	if !net.Round(2).Equal(decimal.Must("62.84")) {
		t.Errorf("the net result is %s, want 62.84", net)
	}
}
