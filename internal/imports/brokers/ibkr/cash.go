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

// money emits what moved.
func money(w *statement.Row, kind string, amount decimal.Decimal, at statement.Moment, currency, note string) {
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

// flexMoney reads a cash transaction of a Flex query.
func flexMoney(w *statement.Row) {
	word := w.Text("Type")
	kind, known := cashKinds[strings.ToLower(word)]
	if !known {
		kind = "adjustment"
		w.Reader().Out.Warn("Cash of the type %q was taken as an adjustment.", word)
	}
	at, currency := w.Moment("DateTime|Date/Time|SettleDate|ReportDate|Date"), w.Text("CurrencyPrimary|currency")
	if rate := w.Null("FXRateToBase"); rate.Valid {
		w.Rate(currency, baseOf(w.Reader()), rate.Decimal, at.At)
	}
	money(w, kind, w.Required("Amount"), at, currency, w.Text("Description"))
}

// baseOf returns the account's base currency: the file's, or else the journal's.
func baseOf(r *statement.Reader) string {
	if r.Out.Account.Currency != "" {
		return r.Out.Account.Currency
	}
	return r.Hints.Currency
}
