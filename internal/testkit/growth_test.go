package testkit_test

import (
	"slices"
	"testing"

	"fillbook/internal/testkit"
)

// quietTest is a test counting its errors instead of reporting them.
type quietTest struct {
	testing.TB
	failed bool
}

func (r *quietTest) Helper()               {}
func (r *quietTest) Errorf(string, ...any) { r.failed = true }

// TestGrowthIsMeasured checks that quadratic work fails and linear work does not. A slow
// moment during the shorter measurement hides growth, so quadratic work has ten attempts.
func TestGrowthIsMeasured(t *testing.T) { // not parallel: it measures the process
	for name, c := range map[string]struct {
		contains func(list []int, n int) bool
		fails    bool
		attempts int
	}{
		"linear":    {func(list []int, n int) bool { return slices.Contains(list[max(0, len(list)-1000):], n) }, false, 1},
		"quadratic": {slices.Contains[[]int], true, 10},
	} {
		r := &quietTest{TB: t}
		for range c.attempts {
			testkit.CheckGrowth(r, 6_000, func(n int) {
				var list []int
				for i := range n {
					if !c.contains(list, i) {
						list = append(list, i)
					}
				}
			})
			if r.failed {
				break
			}
		}
		if r.failed != c.fails {
			t.Errorf("%s work: failed %t", name, r.failed)
		}
	}
}

// TestHeapIsMeasured checks that only memory used at the same time counts.
func TestHeapIsMeasured(t *testing.T) { // not parallel: it measures the process
	for _, c := range []struct {
		kept  int
		fails bool
	}{{1, false}, {64, true}} {
		r := &quietTest{TB: t}
		testkit.CheckHeap(r, 32<<20, func() {
			kept := make([][]byte, c.kept)
			for i := range 256 {
				kept[i%len(kept)] = slices.Repeat([]byte{1}, 1<<20)
			}
		})
		if r.failed != c.fails {
			t.Errorf("%d MiB in use: failed %t", c.kept, r.failed)
		}
	}
}
