package analytics

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

// toBig converts a number to a big.Int.
func toBig(a int128) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(a.hi), 64)
	return v.Add(v, new(big.Int).SetUint64(a.lo))
}

// anyInt128 draws numbers within the amount bound, the edges often.
func anyInt128() *rapid.Generator[int128] {
	return rapid.Custom(func(t *rapid.T) int128 {
		v := int128{rapid.Int64Range(-1<<30, 1<<30).Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
		switch rapid.IntRange(0, 3).Draw(t, "width") {
		case 0:
			v = newInt128(rapid.Int64().Draw(t, "narrow"))
		case 1:
			v = newInt128(rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, 1 << 53, 1<<53 + 1}).Draw(t, "edge"))
		}
		return v
	})
}

func TestInt128IsArithmetic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyInt128().Draw(t, "a"), anyInt128().Draw(t, "b")
		k := rapid.Int64Range(-1000, 1000).Draw(t, "k")
		x, y := toBig(a), toBig(b)
		for name, c := range map[string]struct {
			got  int128
			want *big.Int
		}{
			"add":   {a.add(b), new(big.Int).Add(x, y)},
			"sub":   {a.sub(b), new(big.Int).Sub(x, y)},
			"times": {a.times(k), new(big.Int).Mul(x, big.NewInt(k))},
			"abs":   {a.abs(), new(big.Int).Abs(x)},
		} {
			if toBig(c.got).Cmp(c.want) != 0 {
				t.Fatalf("%s of %s, %s, %d is %s, want %s", name, x, y, k, toBig(c.got), c.want)
			}
		}
		if a.cmp(b) != x.Cmp(y) || a.sign() != x.Sign() || a.length() != x.BitLen() {
			t.Fatalf("%s and %s: cmp %d, sign %d, length %d", x, y, a.cmp(b), a.sign(), a.length())
		}
		if key, ok := a.key(); ok != x.IsInt64() || ok && key != x.Int64() {
			t.Fatalf("key of %s is %d, %v", x, key, ok)
		}
	})
}

// A column's number equals its original decimal, and its float is the nearest, for every
// code path.
func TestInt128IsItsDecimal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, scale := anyInt128().Draw(t, "a"), rapid.Int32Range(0, 40).Draw(t, "scale")
		d := a.decimal(scale)
		want := new(big.Rat).SetFrac(toBig(a), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		if d.Rat().Cmp(want) != 0 {
			t.Fatalf("%s at %d is %s", toBig(a), scale, d)
		}
		nearest, _ := want.Float64()
		if got := a.float(scale); got != nearest {
			t.Fatalf("%s at %d is %v, want %v", toBig(a), scale, got, nearest)
		}
		v, s, ok := fixedPoint(d)
		if !ok || v.decimal(s).Cmp(d) != 0 {
			t.Fatalf("%s is converted to %s at scale %d, %v", d, toBig(v), s, ok)
		}
	})
}

func TestPowers(t *testing.T) {
	t.Parallel()
	for k := range int32(28) {
		want := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
		if got := newInt128(1).scaleUp(k); toBig(got).Cmp(want) != 0 || k > 0 && bitGrowth(k) != want.BitLen() {
			t.Errorf("10^%d is %s and grows by %d bits", k, toBig(got), bitGrowth(k))
		}
	}
	if got := (int128{}).scaleUp(400); got.sign() != 0 {
		t.Errorf("0 scaled up is %s", toBig(got))
	}
}

// anyAmount draws all kinds of amounts: mostly cents, numbers that widen a column, and
// unbounded numbers.
func anyAmount() *rapid.Generator[decimal.Decimal] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(-5000, 5000), func(v int64) decimal.Decimal { return decimal.FromScaled(v, 2) }),
		rapid.Map(rapid.Int64Range(-5, 5), decimal.New),
		rapid.Custom(func(t *rapid.T) decimal.Decimal {
			return decimal.FromScaled(rapid.Int64().Draw(t, "coefficient"), rapid.Int32Range(0, 18).Draw(t, "scale"))
		}),
		rapid.Custom(func(t *rapid.T) decimal.Decimal {
			a := decimal.FromScaled(rapid.Int64().Draw(t, "a"), rapid.Int32Range(0, 18).Draw(t, "first"))
			return a.Mul(decimal.FromScaled(rapid.Int64().Draw(t, "b"), rapid.Int32Range(0, 18).Draw(t, "second")))
		}),
	)
}

// A column returns the stored numbers after every width change, and also if it is
// concatenated from ranges.
func TestColumnsOfMoneyAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(anyAmount()).Draw(t, "values")
		var whole, first, second amounts
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		for i, d := range values {
			whole.push(d)
			if i < cut {
				first.push(d)
			} else {
				second.push(d)
			}
		}
		var joined amounts
		joined.appendRange(&first, 0, int32(cut))
		joined.appendRange(&second, 0, int32(len(values)-cut))
		if whole.len() != len(values) || joined.len() != len(values) {
			t.Fatalf("%d and %d of %d values", whole.len(), joined.len(), len(values))
		}
		for i, d := range values {
			if got := whole.at(int32(i)); !got.Equal(d) {
				t.Fatalf("value %d is %s, want %s", i, got, d)
			}
			if got := joined.at(int32(i)); !got.Equal(d) {
				t.Fatalf("joined value %d is %s, want %s", i, got, d)
			}
		}
	})
}

