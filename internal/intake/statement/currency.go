package statement

import (
	"slices"
	"strings"
)

// NoteCurrency records a currency used for fill amounts. Presets call it for every fill
// with a stated currency.
func (s *Statement) NoteCurrency(currency string) {
	currency = strings.ToUpper(strings.TrimSpace(currency))
	if currency != "" && !slices.Contains(s.currencies, currency) {
		s.currencies = append(s.currencies, currency)
	}
}

// DeriveCurrency is [Statement.NoteCurrency] for files whose amounts are in the account's
// currency without naming it: the first currency counts as stated, unless the user's
// account is in another one found in the file.
func (s *Statement) DeriveCurrency(currency string) {
	s.NoteCurrency(currency)
	if s.Account.Currency == "" {
		s.Account.Currency, s.derivedCurrency = currency, true
	}
}

// FileCurrency returns the currency of the file's account: the stated one, or else the
// only one in its rows. It is empty if the file does not say, as with trades in several
// currencies. account is the currency of the user's account; a file with a derived
// currency and rows in that one is taken to be in it.
func (s *Statement) FileCurrency(account string) string {
	stated := strings.ToUpper(s.Account.Currency)
	if stated != "" && !s.derivedCurrency {
		return stated
	}
	if len(s.currencies) == 0 { // cash in another currency is refused row by row
		return stated
	}
	all := slices.Clone(s.currencies)
	for _, c := range s.Cash {
		if code := strings.ToUpper(c.Currency); code != "" && !slices.Contains(all, code) {
			all = append(all, code)
		}
	}
	account = strings.ToUpper(account)
	switch {
	case slices.Contains(all, account):
		return account
	case len(all) == 1:
		return all[0]
	}
	return stated
}
