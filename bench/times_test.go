package main

import (
	"testing"
	"time"
)

func milliseconds(list ...int) (t times) {
	for _, n := range list {
		t = append(t, time.Duration(n)*time.Millisecond)
	}
	return t
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	taken := milliseconds(9, 1, 3, 2, 8, 4, 7, 5, 6, 10)
	for q, want := range map[float64]int{0: 1, .5: 6, .95: 10, 1: 10} {
		if got := taken.quantile(q); got != time.Duration(want)*time.Millisecond {
			t.Errorf("quantile %v: %v, want %d ms", q, got, want)
		}
	}
	if taken[0] != 9*time.Millisecond {
		t.Error("the order of the calls was lost")
	}
	if got := times(nil).quantile(.5); got != 0 {
		t.Errorf("no calls took %v", got)
	}
}

func TestNoise(t *testing.T) {
	t.Parallel()
	if got := milliseconds(5, 5, 5, 5).noise(); got != 0 {
		t.Errorf("calls that all took the same have noise %v", got)
	}
	if got := milliseconds(5).noise(); got != defaultNoise {
		t.Errorf("a single call has noise %v", got)
	}
	few, many := milliseconds(1, 2, 3, 4), milliseconds(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4)
	if few.noise() <= many.noise() {
		t.Errorf("more calls of the same spread must be trusted more: %v and %v", few.noise(), many.noise())
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "", 340 * time.Nanosecond: "0.34 µs", 12345 * time.Nanosecond: "12.3 µs", 1500 * time.Microsecond: "1.50 ms",
		999_600 * time.Microsecond: "1000 ms", 90 * time.Second: "90.0 s",
	} {
		if got := formatDuration(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}

func TestCPUTime(t *testing.T) {
	t.Parallel()
	line := "42 (a (strange) name) S 1 42 42 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 9 0 100 1 1"
	if got := cpuTime(line); got != 2*time.Second {
		t.Errorf("%v of CPU time, want 2s", got)
	}
	if got := cpuTime("nonsense"); got != 0 {
		t.Errorf("%v of CPU time in nonsense", got)
	}
}
