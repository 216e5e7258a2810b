package demo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// flatBars returns bars without movement, so a session does not end too soon.
func flatBars(n int, price int) []bar {
	bars := make([]bar, n)
	for i := range bars {
		bars[i] = bar{price, price, price, price}
	}
	return bars
}

func TestPlansRun(t *testing.T) {
	t.Parallel()
	long := plan{long: true, stop: 10, target: 2}
	short := plan{stop: 10, target: 2}
	for name, c := range map[string]struct {
		plan   plan
		bars   []bar // after the entry at 100
		ending ending
		r      float64
		prices []int
	}{
		"target":             {long, []bar{{100, 121, 99, 118}}, byTarget, 2, []int{100, 120}},
		"gap over target":    {long, []bar{{125, 126, 124, 125}}, byTarget, 2.5, []int{100, 125}},
		"stop":               {long, []bar{{100, 101, 89, 95}}, byStop, -1, []int{100, 90}},
		"gap over stop":      {long, []bar{{85, 86, 84, 85}}, byStop, -1.5, []int{100, 85}},
		"stop before target": {long, []bar{{100, 130, 80, 100}}, byStop, -1, []int{100, 90}},
		"short stop":         {short, []bar{{100, 111, 99, 105}}, byStop, -1, []int{100, 110}},
		"short target":       {short, []bar{{100, 101, 79, 80}}, byTarget, 2, []int{100, 80}},
		"fear": {
			plan{long: true, stop: 10, target: 2, fear: 0.5},
			[]bar{{100, 106, 100, 106}},
			byFear, 0.5,
			[]int{100, 105},
		},
		"partial, then even": {
			plan{long: true, stop: 10, target: 3, partial: 0.5},
			[]bar{{100, 112, 100, 111}, {111, 111, 99, 99}},
			byEven, 0.5,
			[]int{100, 110, 100},
		},
		"moved stop": {
			plan{long: true, stop: 10, target: 2, movesStop: true},
			[]bar{{100, 100, 88, 89}, {89, 90, 83, 83}},
			byStop, -1.6,
			[]int{100, 84},
		},
		"time, losing": {plan{long: true, stop: 10, target: 2, bars: 1}, []bar{{100, 100, 96, 97}}, byTime, -0.3, []int{100, 97}},
		"time, winning runs on": {
			plan{long: true, stop: 10, target: 2, bars: 1},
			[]bar{{100, 106, 100, 105}, {105, 121, 105, 120}},
			byTarget, 2,
			[]int{100, 120},
		},
		"scaled in": {
			plan{long: true, stop: 10, target: 2, addAfter: 1, addShare: 0.5},
			[]bar{{100, 104, 100, 104}, {104, 120, 104, 120}},
			byTarget, 1.8,
			[]int{100, 104, 120},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bars := append(flatBars(1, 100), c.bars...)
			c.plan.series = newTestSeries(append(bars, flatBars(20, bars[len(bars)-1].close)...)...)
			out := c.plan.run()
			var prices []int
			for _, a := range out.actions {
				prices = append(prices, a.price)
			}
			if out.ending != c.ending || out.r < c.r-1e-9 || out.r > c.r+1e-9 {
				t.Errorf("ended by %s with %.2fR, want %s with %.2fR", out.ending, out.r, c.ending, c.r)
			}
			if diff := cmp.Diff(c.prices, prices); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A day trade is closed before the session ends; a swing goes on, and at the
// end of the story it is still open.
func TestPlansEndWithTheirDay(t *testing.T) {
	t.Parallel()
	p := plan{series: newTestSeries(flatBars(30, 100)...), long: true, stop: 10, target: 2}
	out := p.run()
	if last := out.actions[len(out.actions)-1]; out.ending != byTime || last.at.bar != 26 {
		t.Errorf("day trade: %s at bar %d", out.ending, last.at.bar)
	}
	p.sessions = 3
	if out = p.run(); out.ending != stillOn || len(out.actions) != 1 {
		t.Errorf("swing: %s after %d actions", out.ending, len(out.actions))
	}
}

// What the last bar did after the exit does not count as an excursion.
func TestExcursionsEndWithTheTrade(t *testing.T) {
	t.Parallel()
	bars := append(flatBars(1, 100), bar{100, 104, 97, 103}, bar{103, 200, 20, 100})
	p := plan{series: newTestSeries(append(bars, flatBars(10, 100)...)...), long: true, stop: 10, target: 5}
	if out := p.run(); out.worst != -1 || out.best != 0.4 {
		t.Errorf("worst %.2fR, best %.2fR, want -1 and 0.4", out.worst, out.best)
	}
}