// A column's sum in either arithmetic is the sum of its decimals.
func TestSumsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(anyAmount(), 1, 50).Draw(t, "values")
		c := &page{}
		picks := make([]pick, len(values))
		for i, d := range values {
			c.net.push(d)
			picks[i].row = int32(i)
		}
		s := &Selection{pages: []*page{c}, picks: picks}
		s.chooseScale()
		want := decimal.Sum(values...)
		if got := sumColumn[exact](s, netOf).decimal(s.scale); !got.Equal(want) {
			t.Fatalf("the exact sum is %s, want %s", got, want)
		}
		if s.unbounded {
			return
		}
		if got := sumColumn[int128](s, netOf).decimal(s.scale); !got.Equal(want) {
			t.Fatalf("the sum is %s, want %s", got, want)
		}
	})
}

// The numbers decide the width: cents are narrow, 28 digits are wide, and
// 29 are unbounded.
func TestWidths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		width  string
	}{
		{[]string{"0", "1.25", "-3"}, "narrow"},
		{[]string{"9223372036854775807"}, "narrow"},
		{[]string{"9223372036854775808"}, "wide"},
		{[]string{"-9223372036854775808"}, "narrow"},
		{[]string{"9223372036854775807", "0.1"}, "wide"},
		{[]string{"123456789.1234567890123456789"}, "wide"},
		{[]string{"0", "0", "0.000000000000000000000000000000000001"}, "narrow"},
		{[]string{"0.000000000000000000000000000000000001", "0"}, "narrow"},
		{[]string{"1", "0.000000000000000000000000000000000001"}, "unbounded"},
		{[]string{"39614081257132168796771975168"}, "unbounded"}, // 2^95
		{[]string{"39614081257132168796771975167"}, "wide"},      // and one less
		{[]string{"39614081257132168796771975167", "0.1"}, "unbounded"},
		{[]string{"0.1", "39614081257132168796771975167"}, "unbounded"},
	} {
		var a amounts
		for _, text := range c.values {
			a.push(decimal.Must(text))
		}
		got := "narrow"
		switch {
		case a.unbounded != nil:
			got = "unbounded"
		case a.wide != nil:
			got = "wide"
		}
		if got != c.width {
			t.Errorf("%v is stored %s, want %s", c.values, got, c.width)
		}
		for i, text := range c.values {
			if !a.at(int32(i)).Equal(decimal.Must(text)) {
				t.Errorf("%v: value %d is %s", c.values, i, a.at(int32(i)))
			}
		}
	}
}

// The sum of the greatest number of the greatest amounts does not overflow.
func TestNoOverflowAtTheBound(t *testing.T) {
	t.Parallel()
	most, _, ok := fixedPoint(decimal.Must("-39614081257132168796771975167"))
	if !ok {
		t.Fatal("the greatest amount does not fit")
	}
	sum := most
	for range 31 { // 2^31 rows
		sum = sum.add(sum)
	}
	want := new(big.Int).Lsh(toBig(most), 31)
	if toBig(sum).Cmp(want) != 0 {
		t.Errorf("the sum is %s, want %s", toBig(sum), want)
	}
}

func TestMedians(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-20, 20), rapid.Int64()), 1, 60).Draw(t, "list")
		sorted := append([]int64{}, list...)
		for i := range sorted {
			for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
				sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
			}
		}
		low, high := middleKeys(append([]int64{}, list...))
		if n := len(list); low != sorted[(n-1)/2] || high != sorted[n/2] {
			t.Fatalf("the middle of %v is %d, %d", sorted, low, high)
		}
		at := rapid.IntRange(0, len(list)-1).Draw(t, "at")
		if got := selectNth(list, at); got != sorted[at] {
			t.Fatalf("number %d of %v is %d", at, sorted, got)
		}
	})
}

func TestRunningMedian(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Int64Range(0, 30), 1, 60).Draw(t, "keys")
		var m runningMedian
		m.add(sizeEntry{99, 99})
		m.clear()
		for i, key := range keys {
			m.add(sizeEntry{key, int32(i)})
			low, high := middleKeys(append([]int64{}, keys[:i+1]...))
			a, b := m.middleTrades()
			if keys[a] != low || keys[b] != high || m.len() != i+1 {
				t.Fatalf("the middle of %v is %d, %d", keys[:i+1], keys[a], keys[b])
			}
		}
	})
}

// Ranks sort like their numbers.
func TestRanks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(anyAmount(), func(d decimal.Decimal) exact { return exact{d} }), 1, 20).Draw(t, "values")
		o := newSortKeys(values)
		for i, a := range values {
			if !o.decimal(o.keys[i], 0).Equal(a.d) {
				t.Fatalf("key %d is %s, want %s", o.keys[i], o.decimal(o.keys[i], 0), a.d)
			}
			for j, b := range values {
				if x, y := o.keys[i], o.keys[j]; (x < y) != (a.cmp(b) < 0) || (x == y) != (a.cmp(b) == 0) {
					t.Fatalf("keys %d and %d for %s and %s", x, y, a.d, b.d)
				}
			}
		}
	})
}

// The generator is SplitMix64: these are the published first numbers for seed 0.
func TestSplitMix64(t *testing.T) {
	t.Parallel()
	var d splitMix64
	for _, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := d.next(); got != want {
			t.Errorf("got %x, want %x", got, want)
		}
	}
	counts := make([]int, 6)
	for range 6000 {
		counts[d.intn(6)]++
	}
	for side, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("number %d was drawn %d times in 6000", side, n)
		}
	}
}
