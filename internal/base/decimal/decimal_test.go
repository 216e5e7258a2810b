package decimal

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyDecimal draws numbers in all sizes, stored at any scale, with many small and round
// ones, which test rounding and zeros.
func anyDecimal() *rapid.Generator[Decimal] {
	return rapid.Custom(func(t *rapid.T) Decimal {
		scale := rapid.Int32Range(-3, 18).Draw(t, "scale")
		small := rapid.Int64Range(-1000, 1000).Draw(t, "small")
		switch rapid.IntRange(0, 2).Draw(t, "size") {
		case 0:
			return FromScaled(small, scale)
		case 1:
			return FromScaled(rapid.Int64().Draw(t, "coef"), scale)
		default:
			digits := rapid.StringMatching(`[1-9][0-9]{18,60}`).Draw(t, "digits")
			return fromDigits(small < 0, digits, scale)
		}
	})
}

// roundHalfEven is DivRound done with fractions: numerator over denominator, half even.
func roundHalfEven(x *big.Rat, scale int32) *big.Rat {
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil))
	if scale < 0 {
		unit.Inv(unit)
	}
	x = new(big.Rat).Mul(x, unit)
	floor := new(big.Int).Div(x.Num(), x.Denom())
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(floor))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt(floor), unit)
}

func TestArithmeticIsThatOfFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal().Draw(t, "a"), anyDecimal().Draw(t, "b")
		x, y := a.Rat(), b.Rat()
		same := func(what string, got Decimal, want *big.Rat) {
			if got.Rat().Cmp(want) != 0 {
				t.Fatalf("%s of %s and %s: %s, want %s", what, a, b, got, want)
			}
		}
		same("sum", a.Add(b), new(big.Rat).Add(x, y))
		same("difference", a.Sub(b), new(big.Rat).Sub(x, y))
		same("product", a.Mul(b), new(big.Rat).Mul(x, y))
		same("negation", a.Neg(), new(big.Rat).Neg(x))
		same("absolute value", a.Abs(), new(big.Rat).Abs(x))
		same("Sum", Sum(a, b, a), new(big.Rat).Add(x, new(big.Rat).Add(y, x)))
		if a.Cmp(b) != x.Cmp(y) || a.Equal(b) != (x.Cmp(y) == 0) || a.Sign() != x.Sign() || a.IsZero() != (x.Sign() == 0) {
			t.Fatalf("order of %s and %s differs", a, b)
		}
		if Min(a, b).Cmp(Max(a, b)) > 0 || !Min(a, b).Add(Max(a, b)).Equal(a.Add(b)) {
			t.Fatalf("Min and Max of %s and %s", a, b)
		}
		if want, _ := x.Float64(); a.Float64() != want {
			t.Fatalf("float of %s: %v, want %v", a, a.Float64(), want)
		}
	})
}

// Results must not depend on whether numbers, sums or quotients fit
// into 64 bits.
func TestBeyond64Bits(t *testing.T) {
	var edge []Decimal
	for _, text := range []string{
		"9223372036854775807", "9223372036854775808", "4611686018427387904", "3037000500", "999999999999999999",
		"1000000000000000000", "1", "0.1", "0.000000000000000001", "92233720368547758.07", "18446744073709551616", "0.9223372036854775807",
	} {
		edge = append(edge, Must(text), Must("-"+text))
	}
	edge = append(edge, Zero, FromScaled(math.MinInt64, 0), FromScaled(math.MinInt64, 18), FromScaled(7, -20), FromScaled(-7, 40))
	for _, a := range edge {
		for _, b := range edge {
			x, y := a.Rat(), b.Rat()
			same := func(what string, got Decimal, want *big.Rat) {
				if got.Rat().Cmp(want) != 0 {
					t.Errorf("%s of %s and %s: %s, want %s", what, a, b, got, want)
				}
			}
			same("sum", a.Add(b), new(big.Rat).Add(x, y))
			same("difference", a.Sub(b), new(big.Rat).Sub(x, y))
			same("product", a.Mul(b), new(big.Rat).Mul(x, y))
			for _, scale := range []int32{-3, 0, 2, 12, 18} {
				same("rounding", a.Round(scale), roundHalfEven(x, scale))
				if !b.IsZero() {
					same("quotient", a.DivRound(b, scale), roundHalfEven(new(big.Rat).Quo(x, y), scale))
				}
			}
			if a.Cmp(b) != x.Cmp(y) {
				t.Errorf("order of %s and %s: %d", a, b, a.Cmp(b))
			}
		}
	}
}

func TestRingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyDecimal().Draw(t, "a"), anyDecimal().Draw(t, "b"), anyDecimal().Draw(t, "c")
		for law, holds := range map[string]bool{
			"addition commutes":      a.Add(b).Equal(b.Add(a)),
			"addition associates":    a.Add(b).Add(c).Equal(a.Add(b.Add(c))),
			"product commutes":       a.Mul(b).Equal(b.Mul(a)),
			"product associates":     a.Mul(b).Mul(c).Equal(a.Mul(b.Mul(c))),
			"product distributes":    a.Mul(b.Add(c)).Equal(a.Mul(b).Add(a.Mul(c))),
			"zero is neutral":        a.Add(Zero).Equal(a),
			"one is neutral":         a.Mul(New(1)).Equal(a),
			"minus itself is zero":   a.Sub(a).IsZero(),
			"twice negated is same":  a.Neg().Neg().Equal(a),
			"operands stay the same": a.Equal(a.Add(Zero)) && b.Equal(b.Add(Zero)),
		} {
			if !holds {
				t.Fatalf("%s does not hold for %s, %s, %s", law, a, b, c)
			}
		}
	})
}

func TestRoundingIsHalfEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal().Draw(t, "a"), anyDecimal().Draw(t, "b")
		scale := rapid.Int32Range(-4, 20).Draw(t, "scale")
		if got, want := a.Round(scale), roundHalfEven(a.Rat(), scale); got.Rat().Cmp(want) != 0 {
			t.Fatalf("%s rounded to %d: %s, want %s", a, scale, got, want)
		}
		if b.IsZero() {
			return
		}
		want := roundHalfEven(new(big.Rat).Quo(a.Rat(), b.Rat()), scale)
		if got := a.DivRound(b, scale); got.Rat().Cmp(want) != 0 {
			t.Fatalf("%s / %s to %d: %s, want %s", a, b, scale, got, want)
		}
	})
}

func TestDivRoundTies(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		scale int32
		want  string
	}{
		{"1", "2", 0, "0"},
		{"3", "2", 0, "2"},
		{"5", "2", 0, "2"},
		{"-1", "2", 0, "0"},
		{"-3", "2", 0, "-2"},
		{"3", "-2", 0, "-2"},
		{"-5", "-2", 0, "2"},
		{"1", "8", 2, "0.12"},
		{"3", "8", 2, "0.38"},
		{"1", "3", 12, "0.333333333333"},
		{"2", "3", 12, "0.666666666667"},
		{"-2", "3", 12, "-0.666666666667"},
		{"0.0000000000005", "1", 12, "0"},
		{"0.0000000000015", "1", 12, "0.000000000002"},
		{"150", "100", -2, "0"},
		{"15000", "100", -2, "200"},
		{"0", "7", 5, "0"},
		{"0.000001", "1000000", 3, "0"},
	} {
		if got := Must(c.a).DivRound(Must(c.b), c.scale).String(); got != c.want {
			t.Errorf("%s / %s to %d decimals = %s, want %s", c.a, c.b, c.scale, got, c.want)
		}
	}
}

func TestDivisionByZeroPanicsClearly(t *testing.T) {
	for name, divide := range map[string]func(){
		"DivRound": func() { New(5).DivRound(FromScaled(0, 3), 2) },
		"Split":    func() { New(5).Split(New(1), Zero, 2) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "decimal: division of 5 by zero") {
					t.Errorf("%s panicked with %q", name, text)
				}
			}()
			divide()
		}()
	}
}

func TestSplitLosesNothing(t *testing.T) {
	a, b := Must("9").Split(New(100), New(300), 12)
	if a.String() != "3" || b.String() != "6" {
		t.Errorf("9 in the proportion 100 of 300: %s and %s", a, b)
	}
	rapid.Check(t, func(t *rapid.T) {
		whole, part, of := anyDecimal().Draw(t, "whole"), anyDecimal().Draw(t, "part"), anyDecimal().Draw(t, "of")
		if of.IsZero() {
			return
		}
		a, b := whole.Split(part, of, 12)
		if !a.Add(b).Equal(whole) {
			t.Fatalf("%s became %s and %s", whole, a, b)
		}
		exact := new(big.Rat).Mul(whole.Rat(), new(big.Rat).Quo(part.Rat(), of.Rat()))
		if a.Rat().Cmp(roundHalfEven(exact, 12)) != 0 {
			t.Fatalf("%s × %s / %s: %s", whole, part, of, a)
		}
	})
}

func TestScaleIsTheFewestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDecimal().Draw(t, "d")
		_, fraction, _ := strings.Cut(d.String(), ".")
		if int(d.Scale()) != len(fraction) {
			t.Fatalf("Scale of %s is %d", d, d.Scale())
		}
		if !d.Round(d.Scale()).Equal(d) {
			t.Fatalf("%s does not fit into its own scale", d)
		}
	})
}

func TestZeroValueIsZero(t *testing.T) {
	var d Decimal
	if d.String() != "0" || !d.IsZero() || !d.Equal(Zero) || !d.Equal(New(0)) || !Sum().IsZero() || d.Scale() != 0 {
		t.Errorf("zero value is %s", d)
	}
	if got := d.Add(New(2)).Mul(d).Sub(New(1)); got.String() != "-1" {
		t.Errorf("arithmetic on the zero value returned %s", got)
	}
}

func TestCompareByValueInDiffs(t *testing.T) {
	if diff := cmp.Diff(Must("1.5"), FromScaled(1500, 3)); diff != "" {
		t.Errorf("equal numbers differ: %s", diff)
	}
	if cmp.Diff(Of(Zero), Null{}) == "" {
		t.Error("0 and absent must differ")
	}
}

// TestSumOfZerosIsShort adds numbers with so many zeros that their decimals do not fit
// into 64 bits, but the sum does.
func TestSumOfZerosIsShort(t *testing.T) {
	large := FromScaled(9_000_000_250_000_000_000, 12)
	if sum := large.Add(large).Sub(FromScaled(1, 2)); sum.wide != nil || sum.String() != "18000000.49" {
		t.Errorf("the sum is %s, stored as %+v", sum, sum)
	}
}
