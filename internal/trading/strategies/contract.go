package strategies

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
)

// Contract is an option as its trade names it.
type Contract struct {
	// Underlying is what strategies are found in: the stock, index or future.
	Underlying string
	Root       string
	Adjusted   bool
	Right      instruments.Right
	Strike     decimal.Decimal
	Expiry     journal.Day
}

// indexRoots are the roots of index options that are not named after their index.
var indexRoots = map[string]string{"SPXW": "SPX", "NDXP": "NDX", "RUTW": "RUT", "VIXW": "VIX", "DJXW": "DJX", "OEXW": "OEX"}

// NewContract returns the option with a symbol and the contract that its fills state, as far
// as they do. It returns false without a right or strike.
func NewContract(symbol string, right instruments.Right, strike decimal.Null, expiry journal.Day) (Contract, bool) {
	c := Contract{Root: UnderlyingOf(symbol), Right: right, Strike: strike.Decimal, Expiry: expiry}
	c.Underlying = c.Root
	if parsed, ok := instruments.ParseOption(symbol); ok {
		c.Root, c.Underlying, c.Adjusted = parsed.Root, parsed.Underlying, parsed.Adjusted
		if right == "" {
			c.Right = parsed.Right
		}
		if !strike.Valid {
			c.Strike = parsed.Strike
		}
		if expiry == "" {
			c.Expiry = parsed.Expiry
		}
	}
	if index, ok := indexRoots[c.Root]; ok {
		c.Underlying = index
	}
	return c, c.Right != "" && c.Strike.Sign() > 0
}

// UnderlyingOf returns the name by which a stock, index or future is an underlying.
func UnderlyingOf(symbol string) string { return strings.ToUpper(strings.TrimSpace(symbol)) }
