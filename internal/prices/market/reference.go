package market

import "strings"

// ReferenceBase is the currency against which reference rates are quoted.
const ReferenceBase = "EUR"

// ReferenceSecs is the bar length for reference rates: a day in UTC.
const ReferenceSecs = day

// ReferenceLookBack is how many days before the wanted one a reference rate may be. The
// longest time without rates is around Easter or Christmas: four or five days.
const ReferenceLookBack = 7

// ReferenceSymbol returns the symbol for a currency's rate series: EURUSD for USD. Its
// prices are currency units for one EUR.
func ReferenceSymbol(currency string) string { return ReferenceBase + currency }

// ReferenceCurrency returns a reference series' currency, and false if the symbol is not
// a [ReferenceSymbol].
func ReferenceCurrency(symbol string) (currency string, ok bool) {
	currency, ok = strings.CutPrefix(symbol, ReferenceBase)
	return currency, ok && IsCurrencyCode(currency) && currency != ReferenceBase
}

// IsCurrencyCode reports whether a text has the form of an ISO 4217 currency code: three
// capital letters.
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
