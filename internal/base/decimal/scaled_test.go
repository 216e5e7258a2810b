package decimal_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

func TestToScaled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		scale int32
		want  int64
		ok    bool
	}{
		{"1.25", 2, 125, true},
		{"1.25", 4, 12500, true},
		{"1.25", 1, 0, false},
		{"1.50", 1, 15, true},
		{"-37.63", 2, -3763, true},
		{"0", 18, 0, true},
		{"120", 0, 120, true},
		{"999999999999999", 3, 999999999999999000, true},
		{"999999999999999", 5, 0, false},
		{"0.000000000000000001", 18, 1, true},
		{"123456789012345.123456789012345678", 2, 0, false},
		{"123456789012345.123456789012345678", 18, 0, false},
	} {
		if got, ok := decimal.Must(c.text).ToScaled(c.scale); got != c.want || ok != c.ok {
			t.Errorf("%s at %d: %d %v", c.text, c.scale, got, ok)
		}
	}
}

func TestToScaledInvertsFromScaled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		coef := rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "coef")
		scale := rapid.Int32Range(0, 18).Draw(t, "scale")
		if got, ok := decimal.FromScaled(coef, scale).ToScaled(scale); got != coef || !ok {
			t.Fatalf("%d %v", got, ok)
		}
	})
}
