package analytics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

func sortRowsByOpening(rows []Trade) []Trade {
	return slices.SortedFunc(slices.Values(rows), func(a, b Trade) int {
		return cmp.Or(a.OpenedAt.Compare(b.OpenedAt), cmp.Compare(a.Symbol, b.Symbol), a.ClosedAt.Compare(b.ClosedAt),
			cmp.Compare(a.External, b.External), cmp.Compare(a.Arrival, b.Arrival))
	})
}

// medianSize returns the exact median size.
func medianSize(rows []Trade) decimal.Decimal {
	sizes := make([]decimal.Decimal, len(rows))
	for i, row := range rows {
		sizes[i] = row.EntryNotional.Abs()
	}
	slices.SortFunc(sizes, decimal.Decimal.Cmp)
	n := len(sizes)
	return sizes[(n-1)/2].Add(sizes[n/2]).Mul(decimal.Must("0.5"))
}

func isTooBig(row Trade, usual []Trade) bool {
	if len(usual) == 0 {
		return false
	}
	median := medianSize(usual)
	return median.Sign() > 0 && row.EntryNotional.Abs().Cmp(median.Mul(decimal.Must("1.5"))) >= 0
}

// plainRevenge and plainOverconfidence implement the definitions directly: they compare
// every pair.
func plainRevenge(rows []Trade) (flagged []string) {
	rows = sortRowsByOpening(rows)
	for i, row := range rows {
		sameSymbol, afterLoss := false, false
		for _, other := range rows {
			after := row.OpenedAt.Sub(other.ClosedAt)
			if other.Net.Sign() >= 0 || after <= 0 {
				continue
			}
			sameSymbol = sameSymbol || other.Symbol == row.Symbol && after <= 15*time.Minute
			afterLoss = afterLoss || after <= 60*time.Minute
		}
		oversized := afterLoss && isTooBig(row, rows[max(0, i-20):i])
		switch {
		case sameSymbol && oversized:
			flagged = append(flagged, string(row.ID)+" same_symbol_oversized")
		case sameSymbol:
			flagged = append(flagged, string(row.ID)+" same_symbol")
		case oversized:
			flagged = append(flagged, string(row.ID)+" oversized")
		}
	}
	return flagged
}

func plainOverconfidence(rows []Trade) (flagged []string) {
	closings := sortRowsByClosing(rows)
	for _, row := range sortRowsByOpening(rows) {
		var streak []Trade
		for _, other := range closings {
			switch {
			case !other.ClosedAt.Before(row.OpenedAt):
			case other.Net.Sign() > 0:
				streak = append(streak, other)
			default:
				streak = nil
			}
		}
		if len(streak) >= 3 && isTooBig(row, streak) {
			flagged = append(flagged, string(row.ID)+" oversized_after_wins")
		}
	}
	return flagged
}

func eventTexts(events []Event) (list []string) {
	for _, e := range events {
		list = append(list, string(e.TradeID)+" "+e.Reason)
	}
	return list
}

// busyTrades draws trades close together, mostly wins, with few sizes.
func busyTrades() *rapid.Generator[[]Trade] {
	return rapid.Custom(func(t *rapid.T) []Trade {
		at := time.Date(2026, 3, 8, 5, 0, 0, 0, time.UTC)
		rows := make([]Trade, rapid.IntRange(10, 60).Draw(t, "trades"))
		for i := range rows {
			at = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "wait")) * time.Minute)
			net := decimal.New(rapid.SampledFrom([]int64{10, 10, 10, 20, -10, 0}).Draw(t, "net"))
			rows[i] = Trade{
				ID: journal.TradeID(fmt.Sprintf("t%02d", rapid.IntRange(0, 9).Draw(t, "prefix")*100+i)), Symbol: rapid.SampledFrom([]string{"AAA", "BBB", "CCC"}).Draw(t, "symbol"),
				OpenedAt: at, ClosedAt: at.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 3, 9, 70}).Draw(t, "held")) * time.Minute),
				Net: net, Gross: net, EntryNotional: decimal.New(rapid.SampledFrom([]int64{-300, 0, 100, 200, 200, 300, 450}).Draw(t, "size")),
				Arrival: int64(i) + 1, Removed: rapid.IntRange(0, 9).Draw(t, "removed") == 0,
			}
			rows[i].Instrument = rows[i].Symbol
		}
		return rows
	})
}

