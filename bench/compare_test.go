package main

import (
	"strings"
	"testing"
	"time"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	old := Record{Operation: "x", P50: 10 * time.Millisecond, Noise: .05, Limit: "l", LimitP50: time.Millisecond, LimitNoise: .05}
	for name, c := range map[string]struct {
		change func(r *Record)
		want   string
	}{
		"the same":                     {func(*Record) {}, ""},
		"within the noise":             {func(r *Record) { r.P50 = 10_900 * time.Microsecond }, ""},
		"slower":                       {func(r *Record) { r.P50 = 12 * time.Millisecond }, "SLOWER"},
		"faster":                       {func(r *Record) { r.P50 = 8 * time.Millisecond }, "faster"},
		"all of the machine is slower": {func(r *Record) { r.P50, r.LimitP50 = 20*time.Millisecond, 2*time.Millisecond }, ""},
		"noise hides it":               {func(r *Record) { r.P50, r.Noise = 12*time.Millisecond, .5 }, ""},
		"compared with something else": {func(r *Record) { r.Limit, r.LimitP50 = "m", 2*time.Millisecond }, ""},
		"fails":                        {func(r *Record) { r.P50, r.Errors = time.Millisecond, 3 }, "FAILS (3 of its calls)"},
		"nothing measured":             {func(r *Record) { r.P50 = 0 }, "not measured"},
	} {
		changed := old
		c.change(&changed)
		if got := newChange(old, changed).verdict(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRatesAreComparedTheOtherWayRound(t *testing.T) {
	t.Parallel()
	old, changed := Record{Rate: 1000, Noise: .01}, Record{Rate: 500, Noise: .01}
	if c := newChange(old, changed); c.time != 2 || c.verdict() != "SLOWER" {
		t.Errorf("half as many calls a second: %v, %q", c.time, c.verdict())
	}
}

func TestComparison(t *testing.T) {
	t.Parallel()
	older := File{Label: "one", Records: []Record{
		{Engine: "sqlite", Size: 1000, Operation: "a", P50: time.Millisecond},
		{Engine: "sqlite", Size: 1000, Operation: "gone", P50: time.Millisecond},
		{Engine: "sqlite", Size: 1000, Operation: limitPrefix + "l", P50: time.Millisecond},
	}}
	newer := File{Label: "two", Records: []Record{
		{Engine: "sqlite", Size: 1000, Operation: "a", P50: 3 * time.Millisecond},
		{Engine: "sqlite", Size: 10_000, Operation: "a", P50: time.Second},
		{Engine: "sqlite", Size: 1000, Operation: limitPrefix + "l", P50: time.Millisecond},
	}}
	text := formatComparison(older, newer)
	if !strings.Contains(text, "| sqlite | 1k | a | 1.00 ms | 3.00 ms | 3.00 | 1.00 | 3.00 |") || !strings.Contains(text, "slower: 1, faster: 0, within the noise of the runs: 0") {
		t.Errorf("the comparison is\n%s", text)
	}
	if strings.Contains(text, "gone") || strings.Contains(text, limitPrefix) || strings.Contains(text, "10k") {
		t.Errorf("what has no counterpart was compared:\n%s", text)
	}
}
