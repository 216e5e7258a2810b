package ibkr

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// cashKinds are the words for money that moved without a trade: sections of
// activity statements, types of Flex queries and of the transaction history, in
// lower case.
var cashKinds = map[string]string{
	"deposits & withdrawals": flow, "deposits/withdrawals": flow, "deposit": flow, "deposits": flow, "withdrawal": flow,
	"withdrawals": flow, "einzahlungen & auszahlungen": flow, "internal transfer": flow, "cash transfer": flow,
	"dividends": "dividend", "dividend": "dividend", "dividenden": "dividend",
	"payment in lieu of dividends": "dividend", "payment in lieu": "dividend",
	"withholding tax": withheld, "foreign tax withholding": withheld, "quellensteuer": withheld, "871(m) withholding": withheld,
	"interest": "interest", "zinsen": "interest", "credit interest": "interest", "debit interest": "interest",
	"broker interest paid": "interest", "broker interest received": "interest", "investment interest paid": "interest",
	"investment interest received": "interest", "bond interest paid": "interest", "bond interest received": "interest",
	"broker fees": "fee", "fees": "fee", "other fee": "fee", "other fees": "fee", "advisor fees": "fee", "gebühren": "fee",
	"transaction fees": "fee", "sales tax": "fee",
	"commission adjustments": "adjustment", "commission adjustment": "adjustment", "price adjustments": "adjustment",
	"adjustment": "adjustment", "forex trade component": "adjustment",
}

// Kinds whose word in the journal depends on the row.
const (
	flow     = "flow"     // a deposit or a withdrawal, by its sign
	withheld = "withheld" // a tax on a dividend or on interest
)

// emitCash emits cash.
func emitCash(w *statement.Row, kind string, amount decimal.Decimal, at statement.Moment, currency, note string) {
	switch {
	case amount.IsZero():
		w.Skip(statement.ReasonNoAmount)
		return
	case kind == flow && amount.Sign() > 0:
		kind = "deposit"
	case kind == flow:
		kind = "withdrawal"
	case kind == withheld && strings.Contains(strings.ToLower(note), "interest"):
		kind = "interest"
	case kind == withheld:
		kind = "dividend"
	}
	w.Money(statement.Cash{Type: kind, Amount: amount, Currency: strings.ToUpper(currency), At: at.At, Note: note})
}

// cashKind returns what a word for cash means. A row with a word that neither the
// table nor the user knows is skipped.
func cashKind(w *statement.Row, word string) (kind string, known bool) {
	if kind, known = cashKinds[strings.ToLower(word)]; known {
		return kind, true
	}
	switch chosen, ok := w.ChosenKind(word); {
	case !ok:
		w.SkipUnknownKind(word)
		return "", false
	case chosen == statement.KindIgnored:
		w.Skip(statement.ReasonIgnored)
		return "", false
	case chosen == statement.KindTransfer || chosen == statement.KindDeposit || chosen == statement.KindWithdrawal:
		return flow, true
	case chosen == statement.KindWithholding:
		return withheld, true
	default:
		return statement.CashType(chosen, decimal.Zero, ""), true
	}
}

// readFlexCash reads a cash transaction of a Flex query.
func readFlexCash(w *statement.Row) {
	word := w.Text("Type")
	kind, known := cashKind(w, word)
	if !known {
		return
	}
	at, currency := w.Moment("DateTime|Date/Time|SettleDate|ReportDate|Date"), w.Text("CurrencyPrimary|currency")
	if rate := w.Null("FXRateToBase"); rate.Valid {
		w.Rate(currency, baseOf(w.Reader()), rate.Decimal, at.At)
	}
	emitCash(w, kind, w.Required("Amount"), at, currency, w.Text("Description"))
}

// baseOf returns the account's base currency: the file's, or else the journal's.
func baseOf(r *statement.Reader) string {
	if r.Out.Account.Currency != "" {
		return r.Out.Account.Currency
	}
	return r.Hints.Currency
}
