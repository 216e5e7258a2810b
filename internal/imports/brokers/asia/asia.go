// Package asia reads the exports of Indian and Japanese brokers: Zerodha,
// Upstox, Angel One, Groww and Dhan, SBI Securities, e-smart and Rakuten.
//
// Indian exchanges count futures and options in units, lot size included, so
// that nothing is multiplied. Their trade numbers start again every day, so that
// one is an id only together with its day and exchange. Contracts are named the
// way the National Stock Exchange does, whichever way a broker spells them.
//
// Japanese brokers keep shares that were bought with cash, those bought on
// margin and those sold short apart, and so do the fills here: each is a position
// of its own. Taking delivery of margin shares closes the one and opens the other.
package asia

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
)

// Presets are the exports that the package knows.
func Presets() []*statement.Preset {
	return slices.Concat(zerodha(), []*statement.Preset{&upstoxTrades, &dhanTrades, &angelOneTrades, &growwOrders, &sbiTrades, &rakutenTrades, &eSmartTrades})
}

// in notes what money a file is in, which these files do not write.
func in(r *statement.Reader, currency string) {
	r.Out.Account.Currency = currency
	if home := strings.ToUpper(r.Hints.Currency); home != "" && home != currency {
		r.Out.Warn("The file is in %s, the account is in %s: its amounts were taken as they are.", currency, home)
	}
}
