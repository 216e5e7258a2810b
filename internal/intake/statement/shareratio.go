package statement

import (
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
)

// ratioText finds a ratio such as "1 FOR 25" or "4-for-1".
var ratioText = lazyregexp.New(`(?i)\b(\d{1,12})[ -]?for[ -]?(\d{1,12})\b`)

// findRatio returns the ratio in a description, new shares for old ones; 0 for none.
func findRatio(text string) (newShares, oldShares int64) {
	found := ratioText().FindStringSubmatch(text)
	if found == nil {
		return 0, 0
	}
	newShares, _ = strconv.ParseInt(found[1], 10, 64)
	oldShares, _ = strconv.ParseInt(found[2], 10, 64)
	if newShares == 0 || oldShares == 0 {
		return 0, 0
	}
	return newShares, oldShares
}

// maxSplitTerm limits both numbers of a ratio that is computed from quantities.
const maxSplitTerm = 10_000

// SplitRatio returns the simplest ratio that makes one quantity of shares from another. A
// whole number of new shares may be without a fraction that was paid in cash.
func SplitRatio(newShares, oldShares decimal.Decimal) (n, o int64, ok bool) {
	if newShares.Sign() <= 0 || oldShares.Sign() <= 0 {
		return 0, 0, false
	}
	tolerance := decimal.FromScaled(1, 4) // fractions are written with a few decimals
	if newShares.Equal(newShares.Round(0)) {
		tolerance = decimal.New(1)
	}
	fits := func(n, o int64) bool {
		exact, off := oldShares.Mul(decimal.New(n)), newShares.Mul(decimal.New(o))
		return exact.Sub(off).Abs().Cmp(tolerance.Mul(decimal.New(o))) < 0
	}
	// The convergents of the quotient are the simplest fractions near it.
	const digits = 12
	rest := newShares.DivRound(oldShares, digits)
	beforeN, beforeO, n, o := int64(0), int64(1), int64(1), int64(0)
	for {
		whole, fitsInt := rest.Round(0).ToScaled(0)
		if decimal.New(whole).Cmp(rest) > 0 {
			whole--
		}
		if !fitsInt || whole > maxSplitTerm {
			return 0, 0, false
		}
		beforeN, n = n, whole*n+beforeN
		beforeO, o = o, whole*o+beforeO
		if n > maxSplitTerm || o > maxSplitTerm {
			return 0, 0, false
		}
		if n > 0 && n != o && fits(n, o) {
			return n, o, true
		}
		if rest = rest.Sub(decimal.New(whole)); rest.IsZero() {
			return 0, 0, false
		}
		rest = decimal.New(1).DivRound(rest, digits)
	}
}

// exchangeRatio is [SplitRatio] for shares of another company, of which as many may come as
// left.
func exchangeRatio(newShares, oldShares decimal.Decimal) (n, o int64, ok bool) {
	if newShares.Sign() > 0 && newShares.Equal(oldShares) {
		return 1, 1, true
	}
	return SplitRatio(newShares, oldShares)
}
