package analytics

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

// Each step is the sum of the results so far, the last one of all, and the steps are
// evenly spaced.
func TestListCurveSteps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := generateSteadyTrades(rapid.IntRange(0, 300).Draw(t, "trades"), 7, -11, 3, -20, 2, 30)
		most := rapid.IntRange(1, 60).Draw(t, "most")
		steps := ListCurveSteps(selectAll(rows), most)
		if want := min(most, len(rows)); len(steps) != want {
			t.Fatalf("%d steps, want %d", len(steps), want)
		}
		sums := []decimal.Decimal{{}}
		for _, row := range rows {
			sums = append(sums, sums[len(sums)-1].Add(row.Net))
		}
		last := 0
		for _, step := range steps {
			if !step.NetPnL.Equal(sums[step.Trades]) {
				t.Fatalf("after %d trades %s, want %s", step.Trades, step.NetPnL, sums[step.Trades])
			}
			if gap := step.Trades - last; gap < 1 || gap > len(rows)/most+1 {
				t.Fatalf("a step of %d trades", gap)
			}
			last = step.Trades
		}
		if last != len(rows) {
			t.Fatalf("the last step is after %d of %d trades", last, len(rows))
		}
	})
}