func TestDetectorsMatchTheirDefinitions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := busyTrades().Draw(t, "rows")
		got := AnalyzeBehavior(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), BehaviorQuery{Zone: time.UTC})
		rows = slices.DeleteFunc(rows, func(r Trade) bool { return r.Removed }) // as if they were not there
		if got.Revenge.InsufficientData {
			if len(rows) >= 10 {
				t.Fatalf("%d trades are too few", len(rows))
			}
			return
		}
		if got, want := eventTexts(got.Revenge.Events), plainRevenge(rows); !slices.Equal(got, want) {
			t.Fatalf("revenge: %v, want %v", got, want)
		}
		if got, want := eventTexts(got.Overconfidence.Events), plainOverconfidence(rows); !slices.Equal(got, want) {
			t.Fatalf("overconfidence: %v, want %v", got, want)
		}
		for _, d := range []Detector{got.Revenge, got.Overconfidence, got.LossAversion.Detector, got.Overtrading.Detector} {
			if d.Flagged.Trades+d.Baseline.Trades != len(rows) || (d.Rate == nil) != (d.ExpectedRate == nil) {
				t.Fatalf("%+v of %d trades", d, len(rows))
			}
			if d.Rate != nil && (*d.ExpectedRate < 0 || *d.ExpectedRate > 1 || *d.Rate < 0 || *d.Rate > 1) {
				t.Fatalf("rate %v, expected %v", *d.Rate, *d.ExpectedRate)
			}
		}
	})
}

// The detectors agree with their definitions on a
// long history with long streaks.
func TestLongStreaks(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 8, 5, 0, 0, 0, time.UTC)
	var rows []Trade
	for i := range 400 {
		at = at.Add(7 * time.Minute)
		net := decimal.New(5)
		if i%150 == 149 {
			net = decimal.New(-5)
		}
		rows = append(rows, Trade{
			ID: journal.TradeID(fmt.Sprintf("t%03d", i)), Symbol: "AAA", OpenedAt: at, ClosedAt: at.Add(time.Minute), Net: net, Gross: net,
			EntryNotional: decimal.New(int64(100 + (i*37)%140)),
		})
	}
	got := AnalyzeBehavior(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), BehaviorQuery{Zone: time.UTC})
	if want := plainOverconfidence(rows); !slices.Equal(eventTexts(got.Overconfidence.Events), want) || len(want) == 0 {
		t.Errorf("overconfidence: %v, want %v", eventTexts(got.Overconfidence.Events), want)
	}
	if want := plainRevenge(rows); !slices.Equal(eventTexts(got.Revenge.Events), want) || len(want) < 4 {
		t.Errorf("revenge: %v, want %v", eventTexts(got.Revenge.Events), want)
	}
}

func TestEventsAreTheLatest(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 9, 15, 0, 0, 0, time.UTC)
	var rows []Trade
	for i := range 30 { // each loses, and is followed by the next within minutes
		rows = append(rows, Trade{
			ID: journal.TradeID(fmt.Sprintf("t%02d", i)), Symbol: "AAA", OpenedAt: at, ClosedAt: at.Add(time.Minute), Net: decimal.New(-1),
			EntryNotional: decimal.New(100),
		})
		at = at.Add(2 * time.Minute)
	}
	s := SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{})
	got := AnalyzeBehavior(s, BehaviorQuery{Zone: time.UTC, MaxEvents: 2}).Revenge
	if got.EventCount != 29 || strings.Join(eventTexts(got.Events), " ") != "t28 same_symbol t29 same_symbol" || got.Flagged.Trades != 29 {
		t.Errorf("%d events: %v", got.EventCount, eventTexts(got.Events))
	}
	// Chance would flag just as many: every trade follows a loss in any order.
	if *got.Rate != *got.ExpectedRate {
		t.Errorf("rate %v, expected %v", *got.Rate, *got.ExpectedRate)
	}
}

