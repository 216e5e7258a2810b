package market

import "strings"

// ReferenceBase is the currency that reference rates are quoted against.
const ReferenceBase = "EUR"

// ReferenceSecs is the length of the bars of reference rates: a day in UTC.
const ReferenceSecs = day

// ReferenceLookBack is how many days before the wanted one a reference rate may be. The
// longest time without rates is that around Easter or Christmas: four or five days.
const ReferenceLookBack = 7

// ReferenceSymbol returns the symbol of the series with the rates of a currency: EURUSD
// for USD. Its prices are units of the currency for one EUR.
func ReferenceSymbol(currency string) string { return ReferenceBase + currency }

// ReferenceCurrency returns the currency of a series of reference rates, and false if the
// symbol is not one of [ReferenceSymbol].
func ReferenceCurrency(symbol string) (currency string, ok bool) {
	currency, ok = strings.CutPrefix(symbol, ReferenceBase)
	return currency, ok && IsCurrencyCode(currency) && currency != ReferenceBase
}

// IsCurrencyCode reports whether a text has the form of a currency code of ISO 4217:
// three capital letters.
func IsCurrencyCode(text string) bool {
	if len(text) != 3 {
		return false
	}
	for _, c := range []byte(text) {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}
