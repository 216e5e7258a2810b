package instruments

import (
	"strings"

	"fillbook/internal/base/decimal"
)

var (
	one     = decimal.New(1)
	hundred = decimal.New(100)
)

// DefaultMultiplier returns the multiplier for an instrument without a stated one: of a
// future that of its root, of an option on a future that of the future, of another option
// 100, of everything else 1. The warning is empty or a sentence for the user: an unknown
// future has 1 and an adjusted or mini option 100, and both may be wrong.
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
	// A file may have the contract in separate columns and only the
	// root as the symbol.
	if !ok && isAdjusted(strings.ToUpper(strings.TrimSpace(symbol))) || option.Adjusted {
		return hundred, symbol + " looks like an adjusted or mini option, whose contract may not be 100 shares; 100 was taken, give a multiplier to correct it."
	}
	return hundred, ""
}

// cutFuture returns the future at the start of an option symbol, as in
// "/NQM22 1/20 APR 22" or "./ESU6 E1AN6 260703C5500".
func cutFuture(symbol string) (string, bool) {
	symbol = strings.TrimPrefix(strings.TrimSpace(symbol), ".")
	if !strings.HasPrefix(symbol, "/") {
		return "", false
	}
	first, _, _ := strings.Cut(symbol, " ")
	return first, true
}
