package europe

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// moneyWords tell what a row of cash is by a part of its text, in the languages
// of Europe. The first that is found decides, so what is inside another word,
// as Storting is in Terugstorting, comes behind it.
var moneyWords = []struct {
	sense sense
	parts []string
}{
	{nothing, []string{
		"cash sweep", "geldrekening bij flatex", "cash account at flatex", "reservation ideal", "processed flatex withdrawal",
		"monthly_statement", "tax_certificate", "flatexdegiro bank", "reservering ideal", "reservierung sofort", "reserva ingreso",
		"prenotazione deposito",
	}},
	{exchange, []string{
		"valuta creditering", "valuta debitering", "fx credit", "fx debit", "forex credit", "forex debit", "divisa", "hrungswechsel",
		"currency conversion", "valutaväxling", "ration de change", "credito di valuta", "prelievo di valuta",
		"credito fx", "prelievo fx", "addebito fx", "cambio valuta", "fx withdrawal", "fx deposit", "crédit fx", "débit fx",
		"fx-gutschrift", "fx-belastung", "crédito fx", "débito fx", "transaction devise", "konverze m", "przewalutowanie",
		"wymiana walut", "kredyt fx", "wypłata fx", "valutaveksling", "valutakonvertering",
	}},
	{dividend, []string{
		"dividend", "utdelning", "källskatt", "dividende", "withholding tax", "property", "ausschüttung", "proventi", "coupon",
		"quellensteuer", "retención", "ritenuta", "dywidend", "fund distribution", "udbytte",
	}},
	{corporate, []string{"stock split", "spin off", "spin-off", "stock distribution", "merger", "productwijziging", "product change"}},
	{fee, []string{
		"fee", "kosten", "frais", "gebühr", "comiss", "comisi", "commission", "courtage", "tarieven", "custody", "avgift", "costes",
		"custos", "costi", "sdrt", "stamp duty", "charge", "custo de", "poplat", "opłat", "gebyr", "kurtage", "omkostning",
	}},
	{interest, []string{
		"interest", "rente", "zins", "ränta", "intérêt", "interet", "interés", "juros", "interessi", "intereses", "úrok", "odsetki", //nolint:misspell // French
	}},
	{adjustment, []string{
		"tax", "skatt", "belasting", "steuer", "courtesy", "adjustment", "correction", "cashback", "promotion", "övrigt", "refund",
		"promotie", "propagace", "neukundenaktion", "stempel", "imposto", "imposta", "impuesto", "impôt", "podatek",
		"capital return", "kapitaal", "kapitalrück", "remboursement de capital", "vratka kapit",
		"geldmarktfonds", "fonds mon", "money market fund", "fundo do mercado", "fondo monetario",
	}},
	{transfer, []string{
		"deposit", "withdraw", "top up", "top-up", "top_up", "transfer", "storting", "onttrekking", "opname", "insättning", "uttag",
		"einzahlung", "auszahlung", "überweisung", "versement", "virement", "prelevement", "prélèvement", "dépôt", "retrait",
		"ingreso", "retirada", "levantamento", "depósito", "versamento", "prelievo", "conferimento", "bonifico",
		"deposito", "vklad", "výběr", "wpłata", "wypłata", "depozyt", "przelew", "indbetaling", "udbetaling",
		"debit", "credit", "receipt", "inbound", "outbound", "payment", "pay by bank", "card",
	}},
}

// senseOf returns the kind of a row of cash by its text.
func senseOf(text string) sense {
	text = strings.ToLower(text)
	for _, w := range moneyWords {
		for _, part := range w.parts {
			if strings.Contains(text, part) {
				return w.sense
			}
		}
	}
	return unknown
}

// sideWord reads the side that a text begins or ends with: Koop Fondsen, Market
// buy, BUY - MARKET.
func sideWord(text string) (matching.Side, bool) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return "", false
	}
	for _, word := range []string{words[0], words[len(words)-1]} {
		if side, _, ok := statement.SideWord(word); ok && len(word) > 1 {
			return side, true
		}
	}
	return "", false
}
