package instruments

// AllowsNegativePrice reports whether the price of an instrument of that type
// may be zero or below: that of a future or an option.
func AllowsNegativePrice(instrumentType string) bool {
	return instrumentType == TypeFuture || instrumentType == TypeOption
}

// SymbolAllowsNegativePrice reports whether a symbol alone may be that of a
// future or an option. A root that is also the symbol of a share
// counts, because the type is unknown.
func SymbolAllowsNegativePrice(symbol string) bool {
	if _, ok := ParseFuture(symbol); ok {
		return true
	}
	_, ok := ParseOption(symbol)
	return ok
}
