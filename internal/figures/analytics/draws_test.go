package analytics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

// TestDrawsInAnyWidth draws the same histories in 64 bits, in 128 bits and with unbounded
// decimals.
func TestDrawsInAnyWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const scale = 2
		n := rapid.IntRange(2, evidenceBlocks).Draw(t, "blocks")
		largest := rapid.SampledFrom([]int64{3, 1 << 40, math.MaxInt64}).Draw(t, "largest")
		fixed, unbounded := make([]tally[int128], n), make([]tally[exact], n)
		for i := range fixed {
			for range rapid.IntRange(1, 3).Draw(t, "trades") {
				v := newInt128(rapid.Int64Range(-largest, largest).Draw(t, "result"))
				result := outcome(v.sign())
				fixed[i].addResult(v, result)
				unbounded[i].addResult(exact{v.decimal(scale)}, result)
			}
		}
		d := newDraws(5, n, rapid.Uint64().Draw(t, "seed"))
		a, b := drawHistories(fixed, scale, d), drawHistories(unbounded, scale, d)
		for i := range a {
			if !a[i].net.decimal(scale).Equal(b[i].net.d) || a[i].trades != b[i].trades || a[i].mean != b[i].mean || a[i].factor != b[i].factor {
				t.Fatalf("draw %d is %v, want %v", i, a[i], b[i])
			}
		}
	})
}

// TestBoundsAreInDrawingOrder compares the bounds with those in a stable sort.
func TestBoundsAreInDrawingOrder(t *testing.T) {
	t.Parallel()
	list := make([]drawnHistory[exact], 9)
	for i, mean := range []float64{2, -1, 2, math.Inf(1), -1, 0, math.Copysign(0, -1), 2, -3} {
		list[i] = drawnHistory[exact]{net: exact{decimal.New(int64(i))}, mean: mean}
	}
	sorted := []int64{8, 1, 4, 5, 6, 0, 2, 7, 3}
	for cut := range 5 {
		low, high := findBounds(list, cut, func(d *drawnHistory[exact]) float64 { return d.mean })
		if want := decimal.New(sorted[cut]); !low.net.d.Equal(want) {
			t.Errorf("the lower bound with %d below it is draw %s, want %s", cut, low.net.d, want)
		}
		if want := decimal.New(sorted[8-cut]); !high.net.d.Equal(want) {
			t.Errorf("the upper bound with %d above it is draw %s, want %s", cut, high.net.d, want)
		}
	}
}
