// Package analytics computes every figure: summary, days, equity curve, behavior,
// breakdowns and the share link view. It does arithmetic only: the input is trades as
// [Columns], the output is structs, and there is no database and no clock.
//
// Each figure is defined once, in docs/metrics.md, with a formula and a worked example
// run by a test in this package. If code and page disagree, the code is wrong.
//
// Money is exact. Amounts are whole numbers at a common decimal scale, stored in 64 bits
// and added up in 128 bits; an account whose numbers do not fit falls back to unbounded
// decimals. Both ways run the same code, see [number]. Floats appear only in ratios,
// deviations and seconds, and no amount is ever computed from a float.
//
// Random numbers (interval draws, shuffles, simulated futures) come from a generator
// seeded by the caller, so the same trades always have the same result.
package analytics

import (
	"fillbook/internal/base/decimal"
)

// Side is a trade's direction.
type Side uint8

// The two trade sides.
const (
	Long Side = iota
	Short
)

// String returns the side's API name.
func (s Side) String() string {
	if s == Short {
		return "short"
	}
	return "long"
}

// Basis is the instant that decides a trade's date.
type Basis uint8

const (
	// ByClosing dates a trade by its closing.
	ByClosing Basis = iota
	// ByOpening dates a trade by its opening.
	ByOpening
)

// mean returns a money average: the exact sum, divided once by the rule for averages. It
// is 0 if n is 0.
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
