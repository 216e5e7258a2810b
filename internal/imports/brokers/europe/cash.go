package europe

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// What a row without a fill can be, beside the types of cash: shares that moved
// without a trade, and nothing that concerns a journal.
const (
	deposit    = "deposit"
	withdrawal = "withdrawal"
	fee        = "fee"
	dividend   = "dividend"
	interest   = "interest"
	adjustment = "adjustment"
	transfer   = "transfer" // a deposit or a withdrawal, as the sign says
	shares     = "shares"
	nothing    = "nothing"
)

// sort says what a row is whose word has a text in it.
type sort struct{ has, kind string }

// sortOf finds the first sort that fits a word, nothing being known of it
// otherwise.
func sortOf(word string, sorts []sort) string {
	word = strings.ToLower(word)
	for _, s := range sorts {
		if strings.Contains(word, s.has) {
			return s.kind
		}
	}
	return ""
}

// book emits a cash row. The journal has no negative deposit and no fee that is
// received, so the sign settles what those are.
func book(w *statement.Row, kind string, c statement.Cash) {
	switch {
	case kind == transfer && c.Amount.Sign() < 0, kind == deposit && c.Amount.Sign() < 0:
		kind = withdrawal
	case kind == transfer:
		kind = deposit
	case kind == withdrawal:
		c.Amount = c.Amount.Abs().Neg()
	case kind == fee && c.Amount.Sign() > 0, kind == "":
		kind = adjustment
	}
	c.Type, c.Currency = kind, strings.ToUpper(c.Currency)
	if !c.Amount.IsZero() {
		w.Money(c)
	}
}

// leftOut tells once for each sort of row that it is no trade.
func leftOut(w *statement.Row, what string) {
	w.Reader().Out.Warn("Rows of the sort %q move shares without a trade and were left out; enter by hand what they change.", what)
}

// number reads a number that a preset took out of a longer text.
func number(w *statement.Row, text string, sep statement.Separator) decimal.Decimal {
	n, err := statement.Number(text, sep)
	if err != nil {
		w.Fail("%v.", err)
	}
	return n
}
