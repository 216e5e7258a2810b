package ibkr

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// cashWords are the words for money that moved without a trade: sections of
// activity statements, types of Flex queries and of the transaction history.
var cashWords = []statement.Word{
	{Kind: statement.KindTransfer, Words: "deposits & withdrawals|deposits/withdrawals|deposit|deposits|withdrawal|withdrawals|" +
		"einzahlungen & auszahlungen|internal transfer|cash transfer"},
	{Kind: statement.KindDividend, Words: "dividends|dividend|dividenden|payment in lieu of dividends|payment in lieu"},
	{Kind: statement.KindWithholding, Words: "withholding tax|foreign tax withholding|quellensteuer|871(m) withholding"},
	{Kind: statement.KindInterest, Words: "interest|zinsen|credit interest|debit interest|broker interest paid|broker interest received|" +
		"investment interest paid|investment interest received|bond interest paid|bond interest received"},
	{Kind: statement.KindFee, Words: "broker fees|fees|other fee|other fees|advisor fees|gebühren|transaction fees|sales tax"},
	{Kind: statement.KindAdjustment, Words: "commission adjustments|commission adjustment|price adjustments|adjustment|forex trade component"},
}

// isCash reports whether a word means money that moved without a trade.
func isCash(word string) bool { return statement.FindKind(cashWords, word) != "" }

// emitCash emits the cash of a row by the word for its kind. A row of an unknown
// kind is skipped.
func emitCash(w *statement.Row, word string, c statement.Cash) {
	kind, known := w.CashKind(cashWords, word, c)
	switch {
	case !known:
	case c.Amount.IsZero():
		w.Skip(statement.ReasonNoAmount)
	default:
		c.Type, c.Currency = statement.CashType(kind, c.Amount, c.Note), strings.ToUpper(c.Currency)
		w.Money(c)
	}
}

// readFlexCash reads a cash transaction of a Flex query.
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
