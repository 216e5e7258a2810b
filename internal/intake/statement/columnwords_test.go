package statement

import (
	"strings"
	"testing"
)

func TestCostColumnsAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for target, headers := range map[Target]string{
		TargetFees: "Stamp Duty|SEC Fee|Exchange Transaction Charges|SEBI Charges|GST|STT|Clearing Levy|Financial transaction tax|Tax amount|PTM Levy (GBP)|clearing_fee_usd|" +
			"Fremde Spesen|Börsengebühr|Kapitalertragsteuer|Solidaritätszuschlagsteuer|Taxe sur les transactions|Frais de bourse|Impuestos|Gastos de bolsa|Imposta di bollo|" +
			"Spese bancarie|Emolumentos|Imposto de renda|Beurskosten|Belasting|Avgift SEK|Utländsk skatt|Gebyr|Opłata giełdowa|Podatek|印花税|过户费|消費税|Налог",
		TargetCommission: "Commission USD|Broker Commission|Brokerage & GST|Maklerprovision|Frais de courtage (commission)|Comisión de compra|Corretagem|Commissie EUR|Kurtage|Prowizja|佣金|手续费|Комиссия брокера",
	} {
		for header := range strings.SplitSeq(headers, "|") {
			if got, ok := costTargetOf(header); !ok || got != target {
				t.Errorf("%q is %q, %v, want %s", header, got, ok, target)
			}
		}
	}
	for _, header := range []string{
		"", "Fee %", "Fee Currency", "Fee Coin", "Commission rate", "Tax ID", "Tax Lot", "Tax Year", "Amount after fees", "Net amount (before tax)", "Betrag nach Steuer", "Montant hors frais",
		"Total incl. commission", "Price", "Symbol", "Coffee", "Taxi", "Account", "Cost basis", "Charge type", "Notes",
	} {
		if got, ok := costTargetOf(header); ok {
			t.Errorf("%q is %s", header, got)
		}
	}
}

func TestWarningsOfOneKindAreCounted(t *testing.T) {
	t.Parallel()
	s := &Statement{}
	const format = "%s was left out."
	for row, name := range []string{"", "", "B", "A"} {
		if row > 1 {
			s.WarnRow(10-row, format, name)
		}
	}
	s.Warn("The fee of %s is unknown.", "A")
	s.Warn("The fee of %s is unknown.", "A")
	s.Warn("The fee of %s is unknown.", "B")
	s.Warn("%s", "one")
	s.Warn("%s", "two")
	s.WarnRow(3, "%s is late.", "C")
	want := []string{
		"A was left out. There are 2 such rows; the first is row 7.", "The fee of A is unknown. There are 2 such cases.", "one", "two", "Row 3: C is late.",
	}
	var got []string
	for _, w := range s.Warnings {
		got = append(got, w.Text)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
