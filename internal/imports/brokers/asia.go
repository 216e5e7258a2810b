package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
)

// asiaPresets lists presets in the order in which they are tried.
func asiaPresets() []*statement.Preset {
	return slices.Concat(zerodha(), []*statement.Preset{&upstoxTrades, &dhanTrades, &angelOneTrades, &growwOrders, &sbiTrades, &rakutenTrades, &eSmartTrades})
}

// in notes what money a file is in, which these files do not write.
func in(r *statement.Reader, currency string) {
	r.Out.Account.Currency = currency
	if home := strings.ToUpper(r.Hints.Currency); home != "" && home != currency {
		r.Out.Warn("The file is in %s, the account is in %s: its amounts were taken as they are.", currency, home)
	}
}
