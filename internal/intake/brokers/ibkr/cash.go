package ibkr

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// cashWords are the words for money moved without a trade: activity statement sections in
// the languages of words.go, and types in Flex queries and the transaction history.
var cashWords = []statement.Word{
	{Kind: statement.KindTransfer, Words: "deposits & withdrawals|deposits/withdrawals|deposit|deposits|withdrawal|withdrawals|" +
		"internal transfer|cash transfer|einzahlungen & auszahlungen|dépôts et retraits|depósitos y retiradas|depositi e prelievi|" +
		"stortingen en opnames|depósitos e levantamentos|depósitos e retiradas|depósitos e saques|ввод и вывод средств|入出金|存款和取款"},
	{Kind: statement.KindDividend, Words: "dividends|dividend|payment in lieu of dividends|payment in lieu|dividenden|dividendes|dividendos|" + //nolint:misspell // French
		"dividendi|дивиденды|配当金|股息|股利"},
	{Kind: statement.KindWithholding, Words: "withholding tax|foreign tax withholding|871(m) withholding|quellensteuer|retenue à la source|" +
		"retención de impuestos|ritenuta alla fonte|bronbelasting|imposto retido na fonte|retenção de imposto|удерживаемый налог|源泉徴収税|代扣税|代扣稅"},
	{Kind: statement.KindInterest, Words: "interest|credit interest|debit interest|broker interest paid|broker interest received|" +
		"investment interest paid|investment interest received|bond interest paid|bond interest received|zinsen|intérêts|interés|intereses|" +
		"interessi|rente|juros|процент|проценты|利息"},
	{Kind: statement.KindFee, Words: "broker fees|fees|other fee|other fees|advisor fees|transaction fees|sales tax|gebühren|frais|tarifas|" +
		"commissioni|kosten|taxas|сборы|комиссии|手数料|费用|費用"},
	{Kind: statement.KindAdjustment, Words: "commission adjustments|commission adjustment|price adjustments|adjustment|forex trade component"},
}

// descriptionWords are kinds of cash by description, for sections with unknown names. Tax
// on a dividend names the dividend too, so it comes first.
var descriptionWords = []statement.Word{
	{Kind: statement.KindWithholding, Words: "* - ?? tax*|* - ?? steuer*|* - ?? impôt*|* - ?? impuesto*|* - ?? imposto*|* - ?? налог*|* ?? 税*"},
	{Kind: statement.KindDividend, Words: "*cash dividend*|*in lieu of dividend*|*bardividende*|*dividende en espèces*|*dividendo en efectivo*|" +
		"*наличный дивиденд*|*现金红利*"},
	{Kind: statement.KindInterest, Words: "*credit interest*|*debit interest*|*habenzinsen*|*sollzinsen*|*贷方利息*|*借方利息*"},
	{Kind: statement.KindTransfer, Words: "*electronic fund transfer*|*disbursement*|*cash transfer*|*elektronische überweisung*|" +
		"*transferencia de fondos*|*transfert électronique*|*déboursement*|*电子资金转账*"},
}

// isCash reports whether a word means money moved without a trade.
func isCash(word string) bool { return statement.FindKind(cashWords, word) != "" }

// emitCash emits a row's cash by the word for its kind. A row with an unknown kind is
// skipped.
func emitCash(w *statement.Row, word string, c statement.Cash) {
	if kind, known := w.CashKind(cashWords, word, c); known {
		emitKind(w, kind, c)
	}
}

// emitSectionCash emits a section's cash. If the section name is unknown, the description
// and the shared cash words decide, and then the user.
func emitSectionCash(w *statement.Row, section string, c statement.Cash) {
	for _, kind := range []statement.Kind{
		statement.FindKind(cashWords, section), statement.FindKind(descriptionWords, c.Note), statement.FindCashKind(section),
	} {
		if kind != "" && statement.CashType(kind, c.Amount, c.Note) != "" {
			emitKind(w, kind, c)
			return
		}
	}
	emitCash(w, section, c)
}

// emitKind emits cash with a kind.
func emitKind(w *statement.Row, kind statement.Kind, c statement.Cash) {
	if c.Amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	c.Type, c.Currency = statement.CashType(kind, c.Amount, c.Note), strings.ToUpper(c.Currency)
	w.Money(c)
}

// readFlexCash reads a cash transaction in a Flex query.
func readFlexCash(w *statement.Row) {
	w.NoteAccount(flexAccountColumn)
	at, currency := w.Moment("DateTime|Date/Time|SettleDate|ReportDate|Date"), w.Text("CurrencyPrimary|currency")
	if rate := w.Null("FXRateToBase"); rate.Valid {
		w.Rate(currency, baseOf(w.Reader()), rate.Decimal, at.At)
	}
	emitCash(w, w.Text("Type"), statement.Cash{Amount: w.Required("Amount"), At: at.At, Currency: currency, Note: w.Text("Description")})
}

// baseOf returns the account's base currency: the file's, or else the journal's.
func baseOf(r *statement.Reader) string {
	if r.Out.Account.Currency != "" {
		return r.Out.Account.Currency
	}
	return r.Hints.Currency
}
