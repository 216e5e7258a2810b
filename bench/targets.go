package main

import (
	"slices"
	"time"
)

// target is a goal for an operation. Only one among ratio, within, rate and bytes is set.
// Times are for a machine with two cores; ratios and bytes are for any machine.
type target struct {
	ratio  float64       // at most so many times the limit
	within time.Duration // at most this long
	rate   float64       // at least so often a second
	bytes  int64         // at most so many
	size   int           // where it is judged; 0 is the largest size measured
	engine string        // whose it is; empty for both
}

const (
	thousand        = 1000
	hundredThousand = 100_000
)

// targetsOf returns an operation's targets on an engine.
func targetsOf(engine, operation string) []target {
	list := map[string][]target{
		"start, empty database":                                   {{within: 100 * time.Millisecond}},
		"start, full database":                                    {{within: 100 * time.Millisecond}},
		"sign in":                                                 {{ratio: 1.15}},
		"who am I, session, 8 clients at once":                    {{ratio: 2}},
		"import preview of a file":                                {{ratio: 8, size: hundredThousand}, {within: 200 * time.Millisecond, size: hundredThousand}, {within: 4 * time.Millisecond, size: thousand}},
		"import of all fills":                                     {{ratio: 2.5, size: hundredThousand}},
		"import of a file that is all known":                      {{ratio: .25}},
		"import of 100 more fills":                                {{within: 30 * time.Millisecond}},
		"reversal of 100 fills":                                   {{ratio: 2}},
		"import of the largest file, beside reads":                {{ratio: 2}},
		"reversal of the largest file":                            {{ratio: 1}},
		"undo of the reversal of the largest file":                {{ratio: 1.5}},
		"undo of the deletion of the whole account":               {{ratio: 1.5}},
		"page of 50 trades, during the import, p99":               {{within: 50 * time.Millisecond}},
		"list of all trades":                                      {{ratio: 2, size: hundredThousand}, {within: 4 * time.Millisecond, size: thousand}},
		"list of all fills":                                       {{ratio: 2, size: hundredThousand}, {within: 6 * time.Millisecond, size: thousand}},
		"fill, large account":                                     {{ratio: 20}},
		"fill, large account against an empty one":                {{ratio: 1.25}},
		"fill a little back in time":                              {{ratio: 20}},
		"fill, trade as long as the journal":                      {{within: 10 * time.Millisecond}},
		"fill half the journal back, busiest symbol":              {{within: 40 * time.Millisecond, size: hundredThousand}},
		"deletion of a fill half the journal back":                {{within: 60 * time.Millisecond, size: hundredThousand}},
		"16 writers on one account":                               {{ratio: 3}},
		"summary, asked again":                                    {{ratio: 5}},
		"summary, 8 clients at once":                              {{rate: 5000}},
		"summary of one month":                                    {{within: 3 * time.Millisecond}},
		"summary of a filter":                                     {{within: 50 * time.Millisecond}},
		"summary, right after a write":                            {{ratio: .3, size: hundredThousand}},
		"daily, asked again":                                      {{within: 5 * time.Millisecond, size: hundredThousand}},
		"equity-curve, asked again":                               {{within: 25 * time.Millisecond, size: hundredThousand}},
		"behavior, asked again":                                   {{within: 5 * time.Millisecond, size: hundredThousand}},
		"behavior, not asked before":                              {{within: 100 * time.Millisecond, size: hundredThousand}},
		"public share page":                                       {{within: 25 * time.Millisecond, size: hundredThousand}},
		"who am I, session":                                       {{ratio: 2.5}},
		"one trade with its fills":                                {{within: 400 * time.Microsecond, size: hundredThousand}},
		"note on a trade":                                         {{within: 700 * time.Microsecond, size: hundredThousand}},
		"page of 50 trades, sorted by result":                     {{within: 20 * time.Millisecond}},
		"page of 50 trades, sorted by R":                          {{within: 20 * time.Millisecond}},
		"page of 50 trades of a filter":                           {{within: 100 * time.Millisecond}},
		"page of 50 trades of a filter, sorted by result":         {{within: 100 * time.Millisecond}},
		"summary, the first after a start":                        {{within: 500 * time.Millisecond}},
		"summary, explained":                                      {{ratio: 3}},
		"shutdown, idle":                                          {{within: 20 * time.Millisecond}},
		"first page of the history, 1m changes":                   {{ratio: 1.25}},
		"first page of the history, without security, 1m changes": {{ratio: 1.25}},
		"first page of an account's history, 1m changes":          {{ratio: 1.25}},
		fillWithHistory:                                           {{ratio: 1.15}},
		annotationWithHistory:                                     {{ratio: 1.15}},
		importWithHistory:                                         {{ratio: 1.03, size: hundredThousand}},
		changeOfFill:                                              {{bytes: 300}},
		changeOfAnnotation:                                        {{bytes: 300}},
		changeOfImport:                                            {{bytes: 4 << 10}},
		"import of minute bars":                                   {{rate: 1_000_000}},
		"database, a minute bar of a share":                       {{bytes: 11}},
		"database, a minute bar of a future":                      {{bytes: 8}},
		"price bars of a session":                                 {{within: 2 * time.Millisecond}},
		excursionsOperation:                                       {{within: time.Second, size: hundredThousand, engine: "sqlite"}, {within: 2 * time.Second, size: hundredThousand, engine: "postgres"}},
		detectionOperation:                                        {{within: time.Second, size: hundredThousand}},
		"summary of strategies, asked again":                      {{ratio: 1.3}},
		"summary of strategies, not asked before":                 {{ratio: 1.3}},
		"fill, with price bars":                                   {{ratio: 1.2}},
		storageOperation:                                          {{bytes: 220, engine: "sqlite"}, {bytes: 330, engine: "postgres"}},
		"memory at rest":                                          {{bytes: 28 << 20, size: hundredThousand}},
		"memory after listing everything":                         {{bytes: 60 << 20, size: hundredThousand}},
		"memory, peak of the import":                              {{bytes: 200 << 20, size: hundredThousand}},
	}[operation]
	return slices.DeleteFunc(list, func(t target) bool { return t.engine != "" && t.engine != engine })
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
	case t.bytes > 0:
		s = "≤ " + formatBytes(t.bytes)
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
	case t.bytes > 0:
		return r.Amount > 0 && r.Amount <= t.bytes
	default:
		return r.Rate >= t.rate
	}
}
