package statement

import "fillbook/internal/intake/parse"

// The words in column names without a target, in the languages of targetWords and in
// Danish, Norwegian, Finnish, Polish, Czech, Russian and Chinese. Words are compared with
// whole words in a name; parts with any part of it.

// marketNames are column names for a trade's exchange or market. They are compared by
// lettersOf.
var marketNames = letterSet(
	"market", "exchange", "venue", "trading venue", "execution venue", "market place", "exchange name", "exchange code", "market code", "mic", "listing exchange",
	"börse", "boerse", "börsenplatz", "handelsplatz", "ausführungsplatz", "markt", "bourse", "place", "place de cotation", "marché", "mercado", "bolsa",
	"mercato", "borsa", "sede di negoziazione", "beurs", "handelsplaats", "uitvoeringsplaats", "marknad", "handelsplats", "børs", "markedsplads", "marked", "pörssi",
	"giełda", "rynek", "burza", "trh", "биржа", "рынок", "市場", "取引所", "市場区分", "交易所", "市场", "交易市场", "交易所名称",
)

// costWords and costParts are in column names for costs, commissionParts in those for the
// commission among them.
var (
	costWords = parse.WordSet(
		"fee", "fees", "charge", "charges", "tax", "taxes", "duty", "duties", "levy", "levies", "comm", "gst", "cgst", "sgst", "igst", "vat", "stt", "ctt",
		"mwst", "ust", "tva", "iva", "iof", "irrf", "iss", "moms", "btw", "pcc", "daň", "dph", "skat", "timbre", "bollo", "ttf", "ftt", "tasa", "tasas", "taxe", "taxa", "taxas",
		"tassa", "tasse", "sdrt", "ptm", "taf", "orf", "cat",
	)
	costParts = []string{
		"gebühr", "gebuehr", "entgelt", "spesen", "steuer", "abgabe", "transaktionskosten", "fremdkosten", "nebenkosten", "frais", "impôt", "impot", "droit de timbre",
		"gastos", "impuesto", "costes", "canon", "spese", "imposta", "costi", "custos", "imposto", "emolumento", "kosten", "belasting", "heffing",
		"avgift", "skatt", "stämpel", "kostnad", "gebyr", "afgift", "omkostning", "kulu", "vero", "opłat", "podatek", "poplat", "сбор", "налог", "諸経費", "税", "費用", "费", "規費",
		"stamp duty", "surcharge",
	}
	commissionParts = []string{
		"commission", "commision", "brokerage", "courtage", "kurtage", "provision", "kommission", "comisión", "comision", "comissão", "comissao", "comissões", "corretaje", //nolint:misspell // a spelling of brokers
		"corretagem", "commissie", "provisie", "provize", "prowizj", "palkkio", "комисси", "手数料", "手续费", "手續費", "佣金",
	}
)

// notCostWords mark names about something else than a cost: an amount before or after
// costs, their rate or their currency.
var notCostWords = parse.WordSet(
	"before", "after", "incl", "including", "excl", "excluding", "ex", "net", "gross", "without", "with", "less", "currency", "ccy", "coin", "asset", "unit", "symbol",
	"rate", "percent", "pct", "type", "id", "code", "account", "lot", "lots", "year", "date", "time", "status", "basis", "free", "total with", "price", "no", "number",
	"vor", "nach", "inkl", "exkl", "ohne", "abzgl", "währung", "satz", "art", "hors", "avant", "après", "apres", "sans", "devise", "taux", "antes", "después", "despues", "sin",
	"moneda", "prima", "dopo", "senza", "valuta", "moeda", "após", "sem", "voor", "na", "zonder", "före", "efter", "før", "po", "przed", "netto", "brutto", "neto", "bruto",
	"líquido", "netta", "lordo", "currencies", "market", "base", "basisvaluta",
)

// totalParts are in column names for sums.
var totalParts = []string{
	"total", "sum", "overall", "gesamt", "summe", "totaal", "totale", "totala", "razem", "suma", "celkem", "yhteensä", "итого", "合計", "合计", "总",
}

