package market_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/prices/market"
)

func sortBars(bars []market.Bar) {
	slices.SortFunc(bars, func(a, b market.Bar) int { return cmp.Compare(a.Time, b.Time) })
}

func drawFewBars(t *rapid.T, name string) (bars []market.Bar) {
	for _, time := range rapid.SliceOfNDistinct(rapid.Int64Range(0, 12), 0, 10, rapid.ID[int64]).Draw(t, name) {
		price := rapid.Int64Range(1, 2).Draw(t, "price")
		bars = append(bars, market.Bar{Time: time, Open: price, High: price, Low: price, Close: price})
	}
	sortBars(bars)
	return bars
}

func TestMergeTakesTheNewerBar(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		older, newer := drawFewBars(t, "older"), drawFewBars(t, "newer")
		merged, inserted, replaced, unchanged := market.Merge(older, newer)
		byTime := map[int64]market.Bar{}
		for _, bar := range older {
			byTime[bar.Time] = bar
		}
		var wantReplaced, wantUnchanged int
		for _, bar := range newer {
			if before, known := byTime[bar.Time]; known && before == bar {
				wantUnchanged++
			} else if known {
				wantReplaced++
			}
			byTime[bar.Time] = bar
		}
		if len(merged) != len(byTime) || !slices.IsSortedFunc(merged, func(a, b market.Bar) int { return cmp.Compare(a.Time, b.Time) }) {
			t.Fatalf("merged bars are missing, repeated or out of order: %v", merged)
		}
		for _, bar := range merged {
			if byTime[bar.Time] != bar {
				t.Fatalf("the bar of %d is %+v, not %+v", bar.Time, bar, byTime[bar.Time])
			}
		}
		if inserted != len(newer)-wantReplaced-wantUnchanged || replaced != wantReplaced || unchanged != wantUnchanged {
			t.Fatalf("counts are %d, %d, %d", inserted, replaced, unchanged)
		}
	})
}
