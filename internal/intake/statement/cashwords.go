package statement

// cashWords map parts of a text to kinds of cash, in English, Dutch, German, French,
// Spanish, Portuguese, Italian, Swedish, Danish, Norwegian, Czech and Polish. The first
// match decides, so a word inside another one, as Storting is in Terugstorting, comes
// after it. They are compared with the kind column only: a description has too many
// words.
var cashWords = []struct {
	kind  Kind
	parts []string
}{
	{KindRepeated, []string{
		"cash sweep", "geldrekening bij flatex", "cash account at flatex", "reservation ideal", "processed flatex withdrawal",
		"monthly_statement", "tax_certificate", "flatexdegiro bank", "reservering ideal", "reservierung sofort", "reserva ingreso",
		"prenotazione deposito",
	}},
	{KindExchange, []string{
		"valuta creditering", "valuta debitering", "fx credit", "fx debit", "forex credit", "forex debit", "divisa", "hrungswechsel",
		"currency conversion", "valutaväxling", "ration de change", "credito di valuta", "prelievo di valuta",
		"credito fx", "prelievo fx", "addebito fx", "cambio valuta", "fx withdrawal", "fx deposit", "crédit fx", "débit fx",
		"fx-gutschrift", "fx-belastung", "crédito fx", "débito fx", "transaction devise", "konverze m", "przewalutowanie",
		"wymiana walut", "kredyt fx", "wypłata fx", "valutaveksling", "valutakonvertering",
	}},
	{KindWithholding, []string{"källskatt", "withholding tax", "quellensteuer", "retención", "ritenuta"}},
	{KindDividend, []string{
		"dividend", "utdelning", "dividende", "property", "ausschüttung", "proventi", "coupon",
		"dywidend", "fund distribution", "udbytte",
	}},
	{KindMovement, []string{"stock split", "spin off", "spin-off", "stock distribution", "merger", "productwijziging", "product change"}},
	{KindFee, []string{
		"fee", "kosten", "frais", "gebühr", "comiss", "comisi", "commission", "courtage", "tarieven", "custody", "avgift", "costes",
		"custos", "costi", "sdrt", "stamp duty", "charge", "custo de", "poplat", "opłat", "gebyr", "kurtage", "omkostning",
	}},
	{KindInterest, []string{
		"interest", "rente", "zins", "ränta", "intérêt", "interet", "interés", "juros", "interessi", "intereses", "úrok", "odsetki", //nolint:misspell // French
	}},
	{KindAdjustment, []string{
		"tax", "skatt", "belasting", "steuer", "courtesy", "adjustment", "correction", "cashback", "promotion", "övrigt", "refund",
		"promotie", "propagace", "neukundenaktion", "stempel", "imposto", "imposta", "impuesto", "impôt", "podatek",
		"capital return", "kapitaal", "kapitalrück", "remboursement de capital", "vratka kapit",
		"geldmarktfonds", "fonds mon", "money market fund", "fundo do mercado", "fondo monetario",
	}},
	{KindTransfer, []string{
		"deposit", "withdraw", "top up", "top-up", "top_up", "transfer", "storting", "onttrekking", "opname", "insättning", "uttag",
		"einzahlung", "auszahlung", "überweisung", "versement", "virement", "prelevement", "prélèvement", "dépôt", "retrait",
		"ingreso", "retirada", "levantamento", "depósito", "versamento", "prelievo", "conferimento", "bonifico",
		"deposito", "vklad", "výběr", "wpłata", "wypłata", "depozyt", "przelew", "indbetaling", "udbetaling",
		"debit", "credit", "receipt", "inbound", "outbound", "payment", "pay by bank", "card",
	}},
}
