package decimal_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

func TestDivAverage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sum, count, want string }{
		{"45", "3", "15"},
		{"1", "3", "0.333333333333"},
		{"2", "3", "0.666666666667"},
		{"-2", "3", "-0.666666666667"},
		{"1", "8192", "0.0001220703125"},        // 13 decimals, in full
		{"1", "262144", "0.000003814697265625"}, // 18 decimals, in full
		{"1", "524288", "0.000001907348632812"}, // 19 decimals: half to even at 18
		{"3", "524288", "0.000005722045898438"}, // likewise, to the even neighbor above
		{"0.000000000000000001", "2", "0"},      // 19 decimals, half to even
		{"0.000000000000000003", "2", "0.000000000000000002"},
		{"0.1234567890123", "1", "0.1234567890123"},
		{"0.3", "0.9", "0.333333333333"},
		{"0.9", "0.3", "3"},
		{"123456789012345678901234567890", "8192", "15070408814983603381498360.338134765625"},
		{"123456789012345678901234567891", "7", "17636684144620811271604938270.142857142857"},
		{"0", "7", "0"},
	} {
		got := decimal.Must(c.sum).DivAverage(decimal.Must(c.count))
		if got.String() != c.want {
			t.Errorf("%s / %s = %s, want %s", c.sum, c.count, got, c.want)
		}
	}
}

// TestDivAverageAgreesWithFractions compares the rule with
// an implementation by fractions.
func TestDivAverageAgreesWithFractions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sum := decimal.FromScaled(rapid.Int64().Draw(t, "sum"), rapid.Int32Range(0, 18).Draw(t, "scale"))
		if rapid.Bool().Draw(t, "wide") {
			sum = sum.Mul(decimal.FromScaled(rapid.Int64().Draw(t, "times"), 9))
		}
		count := decimal.FromScaled(rapid.Int64Range(1, 1<<40).Draw(t, "count"), rapid.Int32Range(0, 6).Draw(t, "decimals"))
		exact := new(big.Rat).Quo(sum.Rat(), count.Rat())
		_, terminating := exact.FloatPrec()
		scale := int32(decimal.AverageScale)
		if terminating {
			scale = decimal.MaxDecimals
		}
		if got, want := sum.DivAverage(count), sum.DivRound(count, scale); !got.Equal(want) {
			t.Fatalf("%s / %s = %s, want %s", sum, count, got, want)
		}
	})
}
