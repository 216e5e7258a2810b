package instruments

import (
	"strings"

	"fillbook/internal/decimal"
)

var (
	one     = decimal.New(1)
	hundred = decimal.New(100)
)

// DefaultMultiplier is what one unit of an instrument's price is worth when
// nobody said so: a future by its root, an option on a future like that future,
// another option 100, everything else 1. The warning is empty or a sentence for
// the user: an unknown future is taken as 1 and an adjusted or mini option as
// 100, and both may be wrong.
func DefaultMultiplier(symbol, instrumentType string) (multiplier decimal.Decimal, warning string) {
	switch instrumentType {
	case TypeFuture:
		return futureMultiplier(symbol)
	case TypeOption:
		return optionMultiplier(symbol)
	}
	return one, ""
}

func futureMultiplier(symbol string) (decimal.Decimal, string) {
	if contract, ok := ParseFuture(symbol); ok {
		return contract.Root.Multiplier, ""
	}
	return one, "The contract size of " + symbol + " is not known and was taken as 1; give a multiplier to correct it."
}

func optionMultiplier(symbol string) (decimal.Decimal, string) {
	option, ok := ParseOption(symbol)
	if underlying, future := cutFuture(symbol); future {
		return futureMultiplier(underlying)
	}
	// A file may give the contract in columns of its own and only the root
	// as the symbol.
	if !ok && isAdjusted(strings.ToUpper(strings.TrimSpace(symbol))) || option.Adjusted {
		return hundred, symbol + " looks like an adjusted or mini option, whose contract may not be 100 shares; 100 was taken, give a multiplier to correct it."
	}
	return hundred, ""
}

// cutFuture gives the future that an option symbol begins with, as in
// "/NQM22 1/20 APR 22" or "./ESU6 E1AN6 260703C5500".
func cutFuture(symbol string) (string, bool) {
	symbol = strings.TrimPrefix(strings.TrimSpace(symbol), ".")
	if !strings.HasPrefix(symbol, "/") {
		return "", false
	}
	first, _, _ := strings.Cut(symbol, " ")
	return first, true
}
