package demo

import (
	"math"
	"testing"
	"time"

	"fillbook/internal/base/journal"
)

// Prices stay near their level, every bar opens at the previous bar's close, and a day
// ends at its close.
func TestSeries(t *testing.T) {
	t.Parallel()
	s := newSimulation("2024-03-11", "2026-03-10")
	for symbol, series := range s.series {
		for n, day := range series.days {
			if day.close < series.Level/3 || day.close > series.Level*3 {
				t.Errorf("%s closes at %.2f on day %d", symbol, day.close, n)
			}
		}
		for n := 0; n < len(series.days); n += 97 {
			checkBars(t, series, n)
		}
	}
}

func checkBars(t *testing.T, s *series, n int) {
	t.Helper()
	bars := s.session(n)
	if len(bars) != s.sessions[n].Bars {
		t.Fatalf("%s has %d bars on day %d, want %d", s.Symbol, len(bars), n, s.sessions[n].Bars)
	}
	for i, b := range bars {
		if b.low > min(b.open, b.close) || b.high < max(b.open, b.close) || b.low < 1 {
			t.Fatalf("%s day %d bar %d: %+v", s.Symbol, n, i, b)
		}
		if i > 0 && b.open != bars[i-1].close {
			t.Fatalf("%s day %d bar %d opens at %d after %d", s.Symbol, n, i, b.open, bars[i-1].close)
		}
	}
	end := bars[len(bars)-1].close
	if want := int(math.Round(s.days[n].close / s.tickSize())); math.Abs(float64(end-want)) > 1 {
		t.Errorf("%s day %d ends at %d, want %d", s.Symbol, n, end, want)
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	if newRandom("a", 1).Uint64() != newRandom("a", 1).Uint64() || newRandom("a", 1).Uint64() == newRandom("a", 2).Uint64() {
		t.Error("the numbers do not depend on the key alone")
	}
	d, sum := newRandom("fair"), 0
	for range 10_000 {
		if n := d.whole(3, 5); n < 3 || n > 5 {
			t.Fatalf("whole(3, 5) = %d", n)
		}
		if x := d.between([2]float64{-2, 2}); x < -2 || x >= 2 {
			t.Fatalf("between(-2, 2) = %f", x)
		}
		if d.chance(0.25) {
			sum++
		}
	}
	counts := 0
	for range 3000 {
		counts += d.count(1.2)
	}
	if mean := float64(counts) / 3000; math.Abs(mean-1.2) > 0.1 {
		t.Errorf("count(1.2) has mean %.2f", mean)
	}
	if sum < 2300 || sum > 2700 {
		t.Errorf("chance(0.25) was true %d times of 10000", sum)
	}
}

// Textbook values, and the values at expiry.
func TestOptionValues(t *testing.T) {
	t.Parallel()
	year := 365 * 24 * time.Hour
	daily := 0.20 / 1.08 / math.Sqrt(252)
	call := contract{right: "call", strike: 100}
	put := contract{right: "put", strike: 100}
	if got := call.value(100, year, daily); math.Abs(got-9.9251) > 0.01 {
		t.Errorf("call = %.4f, want 9.9251", got)
	}
	if got := put.value(100, year, daily); math.Abs(got-6.0040) > 0.01 {
		t.Errorf("put = %.4f, want 6.0040", got)
	}
	if got := call.value(110, 0, daily); math.Abs(got-10) > 0.01 {
		t.Errorf("call in the money at expiry = %.4f", got)
	}
	if got := put.value(110, 0, daily); got > 0.01 {
		t.Errorf("put out of the money at expiry = %.4f", got)
	}
}

// newTestSeries returns a one-session series with the given bars.
func newTestSeries(bars ...bar) *series {
	m := market{Kind: "stock", Bars: len(bars), Minutes: 1}
	day := journal.Day("2025-03-03")
	return &series{
		instrument: instrument{Symbol: "TEST", Tick: 1, Scale: 2, Multiplier: 1, Level: 1, Sigma: 0.01, market: m},
		sessions:   []session{{market: m, day: day, start: day.Time()}},
		days:       []dayWalk{{1, 1, 0.01}},
		bars:       map[int][]bar{0: bars},
	}
}
