package statement_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// TestLatestTrades checks the last trades, though not all are grouped.
func TestLatestTrades(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &statement.Statement{}
		at := time.Date(2026, 1, 5, 9, 30, 0, 0, time.UTC)
		for range rapid.IntRange(0, 60).Draw(t, "fills") {
			at = at.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "pause")) * time.Second)
			s.Fills = append(s.Fills, &statement.Fill{
				Symbol: rapid.SampledFrom([]string{"A", "B", "C", "D", "E", "F", "G"}).Draw(t, "symbol"), At: at,
				Side:     rapid.SampledFrom([]matching.Side{matching.Buy, matching.Sell}).Draw(t, "side"),
				Quantity: decimal.New(int64(rapid.IntRange(1, 3).Draw(t, "quantity"))), Price: decimal.New(10),
			})
		}
		all := slices.Collect(s.Trades())
		slices.SortStableFunc(all, func(a, b statement.Trade) int { return cmp.Compare(b.First.At, a.First.At) })
		latest := s.Latest(4)
		if len(latest) != min(4, len(all)) {
			t.Fatalf("%d of %d trades", len(latest), len(all))
		}
		seen := map[matching.Position]bool{}
		for i, trade := range latest {
			if trade.First.At != all[i].First.At {
				t.Errorf("trade %d was opened at %d, want %d", i, trade.First.At, all[i].First.At)
			}
			if !slices.ContainsFunc(all, func(a statement.Trade) bool {
				return a.First == trade.First && a.Head.Consumed.Equal(trade.Head.Consumed) && a.Fill == trade.Fill
			}) {
				t.Errorf("trade %d is not in the file", i)
			}
			if trade.Head.Consumed.IsZero() && seen[trade.First] {
				t.Errorf("trade %d is given twice", i)
			}
			seen[trade.First] = seen[trade.First] || trade.Head.Consumed.IsZero()
		}
	})
}
