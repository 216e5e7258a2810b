package instruments

import "strings"

// RootOf returns the root by which an instrument is found with its relatives: that
// of a future, the underlying of an option or the root of the underlying future,
// and otherwise the symbol.
func RootOf(symbol, instrumentType string) string {
	switch instrumentType {
	case TypeFuture:
		return FindRoot(symbol)
	case TypeOption:
		return optionRoot(symbol)
	}
	return strings.ToUpper(strings.TrimSpace(symbol))
}

func optionRoot(symbol string) string {
	if underlying, future := cutFuture(symbol); future {
		return FindRoot(underlying)
	}
	underlying := strings.ToUpper(strings.TrimSpace(symbol))
	if option, ok := ParseOption(symbol); ok {
		underlying = option.Underlying
	}
	// An option on a future may have the future as its symbol, and its contract in
	// columns of its own.
	if contract, ok := ParseFuture(underlying); ok && contract.Explicit {
		return contract.Root.Symbol
	}
	return underlying
}

// ResolveAlias returns the root of another name of it, and any other text
// unchanged.
func ResolveAlias(root string) string {
	if found, ok := contracts().aliases[root]; ok {
		return found
	}
	return root
}
