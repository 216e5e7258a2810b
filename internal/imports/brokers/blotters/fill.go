package blotters

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// foreign notes that a fill is in other money than the account.
func foreign(w *statement.Row, f *statement.Fill, currency string) {
	r := w.Reader()
	currency = strings.ToUpper(currency)
	r.Out.NoteCurrency(currency)
	if home := r.Hints.Currency; currency != "" && home != "" && currency != home {
		r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", currency, home)
		f.Details = map[string]string{"currency": currency}
	}
}
