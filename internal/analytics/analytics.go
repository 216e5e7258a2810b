// Package analytics computes every figure of the journal: the summary, days,
// the equity curve, behaviour, breakdowns and what a share link shows. It is
// arithmetic and nothing else: trades come in as [Columns], figures go out as
// structs, and there is no database, clock or goroutine in between.
//
// Each figure is defined once, in docs/metrics.md, with a formula and a worked
// example that a test of this package runs. Code that disagrees with that page
// is wrong, whichever of the two is older.
//
// Money is exact. Amounts are whole numbers at a common decimal scale, 64 bits
// wide where they are kept and 128 bits wide where they are added up; an account
// whose numbers do not fit falls back to decimals without bound. Both ways run
// the same code, see [number]. Floats appear only in ratios, deviations and
// seconds, and no amount is ever computed from one.
//
// What looks random (the draws of an interval, a shuffle, a simulated future)
// comes from a generator whose seed the caller gives, so that the same trades
// always give the same answer.
package analytics

import (
	"fillbook/internal/decimal"
)

// Side says which way a trade pointed.
type Side uint8

// The two sides of a trade.
const (
	Long Side = iota
	Short
)

// String gives the side as the API spells it.
func (s Side) String() string {
	if s == Short {
		return "short"
	}
	return "long"
}

// Basis says which instant of a trade places it in time.
type Basis uint8

const (
	// ByClosing places a trade where it was closed.
	ByClosing Basis = iota
	// ByOpening places a trade where it was opened.
	ByOpening
)

// mean returns an average of money: the exact sum, divided once by the rule for
// averages. The mean of nothing is 0.
func mean(sum decimal.Decimal, n int) decimal.Decimal {
	if n == 0 {
		return decimal.Zero
	}
	return sum.DivAverage(decimal.New(int64(n)))
}

// fraction is part / whole, and 0 of nothing.
func fraction(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ratio is a / b as a float, and absent when b is zero.
func ratio(a, b decimal.Decimal) *float64 {
	if b.IsZero() {
		return nil
	}
	value := a.Float64() / b.Float64()
	return &value
}

const percent = 100