// A trader who doubles the size after every loss, and only then, is far above
// chance; one who does so after every fourth trade is not.
func TestExpectedRateSeparatesHabitFromChance(t *testing.T) {
	t.Parallel()
	trader := func(double func(i int, lost bool) bool) Detector {
		d := splitMix64(3)
		at := time.Date(2026, 3, 9, 15, 0, 0, 0, time.UTC)
		var rows []Trade
		lost := false
		for i := range 800 {
			row := Trade{
				ID: journal.TradeID(fmt.Sprintf("t%03d", i)), Symbol: fmt.Sprint("S", i%40), OpenedAt: at, ClosedAt: at.Add(time.Minute),
				Net: decimal.New(1), EntryNotional: decimal.New(100),
			}
			if double(i, lost) {
				row.EntryNotional = decimal.New(200)
			}
			if lost = d.intn(4) == 0; lost {
				row.Net = decimal.New(-1)
			}
			rows = append(rows, row)
			at = at.Add(50 * time.Minute)
		}
		return AnalyzeBehavior(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), BehaviorQuery{Zone: time.UTC}).Revenge
	}
	habit := trader(func(_ int, lost bool) bool { return lost })
	if *habit.Rate < 2**habit.ExpectedRate {
		t.Errorf("a habit: rate %v, expected %v", *habit.Rate, *habit.ExpectedRate)
	}
	chance := trader(func(i int, _ bool) bool { return i%4 == 0 })
	if *chance.Rate > 1.5**chance.ExpectedRate || *chance.ExpectedRate > 1.5**chance.Rate {
		t.Errorf("by chance: rate %v, expected %v", *chance.Rate, *chance.ExpectedRate)
	}
}

func TestHoldBuckets(t *testing.T) {
	t.Parallel()
	for held, want := range map[time.Duration]string{
		0: "under_1m", time.Minute - time.Microsecond: "under_1m", time.Minute: "1m_5m", 5 * time.Minute: "5m_15m", 15 * time.Minute: "15m_1h",
		time.Hour: "1h_4h", 4 * time.Hour: "4h_1d", 24 * time.Hour: "1d_1w", 7*24*time.Hour - 1000: "1d_1w", 7 * 24 * time.Hour: "over_1w",
		200 * 365 * 24 * time.Hour: "over_1w",
	} {
		if got := holdBuckets[holdBucket(held.Microseconds())].name; got != want {
			t.Errorf("%s is in %s, want %s", held, got, want)
		}
	}
}

func TestUsualLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts        []int64
		median, limit float64
	}{
		{nil, 0, 0},
		{[]int64{4}, 4, 4},
		{[]int64{1, 1, 1, 9}, 1, 1},
		{[]int64{1, 2}, 1.5, 2.5},
		{[]int64{1, 2, 4, 9}, 3, 6}, // distances 2, 1, 1, 6
		{[]int64{1, 2, 3, 4, 100}, 3, 5},
	} {
		if median, limit := usualLimit(c.counts); median != c.median || limit != c.limit {
			t.Errorf("%v: %v and %v, want %v and %v", c.counts, median, limit, c.median, c.limit)
		}
	}
}

// TestConcurrentFigures computes figures from shared columns concurrently.
func TestConcurrentFigures(t *testing.T) {
	t.Parallel()
	columns := buildColumns("a", generateTrades(3000), 500)
	want := AnalyzeBehavior(SelectTrades([]*Columns{columns}, Filter{}), BehaviorQuery{Zone: time.UTC, Seed: 1})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s := SelectTrades([]*Columns{columns}, Filter{})
			if got := AnalyzeBehavior(s, BehaviorQuery{Zone: time.UTC, Seed: 1}); !gocmp.Equal(got, want) {
				t.Error("the same query has a different result")
			}
			columns.WithChanges(generateTrades(10), nil)
		})
	}
	group.Wait()
}
