package savers

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// What a row without a fill can be: a type of cash, or shares that moved without
// a trade.
const (
	deposit    = "deposit"
	withdrawal = "withdrawal"
	fee        = "fee"
	dividend   = "dividend"
	interest   = "interest"
	adjustment = "adjustment"
	transfer   = "transfer" // a deposit or a withdrawal, as the sign says
	shares     = "shares"
)

// sort says what a row is whose word has a text in it.
type sort struct{ has, kind string }

// sortOf finds the first sort that fits a word; it is empty where nothing is
// known of the word.
func sortOf(word string, sorts []sort) string {
	word = strings.ToLower(word)
	for _, s := range sorts {
		if strings.Contains(word, s.has) {
			return s.kind
		}
	}
	return ""
}

// book emits a cash row. The journal has no deposit below zero, so the sign
// settles what it is.
func book(w *statement.Row, kind string, c statement.Cash) {
	switch {
	case (kind == transfer || kind == deposit) && c.Amount.Sign() < 0:
		kind = withdrawal
	case kind == transfer:
		kind = deposit
	case kind == "":
		kind = adjustment
	}
	c.Type, c.Currency = kind, strings.ToUpper(c.Currency)
	if c.Amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	w.Money(c)
}

// leftOut tells once for each sort of row that it is no trade.
func leftOut(w *statement.Row, what string) {
	w.Skip(statement.ReasonSecurities)
	w.Reader().Out.Warn("Rows of the sort %q move shares without a trade and were left out; enter by hand what they change.", what)
}