// amountNames are column names for the money moved by a fill, best first: after costs,
// then either, then before costs. They are compared by lettersOf, without zone and
// currency.
var amountNames = []string{
	"net amount", "net cash", "net proceeds", "net total", "net value", "net settlement", "settlement amount", "settled amount", "net", "total net", "amount net",
	"netto", "nettobetrag", "endbetrag", "abrechnungsbetrag", "ausmachender betrag", "montant net", "net montant", "importe neto", "neto", "importo netto", "netto importo",
	"valor líquido", "líquido", "nettobedrag", "nettobelopp", "likvidbelopp", "belopp netto", "nettobeløb", "kwota netto", "受渡金額", "精算金額", "发生金额", "清算金额", "净额",
	"amount", "total amount", "total", "total cost", "total value", "trade amount", "transaction amount", "cash amount", "proceeds", "cost/proceeds", "cash flow", "money", "sum",
	"betrag", "gesamt", "gesamtbetrag", "summe", "montant", "montant total", "importe", "importe total", "importo", "importo totale", "controvalore", "totale", "valor total", "total geral",
	"bedrag", "totaal", "totaalbedrag", "belopp", "summa", "beløb", "beløp", "kwota", "wartość", "hodnota", "částka", "celkem", "сумма", "金額", "约定金額", "約定代金", "約定金額", "金额",
	"gross amount", "gross value", "gross", "principal", "principal amount", "consideration", "value", "trade value", "traded value", "transaction value", "notional", "turnover",
	"order value", "subtotal", "kurswert", "bruttobetrag", "brutto", "ordervolumen", "handelswert", "montant brut", "valeur", "importe bruto", "bruto", "efectivo", "importo lordo", "valore",
	"valor", "valor bruto", "valor da operação", "waarde", "brutobedrag", "värde", "bruttobelopp", "likvid", "成交金额", "成交额",
}

// moneyParts are in column names for money.
var moneyParts = []string{
	"amount", "value", "total", "net", "gross", "proceeds", "consideration", "balance", "cash", "money", "profit", "p&l", "pnl", "result", "rebate", "interest", "premium", "cost",
	"fee", "charge", "tax", "duty", "levy", "commission", "brokerage", "betrag", "wert", "saldo", "ergebnis", "zins", "gewinn", "montant", "valeur", "solde", "résultat", "intérêt",
	"importe", "valor", "resultado", "interés", "importo", "controvalore", "valore", "risultato", "bedrag", "waarde", "resultaat", "rente", "belopp", "värde", "resultat", "ränta",
	"beløb", "beløp", "værdi", "verdi", "kwota", "wartość", "částka", "сумма", "баланс", "金額", "金额", "残高", "余额", "損益", "盈亏",
}

// notMoneyWords mark names about something else than money.
var notMoneyWords = parse.WordSet(
	"qty", "quantity", "shares", "units", "volume", "count", "id", "no", "number", "currency", "ccy", "rate", "date", "time", "type", "code", "account", "anzahl", "menge", "stück",
	"cantidad", "quantità", "quantidade", "quantité", "aantal", "antal", "数量", "points", "pips", "ticks", "r", "multiple",
)

// feeCurrencyNames are column names for the coin or currency charged as costs. They are
// compared by lettersOf.
var feeCurrencyNames = letterSet(
	"fee currency", "fee coin", "fee asset", "fee ccy", "fee unit", "fees currency", "fees coin", "commission asset", "commission currency", "commission coin", "charges currency",
	"gebührenwährung", "währung gebühr", "devise des frais", "devise frais", "moneda de la comisión", "moneda comisión", "valuta commissioni", "moeda da taxa", "valuta kosten",
	"手续费币种", "手数料通貨", "валюта комиссии",
)

// letterSet makes a set of names as lettersOf writes them.
func letterSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[lettersOf(name)] = true
	}
	return set
}
