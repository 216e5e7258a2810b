package demo

import (
	"math"
	"testing"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// Prices stay near their level, bars hold together, and a day leads from its
// open to its close.
func TestTapes(t *testing.T) {
	t.Parallel()
	w := newWorld("2024-03-11", "2026-03-10")
	for symbol, tape := range w.tapes {
		for n, day := range tape.days {
			if day.close < tape.level/3 || day.close > tape.level*3 {
				t.Errorf("%s closes at %.2f on day %d", symbol, day.close, n)
			}
		}
		for n := 0; n < len(tape.days); n += 97 {
			checkBars(t, tape, n)
		}
	}
}

func checkBars(t *testing.T, tape *tape, n int) {
	t.Helper()
	bars := tape.session(n)
	if len(bars) != tape.sessions[n].bars {
		t.Fatalf("%s has %d bars on day %d, want %d", tape.symbol, len(bars), n, tape.sessions[n].bars)
	}
	for i, b := range bars {
		if b.low > min(b.open, b.close) || b.high < max(b.open, b.close) || b.low < 1 {
			t.Fatalf("%s day %d bar %d: %+v", tape.symbol, n, i, b)
		}
		if i > 0 && b.open != bars[i-1].close {
			t.Fatalf("%s day %d bar %d opens at %d after %d", tape.symbol, n, i, b.open, bars[i-1].close)
		}
	}
	end := int(bars[len(bars)-1].close)
	if want := tape.ticks(tape.days[n].close); math.Abs(float64(end-want)) > 1 {
		t.Errorf("%s day %d ends at %d, want %d", tape.symbol, n, end, want)
	}
}

// The index futures and the funds on the same index tell the same story.
func TestFuturesFollowTheirFunds(t *testing.T) {
	t.Parallel()
	w := newWorld("2024-03-11", "2026-03-10")
	for future, fund := range map[string]string{"ES": "SPY", "NQ": "QQQ"} {
		a, b := w.tapes[future], w.tapes[fund]
		for n := range a.days {
			if ratio := a.days[n].close / b.days[n].close * b.level / a.level; math.Abs(ratio-1) > 1e-9 {
				t.Fatalf("%s and %s differ on day %d by %f", future, fund, n, ratio)
			}
		}
	}
}

func TestDiceAreFair(t *testing.T) {
	t.Parallel()
	if throw("a", 1).Uint64() != throw("a", 1).Uint64() || throw("a", 1).Uint64() == throw("a", 2).Uint64() {
		t.Error("the words do not decide the throw")
	}
	d, sum := throw("fair"), 0
	for range 10_000 {
		if n := d.whole(3, 5); n < 3 || n > 5 {
			t.Fatalf("whole(3, 5) = %d", n)
		}
		if x := d.between(-2, 2); x < -2 || x >= 2 {
			t.Fatalf("between(-2, 2) = %f", x)
		}
		if d.chance(0.25) {
			sum++
		}
	}
	if sum < 2300 || sum > 2700 {
		t.Errorf("a chance of a quarter came %d times in 10000", sum)
	}
}

// Textbook values, and what no option price may break.
func TestOptionValues(t *testing.T) {
	t.Parallel()
	year := 365 * 24 * time.Hour
	daily := 0.20 / 1.08 / math.Sqrt(252)
	call := Contract{Right: "call", Strike: decimal.New(100)}
	put := Contract{Right: "put", Strike: decimal.New(100)}
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
	for value, want := range map[float64]int{0.127: 13, 2.994: 299, 3.01: 300, 7.44: 745} {
		if got := onGrid(value); got != want {
			t.Errorf("onGrid(%v) = %d, want %d", value, got, want)
		}
	}
}

// handMade is a tape whose bars a test writes down: one session, in cents.
func handMade(bars ...bar) *tape {
	start := journal.Day("2025-03-03").Time()
	return &tape{
		instrument: share("TEST", 1, 0.01),
		sessions:   []session{{day: "2025-03-03", start: start, bars: len(bars), width: time.Minute}},
		days:       []span{{1, 1, 0.01}},
		bars:       map[int][]bar{0: bars},
	}
}
