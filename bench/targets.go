package main

import "time"

// target is the goal of an operation. Only one of ratio, within and
// rate is set. Times are for a machine with two cores; ratios
// are for any machine.
type target struct {
	ratio  float64       // at most so many times the limit
	within time.Duration // at most this long
	rate   float64       // at least so often a second
	size   int           // where it is judged; 0 is the largest size measured
}

const hundredThousand = 100_000

// targetOf returns the target of an operation, if there is one.
func targetOf(operation string) (target, bool) {
	t, found := map[string]target{
		"start, empty database":                      {within: 100 * time.Millisecond},
		"start, full database":                       {within: 100 * time.Millisecond},
		"sign in":                                    {ratio: 1.15},
		"who am I, session, 8 clients at once":       {ratio: 2},
		"import preview of a file":                   {ratio: 3, size: hundredThousand},
		"import of all fills":                        {ratio: 2.5, size: hundredThousand},
		"import of a file that is all known":         {ratio: .3},
		"import of 100 more fills":                   {within: 30 * time.Millisecond},
		"reversal of 100 fills":                      {ratio: 2},
		"import of the largest file, beside reads":   {ratio: 2},
		"reversal of the largest file":               {ratio: 1},
		"page of 50 trades, during the import, p99":  {within: 50 * time.Millisecond},
		"list of all trades":                         {ratio: 3},
		"list of all fills":                          {ratio: 3},
		"fill, large account":                        {ratio: 20},
		"fill, large account against an empty one":   {ratio: 1.25},
		"fill a little back in time":                 {ratio: 20},
		"fill, trade as long as the journal":         {within: 10 * time.Millisecond},
		"fill half the journal back, busiest symbol": {within: 40 * time.Millisecond, size: hundredThousand},
		"deletion of a fill half the journal back":   {within: 60 * time.Millisecond, size: hundredThousand},
		"16 writers on one account":                  {ratio: 3},
		"summary, asked again":                       {ratio: 5},
		"summary, 8 clients at once":                 {rate: 5000},
		"summary of one month":                       {within: 3 * time.Millisecond},
		"summary, right after a write":               {ratio: .3, size: hundredThousand},
		"daily, asked again":                         {within: 5 * time.Millisecond, size: hundredThousand},
		"equity-curve, asked again":                  {within: 25 * time.Millisecond, size: hundredThousand},
		"behavior, asked again":                      {within: 5 * time.Millisecond, size: hundredThousand},
		"behavior, not asked before":                 {within: 100 * time.Millisecond, size: hundredThousand},
		"public share page":                          {within: 25 * time.Millisecond, size: hundredThousand},
	}[operation]
	return t, found
}

// format returns the target as text.
func (t target) format() (s string) {
	switch {
	case t.ratio > 0:
		s = "≤ " + formatRatio(t.ratio)
	case t.within > 0:
		s = "≤ " + formatDuration(t.within)
	case t.rate > 0:
		s = "≥ " + formatNumber(t.rate) + "/s"
	}
	if t.size > 0 {
		s += " at " + formatCount(t.size)
	}
	return s
}

// isMetBy reports whether a record meets the target.
func (t target) isMetBy(r Record) bool {
	switch {
	case r.Errors > 0:
		return false
	case t.ratio > 0:
		return r.Ratio > 0 && r.Ratio <= t.ratio
	case t.within > 0:
		return r.P50 <= t.within
	default:
		return r.Rate >= t.rate
	}
}
