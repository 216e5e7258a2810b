// Package analytics computes every figure of the journal: the summary, days,
// the equity curve, behavior, breakdowns and the view of a share
// link. It does arithmetic only: the input is trades as [Columns], the
// output is structs, and there is no database and no clock.
//
// Each figure is defined once, in docs/metrics.md, with a formula and a worked
// example that a test of this package runs. If code and page
// disagree, the code is wrong.
//
// Money is exact. Amounts are whole numbers at a common decimal scale, 64 bits
// wide where they are kept and 128 bits wide where they are added up; an account
// whose numbers do not fit falls back to decimals without bound. Both ways run
// the same code, see [number]. Floats appear only in ratios, deviations and
// seconds, and no amount is ever computed from one.
//
// Random numbers (the draws of an interval, a shuffle, a simulated future)
// come from a generator whose seed the caller passes, so that the same trades
// always have the same result.
package analytics

import (
	"fillbook/internal/base/decimal"
)

// Side is the direction of a trade.
type Side uint8

// The two sides of a trade.
const (
	Long Side = iota
	Short
)

// String returns the API's name of the side.
func (s Side) String() string {
	if s == Short {
		return "short"
	}
	return "long"
}

// Basis is the instant of a trade that decides its date.
type Basis uint8

const (
	// ByClosing dates a trade by its closing.
	ByClosing Basis = iota
	// ByOpening dates a trade by its opening.
	ByOpening
)

// mean returns an average of money: the exact sum, divided once by the rule for
// averages. It is 0 if n is 0.
func mean(sum decimal.Decimal, n int) decimal.Decimal {
	if n == 0 {
		return decimal.Zero
	}
	return sum.DivAverage(decimal.New(int64(n)))
}

// fraction returns part / whole, or 0 if whole is 0.
func fraction(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ratio returns a / b as a float, or nil if b is zero.
func ratio(a, b decimal.Decimal) *float64 {
	if b.IsZero() {
		return nil
	}
	value := a.Float64() / b.Float64()
	return &value
}

const percent = 100
